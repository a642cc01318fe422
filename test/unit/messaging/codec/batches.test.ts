import { expect, test } from 'vitest';
import { messageDefinition } from '../../../../schemas/messages.ts';
import { readSchema } from '../../../../schemas/schema-files.ts';
import { parseWriterSchema } from '../../../../shared/messaging/codec/avro-types.ts';
import type { FoundSchema, SchemaRegistry } from '../../../../shared/messaging/codec/schema-registry.ts';
import { type EncodedBatch, REQUEST_BATCH } from '../../../../shared/messaging/codec/request-batch.ts';
import { atOnce, codecOf, itemsOf, payloadOf, problemOf } from '../../../support/builders/codec-calls.ts';
import { REQUEST, smallRequest } from '../../../support/builders/codec-fixture.ts';

const local = codecOf();
const single = atOnce(local.encode(REQUEST, smallRequest, 'avro')).value;

function withSchemaId(value: Buffer, id: number): Buffer {
  const copy = Buffer.from(value);
  copy.writeUInt32BE(id, 1);
  return copy;
}

async function readItems(ids: readonly number[]) {
  const lookedUp: number[] = [];
  const schema = parseWriterSchema(readSchema(messageDefinition(REQUEST)!));
  const registry = {
    schemaOf: (id: number): Promise<FoundSchema> => {
      lookedUp.push(id);
      return Promise.resolve(id === 1 ? { kind: 'found', schema } : { kind: 'unknown' });
    },
  } as unknown as SchemaRegistry;
  const items = ids.map((id) => ({ value: withSchemaId(single, id) }));
  const { value } = atOnce(local.encode(REQUEST_BATCH, { items }, 'avro'));
  const details: (string | undefined)[] = [];
  for (const item of itemsOf(codecOf({ registry }).decode({ value, headers: {} }))) {
    const decoded = await item.decode();
    details.push(decoded.kind === 'undecodable' ? decoded.problem.detail : undefined);
  }
  return { lookedUp, details };
}

test('looks up at most eight unknown schema ids per batch and refuses items with other unknown ids', async () => {
  const unknown = Array.from({ length: 20 }, (_, index) => 100 + index);
  const { lookedUp, details } = await readItems([...unknown, 100, 107]);
  expect(lookedUp).toEqual(unknown.slice(0, 8));
  expect(details[7]).toContain('schema id 107 is not known');
  expect(details[8]).toBe('Schema id 108 was not looked up: the batch has more than 8 unknown ids.');
  expect(details.slice(20)).toEqual([expect.stringContaining('100'), expect.stringContaining('107')]);
  expect(details.every((detail) => detail !== undefined)).toBe(true);
});

test('does not count known schema ids towards the limit on unknown ones', async () => {
  const { lookedUp, details } = await readItems([100, 101, 102, 103, 104, 105, 106, 1, 107, 1]);
  expect(lookedUp).toEqual([100, 101, 102, 103, 104, 105, 106, 1, 107]);
  expect([details[7], details[9]]).toEqual([undefined, undefined]);
});

const outer = atOnce(local.encode(REQUEST_BATCH, { items: [{ value: single }] }, 'avro')).value;

test.each<[string, Buffer | null, boolean]>([
  ['an array', Buffer.from('[{}]'), true],
  ['an array after whitespace', Buffer.from(' \r\n\t[{}]'), true],
  ['one request in JSON', Buffer.from('{"a": []}'), false],
  ['a batch in Avro', outer, true],
  ['one request in Avro', single, false],
  ['Avro of an unknown schema', withSchemaId(outer, 5), false],
  ['Avro truncated in its schema id', outer.subarray(0, 3), false],
  ['plain text', Buffer.from('hello'), false],
  ['a null value', null, false],
  ['an array after a part of a byte order mark', Buffer.from('\xef[[[', 'latin1'), false],
  ['an empty value', Buffer.alloc(0), false],
])('classifies %s as a batch: %s', (_, value, isBatch) => {
  expect(local.isBatch({ value, headers: {} })).toBe(isBatch);
});

const fromJson = (text: string) =>
  local.decode({ value: Buffer.from(text), headers: { 'plat-message-type': REQUEST } });
const fromAvro = (items: readonly object[]) =>
  local.decode({ value: atOnce(local.encode(REQUEST_BATCH, { items }, 'avro')).value, headers: {} });

test('refuses an empty batch in JSON and in Avro', () => {
  const errors = [{ path: 'items', code: 'empty', message: 'must hold 1 to 500 requests' }];
  for (const decoded of [fromJson('[]'), fromAvro([])]) {
    const opened = (payloadOf(decoded) as EncodedBatch).open();
    expect(opened).toMatchObject({ kind: 'invalid', problem: { code: 'invalid-request', errors } });
  }
});

test.each([
  ['an object', fromJson('[{"id": {}}]'), 'wrong-type'],
  ['an empty string', fromJson('[{"id": ""}]'), 'empty'],
  ['an empty string in Avro', fromAvro([{ id: '', value: single }]), 'empty'],
  ['a string of 201 characters', fromJson(`[{"id": "${'x'.repeat(201)}"}]`), 'too-long'],
  ['a fraction', fromJson('[{"id": 0.5}]'), 'out-of-range'],
])('reports an id that is %s as a fault of its item', (_, decoded, code) => {
  const [item] = itemsOf(decoded);
  const message = expect.stringMatching(/^must be text of 1 to 200 characters/) as string;
  expect(problemOf(atOnce(item!.decode())).errors?.[0]).toEqual({ path: 'id', code, message });
  expect(item?.id).toBeUndefined();
});

test('recognises a batch by the schema id of the registry once the codec is prepared', async () => {
  const registry = { registeredId: () => Promise.resolve(5) } as unknown as SchemaRegistry;
  const codec = codecOf({ registry });
  const message = { value: withSchemaId(outer, 5), headers: {} };
  expect(codec.isBatch(message)).toBe(false);
  await codec.prepare([REQUEST_BATCH]);
  expect(codec.isBatch(message)).toBe(true);
});

import { expect, test } from 'vitest';
import { messageDefinition } from '../../../../schemas/messages.ts';
import { readSchema } from '../../../../schemas/schema-files.ts';
import { parseWriterSchema } from '../../../../shared/messaging/codec/avro-types.ts';
import type { FoundSchema, SchemaRegistry } from '../../../../shared/messaging/codec/schema-registry.ts';
import { type EncodedBatch, REQUEST_BATCH } from '../../../../shared/messaging/codec/request-batch.ts';
import { atOnce, codecOf, payloadOf, problemOf } from '../../../support/builders/codec-calls.ts';
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
  const opened = (payloadOf(codecOf({ registry }).decode({ value, headers: {} })) as EncodedBatch).open();
  if (opened.kind !== 'items') throw new Error('the batch was refused');
  const details: (string | undefined)[] = [];
  for (const item of opened.items) {
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
  ['an empty value', Buffer.alloc(0), false],
])('classifies %s as a batch: %s', (_, value, isBatch) => {
  expect(local.isBatch({ value, headers: {} })).toBe(isBatch);
});

function openJson(text: string) {
  const decoded = local.decode({ value: Buffer.from(text), headers: { 'plat-message-type': REQUEST } });
  return (payloadOf(decoded) as EncodedBatch).open();
}

function openAvro(items: readonly object[]) {
  const { value } = atOnce(local.encode(REQUEST_BATCH, { items }, 'avro'));
  return (payloadOf(local.decode({ value, headers: {} })) as EncodedBatch).open();
}

test.each([
  ['JSON', () => openJson('[]')],
  ['Avro', () => openAvro([])],
])('refuses an empty batch in %s', (_, open) => {
  const errors = [{ path: 'items', code: 'empty', message: 'must hold 1 to 500 requests' }];
  expect(open()).toMatchObject({ kind: 'invalid', problem: { code: 'invalid-request', errors } });
});

test.each([
  ['an object', '{}', 'wrong-type'],
  ['an empty string', '""', 'empty'],
  ['a string of 201 characters', JSON.stringify('x'.repeat(201)), 'too-long'],
  ['a fraction', '0.5', 'out-of-range'],
])('reports an id that is %s as a fault of its item', (_, id, code) => {
  const opened = openJson(`[{"id": ${id}}]`);
  if (opened.kind !== 'items') throw new Error('the batch was refused');
  const message = expect.stringMatching(/^must be text of 1 to 200 characters/) as string;
  expect(problemOf(atOnce(opened.items[0]!.decode())).errors?.[0]).toEqual({ path: 'id', code, message });
  expect(opened.items[0]?.id).toBeUndefined();
});

test('reports an invalid id in Avro as a fault of its item', () => {
  const opened = openAvro([{ id: '', value: single }]);
  if (opened.kind !== 'items') throw new Error('the batch was refused');
  expect(problemOf(atOnce(opened.items[0]!.decode())).errors).toMatchObject([{ path: 'id', code: 'empty' }]);
});

test('recognises a batch by the schema id of the registry once the codec is prepared', async () => {
  const registry = { registeredId: () => Promise.resolve(5) } as unknown as SchemaRegistry;
  const codec = codecOf({ registry });
  const message = { value: withSchemaId(outer, 5), headers: {} };
  expect(codec.isBatch(message)).toBe(false);
  await codec.prepare([REQUEST_BATCH]);
  expect(codec.isBatch(message)).toBe(true);
});

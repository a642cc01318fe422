import { expect, test } from 'vitest';
import { messageDefinition } from '../../../../schemas/messages.ts';
import { readSchema } from '../../../../schemas/schema-files.ts';
import { parseWriterSchema } from '../../../../shared/messaging/codec/avro-schema.ts';
import type { FoundSchema, SchemaRegistry } from '../../../../shared/messaging/codec/schema-registry.ts';
import {
  type EncodedBatch,
  openAtOnce,
  REQUEST_BATCH,
} from '../../../../shared/messaging/codec/request-batch.ts';
import {
  atOnce,
  codecOf,
  payloadOf,
  REQUEST,
  smallRequest,
} from '../../../support/builders/codec-fixture.ts';

const local = codecOf();
const single = atOnce(local.encode(REQUEST, smallRequest, 'avro')).value;

function withSchemaId(value: Buffer, id: number): Buffer {
  const copy = Buffer.from(value);
  copy.writeUInt32BE(id, 1);
  return copy;
}

/** A batch of values of these schema ids, read with a registry that knows the id 1 only, as a request's. */
async function readItems(ids: readonly number[]) {
  const asked: number[] = [];
  const schema = parseWriterSchema(readSchema(messageDefinition(REQUEST)!));
  const registry = {
    schemaOf: (id: number): Promise<FoundSchema> => {
      asked.push(id);
      return Promise.resolve(id === 1 ? { kind: 'found', schema } : { kind: 'unknown' });
    },
  } as unknown as SchemaRegistry;
  const items = ids.map((id) => ({ value: withSchemaId(single, id) }));
  const { value } = atOnce(local.encode(REQUEST_BATCH, { items }, 'avro'));
  const opened = openAtOnce(payloadOf(codecOf({ registry }).decode({ value, headers: {} })) as EncodedBatch);
  if (opened.kind !== 'items') throw new Error('there are no items');
  const details: (string | undefined)[] = [];
  for (const item of opened.items) {
    const decoded = await item.decode();
    details.push(decoded.kind === 'undecodable' ? decoded.problem.detail : undefined);
  }
  return { asked, details };
}

test('for one batch the registry is asked for eight unknown schema ids, and further ones are refused unasked', async () => {
  const unknown = Array.from({ length: 20 }, (_, index) => 100 + index);
  const { asked, details } = await readItems([...unknown, 100, 107]);
  expect(asked).toEqual(unknown.slice(0, 8));
  expect(details[7]).toContain('schema id 107 is not known');
  expect(details[8]).toBe('Schema id 108 was not looked up: the batch has more than 8 unknown ids.');
  expect(details.slice(20)).toEqual([expect.stringContaining('100'), expect.stringContaining('107')]);
  expect(details.every((detail) => detail !== undefined)).toBe(true);
});

test('a schema id that the registry knows does not count among the unknown ones', async () => {
  const { asked, details } = await readItems([100, 101, 102, 103, 104, 105, 106, 1, 107, 1]);
  expect(asked).toEqual([100, 101, 102, 103, 104, 105, 106, 1, 107]);
  expect([details[7], details[9]]).toEqual([undefined, undefined]);
});

const outer = atOnce(local.encode(REQUEST_BATCH, { items: [{ value: single }] }, 'avro')).value;

test.each<[string, Buffer | null, boolean]>([
  ['an array', Buffer.from('[{}]'), true],
  ['an array behind blanks', Buffer.from(' \r\n\t[{}]'), true],
  ['one request in JSON', Buffer.from('{"a": []}'), false],
  ['a batch in Avro', outer, true],
  ['one request in Avro', single, false],
  ['Avro of an unknown schema', withSchemaId(outer, 5), false],
  ['Avro that ends within its schema id', outer.subarray(0, 3), false],
  ['neither', Buffer.from('hello'), false],
  ['nothing', null, false],
  ['no bytes', Buffer.alloc(0), false],
])('%s is recognised as a batch or a single message by its first bytes', (_, value, is) => {
  expect(local.isBatch({ value, headers: {} })).toBe(is);
});

test('text that is not valid UTF-8 is the fault of its own item', () => {
  const good = String(atOnce(local.encode(REQUEST, smallRequest, 'json')).value);
  const value = Buffer.concat([
    Buffer.from(`[${good}, {"id": "`),
    Buffer.from([0xc3, 0x28, 0xff, 0xe2]),
    Buffer.from(`"}, ${good}]`),
  ]);
  const headers = { 'plat-message-type': REQUEST };
  const opened = openAtOnce(payloadOf(local.decode({ value, headers })) as EncodedBatch);
  if (opened.kind !== 'items') throw new Error('there are no items');
  expect(opened.items.map((item) => atOnce(item.decode()))).toMatchObject([
    { kind: 'decoded', payload: smallRequest },
    { kind: 'undecodable', problem: { code: 'malformed-json', detail: 'The item is not valid UTF-8.' } },
    { kind: 'decoded', payload: smallRequest },
  ]);
  expect(opened.items[1]?.id).toBeUndefined();
});

test('a step of opening an array looks at a part of it only', () => {
  const value = Buffer.from(`[{"id": "${'x'.repeat(1_024 * 1_024)}"}]`);
  const decoded = local.decode({ value, headers: { 'plat-message-type': REQUEST } });
  const opening = (payloadOf(decoded) as EncodedBatch).open();
  let steps = 1;
  while (opening.step() === undefined) steps += 1;
  expect(steps).toBe(17);
});

test('a batch is recognised by the id that the registry gave to our schema before one was ever read', async () => {
  const registry = { registeredId: () => Promise.resolve(5) } as unknown as SchemaRegistry;
  const codec = codecOf({ registry });
  const message = { value: withSchemaId(outer, 5), headers: {} };
  expect(codec.isBatch(message)).toBe(false);
  await codec.prepare([REQUEST_BATCH]);
  expect(codec.isBatch(message)).toBe(true);
});

import { expect, it } from 'vitest';
import {
  compileBoundsCheck,
  MalformedAvroError,
  TooManyItemsError,
} from '../../../../shared/messaging/codec/avro-bounds.ts';
import { parseWriterSchema } from '../../../../shared/messaging/codec/avro-types.ts';
import {
  type EncodedBatch,
  REPLY_BATCH,
  REQUEST_BATCH,
} from '../../../../shared/messaging/codec/request-batch.ts';
import { atOnce, codecOf, payloadOf, problemOf } from '../../../support/builders/codec-calls.ts';
import { REPLY, schedule } from '../../../support/builders/codec-fixture.ts';
import { leastMsOf } from '../../../support/fakes/least-time.ts';

const codec = codecOf();
const check = (schema: unknown, hex: string) =>
  compileBoundsCheck(parseWriterSchema(JSON.stringify(schema)))(Buffer.from(hex, 'hex'), 0);
const arrayOf = (items: unknown) => ({ type: 'array', items });
const node = { type: 'record', name: 'Node', fields: [{ name: 'next', type: ['null', 'Node'] }] };

const MILLION = Buffer.from('80897a', 'hex');

function encodeMillionItems(type: string): Buffer {
  const { value } = atOnce(codec.encode(type, { items: [] }, 'avro'));
  return Buffer.concat([value.subarray(0, 5), MILLION, Buffer.alloc(8 * 1_024 * 1_024)]);
}

it.each([
  ['null', ''],
  ['boolean', '01'],
  ['int', 'ffffffff0f'],
  ['long', 'ffffffffffffff0f'],
  ['long', 'fcffffffffffff1f'],
  ['float', '00000000'],
  ['double', '0000000000000000'],
  ['string', '0461c3'],
  [arrayOf('int'), '040204020600'],
  [arrayOf('int'), '0304020400'],
  [{ type: 'map', values: 'int' }, '0202610200'],
  [['null', 'int'], '0202'],
  [{ type: 'enum', name: 'E', symbols: ['A', 'B'] }, '02'],
  [{ type: 'fixed', name: 'F', size: 3 }, '010203'],
  [node, '020200'],
  [{ type: 'bytes', logicalType: 'decimal', precision: 1 }, '0207'],
])('the bounds check of Avro bytes accepts a value of %j', (schema, hex) => {
  expect(() => check(schema, hex)).not.toThrow();
});

it.each([
  ['a boolean other than 0 and 1', 'boolean', '02'],
  ['an int of more than 32 bits', 'int', '8080808010'],
  ['a varint of more than 64 bits', 'long', 'ffffffffffffffffffffff01'],
  ['a truncated varint', 'long', '80'],
  ['a missing varint', 'int', ''],
  ['a negative number that binary floating point cannot represent exactly', 'long', '8180808080808010'],
  ['a string of negative length', 'string', '01'],
  ['a string longer than the remaining bytes', 'string', '08616263'],
  ['an array of a billion items', arrayOf('int'), '8094ebdc0302'],
  ['an array of 2^63 - 1 items', arrayOf('int'), 'feffffffffffffffff0102'],
  ['an array without an end marker', arrayOf('int'), '0202'],
  ['a block whose size differs from the declared one', arrayOf('int'), '0302020400'],
  ['a block of negative size', arrayOf('int'), '03010204'],
  ['an unknown union branch', ['null', 'int'], '04'],
  ['a negative union branch', ['null', 'int'], '01'],
  ['an unknown enum symbol', { type: 'enum', name: 'E', symbols: ['A', 'B'] }, '04'],
  ['a truncated fixed value', { type: 'fixed', name: 'F', size: 3 }, '0102'],
  ['trailing bytes', 'int', '0200'],
])('the bounds check of Avro bytes rejects %s', (_, schema, hex) => {
  expect(() => check(schema, hex)).toThrow(MalformedAvroError);
});

it('the bounds check of Avro bytes rejects schemas with arrays of items without bytes', () => {
  const empty = { type: 'record', name: 'Empty', fields: [{ name: 'nothing', type: 'null' }] };
  for (const items of ['null', empty, { type: 'fixed', name: 'F', size: 0 }]) {
    expect(() => check(arrayOf(items), '00')).toThrow('without bytes');
  }
});

it('the bounds check of Avro bytes stops at more items than allowed, counting all blocks of the array', () => {
  const inner = { type: 'record', name: 'Inner', fields: [{ name: 'many', type: arrayOf('int') }] };
  const fields = [
    { name: 'inner', type: inner },
    { name: 'items', type: arrayOf('int') },
  ];
  const type = parseWriterSchema(JSON.stringify({ type: 'record', name: 'Outer', fields }));
  const bounded = (hex: string) => compileBoundsCheck(type, 3)(Buffer.from(hex, 'hex'), 0);
  const fourInside = '080202020200';
  expect(() => bounded(`${fourInside}0602020200`)).not.toThrow();
  expect(() => bounded(`${fourInside}020204020200`)).not.toThrow();
  expect(() => bounded(`${fourInside}04020204020200`)).toThrow(TooManyItemsError);
  expect(() => bounded(`${fourInside}0708020202020200`)).toThrow(TooManyItemsError);
});

it('the bounds check of Avro bytes refuses a batch of a million tiny items before allocating them', () => {
  const messages = [REQUEST_BATCH, REPLY_BATCH].map(encodeMillionItems);
  const errors = [{ path: 'items', code: 'too-many-items' }];
  const leastMs = leastMsOf(() => {
    const [requests, replies] = messages.map((value) => codec.decode({ value, headers: {} }));
    const opened = (payloadOf(requests!) as EncodedBatch).open();
    expect(opened).toMatchObject({ kind: 'invalid', problem: { code: 'invalid-request', errors } });
    expect(problemOf(replies!).detail).toContain('more than 500 items');
  });
  expect(leastMs).toBeLessThan(500);
});

it('the bounds check of Avro bytes refuses a short message that declares a million rows, without allocating them', () => {
  const { value, headers } = atOnce(codec.encode(REPLY, { ...schedule, rows: [] }, 'avro'));
  const at = value.indexOf('type-id') + 'type-id'.length + 3;
  expect(value[at]).toBe(0);
  const hostile = Buffer.concat([value.subarray(0, at), MILLION, value.subarray(at + 1)]);
  const { detail } = problemOf(codec.decode({ value: hostile, headers }));
  expect(detail).toContain('more items than there are bytes');
});

it.each(['0', '1.5', '4, "scale": 5', '4, "scale": -1'])('a decimal of precision %s is refused', (limits) => {
  const text = `{ "type": "bytes", "logicalType": "decimal", "precision": ${limits} }`;
  expect(() => parseWriterSchema(text)).toThrow(/a decimal/);
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageDefinition } from '../../../../schemas/messages.ts';
import { readSchema } from '../../../../schemas/schema-files.ts';
import { compileBoundsCheck } from '../../../../shared/messaging/codec/avro-bounds.ts';
import { WIRE_HEADER_BYTES } from '../../../../shared/messaging/codec/avro-message.ts';
import { compileReader } from '../../../../shared/messaging/codec/avro-reader.ts';
import { parseOwnSchema } from '../../../../shared/messaging/codec/avro-schema.ts';
import {
  MAX_BATCH_ITEMS,
  REPLY_BATCH,
  REQUEST_BATCH,
} from '../../../../shared/messaging/codec/request-batch.ts';
import {
  atOnce,
  codecOf,
  fullRequest,
  problem,
  PROBLEM,
  REPLY,
  REQUEST,
  schedule,
  smallRequest,
} from '../../../support/builders/codec-fixture.ts';

const codec = codecOf();
const batchItems = [
  { id: 'a', status: 200, value: Buffer.from('one'), warnings: 'w', holidayCalendar: undefined },
  { id: undefined, status: 400, value: Buffer.alloc(0), warnings: undefined, holidayCalendar: 'c' },
];
const MESSAGES: readonly (readonly [string, string, object])[] = [
  ['a small request', REQUEST, smallRequest],
  ['a request with all kinds of fields', REQUEST, fullRequest],
  ['a schedule', REPLY, { ...schedule, rows: schedule.rows.slice(0, 1) }],
  ['a problem', PROBLEM, problem],
  ['a batch of requests', REQUEST_BATCH, { items: batchItems }],
  ['a batch of replies', REPLY_BATCH, { items: batchItems }],
];

/** The compiled reader of a type, and the reading in steps with which it must agree. */
function readersOf(type: string) {
  const definition = messageDefinition(type);
  if (definition === undefined) throw new Error(`${type} is not in the list of messages`);
  const schema = parseOwnSchema(readSchema(definition));
  const isBatch = definition.kind === 'batch';
  const maxItems = isBatch ? MAX_BATCH_ITEMS : Infinity;
  const check = compileBoundsCheck(schema, maxItems);
  const read = compileReader(schema, { maxItems, isBatch });
  if (read === undefined) throw new Error(`${type} has no compiled reader`);
  const readInSteps = (bytes: Buffer): unknown => {
    check(bytes, WIRE_HEADER_BYTES);
    return (schema.decode(bytes, WIRE_HEADER_BYTES) as { value: unknown }).value;
  };
  return { readAtOnce: (bytes: Buffer) => read(bytes, WIRE_HEADER_BYTES), readInSteps };
}

/** The value as text without absent fields, which are null in avsc and undefined in payloads. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (one === null ? undefined : one));
}

function encode(type: string, payload: object): Buffer {
  return atOnce(codec.encode(type, payload, 'avro')).value;
}

/** Changes of some bytes, and of the end of a value. */
const damage = fc.record({
  bytes: fc.array(fc.tuple(fc.nat(4_000), fc.nat(255)), { maxLength: 3 }),
  removed: fc.nat(3),
  added: fc.nat(1),
});

describe('a compiled reader of Avro', () => {
  it.each(MESSAGES)('reads %s as the complete check and avsc do', (_, type, payload) => {
    const { readAtOnce, readInSteps } = readersOf(type);
    const bytes = encode(type, payload);
    const read = readAtOnce(bytes);
    expect(textOf(read)).toBe(textOf(readInSteps(bytes)));
    expect(JSON.stringify(read)).not.toContain(':null');
  });

  it.each(MESSAGES)('never reads %s otherwise when its bytes are damaged', (_, type, payload) => {
    const { readAtOnce, readInSteps } = readersOf(type);
    const whole = encode(type, payload);
    const agrees = fc.property(damage, ({ bytes, removed, added }) => {
      const damaged = Buffer.concat([whole.subarray(0, whole.length - removed), Buffer.alloc(added)]);
      for (const [at, byte] of bytes) damaged[WIRE_HEADER_BYTES + (at % damaged.length)] = byte;
      const read = readAtOnce(damaged);
      return read === undefined || textOf(read) === textOf(readInSteps(damaged));
    });
    expect(fc.check(agrees, { numRuns: 500 }).counterexample).toBeNull();
  });

  it.each([
    ['a long that is not exact', 'long', 'feffffffffffffffff01'],
    ['an int of more than 32 bits', 'int', '8080808010'],
    ['a boolean other than 0 and 1', 'boolean', '02'],
    ['a text longer than the remaining bytes', 'string', '08616263'],
    ['a decimal of more digits than its precision', 'decimal', '040064'],
    ['a union branch that does not exist', ['null', 'int'], '04'],
    ['an array of more items than there are bytes', { type: 'array', items: 'int' }, '8094ebdc0302'],
    ['an array in a sized block', { type: 'array', items: 'int' }, '0304020400'],
    ['an array of more items than allowed', { type: 'array', items: 'int' }, '080204060800'],
    ['bytes after the value', 'int', '0200'],
    ['missing bytes', 'int', ''],
    ['a long of more than 64 bits', 'long', `${'80'.repeat(10)}00`],
    ['a long of 150 bytes, whose value would be NaN', 'long', `${'80'.repeat(150)}00`],
    ['a length of more than 64 bits', 'string', `${'80'.repeat(10)}00`],
    ['a count of more than 64 bits', { type: 'array', items: 'int' }, `${'80'.repeat(10)}00`],
  ])('leaves %s to the complete check', (_, type, hex) => {
    const decimal = { type: 'bytes', logicalType: 'decimal', precision: 1, scale: 0 };
    expect(readField(type === 'decimal' ? decimal : type, hex)).toBeUndefined();
  });

  it.each([
    ['the largest long of 53 bits', 'long', 'feffffffffffff0f', 2 ** 52 - 1],
    ['the least long of 53 bits', 'long', 'ffffffffffffff0f', -(2 ** 52)],
    ['a negative long of five bytes', 'long', 'ffffffff1f', -(2 ** 32)],
    ['the least int', 'int', 'ffffffff0f', -(2 ** 31)],
    ['a number of four bytes', 'int', '80808002', 2 ** 21],
    ['the empty text', 'string', '00', ''],
    ['the second branch of a union', ['int', 'null'], '02', undefined],
    ['an array in several blocks', { type: 'array', items: 'int' }, '0202020400', [1, 2]],
  ])('reads %s', (_, type, hex, value) => {
    expect(readField(type, hex)).toEqual({ field: value });
  });

  it.each([
    [{ type: 'map', values: 'int' }],
    [{ type: 'array', items: ['null', 'int'] }],
    [['null', 'int', 'string']],
  ])('is not compiled for %j', (type) => {
    expect(compileReader(recordOf(type), { maxItems: 3, isBatch: false })).toBeUndefined();
  });

  it('reads texts that change and come back', () => {
    const { readAtOnce } = readersOf(REQUEST);
    const longText = 'x'.repeat(100);
    for (const text of ['Monthly', 'Mensual', 'Monthly', '', longText, 'ă', 'ą', 'Monthly']) {
      const bytes = encode(REQUEST, { ...smallRequest, PeriodicityType: text });
      expect(readAtOnce(bytes)).toMatchObject({ PeriodicityType: text });
    }
  });

  it('shares the memory of a batch, and copies bytes from other messages', () => {
    const value = Buffer.from('0602ff03', 'hex');
    const [shared, copied] = [true, false].map((isBatch) =>
      compileReader(recordOf('bytes'), { maxItems: 3, isBatch })?.(value, 0),
    );
    value.fill(0);
    expect(shared).toEqual({ field: Buffer.from('000000', 'hex') });
    expect(copied).toEqual({ field: Buffer.from('02ff03', 'hex') });
  });
});

function recordOf(type: unknown) {
  return parseOwnSchema(JSON.stringify({ type: 'record', name: 'R', fields: [{ name: 'field', type }] }));
}

/** Reads a record with one field; arrays may have three items. */
function readField(type: unknown, hex: string): unknown {
  return compileReader(recordOf(type), { maxItems: 3, isBatch: false })?.(Buffer.from(hex, 'hex'), 0);
}

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import type { Encoded } from '../../../../shared/messaging/codec.ts';
import { PayloadError } from '../../../../shared/messaging/codec/avro-message.ts';
import { atOnce, codecOf, payloadOf, problemOf } from '../../../support/builders/codec-calls.ts';
import {
  fullRequest,
  REPLY,
  REQUEST,
  schedule,
  smallRequest,
} from '../../../support/builders/codec-fixture.ts';

const codec = codecOf();
const text = (value: string) => Buffer.from(value).toString('hex');

/** Fields that smallRequest omits: each is union branch 0, null. */
const nulls = (count: number) => '00'.repeat(count);

/** Derived by hand from the Avro specification, to detect any change to the wire format. */
const SMALL_REQUEST_HEX = [
  '00', // magic byte
  '40000043', // 2^30 + 67, the local schema id
  `22${text('EqualInstallments')}`, // length 17 as zig-zag
  '12363cba091fb2520000', // 9 bytes: 1000.5 with 18 decimals
  '08', // InstallmentsNo 4
  `0e${text('Monthly')}`,
  '02', // InstallmentDay 1
  nulls(1), // ProductType
  '0212410d586a20a4c00000', // branch 1, 9 bytes: 12 with 20 decimals
  nulls(8), // AdvanceAmount to BlockInterestAmount
  '0296b402', // branch 1, 2024-01-01 is day 19723
  nulls(34), // FirstDueDate to DueDates
].join('');

const roundTrip = (payload: object) => payloadOf(codec.decode(atOnce(codec.encode(REPLY, payload, 'avro'))));
const scheduleOfPrincipal = (principal: number) => ({
  ...schedule,
  rows: [{ ...schedule.rows[0], principal }],
});
const decodeAs = (contentType: string, { value, headers }: Encoded) =>
  codec.decode({ value, headers: { ...headers, 'content-type': Buffer.from(contentType) } });

/** A request type without a bulk topic: an array of this type is not a batch. */
const WITHOUT_BATCHES = 'SimulateRequest';

const decodeText = (value: string | Buffer, type = REQUEST) =>
  codec.decode({ value: Buffer.from(value), headers: { 'plat-message-type': type } });

describe('the Avro wire format', () => {
  it('writes and reads the exact bytes of the wire format', () => {
    expect(atOnce(codec.encode(REQUEST, smallRequest, 'avro')).value.toString('hex')).toBe(SMALL_REQUEST_HEX);
    const value = Buffer.from(SMALL_REQUEST_HEX, 'hex');
    expect(payloadOf(codec.decode({ value, headers: {} }))).toEqual(smallRequest);
  });

  it('distinguishes a rate without a solution (null) from one that was not requested (undefined)', () => {
    const unsolved = { ...schedule, show: 'rows-with-dae', eir: undefined, dae: null };
    expect(roundTrip(unsolved)).toHaveProperty('dae', null);
    expect(roundTrip({ ...schedule, show: 'rows', eir: undefined })).toHaveProperty('dae', undefined);
    expect(() => codec.encode(REPLY, { ...schedule, dae: null }, 'avro')).toThrow('dae');
    expect(() => codec.encode(REPLY, { ...schedule, eir: undefined }, 'avro')).toThrow('eir');
  });

  it('does not overwrite an encoded message with the next one', () => {
    const first = atOnce(codec.encode(REQUEST, smallRequest, 'avro'));
    const copy = Buffer.from(first.value);
    atOnce(codec.encode(REQUEST, fullRequest, 'avro'));
    expect(first.value.equals(copy)).toBe(true);
  });

  it('writes messages that are larger than its buffer', () => {
    const rows = Array.from({ length: 4_000 }, (_, at) => ({ ...schedule.rows[0], InstallmentNo: at + 1 }));
    const encoded = atOnce(codec.encode(REPLY, { ...schedule, rows }, 'avro'));
    expect(encoded.value.length).toBeGreaterThan(200_000);
    expect(payloadOf(codec.decode(encoded))).toEqual({ ...schedule, rows });
  });

  it('rejects a payload and reports every field that does not fit', () => {
    const wrong = {
      ...fullRequest,
      Amount: new Decimal('1e20'),
      InstallmentsNo: 2.5,
      BlockAmount: new Decimal('1e-19'),
      Commission: [{ ...fullRequest.Commission?.[0], SourceValue: new Decimal('NaN') }],
      Currency: 7,
    };
    expect(() => codec.encode(REQUEST, wrong, 'avro')).toThrow(PayloadError);
    const many = { ...fullRequest, Commission: Array.from({ length: 101 }, () => 7) };
    expect(codec.faultsOf(REQUEST, many)).toHaveLength(100);
    expect(codec.faultsOf(REQUEST, wrong)).toEqual([
      { path: 'Amount', code: 'out-of-range', message: 'must be below 10^20 in absolute value' },
      { path: 'InstallmentsNo', code: 'out-of-range', message: 'must be a whole number of 32 bits' },
      { path: 'BlockAmount', code: 'too-many-decimals', message: 'must have at most 18 decimals' },
      { path: 'Commission[0].SourceValue', code: 'wrong-type', message: 'must be a finite decimal' },
      { path: 'Currency', code: 'wrong-type', message: 'must be null or string' },
    ]);
  });

  it('encodes amounts up to the limits of exact integers and rejects others', () => {
    for (const amount of [2 ** 53 - 2, -(2 ** 52)])
      expect(roundTrip(scheduleOfPrincipal(amount))).toEqual(scheduleOfPrincipal(amount));
    for (const amount of [2 ** 53 - 1, -(2 ** 52) - 1, 0.5, Number.NaN]) {
      const encode = () => codec.encode(REPLY, scheduleOfPrincipal(amount), 'avro');
      expect(encode).toThrow('rows[0].principal must be a whole number');
    }
  });
});

describe('the format of a message', () => {
  const avro = atOnce(codec.encode(REQUEST, smallRequest, 'avro'));
  const json = atOnce(codec.encode(REQUEST, smallRequest, 'json'));

  it('is determined by the first byte; a contradicting content type is rejected', () => {
    for (const [contentType, right, wrong] of [
      ['application/vnd.apache.avro', avro, json],
      ['avro/binary', avro, json],
      ['Application/JSON; charset=utf-8', json, avro],
      ['application/vnd.bank+json', json, avro],
    ] as const) {
      expect(payloadOf(decodeAs(contentType, right))).toBeDefined();
      expect(problemOf(decodeAs(contentType, wrong)).detail).toContain('contradicts the first byte');
    }
    for (const contentType of ['text/plain', 'application/xml', 'application/x-protobuf']) {
      const refused = problemOf(decodeAs(contentType, avro));
      expect(refused.code).toBe('undecodable-message');
      for (const accepted of ['application/json', '+json', 'avro/binary', 'application/octet-stream'])
        expect(refused.detail).toContain(accepted);
    }
    for (const kind of ['cloudevents+json; charset=UTF-8', 'cloudevents-batch+json']) {
      expect(problemOf(decodeAs(`application/${kind}`, json)).detail).toBe(
        'Structured CloudEvents are not read: send the data of the event as the value, with its type in the headers ' +
          'plat-message-type and content-type.',
      );
    }
  });

  it('does not require a content type, and ignores an empty or neutral one', () => {
    for (const headers of [{}, { 'content-type': 'application/octet-stream' }, { 'content-type': '' }]) {
      expect(payloadOf(codec.decode({ value: avro.value, headers }))).toEqual(smallRequest);
    }
  });

  it.each([
    ['a null value', null, 'empty'],
    ['an empty value', '', 'empty'],
    ['text', 'hello', 'neither Avro nor JSON'],
    ['a JSON string', ' "{\\"jsonParam\\":{}}"', 'A JSON object or array is expected, not a string.'],
    ['a JSON number', '-1.5', 'A JSON object or array is expected, not a number.'],
    ['a JSON literal', 'null\n', 'A JSON object or array is expected, not null.'],
    ['a word that begins as a literal', 'nullable', 'neither Avro nor JSON'],
    ['only the magic byte', '\0', 'ends within its schema id'],
    ['a truncated schema id', '\0\0\0', 'ends within its schema id'],
    ['an unknown schema id', '\0\0\0\0\u0007\0', 'schema id 7 is not known'],
    ['an unknown local id', '\0\u007f\u007f\u007f\u007f\0', 'is not known'],
  ])('is undecodable for %s', (_, value, detail) => {
    const decoded = codec.decode({ value: value === null ? null : Buffer.from(value), headers: {} });
    expect(problemOf(decoded)).toMatchObject({ code: 'undecodable-message', status: 400 });
    expect(problemOf(decoded).detail).toContain(detail);
  });

  it('is taken from the content type for the reply to undecodable bytes', () => {
    const unknown = { value: Buffer.from('?'), headers: {} };
    expect(decodeAs('application/vnd.apache.avro', unknown)).toMatchObject({ format: 'avro' });
    expect(decodeAs('application/json', unknown)).toMatchObject({ format: 'json' });
  });
});

describe('JSON messages', () => {
  it.each([
    ['truncated JSON', '{"jsonParam":', 'malformed-json'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'malformed-json'],
    ['100,000 levels of nesting', '['.repeat(100_000), 'malformed-json'],
    ['33 levels of nesting', `${'['.repeat(33)}${']'.repeat(33)}`, 'malformed-json'],
    ['more than 4 MiB', `["${' '.repeat(4 * 1_024 * 1_024)}"]`, 'body-too-large'],
  ])('are refused for %s', (_, value, code) => {
    expect(problemOf(decodeText(value, WITHOUT_BATCHES)).code).toBe(code);
  });

  it('may nest 32 levels deep and contain brackets and escaped quotes in strings', () => {
    const nested = `${'['.repeat(32)}${']'.repeat(32)}`;
    const brackets = `["${'['.repeat(50)}\\\\","\\"${'{'.repeat(50)}"]`;
    for (const deep of [nested, brackets])
      expect(problemOf(decodeText(deep, WITHOUT_BATCHES)).code).toBe('invalid-request');
  });

  it('require a message-type header with a known type', () => {
    const untyped = codec.decode({ value: Buffer.from('{}'), headers: {} });
    expect(problemOf(untyped).detail).toContain('plat-message-type');
    for (const type of ['Nothing', 'constructor', '__proto__']) {
      expect(problemOf(decodeText('{}', type)).detail).toContain('does not name a known message type');
    }
  });
});

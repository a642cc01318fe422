import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { PayloadError } from '../../../../shared/messaging/codec/avro-message.ts';
import {
  atOnce,
  codecOf,
  fullRequest,
  payloadOf,
  PROBLEM,
  problem,
  problemOf,
  REPLY,
  REQUEST,
  schedule,
  smallRequest,
} from '../../../support/builders/codec-fixture.ts';

const codec = codecOf();
const text = (value: string) => Buffer.from(value).toString('hex');

/** Members that smallRequest leaves out: each is the union branch 0, null. */
const nulls = (count: number) => '00'.repeat(count);

/** Worked out by hand from the Avro specification, so that the wire format cannot drift. */
const SMALL_REQUEST_HEX = [
  '00', // magic byte
  '40000000', // 2^30, the first local schema id
  `22${text('EqualInstallments')}`, // length 17 as zig-zag
  '12363cba091fb2520000', // 9 bytes: 1000.5 with 18 decimals
  '08', // InstallmentsNo 4
  `0e${text('Monthly')}`,
  '02', // InstallmentDay 1
  nulls(1), // ProductType
  '0212410d586a20a4c00000', // branch 1, 9 bytes: 12 with 20 decimals
  nulls(8), // AdvanceAmount to BlockInterestAmount
  '0296b402', // branch 1, 2024-01-01 is day 19723
  nulls(32), // FirstDueDate to Explain
].join('');

/** A schedule as it comes back from the wire. */
function carried(payload: object): unknown {
  return payloadOf(codec.decode(atOnce(codec.encode(REPLY, payload, 'avro'))));
}

/** A schedule of one row that pays so much. */
function owing(principal: number) {
  return { ...schedule, rows: [{ ...schedule.rows[0], principal }] };
}

function decodeUnknown(contentType: string) {
  return codec.decode({ value: Buffer.from('?'), headers: { 'content-type': contentType } });
}

/** A request of which several in one message are not taken: an array under its type is read like any other value. */
const WITHOUT_BATCHES = 'SimulateRequest';

function decodeText(value: string | Buffer, type = REQUEST) {
  return codec.decode({ value: Buffer.from(value), headers: { 'plat-message-type': type } });
}

describe('the Avro wire format', () => {
  it.each([
    [REQUEST, smallRequest],
    [REQUEST, fullRequest],
    [REPLY, schedule],
    [REPLY, { ...schedule, show: 'dae', rows: [], eir: undefined, dae: null }],
    [REPLY, { ...schedule, show: 'rows', eir: undefined }],
    [PROBLEM, problem],
  ])('carries a payload of %s unchanged', (type, payload) => {
    const encoded = atOnce(codec.encode(type, payload, 'avro'));
    const decoded = codec.decode(encoded);
    expect(decoded).toMatchObject({ kind: 'decoded', type, format: 'avro' });
    expect(payloadOf(decoded)).toEqual(payload);
  });

  it('writes a message byte for byte as it always did', () => {
    expect(atOnce(codec.encode(REQUEST, smallRequest, 'avro')).value.toString('hex')).toBe(SMALL_REQUEST_HEX);
    expect(payloadOf(codec.decode({ value: Buffer.from(SMALL_REQUEST_HEX, 'hex'), headers: {} }))).toEqual(
      smallRequest,
    );
  });

  it('distinguishes a rate that does not exist from one that was not requested', () => {
    expect(carried({ ...schedule, show: 'rows-with-dae', eir: undefined, dae: null })).toHaveProperty(
      'dae',
      null,
    );
    expect(carried({ ...schedule, show: 'rows', eir: undefined })).toHaveProperty('dae', undefined);
    expect(() => codec.encode(REPLY, { ...schedule, dae: null }, 'avro')).toThrow('dae');
    expect(() => codec.encode(REPLY, { ...schedule, eir: undefined }, 'avro')).toThrow('eir');
  });

  it('keeps what it wrote when the next message is written', () => {
    const first = atOnce(codec.encode(REQUEST, smallRequest, 'avro'));
    const copy = Buffer.from(first.value);
    atOnce(codec.encode(REQUEST, fullRequest, 'avro'));
    expect(first.value.equals(copy)).toBe(true);
  });

  it('writes messages that are larger than its buffer', () => {
    const rows = Array.from({ length: 4_000 }, (_, index) => ({
      ...schedule.rows[0],
      InstallmentNo: index + 1,
    }));
    const encoded = atOnce(codec.encode(REPLY, { ...schedule, rows }, 'avro'));
    expect(encoded.value.length).toBeGreaterThan(200_000);
    expect(payloadOf(codec.decode(encoded))).toEqual({ ...schedule, rows });
  });

  it('names every member that does not fit, and writes nothing', () => {
    const wrong = {
      ...fullRequest,
      Amount: new Decimal('1e20'),
      InstallmentsNo: 2.5,
      BlockAmount: new Decimal('1e-19'),
      Commission: [{ ...fullRequest.Commission?.[0], SourceValue: new Decimal('NaN') }],
      Currency: 7,
    };
    expect(() => codec.encode(REQUEST, wrong, 'avro')).toThrow(PayloadError);
    expect(codec.faultsOf(REQUEST, wrong)).toEqual([
      { path: 'Amount', code: 'out-of-range', message: 'must be below 10^20 in either direction' },
      { path: 'InstallmentsNo', code: 'out-of-range', message: 'must be a whole number of 32 bits' },
      { path: 'BlockAmount', code: 'too-many-decimals', message: 'must have at most 18 decimals' },
      { path: 'Commission[0].SourceValue', code: 'wrong-type', message: 'must be a finite decimal' },
      { path: 'Currency', code: 'wrong-type', message: 'must be null or string' },
    ]);
  });

  it('takes amounts to the limits of exact numbers, and refuses those beyond', () => {
    for (const amount of [2 ** 53 - 2, -(2 ** 52)]) expect(carried(owing(amount))).toEqual(owing(amount));
    for (const amount of [2 ** 53 - 1, -(2 ** 52) - 1, 0.5, Number.NaN]) {
      expect(() => codec.encode(REPLY, owing(amount), 'avro')).toThrow(
        'rows[0].principal must be a whole number',
      );
    }
  });

  it('has no fault to find with payloads that it writes', () => {
    expect(codec.faultsOf(REQUEST, fullRequest)).toEqual([]);
    expect(codec.faultsOf(REPLY, schedule)).toEqual([]);
  });

  it('refuses a type that is not in the catalogue', () => {
    expect(() => codec.encode('Nothing', {}, 'avro')).toThrow('Nothing');
  });
});

describe('what a message is', () => {
  const avro = atOnce(codec.encode(REQUEST, smallRequest, 'avro'));
  const json = atOnce(codec.encode(REQUEST, smallRequest, 'json'));

  it('is decided by the first byte, which the content type may only confirm', () => {
    const types = {
      'application/vnd.apache.avro': 'avro',
      'avro/binary': 'avro',
      'Application/JSON; charset=utf-8': 'json',
      'application/vnd.bank+json': 'json',
    };
    for (const [contentType, format] of Object.entries(types)) {
      const [right, wrong] = format === 'avro' ? [avro, json] : [json, avro];
      const headers = (message: typeof avro) => ({
        ...message.headers,
        'content-type': Buffer.from(contentType),
      });
      expect(payloadOf(codec.decode({ value: right.value, headers: headers(right) }))).toBeDefined();
      const refused = problemOf(codec.decode({ value: wrong.value, headers: headers(wrong) }));
      expect(refused.detail).toContain('contradicts the first byte');
    }
    for (const contentType of ['text/plain', 'application/xml']) {
      const refused = codec.decode({ value: avro.value, headers: { 'content-type': contentType } });
      expect(problemOf(refused).code).toBe('undecodable-message');
    }
  });

  it('needs no content type, and is not put off by one that says nothing', () => {
    for (const headers of [{}, { 'content-type': 'application/octet-stream' }, { 'content-type': '' }]) {
      expect(payloadOf(codec.decode({ value: avro.value, headers }))).toEqual(smallRequest);
    }
  });

  it('takes the last of a repeated header', () => {
    const headers = { 'content-type': ['application/json', 'application/vnd.apache.avro'] };
    expect(payloadOf(codec.decode({ value: avro.value, headers }))).toEqual(smallRequest);
  });

  it.each([
    ['no value', null, 'empty'],
    ['no bytes', '', 'empty'],
    ['text', 'hello', 'neither Avro nor JSON'],
    ['a bare zero', '\0', 'ends within its schema id'],
    ['half a schema id', '\0\0\0', 'ends within its schema id'],
    ['an unknown schema id', '\0\0\0\0\u0007\0', 'schema id 7 is not known'],
    ['an unknown local id', '\0\u007f\u007f\u007f\u007f\0', 'is not known'],
  ])('is undecodable: %s', (_, value, detail) => {
    const decoded = codec.decode({ value: value === null ? null : Buffer.from(value), headers: {} });
    expect(problemOf(decoded)).toMatchObject({ code: 'undecodable-message', status: 400 });
    expect(problemOf(decoded).detail).toContain(detail);
  });

  it('is answered in the format that a message claimed, where its bytes show none', () => {
    expect(decodeUnknown('application/vnd.apache.avro')).toMatchObject({ format: 'avro' });
    expect(decodeUnknown('application/json')).toMatchObject({ format: 'json' });
  });
});

describe('JSON messages', () => {
  it('may begin with the blanks that JSON allows, and with nothing else', () => {
    const json = atOnce(codec.encode(REQUEST, smallRequest, 'json')).value.toString();
    expect(payloadOf(decodeText(` \t\r\n${json}`))).toEqual(smallRequest);
    expect(problemOf(decodeText(`\v${json}`)).detail).toContain('neither Avro nor JSON');
    expect(problemOf(decodeText(' '.repeat(2_000))).detail).toContain('neither Avro nor JSON');
  });

  it('carry a request and a problem unchanged, named by their header', () => {
    for (const [type, payload] of [
      [REQUEST, smallRequest],
      [PROBLEM, problem],
    ] as const) {
      const encoded = atOnce(codec.encode(type, payload, 'json'));
      expect(encoded.headers).toEqual({ 'content-type': 'application/json', 'plat-message-type': type });
      expect(codec.decode(encoded)).toMatchObject({ kind: 'decoded', type, format: 'json', payload });
    }
  });

  it('report members that have no effect', () => {
    const body = {
      jsonParam: {
        ...JSON.parse(atOnce(codec.encode(REQUEST, smallRequest, 'json')).value.toString()).jsonParam,
        Colour: 'red',
      },
    };
    expect(decodeText(JSON.stringify(body))).toMatchObject({
      kind: 'decoded',
      warnings: [{ path: 'jsonParam.Colour' }],
    });
  });

  it('are refused with all faults at once where the shape is wrong', () => {
    const refused = problemOf(decodeText('{"jsonParam":{"Amount":"1","InstallmentsNo":4}}'));
    expect(refused).toMatchObject({ code: 'invalid-request', status: 400 });
    expect(refused.errors?.map((fault) => fault.path)).toEqual(
      expect.arrayContaining(['jsonParam.Amount', 'jsonParam.ScheduleType', 'jsonParam.PeriodicityType']),
    );
  });

  it.each([
    ['text that is cut off', '{"jsonParam":', 'malformed-json'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'malformed-json'],
    ['nesting of a hundred thousand levels', '['.repeat(100_000), 'malformed-json'],
    ['one level too many', `${'['.repeat(33)}${']'.repeat(33)}`, 'malformed-json'],
    ['more than 4 MiB', `["${' '.repeat(4 * 1_024 * 1_024)}"]`, 'body-too-large'],
  ])('are refused: %s', (_, value, code) => {
    expect(problemOf(decodeText(value, WITHOUT_BATCHES)).code).toBe(code);
  });

  it('may nest to the limit, and hold brackets and escaped quotes in text', () => {
    const nested = `${'['.repeat(32)}${']'.repeat(32)}`;
    expect(problemOf(decodeText(nested, WITHOUT_BATCHES)).code).toBe('invalid-request');
    const brackets = `["${'['.repeat(50)}\\\\","\\"${'{'.repeat(50)}"]`;
    expect(problemOf(decodeText(brackets, WITHOUT_BATCHES)).code).toBe('invalid-request');
  });

  it('need a header that names a known type', () => {
    expect(problemOf(codec.decode({ value: Buffer.from('{}'), headers: {} })).detail).toContain(
      'plat-message-type',
    );
    for (const type of ['Nothing', 'constructor', '__proto__']) {
      expect(problemOf(decodeText('{}', type)).detail).toContain('names no known type');
    }
  });
});

import { Decimal } from 'decimal.js';
import { describe, expect, test } from 'vitest';
import { type EncodedBatch } from '../../../../shared/messaging/codec/request-batch.ts';
import { atOnce, codecOf, itemsOf, payloadOf, problemOf } from '../../../support/builders/codec-calls.ts';
import { REQUEST, smallRequest } from '../../../support/builders/codec-fixture.ts';

const codec = codecOf();
const request = atOnce(codec.encode(REQUEST, smallRequest, 'json')).value.toString();
const decode = (text: string, type = REQUEST) =>
  codec.decode({ value: Buffer.from(text), headers: { 'plat-message-type': type } });
const withAmount = (amount: string): string => request.replace(/"Amount":[^,}]*/, `"Amount":${amount}`);

describe('a message in JSON', () => {
  test('may begin with a byte order mark, also if it is a batch', () => {
    expect(payloadOf(decode(`\ufeff${request}`))).toEqual(smallRequest);
    expect(codec.isBatch({ value: Buffer.from(`\ufeff[${request}]`), headers: {} })).toBe(true);
    expect(itemsOf(decode(`\ufeff [${request}]`))).toHaveLength(1);
  });

  test('is refused if it repeats a member, with the path', () => {
    const problem = problemOf(decode(request.replace('{"jsonParam":{', '{"jsonParam":{"InstallmentsNo":5,')));
    expect(problem).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(problem.errors).toMatchObject([{ path: 'jsonParam.InstallmentsNo', code: 'repeated-member' }]);
  });

  test('keeps all decimals of an amount, and is refused with more than the field allows (M1, M6)', () => {
    const Amount = new Decimal('10000.000000000000000001');
    expect(payloadOf(decode(withAmount(Amount.toFixed())))).toMatchObject({ Amount });
    const expected = { status: 422, errors: [{ path: 'jsonParam.Amount', code: 'too-many-decimals' }] };
    expect(problemOf(decode(withAmount('10000.0000000000000000001')))).toMatchObject(expected);
  });

  test('is refused as a command with more than 10,000 members and elements', () => {
    const unknown = Array.from({ length: 10_000 }, (_, index) => `"n${index}":0`).join();
    const command = `{"notificationId":"0f8fad5b-d9cb-469f-a165-70867728950e",${unknown}}`;
    expect(problemOf(decode(command, 'SendSmsCommand')).errors).toMatchObject([{ code: 'too-many-values' }]);
  });
});

test('a request may have 5,000 cash flows, the most that are allowed', () => {
  const flows = Array.from({ length: 5_000 }, (_, index) => `{"Date":"2025-01-31","Amount":${index - 1}}`);
  const text = `{"jsonParam":{"Rule":"XIRR","CashFlows":[${flows.join()}]}}`;
  expect(decode(text, 'CalculateRateRequest')).toMatchObject({ kind: 'decoded' });
});

test('a request of a batch with a large number as its id is refused, and the others are read', async () => {
  const items = itemsOf(decode(`[{"id":9007199254740993},${withAmount('1.000000000000000001')}]`));
  expect(problemOf(await items[0]!.decode()).errors?.[0]).toMatchObject({ path: 'id', code: 'out-of-range' });
  const Amount = new Decimal('1.000000000000000001');
  expect(await items[1]?.decode()).toMatchObject({ payload: { Amount } });
});

test.each([
  ['repeats a member of a request', `[{"id":1,"id":2,"jsonParam":{}},${request}]`, 'repeated-member'],
  ['is not valid JSON', `[${request},{]`, 'malformed-json'],
  ['has more than 50,000 members and elements', `[{"id":[${'0,'.repeat(50_000)}0]}]`, 'too-many-values'],
])('a batch that %s is refused as a whole', (_, text, code) => {
  const opened = (payloadOf(decode(text)) as EncodedBatch).open();
  expect(opened).toMatchObject({ kind: 'invalid', problem: { errors: [{ code }] } });
});

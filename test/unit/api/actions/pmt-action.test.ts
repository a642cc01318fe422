import { Decimal } from 'decimal.js';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { toJsonSchema } from '../../../../shared/api/json/json-schema.ts';
import {
  paymentValueFields,
  renderPaymentValue,
  paymentValueRequest,
} from '../../../../shared/api/actions/pmt-action.ts';
import { BUILT_IN_CATALOGUE } from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { parseJson } from '../../../../shared/platform/bounded-json.ts';
import type { PaymentValueRequest } from '../../../../shared/lending/request/payment-value-request.ts';

const TERMS = {
  InstallmentsNo: 4,
  PeriodicityType: 'Monthly',
  InterestCalculationMethod: '30/360',
  FinancedAmount: 1000,
  InterestPercent: 12,
};

const read = (changes: object) =>
  paymentValueRequest.read({ jsonParam: { ...TERMS, ...changes } }, BUILT_IN_CATALOGUE);

/** The error code, then path and code of each fault. */
function faultsOf(changes: object): readonly string[] {
  const result = read(changes);
  if (result.kind === 'valid') return [];
  return [
    result.problem,
    ...result.faults.map(({ path, code }) => `${path.replace('jsonParam.', '')} ${code}`),
  ];
}

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];
type Present<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };

test('the parsed request has the fields and types of the engine request', () => {
  type Read = Readonly<z.output<typeof paymentValueFields>>;
  expectTypeOf<Present<Read>>().toEqualTypeOf<Present<PaymentValueRequest>>();
  expectTypeOf<OptionalKeys<Read>>().toEqualTypeOf<OptionalKeys<PaymentValueRequest>>();
  expect(toJsonSchema(paymentValueFields).required).toEqual([
    'InstallmentsNo',
    'PeriodicityType',
    'InterestCalculationMethod',
  ]);
});

const readText = (amount: string, installments = '4') => {
  const text = JSON.stringify({
    jsonParam: { ...TERMS, FinancedAmount: 'amount', InstallmentsNo: 'count' },
  })
    .replace('"amount"', amount)
    .replace('"count"', installments);
  const parsed = parseJson(text);
  if (parsed.kind === 'refused') throw new Error('the text is wrong');
  return paymentValueRequest.read(parsed.value);
};

describe('reading the request of PLAT_BP_CalculatePMT', () => {
  test.each([
    '9999999.9999999999',
    '12345678901234567890.123456789012345678',
    '1000.1000000000000000000000',
    '1e2',
  ])('reads %s as the decimal that is written (M1)', (amount) => {
    expect(readText(amount)).toMatchObject({ payload: { FinancedAmount: new Decimal(amount) } });
  });

  test('refuses more decimals and digits than a field allows with 422, and a count that is not whole (M6)', () => {
    expect(readText('1.0000000000000000001')).toMatchObject({
      problem: 'not-computable',
      faults: [{ path: 'jsonParam.FinancedAmount', code: 'too-many-decimals' }],
    });
    expect(readText('123456789012345678901')).toMatchObject({
      problem: 'not-computable',
      faults: [{ path: 'jsonParam.FinancedAmount', code: 'amount-too-large' }],
    });
    for (const count of ['4.00000000000000000001', '12345678901234567890.5', '90071992547409930']) {
      expect(readText('1000', count)).toMatchObject({
        problem: 'not-computable',
        faults: [{ path: 'jsonParam.InstallmentsNo', code: 'out-of-range' }],
      });
    }
    expect(readText('1000', '4.0000000000000000000')).toMatchObject({ payload: { InstallmentsNo: 4 } });
  });

  test('refuses numbers in strings and missing fields with 400 and all faults (E3, M6)', () => {
    const wrong = { InstallmentsNo: null, PeriodicityType: 'x', FinancedAmount: '1000', InterestType: 3 };
    expect(faultsOf(wrong)).toEqual([
      'invalid-request',
      'InstallmentsNo missing',
      'FinancedAmount wrong-type',
      'PeriodicityType unknown-periodicity',
      'InterestType out-of-range',
    ]);
  });

  test('leaves range checks to the calculation, and refuses fractions of installments with 422', () => {
    expect(faultsOf({ InstallmentsNo: 0, InterestCalculationMethod: 'x', GracePeriodPrincipal: 2 })).toEqual(
      [],
    );
    expect(faultsOf({ InstallmentsNo: 1.5 })).toEqual(['not-computable', 'InstallmentsNo out-of-range']);
  });

  test('reports no faults that depend on an unreadable field', () => {
    expect(faultsOf({ InstallmentsNo: 'one', GracePeriodPrincipal: 1 })).toEqual([
      'invalid-request',
      'InstallmentsNo wrong-type',
    ]);
    expect(faultsOf({ InstallmentsNo: null, GracePeriodPrincipal: 12 })).toEqual([
      'invalid-request',
      'InstallmentsNo missing',
    ]);
    expect(faultsOf({ FinancedAmount: 0, FutureValue: 'x' })).toEqual([
      'invalid-request',
      'FutureValue wrong-type',
    ]);
    expect(faultsOf({ FinancedAmount: 'x', FutureValue: -5 })).toEqual([
      'invalid-request',
      'FinancedAmount wrong-type',
    ]);
    expect(faultsOf({ PeriodicityType: 1, InterestPercent: -1200 })).toEqual([
      'invalid-request',
      'PeriodicityType wrong-type',
    ]);
    expect(faultsOf({ PeriodicityType: 1, InterestPercent: 1e6 })).toEqual([
      'invalid-request',
      'PeriodicityType wrong-type',
      'InterestPercent out-of-range',
    ]);
  });
});

describe('a request from Avro', () => {
  const sent: PaymentValueRequest = {
    InstallmentsNo: 4,
    PeriodicityType: 'Monthly',
    InterestCalculationMethod: '30/360',
    FinancedAmount: new Decimal(1000),
  };

  test('has the limits of one from JSON, and reports all faults together', () => {
    expect(paymentValueRequest.check(sent)).toBeUndefined();
    const wrong = {
      ...sent,
      PeriodicityType: '',
      InterestCalculationMethod: 'x'.repeat(201),
      InterestType: 2,
    };
    expect(paymentValueRequest.check(wrong)).toMatchObject({
      problem: 'invalid-request',
      faults: [
        { path: 'jsonParam.PeriodicityType', code: 'empty' },
        { path: 'jsonParam.InterestCalculationMethod', code: 'too-long' },
        { path: 'jsonParam.InterestType', code: 'out-of-range' },
      ],
    });
  });
});

const reply = (pmt: string, principal: string, digits: number) =>
  renderPaymentValue({ pmtValue: new Decimal(pmt), principalValue: new Decimal(principal), digits });

describe('writing', () => {
  test('writes an answer with the decimals of Precision, exactly (M1, M5)', () => {
    expect(reply('256.28', '250', 2)).toBe('{"PMTValue":256.28,"PrincipalValue":250.00}');
    expect(reply('256', '-0', 0)).toBe('{"PMTValue":256,"PrincipalValue":0}');
    expect(reply('12345678901234567890.0123456789', '1e-10', 10)).toBe(
      '{"PMTValue":12345678901234567890.0123456789,"PrincipalValue":0.0000000001}',
    );
  });

  test('throws on NaN', () => {
    expect(() => reply('NaN', '1', 2)).toThrow(RangeError);
  });
});

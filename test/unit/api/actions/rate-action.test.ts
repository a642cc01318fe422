import { Decimal } from 'decimal.js';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import {
  rateFields,
  rateReply,
  renderRate,
  rateRequest,
} from '../../../../shared/api/actions/rate-action.ts';
import { MAX_CASH_FLOWS } from '../../../../shared/lending/annual-rate/cash-flow-terms.ts';
import type { ProvenRate, RateRequest } from '../../../../shared/lending/request/rate-request.ts';
import { date } from '../../../support/builders/lending-loan.ts';

const DRAWN = { Date: '2025-01-15', Amount: -1000 };
const DATED = { Rule: 'DAE', CashFlows: [DRAWN, { Date: '2026-01-20', Amount: 1040 }] };
const PERIODIC = { Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: [-100, 101] };

/** The error code, then path and code of each fault. */
function faultsOf(jsonParam: object): readonly string[] {
  const result = rateRequest.read({ jsonParam });
  if (result.kind === 'valid') return [];
  return [
    result.problem,
    ...result.faults.map(({ path, code }) => `${path.replace('jsonParam.', '')} ${code}`),
  ];
}

test('the parsed request has the fields and types of the engine request', () => {
  type Read = z.output<typeof rateFields>;
  type Present<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };
  type Wanted = Omit<Present<RateRequest>, 'CashFlows' | 'Amounts'>;
  expectTypeOf<Omit<Present<Read>, 'CashFlows' | 'Amounts'>>().toEqualTypeOf<Wanted>();
  expectTypeOf<Present<Read>['CashFlows']>().toExtend<Present<RateRequest>['CashFlows']>();
  expectTypeOf<Present<Read>['Amounts']>().toExtend<Present<RateRequest>['Amounts']>();
  expectTypeOf<keyof Read>().toEqualTypeOf<keyof RateRequest>();
  expect(Object.keys(rateFields.shape)).toHaveLength(5);
});

describe('reading the request of PLAT_BP_CalculateRate (A6)', () => {
  test('converts dates to calendar dates and amounts to exact decimals (D1, M1)', () => {
    expect(rateRequest.read({ jsonParam: DATED })).toMatchObject({
      kind: 'valid',
      payload: { CashFlows: [{ Date: date('2025-01-15'), Amount: new Decimal(-1000) }, {}] },
    });
    expect(rateRequest.read({ jsonParam: PERIODIC })).toMatchObject({
      payload: { Amounts: [new Decimal(-100), new Decimal(101)] },
    });
  });

  test('treats an empty list as absent, and reports unknown fields of flows (R1, E3)', () => {
    const flows = [DRAWN, { Date: '2026-01-20', Amount: 1040, Fee: 1 }];
    const result = rateRequest.read({ jsonParam: { ...DATED, CashFlows: flows, Amounts: [] } });
    expect(result).toMatchObject({
      kind: 'valid',
      warnings: [{ code: 'unknown-member', path: 'jsonParam.CashFlows[1].Fee' }],
    });
    expect(result.kind === 'valid' && result.payload.Amounts).toBeUndefined();
  });

  test('reports schema violations and semantic faults together (E3)', () => {
    expect(faultsOf({ Rule: 'DAE', Unit: 5 })).toEqual([
      'invalid-request',
      'Unit wrong-type',
      'CashFlows missing',
    ]);
    expect(faultsOf({ ...PERIODIC, Amounts: [-100, '101', null], PeriodicityType: 'Once' })).toEqual([
      'invalid-request',
      'Amounts[1] wrong-type',
      'Amounts[2] missing',
      'PeriodicityType not-allowed',
    ]);
    expect(faultsOf({ CashFlows: [{ Date: '2025-02-30' }], Unit: 'Decades' })).toEqual([
      'invalid-request',
      'Rule missing',
      'CashFlows[0].Date invalid-date',
      'CashFlows[0].Amount missing',
      'Unit unknown-value',
    ]);
  });

  test.each(['CashFlows', 'Amounts'])('refuses an overlong list of %s without reading the items', (list) => {
    const items = new Proxy([], {
      get: (target, key) => {
        if (key === 'length') return MAX_CASH_FLOWS + 1;
        if (key === Symbol.iterator || key === '0') throw new Error('an item was read');
        return Reflect.get(target, key) as unknown;
      },
    });
    const rule = list === 'Amounts' ? { Rule: 'IRR', PeriodicityType: 'Monthly' } : { Rule: 'DAE' };
    expect(faultsOf({ ...rule, [list]: items })).toEqual(['invalid-request', `${list} too-many-items`]);
  });
});

test('a request from Avro has the limits of one from JSON', () => {
  const flow = { Date: date('2025-01-01'), Amount: new Decimal(-1) };
  expect(rateRequest.check({ Rule: 'DAE', CashFlows: [flow] })).toBeUndefined();
  const outside = { ...flow, Date: (date('2999-12-31') + 1) as typeof flow.Date };
  expect(
    rateRequest.check({ Rule: 'x'.repeat(201), CashFlows: [flow, outside], Unit: 'Decades' }),
  ).toMatchObject({
    problem: 'invalid-request',
    faults: [
      { path: 'jsonParam.Rule', code: 'too-long' },
      { path: 'jsonParam.CashFlows[1].Date', code: 'invalid-date' },
      { path: 'jsonParam.Unit', code: 'unknown-value' },
    ],
  });
  const many = Array.from({ length: MAX_CASH_FLOWS + 1 }, () => flow.Amount);
  expect(rateRequest.check({ Rule: 'IRR', Amounts: many })).toMatchObject({
    faults: [
      { path: 'jsonParam.Amounts', code: 'too-many-items' },
      { path: 'jsonParam.PeriodicityType', code: 'missing' },
    ],
  });
});

const PROVEN: ProvenRate = {
  rate: '5.0000000000',
  proof: [
    { date: date('2025-01-15'), amount: '-1000', years: '0.00', discountedAmount: '-1000.0000000000' },
    { date: date('2026-01-15'), amount: '1050.10', years: '1.00', discountedAmount: null },
  ],
  residual: null,
  warnings: [],
};

describe('writing', () => {
  test('writes all digits, dates as yyyy-mm-dd, and null for missing figures', () => {
    expect(renderRate(PROVEN)).toBe(
      '{"Rate":5.0000000000,"Proof":[' +
        '{"Date":"2025-01-15","Amount":-1000,"Years":0.00,"DiscountedAmount":-1000.0000000000},' +
        '{"Date":"2026-01-15","Amount":1050.10,"Years":1.00,"DiscountedAmount":null}],"Residual":null}',
    );
    expect(rateReply.safeParse(JSON.parse(renderRate(PROVEN)))).toMatchObject({ success: true });
  });

  test('numbers flows without dates from 0, whether their dates are null or absent', () => {
    const undated = PROVEN.proof.map((flow) => ({ ...flow, date: null }));
    const text = renderRate({ ...PROVEN, proof: undated });
    expect(text).toContain('[{"Period":0,"Amount":-1000,');
    expect(text).toContain('{"Period":1,"Amount":1050.10,');
    const absent = {
      proof: [
        { amount: '-1000', years: '0.00' },
        { amount: '1', years: '1.00' },
      ],
    };
    expect(renderRate(absent as unknown as ProvenRate)).toBe(
      '{"Rate":null,"Proof":[{"Period":0,"Amount":-1000,"Years":0.00,"DiscountedAmount":null},' +
        '{"Period":1,"Amount":1,"Years":1.00,"DiscountedAmount":null}],"Residual":null}',
    );
  });

  test.each(['NaN', '1e5', '', '1,5'])('throws on the figure %j', (rate) => {
    expect(() => renderRate({ ...PROVEN, rate })).toThrow(RangeError);
  });
});

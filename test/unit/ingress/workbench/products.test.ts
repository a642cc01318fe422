import { describe, expect, it } from 'vitest';
import {
  describeInterest,
  offerFigures,
  plainFields,
  valueInForce,
  type OfferCharge,
  type OfferRow,
} from '../../../../workers/ingress/workbench/app/products/product-types.ts';

const value = (Value: number, from: string | undefined, to?: string) => ({
  Value,
  ValueStatus: 'Active',
  ValueValidFrom: from === undefined ? null : { invariantDate: from },
  ValueValidTo: to === undefined ? null : { invariantDate: to },
});

describe('the values of a product', () => {
  it('in force on a day is the latest that has begun and not ended, both days included', () => {
    const values = [
      value(1, undefined, '2023-12-31'),
      value(2, '2024-01-01'),
      value(3, '2026-01-01', '2026-06-30'),
    ];
    const days = ['2020-05-05', '2023-12-31', '2024-01-01', '2026-06-30', '2026-07-01'];
    expect(days.map((day) => valueInForce(values, day)?.Value)).toEqual([1, 1, 2, 3, 2]);
    expect(valueInForce([], '2026-01-01')).toBeUndefined();
  });

  it('come from interests of both kinds, those by utilised amount with their bands', () => {
    const bands = [
      {
        InterestName: 'To 1000',
        MinUtilizedAmount: null,
        MaxUtilizedAmount: 1000,
        IsForOverdraft: true,
        CollectionValidFrom: null,
        CollectionValidTo: null,
        Value: 10,
        ValueMessage: null,
      },
    ];
    const banded = { InterestName: 'By amount', InterestType: 'Collection', BandedInterests: bands };
    expect(describeInterest(banded)).toEqual({ name: 'By amount', type: 'Collection', values: [], bands });
    const fixed = { Name: 'Fixed', Type: 'Fixed', Values: [value(7, undefined)] };
    expect(describeInterest(fixed)).toEqual({
      name: 'Fixed',
      type: 'Fixed',
      values: fixed.Values,
      bands: [],
    });
  });

  it('show plain fields only', () => {
    const section = { Currency: 'EUR', MinimumAmount: 500, MaximumAdvance: null, ProductCovenants: [] };
    expect(plainFields(section)).toEqual([
      ['Currency', 'EUR'],
      ['MinimumAmount', 500],
    ]);
  });
});

const charge = (periodicity: string, price: Partial<OfferCharge>): OfferCharge => ({
  name: 'x',
  periodicity,
  value: null,
  percent: null,
  baseValue: null,
  basePercent: null,
  ...price,
});
const row = (InstallmentNo: number, totalInstallment: number, remainingValue = 0): OfferRow => ({
  InstallmentNo,
  remainingValue,
  interest: 0,
  principal: InstallmentNo === 0 ? totalInstallment : 0,
  managementFee: 0,
  totalInstallment,
});

describe('the figures of an offer', () => {
  const SUMS = { TotalFee: 30, TotalInsurance: 19.75, Total: 10_516.12 };

  it('lead with the payment, and include what is paid at the start', () => {
    const parts = {
      commissions: [charge('Once', { value: 85 }), charge('Monthly', { value: 2.5 })],
      insurances: [],
      rows: [row(0, 0, 10_000), row(1, 877.7), row(2, 877.46), row(3, 874.93)],
      baseRate: undefined,
    };
    expect(offerFigures(SUMS, parts, 2)).toMatchObject({
      payment: { kind: 'highest', amount: 877.7, last: 874.93 },
      fees: { amount: 115, atStart: 85 },
      insurance: { amount: 19.75, atStart: 0 },
      total: { amount: 10_601.12, atStart: 85 },
    });
  });

  it('round each percentage at the start, which is of the amount less the down payment', () => {
    const parts = {
      commissions: [charge('Once', { percent: 0.5 }), charge('Once', { percent: 1.005 })],
      insurances: [charge('Once', { percent: 1 })],
      rows: [row(0, 100, 1_000), row(1, 450), row(2, 450)],
      baseRate: undefined,
    };
    // 4.50 and 9.045, half up.
    expect(offerFigures(SUMS, parts, 2)).toMatchObject({
      payment: { kind: 'regular', amount: 450 },
      fees: { amount: 43.55, atStart: 13.55 },
      insurance: { amount: 28.75, atStart: 9 },
      total: { atStart: 22.55 },
    });
  });
});

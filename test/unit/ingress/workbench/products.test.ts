import { describe, expect, it } from 'vitest';
import {
  describeInterest,
  plainFields,
  valueInForce,
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

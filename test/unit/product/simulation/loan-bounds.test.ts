import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import type { Availability } from '../../../../shared/product/catalogue/product-record.ts';
import type { SimulateRequest } from '../../../../shared/product/simulation/simulation.ts';
import {
  interest,
  messagesOf,
  rate,
  recordOf,
  refusalOf,
} from '../../../support/worlds/simulated-product.ts';

const decimal = (value: number | string) => new Decimal(value);

function messageOf(
  availability: Partial<Availability>,
  changes: Partial<SimulateRequest>,
): string | undefined {
  return messagesOf({ availability }, changes)[0];
}

describe('the bounds of a product', () => {
  it('limit the amount, both ends inclusive, and appear in the message (Q6)', () => {
    const bounds = { MinimumAmount: 500, MaximumAmount: 2000.5 };
    expect(messageOf(bounds, { amount: decimal('499.99') })).toBe(
      "must be at least 500 EUR, the product's MinimumAmount",
    );
    expect(messageOf(bounds, { amount: decimal('2000.51') })).toContain('MaximumAmount');
    expect(recordOf({ availability: bounds }, { amount: decimal(500) }).rows).toHaveLength(5);
    expect(recordOf({ availability: bounds }, { amount: decimal('2000.5') }).rows).toHaveLength(5);
  });

  it('limit the amount including the down payment (Q6)', () => {
    const bounds = { MinimumAmount: 1000, MaximumAmount: 1000 };
    expect(recordOf({ availability: bounds }, { downPayment: decimal(400) }).rows[1]?.remainingValue).toBe(
      60_000,
    );
  });

  it('limit the down payment in percent of the amount; an absent one is zero (Q6)', () => {
    const bounds = { MinimumAdvance: 15, MaximumAdvance: 33.5 };
    expect(refusalOf({ availability: bounds })).toEqual(['downPayment out-of-range 422']);
    expect(messageOf(bounds, { downPayment: decimal('149.99') })).toContain('MinimumAdvance');
    expect(messageOf(bounds, { downPayment: decimal('335.01') })).toBe(
      "must be at most 33.5 % of amount, the product's MaximumAdvance",
    );
    expect(recordOf({ availability: bounds }, { downPayment: decimal(150) }).rows).toHaveLength(5);
    expect(recordOf({ availability: bounds }, { downPayment: decimal(335) }).rows).toHaveLength(5);
  });

  it.each([
    { every: 'Monthly', unit: 'Months', least: 6, most: 12, longest: 12 },
    { every: 'Monthly', unit: 'Months', least: 5.5, most: 12.5, longest: 12 },
    { every: 'Quarterly', unit: 'Months', least: 6, most: 12, longest: 4 },
    { every: 'Monthly', unit: 'Years', least: 1, most: 2, longest: 24 },
    { every: 'Annual', unit: 'Months', least: 12, most: 36, longest: 3 },
    { every: 'Weekly', unit: 'Days', least: 7, most: 28, longest: 4 },
    { every: 'Biweekly', unit: 'Weeks', least: 2, most: 8, longest: 4 },
    { every: 'Monthly', unit: 'Days', least: 31, most: 59, longest: 2 },
    { every: 'Monthly', unit: 'Weeks', least: 1, most: 9, longest: 2 },
    { every: 'Quarterly', unit: 'Days', least: 60, most: 185, longest: 2 },
    { every: 'Daily', unit: 'Months', least: 1, most: 2, longest: 59 },
    { every: 'Weekly', unit: 'Years', least: 1, most: 2, longest: 104 },
  ] as const)(
    'limit a $every term from $least to $most $unit to $longest periods (Q6)',
    ({ every, unit, least, most, longest }) => {
      const offering = {
        general: { PeriodicityType: every },
        availability: { PeriodType: unit, MinimumPeriod: least, MaximumPeriod: most },
      };
      expect(recordOf(offering, { loanPeriod: longest }).rows).toHaveLength(longest + 1);
      expect(messagesOf(offering, { loanPeriod: longest + 1 })).toEqual([
        `must come to at most ${most} ${unit.toLowerCase()}, the product's MaximumPeriod; loanPeriod counts ${every} periods`,
      ]);
    },
  );

  it('include a minimum term (Q6)', () => {
    const offering = { availability: { PeriodType: 'Years', MinimumPeriod: 1 } } as const;
    expect(messagesOf(offering, { loanPeriod: 11 })).toEqual([
      "must come to at least 1 year, the product's MinimumPeriod; loanPeriod counts Monthly periods",
    ]);
    expect(recordOf(offering, { loanPeriod: 12 }).rows).toHaveLength(13);
  });

  it.each([0, -1, 1.5, 1201])('reject %d periods (M6)', (loanPeriod) => {
    expect(refusalOf({}, { loanPeriod })).toEqual(['loanPeriod out-of-range 422']);
    expect(messagesOf({}, { loanPeriod })).toEqual([
      'must be a whole number of Monthly periods, from 1 to 1200',
    ]);
  });

  it.each([
    ['0', 'out-of-range'],
    ['-5', 'out-of-range'],
    ['1.001', 'too-many-decimals'],
    ['1e20', 'amount-too-large'],
  ])('reject the amount %s (M2, M6)', (amount, code) => {
    expect(refusalOf({}, { amount: decimal(amount) })).toContain(`amount ${code} 422`);
  });

  it('reject an amount whose total exceeds the limit of figures (M2)', () => {
    const offering = { interests: [interest(rate(99_999))] };
    expect(refusalOf(offering, { amount: decimal('1e12'), loanPeriod: 12 })).toEqual([
      'amount amount-too-large 422',
    ]);
  });
});

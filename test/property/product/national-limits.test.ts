import { Decimal } from 'decimal.js';
import { array, assert, bigInt, constantFrom, integer, option, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import { flowAtUnits } from '../../../shared/lending/annual-rate/rate-flows.ts';
import { LIMITED_FIGURES, type LimitListRecord } from '../../../shared/product/catalogue/limit-list.ts';
import { applyLimits, type LimitedOffer } from '../../../shared/product/simulation/national-limits.ts';
import { date } from '../../support/builders/lending-loan.ts';
import { referenceLimits } from '../../support/reference/limits.ts';

const DAYS = ['2026-01-01', '2026-06-30', '2026-07-01', '2027-01-01'] as const;
const day = constantFrom(...DAYS);
/** Small amounts, so that figures often equal a limit. */
const amount = integer({ min: 1, max: 400 });
const rate = integer({ min: -50, max: 400 }).map((tenths) => new Decimal(tenths).dividedBy(10));

const limit = record({
  Name: constantFrom('Limit'),
  Status: constantFrom('Active' as const, 'Draft' as const),
  Figure: constantFrom(...LIMITED_FIGURES),
  Largest: integer({ min: 0, max: 4000 }).map((tenths) => tenths / 10),
  ProductTypes: array(constantFrom('TL', 'MG', 'C'), { maxLength: 2 }),
  Source: constantFrom(null),
  ValidFrom: option(day),
  ValidTo: option(day),
});

const offer = record({
  rates: array(rate, { minLength: 1, maxLength: 4 }),
  rateFlows: record({
    drawn: constantFrom(-1000, -1000, -1000, 0, 5),
    paid: integer({ min: 950, max: 1400 }),
  }).map(({ drawn, paid }) => ({ flows: [flowAtUnits(drawn, 0), flowAtUnits(paid, 1)], unitsPerYear: 1 })),
  financed: amount,
  totalCostOfCredit: integer({ min: -20, max: 400 }),
  interest: integer({ min: -20, max: 400 }),
  payment: amount,
  paymentsPerYear: option(
    record({
      numerator: bigInt({ min: 1n, max: 365n }),
      denominator: bigInt({ min: 1n, max: 60n }),
    }),
    { nil: undefined },
  ),
  income: option(amount, { nil: undefined }),
});

it('gives each limit the result of the reference (Q9)', () => {
  const results = new Set<string>();
  assert(
    property(array(limit, { maxLength: 8 }), offer, day, (Limits, given: LimitedOffer, on) => {
      const list: LimitListRecord = {
        Code: 'LIM',
        Version: 1,
        Id: '',
        Name: 'Limits',
        Status: 'Active',
        Limits,
      };
      const applied = applyLimits({ list, productType: 'TL', day: date(on) }, given);
      const texts = applied.map(
        ({ Figure, Value, Result }) =>
          `${Figure} ${Value ? new Decimal(Value).toFixed(4) : 'none'} ${Result}`,
      );
      expect(texts).toEqual(referenceLimits(Limits, { code: 'TL', day: on }, given));
      for (const { Result } of applied) results.add(Result);
    }),
    { numRuns: 2_000 },
  );
  expect(results).toEqual(new Set(['Within', 'Above', 'Unknown']));
});

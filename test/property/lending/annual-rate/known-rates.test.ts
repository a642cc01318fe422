import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculateRate } from '../../../../shared/lending/calculate-rate.ts';
import { addDays } from '../../../../shared/lending/dates/calendar-date.ts';
import { solveRate } from '../../../../shared/lending/annual-rate/proven-rate.ts';
import type { RateOutcome } from '../../../../shared/lending/request/rate-request.ts';
import { MAX_ITERATIONS } from '../../../../shared/lending/annual-rate/isolated-rates.ts';
import { date, decimal } from '../../../support/builders/lending-loan.ts';
import { flowsOfRates, TEN_DECIMALS } from '../../../support/builders/rate-flows.ts';

/** Rates in whole percent between -30 and 40, all different. */
function ratesApart(count: number): fc.Arbitrary<readonly number[]> {
  return fc.uniqueArray(fc.integer({ min: -30, max: 40 }), { minLength: count, maxLength: count });
}

describe('solveRate for flows with known rates (A4)', () => {
  it.each([2, 3, 4, 5, 6])('returns the one of %i rates that is nearest to zero', (count) => {
    const runs = fc.property(ratesApart(count), (rates) => {
      const { percent, iterations } = solveRate(flowsOfRates(rates), TEN_DECIMALS);
      expect(iterations).toBeLessThanOrEqual(MAX_ITERATIONS);
      const [nearest = 0] = rates.toSorted((a, b) => Math.abs(a) - Math.abs(b) || b - a);
      expect(percent).toBe(nearest.toFixed(10));
    });
    fc.assert(runs, { numRuns: 600, endOnFailure: true });
  });

  it('returns the rate nearest to zero if some rates coincide', () => {
    const runs = fc.property(ratesApart(3), fc.integer({ min: 1, max: 3 }), (rates, times) => {
      const [first = 0] = rates;
      const rootsWithRepeats = [...rates, ...Array.from({ length: times }, () => first)];
      const [nearest = 0] = rates.toSorted((a, b) => Math.abs(a) - Math.abs(b) || b - a);
      expect(solveRate(flowsOfRates(rootsWithRepeats), TEN_DECIMALS).percent).toBe(nearest.toFixed(10));
    });
    fc.assert(runs, { numRuns: 300, endOnFailure: true });
  });

  it('finds rates from almost -100 percent to 1e262 percent', () => {
    const runs = fc.property(
      fc.integer({ min: -15, max: 14 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom('XIRR', 'Years', 'Months', 'Weeks', 'Days'),
      (exponent, digit, days, unit) => {
        const repaid = decimal(`${digit}e${exponent}`);
        const start = date('2025-01-01');
        const drawn = { Date: start, Amount: decimal(-1) };
        const CashFlows = [drawn, { Date: addDays(start, days), Amount: repaid }];
        const rule = unit === 'XIRR' ? { Rule: unit } : { Rule: 'DAE', Unit: unit };
        const outcome = calculateRate({ ...rule, CashFlows });
        expect(findContradictions(outcome, Math.log10(Number(repaid)) / days)).toEqual([]);
      },
    );
    fc.assert(runs, { numRuns: 600, endOnFailure: true });
  });
});

/** The parts of the proof that contradict a daily growth factor, given by its decimal digits. */
function findContradictions(outcome: RateOutcome, digitsPerDay: number): readonly string[] {
  if (outcome.kind === 'refused') return ['refused'];
  const { rate, proof, residual } = outcome;
  if (rate === null) return digitsPerDay * 366 > 260 ? [] : ['no rate'];
  const growth = 1 + Number(rate) / 100;
  if (residual === null) return growth === 0 ? [] : ['no residual'];
  // Ten decimals of a rate in percent do not determine more digits of a growth factor close to zero.
  const allowed = 1e-10 + 1e-9 / growth;
  const contradictions: string[] = [];
  if (Math.abs(Number(proof[1]?.discountedAmount) - 1) > allowed) contradictions.push('discounted amount');
  if (Math.abs(Number(residual)) > allowed) contradictions.push('residual');
  return contradictions;
}

/**
 * Interest by slices of the balance, each at its own band's rate, or the whole balance at the rate of the band that it
 * lies in (R2). 1500 over 10 % below 1000 and 8 % from there earns 100 + 40 a year.
 */

import { bandedPayments } from './banded-payment.ts';
import { bandedRule, interestNumerator, type Bands } from './rate-bands.ts';
import { divideRounded } from '../numbers/rounding.ts';
import { countsLeft, type RowInterest } from './row-interest.ts';

/** Interest by bands over rows with the given day-count numerators. */
export function interestByBands(bands: Bands, counts: readonly number[]): RowInterest {
  const rule = bandedRule(bands);
  const least = bands.bands[0]?.from ?? 0;
  const paymentOf = bandedPayments(rule);
  return {
    interestOf: (balance, count) =>
      Number(divideRounded(interestNumerator(rule, balance, count), rule.denominator, bands.rounding)),
    levelPaymentOf: (repaid, rows) => paymentOf(countsLeft(counts, rows), repaid),
    covers: (balance) => balance <= bands.limit && (balance === 0 || balance >= least),
  };
}

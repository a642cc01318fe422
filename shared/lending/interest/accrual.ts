/** Calculates interest at one annual rate or by bands, and the level payment over the rows left (S2, R2, S5). */

import { divideRounded } from '../numbers/rounding.ts';
import { createPaymentSolver } from './banded-payment.ts';
import { type InterestRule, computeInterest } from './interest-rule.ts';
import {
  computeDiscount,
  computeLevelPayment,
  prependRow,
  sumDiscounts,
  type Discounts,
  type RepaidBalance,
} from './level-payment.ts';
import { type Bands, createBandedRule, computeInterestNumerator } from './rate-bands.ts';

/** The rows from index `first` on. A prepayment in the first row's period may lower its numerator `firstCount`. */
interface RowsLeft {
  readonly first: number;
  readonly firstCount: number;
}

export interface InterestAccrual {
  /** Interest of a balance over a day-count numerator, in minor units, rounded once. */
  accrue(balance: number, count: number): number;
  /** The level payment over the rows left, in minor units, rounded once (S5). */
  solveLevelPayment(repaid: RepaidBalance, rows: RowsLeft): number;
  /** False if no band gives the balance a rate (R2). */
  covers(balance: number): boolean;
}

/** `counts` are the day-count numerators of all planned rows. */
export function accrueAtOneRate(rule: InterestRule, counts: readonly number[]): InterestAccrual {
  let discounts: readonly Discounts[] | undefined;
  let solved = 0;
  /** Caches discounts from the second solution on: at high rates every second row may solve the payment again (S5). */
  const discountLeft = ({ first, firstCount }: RowsLeft): Discounts | undefined => {
    solved += 1;
    if (rule.sign === 0 || solved === 1) return undefined;
    discounts ??= sumDiscounts(rule, counts);
    const rest = discounts[first + 1];
    return rest === undefined ? undefined : prependRow(computeDiscount(rule, firstCount), rest);
  };
  return {
    accrue: (balance, count) => computeInterest(rule, balance, count),
    covers: () => true,
    solveLevelPayment: (repaid, rows) =>
      computeLevelPayment(rule, selectCountsLeft(counts, rows), repaid, discountLeft(rows)),
  };
}

function selectCountsLeft(counts: readonly number[], { first, firstCount }: RowsLeft): readonly number[] {
  if (first === 0 && firstCount === counts[0]) return counts;
  const left = counts.slice(first);
  left[0] = firstCount;
  return left;
}

/** Each slice of the balance earns the rate of its band, or the whole balance earns that of one band (R2). */
export function accrueByBands(bands: Bands, counts: readonly number[]): InterestAccrual {
  const rule = createBandedRule(bands);
  const least = bands.bands[0]?.from ?? 0;
  const solvePayment = createPaymentSolver(rule);
  return {
    accrue: (balance, count) =>
      Number(divideRounded(computeInterestNumerator(rule, balance, count), rule.denominator, bands.rounding)),
    solveLevelPayment: (repaid, rows) => solvePayment(selectCountsLeft(counts, rows), repaid),
    covers: (balance) => balance <= bands.limit && (balance === 0 || balance >= least),
  };
}

/**
 * Where a banded balance ends with a payment (R2), in binary numbers with a bound of their error. The bound decides
 * nothing by itself: an end that lies within it is worked out again in fixed point.
 */

import { bandOf, type BandedRule } from './rate-bands.ts';
import type { RepaidBalance } from './level-payment.ts';

/** A payment that is tried; it may have halves. */
export interface TriedPayment extends RepaidBalance {
  readonly payment: number;
}

/** How far above the residual the balance ends, and how far that may be from the truth; Infinity: it tells nothing. */
export interface BandedEnd {
  readonly beyond: number;
  readonly error: number;
}

/** Beyond this a balance is as good as endless, and its error unknown. */
const ENDLESS = 1e200;
/**
 * Share of the numbers of a step by which it may be wrong: a step makes a handful of roundings of 2^-53 each, the rates
 * and the sums of up to 200 slices are wrong by no more than some hundred of them; 2^-43 is a thousand.
 */
const STEP_ERROR = 2 ** -43;

interface CountFactors {
  readonly perUnit: readonly number[];
  readonly below: readonly number[];
  /** Largest magnitude of a rate: by so much an error grows in a step. */
  readonly steepest: number;
}

/** Ends of balances over rows with given counts; what the bands earn over a count is converted once. */
export function bandedEnds(rule: BandedRule): (counts: readonly number[], tried: TriedPayment) => BandedEnd {
  const known = new Map<number, CountFactors>();
  const factorsOf = (count: number): CountFactors => {
    const before = known.get(count);
    if (before !== undefined) return before;
    const factors = countFactors(rule, count);
    known.set(count, factors);
    return factors;
  };
  const { starts, bands } = rule;
  return (counts, { balance, residual, payment }) => {
    let owed = balance;
    let error = 0;
    for (const count of counts) {
      const { perUnit, below, steepest } = factorsOf(count);
      const band = bandOf(starts, owed);
      // The whole balance may earn another rate than the true one does where it lies beside a band's start.
      if (bands.whole && isNearStart(starts, owed, error)) error = Number.POSITIVE_INFINITY;
      const slice = bands.whole ? owed : owed - (starts[band] ?? 0);
      const interest = (below[band] ?? 0) + slice * (perUnit[band] ?? 0);
      error += error * steepest + STEP_ERROR * (Math.abs(owed) * (1 + steepest) + Math.abs(payment));
      owed += interest - payment;
      if (!(Math.abs(owed) < ENDLESS)) {
        return { beyond: owed < 0 ? -ENDLESS : ENDLESS, error: Number.POSITIVE_INFINITY };
      }
    }
    return { beyond: owed - residual, error: error + STEP_ERROR * residual };
  };
}

function isNearStart(starts: readonly number[], owed: number, error: number): boolean {
  return bandOf(starts, owed - error) !== bandOf(starts, owed + error);
}

function countFactors({ ofCount, denominator }: BandedRule, count: number): CountFactors {
  const { perUnit, below } = ofCount(count);
  const factor = (numerator: bigint): number => Number(numerator) / Number(denominator);
  const factors = perUnit.map(factor);
  const steepest = factors.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  return { perUnit: factors, below: below.map(factor), steepest };
}

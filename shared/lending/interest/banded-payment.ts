/**
 * The level payment where the rate depends on the balance (R2): the payment for which the unrounded balance
 *
 *     B := B + I(B) - payment
 *
 * ends at the residual. The payment is a whole number of minor units when the recursion ends above the residual with
 * half a unit less, and below it with half a unit more. Both ends are proven: in binary numbers with a bound of all
 * their errors, and where that does not decide, in fixed point.
 */

import { bandedEnds, type TriedPayment } from './banded-ends.ts';
import { bandedSign, type Sign } from './banded-sign.ts';
import type { BandedRule } from './rate-bands.ts';
import type { RepaidBalance } from './level-payment.ts';

/** Steps of the search in binary numbers: a piecewise straight line is solved in a few. */
const MOST_ESTIMATES = 60;
/** Doublings and halvings of the proven search: payments have at most 2^53 minor units to both sides. */
const MOST_PROVEN_STEPS = 130;

/** Finds level payments in minor units over rows with given counts, rounded by the bands' mode. */
export type PaymentSolver = (counts: readonly number[], repaid: RepaidBalance) => number;

/** The solver of one loan; what the bands earn over a count is worked out once for all its payments. */
export function bandedPayments(rule: BandedRule): PaymentSolver {
  const endsOf = bandedEnds(rule);
  const signOf = bandedSign(rule);
  return (counts, repaid) => {
    const known = new Map<number, Sign>();
    const signAbove = (payment: number): Sign => {
      const before = known.get(payment);
      if (before !== undefined) return before;
      const tried: TriedPayment = { ...repaid, payment: payment + 0.5 };
      const { beyond, error } = endsOf(counts, tried);
      const sign = Math.abs(beyond) > error ? signOfNumber(beyond) : signOf(counts, tried);
      known.set(payment, sign);
      return sign;
    };
    const estimate = estimatedPayment((payment) => endsOf(counts, { ...repaid, payment }).beyond, repaid);
    return provenPayment(signAbove, estimate, rule);
  };
}

function signOfNumber(value: number): Sign {
  return value > 0 ? 1 : -1;
}

/** The smallest payment whose half above is too much: the real payment lies between its two halves. */
function provenPayment(
  signAbove: (payment: number) => Sign,
  estimate: number,
  { bands }: BandedRule,
): number {
  let low = estimate - 1;
  let high = estimate;
  let step = 1;
  for (let turn = 0; turn < MOST_PROVEN_STEPS && signAbove(low) < 0; turn += 1, step *= 2) {
    high = low;
    low -= step;
  }
  for (let turn = 0; turn < MOST_PROVEN_STEPS && signAbove(high) >= 0; turn += 1, step *= 2) {
    low = high;
    high += step;
  }
  for (let turn = 0; turn < MOST_PROVEN_STEPS && high - low > 1; turn += 1) {
    const middle = Math.floor((low + high) / 2);
    if (signAbove(middle) < 0) high = middle;
    else low = middle;
  }
  const isTie = signAbove(low) === 0;
  const goesDown = isTie && (bands.rounding === 'HALF_EVEN' ? low % 2 === 0 : low < 0);
  return goesDown ? low : high;
}

/** About the payment, by false position with halved weights (Illinois) on binary numbers; any number will do. */
function estimatedPayment(ends: (payment: number) => number, { balance, residual }: RepaidBalance): number {
  let low = Math.min(0, balance - residual);
  let high = balance;
  let atLow = ends(low);
  let atHigh = ends(high);
  for (let turn = 0; turn < MOST_ESTIMATES && atHigh > 0; turn += 1) {
    high = high * 2 + 1;
    atHigh = ends(high);
  }
  for (let turn = 0; turn < MOST_ESTIMATES && atLow < 0; turn += 1) {
    low = low * 2 - 1;
    atLow = ends(low);
  }
  let last = 0;
  for (let turn = 0; turn < MOST_ESTIMATES && high - low > 0.25; turn += 1) {
    const middle = low + ((high - low) * atLow) / (atLow - atHigh);
    const value = ends(middle);
    if (!Number.isFinite(middle) || value === 0) return wholeEstimate(middle, balance - residual);
    if (value > 0) {
      low = middle;
      atLow = value;
      if (last > 0) atHigh /= 2;
      last = 1;
    } else {
      high = middle;
      atHigh = value;
      if (last < 0) atLow /= 2;
      last = -1;
    }
  }
  return wholeEstimate((low + high) / 2, balance - residual);
}

function wholeEstimate(payment: number, instead: number): number {
  const rounded = Math.round(payment);
  return Number.isSafeInteger(rounded) ? rounded : instead;
}

/**
 * What flows are worth at a rate, in fixed point with a proven error bound: enough to decide their sign, and with it
 * on which side of a rounding boundary an effective rate lies (A1, A2).
 *
 * The payments are summed from the last to the first, each step discounting by the factor of the whole units between
 * two payments (Horner's scheme), so that a schedule needs one multiplication a row.
 */

import { discountFactorsOf, DiscountFactors } from './discount-factors.ts';
import type { ExactRatio } from './exact-ratio.ts';
import type { BoundedFixed } from './fixed-root.ts';
import type { RateFlows } from './rate-flows.ts';

/** Fraction bits of the first attempt, beyond those of the rate itself. */
const FIRST_BITS = 128;
/** Width that the fixed-point numbers grow by for very large rates. */
const BIT_STEP = 64;
/** Attempts with doubled width. What is still undecided after them is a tie, and counts as zero. */
const MOST_ATTEMPTS = 4;

/** Net value in fixed point; `sign` is proven, zero means nearer to zero than any bound could tell. */
export interface NetValue {
  readonly sign: -1 | 0 | 1;
  readonly value: bigint;
  readonly bits: bigint;
}

/** Payments less what was drawn, each at its worth at the start, for the growth factor 1 + r > 0 of a year. */
export function netValueAt(flows: RateFlows, growth: ExactRatio): NetValue {
  const rateBits = growth.numerator.toString(16).length * 4;
  let bits = FIRST_BITS + Math.max(0, Math.ceil((rateBits - BIT_STEP) / BIT_STEP)) * BIT_STEP;
  for (let attempt = 1; ; attempt += 1) {
    const { value, error } = boundedNetValue(flows, growth, BigInt(bits));
    if (value > error) return { sign: 1, value, bits: BigInt(bits) };
    if (value < -error) return { sign: -1, value, bits: BigInt(bits) };
    if (attempt === MOST_ATTEMPTS) return { sign: 0, value: 0n, bits: BigInt(bits) };
    bits *= 2;
  }
}

/**
 * Error bound. Let e be the largest error of a discount factor in last bits, n the number of payments. At a rate of
 * zero or more all factors are at most one, so each step adds at most (sum of amounts) * e + 1. At a negative rate
 * the factors are above one and e is a relative error, so the sum of absolute worths takes the place of the amounts.
 */
function boundedNetValue(flows: RateFlows, growth: ExactRatio, bits: bigint): BoundedFixed {
  const units = new DiscountFactors(growth, flows.unitsPerYear, bits);
  const extras = new Map<number, DiscountFactors>();
  const { payments, wholeUnits, extraDays, yearDays } = flows;
  let worth = 0n;
  let absoluteWorth = 0n;
  let amounts = magnitudeOf(BigInt(flows.drawn));
  for (let index = payments.length - 1; index >= 0; index -= 1) {
    const payment = BigInt(payments[index] ?? 0);
    const days = extraDays[index] ?? 0;
    const dueWorth =
      days === 0
        ? payment << bits
        : payment * discountFactorsOf(extras, growth, yearDays[index] ?? 0, bits).discount(days);
    const gap = (wholeUnits[index] ?? 0) - (index === 0 ? 0 : (wholeUnits[index - 1] ?? 0));
    worth = units.apply(worth + dueWorth, gap);
    amounts += magnitudeOf(payment);
    if (units.isAboveOne) absoluteWorth = units.apply(absoluteWorth + magnitudeOf(dueWorth), gap);
  }
  let factorError = units.largestError;
  for (const extra of extras.values()) factorError += extra.largestError;
  const size = units.isAboveOne ? (absoluteWorth >> bits) + amounts : amounts;
  const error = 2n * BigInt(payments.length + 1) * (factorError + 3n) * size;
  return { value: worth - (BigInt(flows.drawn) << bits), error };
}

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value;
}

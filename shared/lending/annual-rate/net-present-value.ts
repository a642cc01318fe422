/**
 * The net present value of cash flows in fixed point with a proven error bound: it decides on which side of a rounding
 * boundary an annual rate lies (A1, A2).
 *
 * At a rate below zero the flows are compounded to the last one instead, which does not change the sign: so no factor
 * exceeds one. The flows are summed towards that date, each step multiplying by the factor of the whole units between
 * two of them (Horner's scheme).
 */

import type { SignedValue } from './bracketed-root.ts';
import { DiscountFactors } from './discount-factors.ts';
import type { ExactRatio } from '../numbers/exact-ratio.ts';
import { absoluteValue, type BoundedFixed } from '../numbers/fixed-root.ts';
import type { RateFlows } from './rate-flows.ts';

/** Fraction bits of the first attempt, beyond those of the rate itself. */
const FIRST_BITS = 128;
/** Width that the fixed-point numbers grow by for very large rates. */
const BIT_STEP = 64;
/** Attempts with doubled width. A sign that is still undecided after them is a tie and counts as zero. */
const MAX_ATTEMPTS = 4;

/** The sum of the flows at the growth factor 1 + r > 0 of a year, with its proven sign. */
export function netPresentValue(flows: RateFlows, growth: ExactRatio): SignedValue {
  const rateBits = growth.numerator.toString(16).length * 4;
  let bits = FIRST_BITS + Math.max(0, Math.ceil((rateBits - BIT_STEP) / BIT_STEP)) * BIT_STEP;
  for (let attempt = 1; ; attempt += 1) {
    const { value, error } = boundedValue(flows, growth, BigInt(bits));
    if (value > 2n * error) return { sign: 1, value, bits: BigInt(bits) };
    if (value < -2n * error) return { sign: -1, value, bits: BigInt(bits) };
    if (attempt === MAX_ATTEMPTS) return { sign: 0, value: 0n, bits: BigInt(bits) };
    bits *= 2;
  }
}

/** Each step adds at most (sum of amounts) * (largest error of a factor) + 1 to the error. */
function boundedValue(flows: RateFlows, growth: ExactRatio, bits: bigint): BoundedFixed {
  const { amounts, wholeUnits, unitsPerYear, extraDays, yearDays } = flows;
  const isGrowing = growth.numerator >= growth.denominator;
  const perYear = isGrowing ? growth : { numerator: growth.denominator, denominator: growth.numerator };
  const factors = new DiscountFactors(perYear, unitsPerYear, bits);
  const atDay = (amount: bigint, index: number): bigint => {
    if (extraDays.length === 0) return amount << bits;
    const days = extraDays[index] ?? 0;
    if (days === 0) return isGrowing ? amount << bits : amount * factors.discount(unitsPerYear);
    const year = yearDays[index] ?? 0;
    const exponent = isGrowing ? days : year - days;
    return exponent === 0 ? amount << bits : amount * factors.ofDays(year).discount(exponent);
  };
  const last = amounts.length - 1;
  let value = 0n;
  let size = 0n;
  let unitsBefore = wholeUnits[isGrowing ? last : 0] ?? 0;
  for (let turn = 0; turn <= last; turn += 1) {
    const index = isGrowing ? last - turn : turn;
    const amount = BigInt(amounts[index] ?? 0);
    const units = wholeUnits[index] ?? 0;
    value = factors.apply(value, Math.abs(units - unitsBefore)) + atDay(amount, index);
    size += absoluteValue(amount);
    unitsBefore = units;
  }
  return { value, error: 2n * BigInt(last + 2) * (factors.totalError + 3n) * size };
}

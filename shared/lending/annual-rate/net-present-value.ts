/** The net present value in fixed point. Its proven sign shows on which side of a boundary a rate lies (A1-A4). */

import type { ExactRatio } from '../numbers/exact-ratio.ts';
import type { SignedValue } from '../numbers/bracketed-root.ts';
import { absoluteValue, fixedPower, fixedRoot, type BoundedFixed } from '../numbers/fixed-root.ts';
import { hasExtraDays, type RateFlows } from './rate-flows.ts';

/** Fraction bits of the first attempt; a growth factor whose numerator exceeds BIT_STEP bits adds multiples of it. */
const FIRST_BITS = 128;
const BIT_STEP = 64;
/** Each attempt doubles the bits; a sign that is undecided after the last counts as zero. */
const MAX_ATTEMPTS = 4;

/** The value at a growth factor 1 + r > 0 of a year, with an error below half of it; sign 0 is zero or undecided. */
export function netPresentValue(flows: RateFlows, growth: ExactRatio): SignedValue {
  const rateBits = growth.numerator.toString(16).length * 4;
  const firstBits = FIRST_BITS + Math.max(0, Math.ceil((rateBits - BIT_STEP) / BIT_STEP)) * BIT_STEP;
  let bits = BigInt(firstBits);
  for (let attempt = 1; ; attempt += 1) {
    const { value, error } = boundedValue(flows, growth, bits);
    if (value > 2n * error) return { sign: 1, value, bits };
    if (value < -2n * error) return { sign: -1, value, bits };
    if (attempt === MAX_ATTEMPTS) return { sign: 0, value: 0n, bits };
    bits *= 2n;
  }
}

/**
 * At negative rates, flows are compounded to the last one, or to a year after its whole units if any has left-over
 * days, so that the sign stays and no factor exceeds one. Each step of Horner's scheme adds at most (sum of amounts) *
 * (errors of both factors) + 1 to the error.
 */
function boundedValue(rateFlows: RateFlows, growth: ExactRatio, bits: bigint): BoundedFixed {
  const { flows, unitsPerYear } = rateFlows;
  const isGrowing = growth.numerator >= growth.denominator;
  const factors = new DiscountFactors(isGrowing ? growth : invertRatio(growth), bits);
  const hasDays = hasExtraDays(rateFlows);
  const ordered = isGrowing ? flows.toReversed() : flows;
  let unitsBefore = ordered[0]?.wholeUnits ?? 0;
  let value = 0n;
  let size = 0n;
  for (const { amount, wholeUnits, extraDays, yearDays } of ordered) {
    const exact = BigInt(amount);
    const days = isGrowing ? extraDays : yearDays - extraDays;
    const ofDays = hasDays ? exact * factors.discount(days, yearDays) : exact << bits;
    value = ((value * factors.discount(Math.abs(wholeUnits - unitsBefore), unitsPerYear)) >> bits) + ofDays;
    size += absoluteValue(exact);
    unitsBefore = wholeUnits;
  }
  return { value, error: 2n * BigInt(flows.length + 1) * (2n * factors.largestError + 3n) * size };
}

export function invertRatio({ numerator, denominator }: ExactRatio): ExactRatio {
  return { numerator: denominator, denominator: numerator };
}

/** A number above the units and the days of any year, used to build cache keys. */
const UNIT_KEYS = 512;

/** Discount factors growth^-(units / unitsPerYear), units >= 0, growth > 0, in fixed point. Each is calculated once. */
export class DiscountFactors {
  /** Bound on the errors of all factors so far, in units of the last bit, times the factor if that is above one. */
  largestError = 0n;
  readonly #growth: ExactRatio;
  readonly #bits: bigint;
  readonly #roots = new Map<number, BoundedFixed>();
  readonly #factors = new Map<number, bigint>();

  constructor(growth: ExactRatio, bits: bigint) {
    this.#growth = growth;
    this.#bits = bits;
  }

  discount(units: number, unitsPerYear: number): bigint {
    const key = units * UNIT_KEYS + unitsPerYear;
    const known = this.#factors.get(key);
    if (known !== undefined) return known;
    const root = this.#rootOf(unitsPerYear);
    const factor = units === 0 ? 1n << this.#bits : fixedPower(root.value, units, this.#bits);
    const error = 2n * BigInt(units) * (root.error + 1n);
    if (error > this.largestError) this.largestError = error;
    this.#factors.set(key, factor);
    return factor;
  }

  #rootOf(unitsPerYear: number): BoundedFixed {
    const known = this.#roots.get(unitsPerYear);
    if (known !== undefined) return known;
    const { numerator, denominator } = this.#growth;
    const root = fixedRoot(denominator, numerator, unitsPerYear, this.#bits);
    this.#roots.set(unitsPerYear, root);
    return root;
  }
}

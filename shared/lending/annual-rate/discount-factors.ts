/** Discount factors of whole units in fixed point, with a proven error (A1-A4). */

import type { ExactRatio } from '../numbers/exact-ratio.ts';
import { fixedPower, fixedRoot, type BoundedFixed } from '../numbers/fixed-root.ts';

/** Discount factors (1 + r)^-(units / unitsPerYear), each calculated once. */
export class DiscountFactors {
  /** Largest error of a factor given so far, in last bits (relative where factors are above one). */
  largestError = 0n;
  readonly #bits: bigint;
  readonly #unit: BoundedFixed;
  readonly #known = new Map<number, bigint>();

  constructor(growth: ExactRatio, unitsPerYear: number, bits: bigint) {
    this.#bits = bits;
    this.#unit = fixedRoot(growth.denominator, growth.numerator, unitsPerYear, bits);
  }

  /** The factor of that many units, more than zero. */
  discount(units: number): bigint {
    const known = this.#known.get(units);
    if (known !== undefined) return known;
    const factor = fixedPower(this.#unit.value, units, this.#bits);
    const error = 2n * BigInt(units) * (this.#unit.error + 1n);
    if (error > this.largestError) this.largestError = error;
    this.#known.set(units, factor);
    return factor;
  }

  /** An amount in fixed point, discounted by that many units. */
  apply(amount: bigint, units: number): bigint {
    return units === 0 || amount === 0n ? amount : (amount * this.discount(units)) >> this.#bits;
  }
}

/** The factors of that many units in a year, made once. */
export function discountFactorsOf(
  known: Map<number, DiscountFactors>,
  growth: ExactRatio,
  unitsPerYear: number,
  bits: bigint,
): DiscountFactors {
  const found = known.get(unitsPerYear);
  if (found !== undefined) return found;
  const factors = new DiscountFactors(growth, unitsPerYear, bits);
  known.set(unitsPerYear, factors);
  return factors;
}

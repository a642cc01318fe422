/** Discount factors in fixed point, with a proven error (A1-A4). */

import type { ExactRatio } from '../numbers/exact-ratio.ts';
import { fixedPower, fixedRoot, type BoundedFixed } from '../numbers/fixed-root.ts';

/** Discount factors (1 + r)^-(units / unitsPerYear) at the growth factor 1 + r, each calculated once. */
export class DiscountFactors {
  /** Largest error of a factor calculated so far, in last bits (relative where factors are above one). */
  largestError = 0n;
  readonly #growth: ExactRatio;
  readonly #bits: bigint;
  readonly #unit: BoundedFixed;
  readonly #known = new Map<number, bigint>();
  readonly #ofDays = new Map<number, DiscountFactors>();

  constructor(growth: ExactRatio, unitsPerYear: number, bits: bigint) {
    this.#growth = growth;
    this.#bits = bits;
    this.#unit = fixedRoot(growth.denominator, growth.numerator, unitsPerYear, bits);
  }

  /** The factor of a number of units, more than zero. */
  discount(units: number): bigint {
    const known = this.#known.get(units);
    if (known !== undefined) return known;
    const factor = fixedPower(this.#unit.value, units, this.#bits);
    const error = 2n * BigInt(units) * (this.#unit.error + 1n);
    if (error > this.largestError) this.largestError = error;
    this.#known.set(units, factor);
    return factor;
  }

  /** An amount in fixed point, discounted by a number of units. */
  apply(amount: bigint, units: number): bigint {
    return units === 0 || amount === 0n ? amount : (amount * this.discount(units)) >> this.#bits;
  }

  /** The factors of the days of a year of this length, at the same growth. */
  ofDays(yearDays: number): DiscountFactors {
    const known = this.#ofDays.get(yearDays);
    if (known !== undefined) return known;
    const factors = new DiscountFactors(this.#growth, yearDays, this.#bits);
    this.#ofDays.set(yearDays, factors);
    return factors;
  }

  /** Largest error of a factor of units times one of days. */
  get totalError(): bigint {
    let error = this.largestError;
    for (const { largestError } of this.#ofDays.values()) error += largestError;
    return error;
  }
}

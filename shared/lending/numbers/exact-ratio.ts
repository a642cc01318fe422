/** Rates and fractions as quotients of integers, exact until the final rounding (M4). */

import type { Decimal } from 'decimal.js';

/** numerator/denominator. The functions of this file return it in lowest terms, with a denominator above zero. */
export interface ExactRatio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Greatest common divisor as a positive number (zero only for two zeros); `second` must not be below zero. */
export function greatestCommonDivisor(first: bigint, second: bigint): bigint {
  let a = first < 0n ? -first : first;
  let b = second;
  while (b > MAX_SAFE) [a, b] = [b, a % b];
  if (b === 0n) return a;
  // Remainders of safe integers are exact in floating point, and much faster than those of bigints.
  let [x, y] = [Number(b), Number(a % b)];
  while (y !== 0) [x, y] = [y, x % y];
  return BigInt(x);
}

/** Reduces a fraction to lowest terms. The denominator must be above zero. */
export function reduceRatio(numerator: bigint, denominator: bigint): ExactRatio {
  const divisor = greatestCommonDivisor(numerator, denominator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

/** A finite percentage as a fraction: 12 becomes 3/25. */
export function percentToRatio(percent: Decimal): ExactRatio {
  const [whole = '', decimals = ''] = percent.toFixed().split('.');
  return reduceRatio(BigInt(whole + decimals), 10n ** BigInt(decimals.length + 2));
}

const FRACTION_BITS = 52;

/** The exact value of a floating-point number above 1e-292, as a fraction. */
export function numberToRatio(value: number): ExactRatio {
  const exponent = Math.floor(Math.log2(value)) - FRACTION_BITS - 1;
  const digits = BigInt(Math.round(value * 2 ** -exponent));
  return exponent > 0
    ? reduceRatio(digits << BigInt(exponent), 1n)
    : reduceRatio(digits, 1n << BigInt(-exponent));
}

/**
 * Money as whole numbers of a currency's minor units. They are kept in safe integers: amounts above the limit below
 * are refused before any calculation, so sums and differences of them are exact.
 */

import type { Decimal } from 'decimal.js';

/**
 * Largest amount of a request, in minor units (ten trillion euro). Leaves a factor of nine to the largest safe
 * integer for interest and fees on top.
 */
export const LARGEST_AMOUNT_MINOR = 1_000_000_000_000_000;

/**
 * Largest figure that a row may hold, in minor units: the largest whole number that an Avro long carries exactly here
 * (2^53 - 2). Figures below zero come from negative rates only and are smaller in size than the amount.
 */
export const LARGEST_FIGURE_MINOR = Number.MAX_SAFE_INTEGER - 1;

/** Power of ten above which no amount can be within the limit; keeps absurd exponents from being written out. */
const LARGEST_EXPONENT = 15;

/** What an amount is in minor units, or why it has no such value. */
type MinorUnits = number | 'too-many-decimals' | 'too-large';

/**
 * The amount in minor units of a currency with `digits` decimals, never rounded: an amount with more decimals than
 * the currency has is reported instead (M2), as is one beyond {@link LARGEST_AMOUNT_MINOR}. The value is finite.
 */
export function toMinorUnits(amount: Decimal, digits: number): MinorUnits {
  if (amount.isZero()) return 0;
  if (amount.e > LARGEST_EXPONENT) return 'too-large';
  if (amount.decimalPlaces() > digits) return 'too-many-decimals';
  const minor = scaledInteger(amount, digits);
  const magnitude = minor < 0n ? -minor : minor;
  return magnitude > BigInt(LARGEST_AMOUNT_MINOR) ? 'too-large' : Number(minor);
}

/** The amount times 10^digits; it has no more decimals than that. */
export function scaledInteger(amount: Decimal, digits: number): bigint {
  return BigInt(amount.toFixed(digits).replace('.', ''));
}

/** `.00` to `.99`: nearly every amount of an answer has two decimals, and there are thousands of them. */
const CENTS = Array.from({ length: 100 }, (_, cents) => `.${String(cents).padStart(2, '0')}`);

/** A whole number of minor units as plain decimal text with exactly `digits` decimals, for example `-0.05`. */
export function formatMinorUnits(minor: number | bigint, digits: number): string {
  if (digits === 2 && typeof minor === 'number' && minor >= 0) {
    const cents = minor % CENTS.length;
    return `${(minor - cents) / CENTS.length}${CENTS[cents] ?? ''}`;
  }
  const isNegative = minor < 0;
  const text = String(isNegative ? -minor : minor).padStart(digits + 1, '0');
  const sign = isNegative ? '-' : '';
  if (digits === 0) return sign + text;
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

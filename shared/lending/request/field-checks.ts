/** Checks of single fields: each reports faults and returns the validated value, or undefined. */

import type { Decimal } from 'decimal.js';
import { percentToRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { formatMinorUnits, MAX_AMOUNT_MINOR, toMinorUnits } from '../numbers/money.ts';
import type { Validation } from './validation.ts';

/**
 * Largest absolute value of an annual rate in percent: interest of a thousand times the balance per year is certainly
 * a mistake.
 */
export const MAX_RATE_PERCENT = 100_000;
/** A percentage with a smaller decimal exponent is below that limit. */
const MAX_RATE_EXPONENT = 5;
/**
 * Maximum number of decimals of a rate: more than any floating-point number prints, but few enough to limit the work
 * with exact fractions.
 */
export const MAX_RATE_DECIMALS = 30;

/** Inclusive bounds of a count. */
interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/**
 * Returns the value if it is a whole number within the range (M6); an absent value stays undefined, which is not a
 * fault.
 */
export function checkWhole(
  validation: Validation,
  path: string,
  value: number | undefined,
  range: NumberRange,
): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && value >= range.min && value <= range.max) return value;
  validation.reject(path, 'out-of-range', `must be a whole number from ${range.min} to ${range.max}`);
  return undefined;
}

/** The amount in minor units when it is zero or more and has no more decimals than the currency (M2, M6). */
export function checkAmount(
  validation: Validation,
  path: string,
  value: Decimal | undefined,
  digits: number,
): number | undefined {
  if (value === undefined) return undefined;
  if (!value.isFinite() || (value.isNegative() && !value.isZero())) {
    validation.reject(path, 'out-of-range', 'must be zero or more');
    return undefined;
  }
  const minor = toMinorUnits(value, digits);
  if (minor === 'too-many-decimals') {
    const allowed = digits === 0 ? 'no decimals' : `at most ${digits} decimals`;
    validation.reject(path, 'too-many-decimals', `must have ${allowed} in this currency`);
    return undefined;
  }
  if (minor === 'too-large') {
    const largest = formatMinorUnits(MAX_AMOUNT_MINOR, digits);
    validation.reject(path, 'amount-too-large', `must be at most ${largest}`);
    return undefined;
  }
  return minor;
}

/** An annual percentage as an exact fraction (M4), when its size and number of decimals are within the limits. */
export function checkRate(
  validation: Validation,
  path: string,
  value: Decimal | undefined,
): ExactRatio | undefined {
  if (value === undefined) return undefined;
  if (!isWithinRateLimit(value)) {
    const allowed = `from -${MAX_RATE_PERCENT} to ${MAX_RATE_PERCENT} percent a year`;
    validation.reject(path, 'out-of-range', `must be ${allowed}`);
    return undefined;
  }
  if (value.decimalPlaces() > MAX_RATE_DECIMALS) {
    validation.reject(path, 'too-many-decimals', `must have at most ${MAX_RATE_DECIMALS} decimals`);
    return undefined;
  }
  return percentToRatio(value);
}

/** True for a number of at most {@link MAX_RATE_PERCENT} in absolute value; nearly always its exponent decides. */
export function isWithinRateLimit(value: Decimal): boolean {
  return value.isFinite() && (value.e < MAX_RATE_EXPONENT || value.abs().lessThanOrEqualTo(MAX_RATE_PERCENT));
}

/**
 * The name in the list that equals the value, ignoring case (S6); an absent value stays undefined, which is not a
 * fault.
 */
export function checkName<Name extends string>(
  validation: Validation,
  path: string,
  value: string | undefined,
  allowed: readonly Name[],
): Name | undefined {
  if (value === undefined) return undefined;
  const wanted = value.trim().toLowerCase();
  const found = allowed.find((name) => name.toLowerCase() === wanted);
  if (found === undefined) {
    validation.reject(path, 'unknown-value', `must be one of ${allowed.join(', ')}`);
  }
  return found;
}

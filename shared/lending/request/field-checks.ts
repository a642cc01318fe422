/** Checks of single fields: each reports faults and returns the validated value, or undefined. */

import type { Decimal } from 'decimal.js';
import { findPeriodicity, type Periodicity } from '../dates/periodicity.ts';
import { percentToRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { MAX_AMOUNT_MINOR, formatMinorUnits, toMinorUnits } from '../numbers/money.ts';
import type { Validation } from './validation.ts';

/** Maximum number of instalments of a schedule, a payment value or a simulation (M6). */
export const MAX_INSTALLMENTS = 1200;
/** Largest rate of either sign: yearly interest of more than a thousand times the balance is certainly a mistake. */
export const MAX_RATE_PERCENT = 100_000;
/** More than a message may contain (M6), and few enough to limit the work with exact fractions. */
const MAX_RATE_DECIMALS = 30;

interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/** The value if it is a whole number within the range (M6). An absent value is undefined without a fault. */
export function checkWhole(
  validation: Validation,
  path: string,
  value: number | undefined,
  range: NumberRange,
): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && value >= range.min && value <= range.max) return value;
  return validation.reject(path, 'out-of-range', `must be a whole number from ${range.min} to ${range.max}`);
}

/** The amount in minor units, if it is from zero to the limit and has no more decimals than the currency (M2, M6). */
export function checkAmount(
  validation: Validation,
  path: string,
  value: Decimal | undefined,
  digits: number,
): number | undefined {
  if (value === undefined) return undefined;
  if (!value.isFinite() || (value.isNegative() && !value.isZero())) {
    return validation.reject(path, 'out-of-range', 'must be zero or more');
  }
  const minor = toMinorUnits(value, digits);
  if (minor === 'too-many-decimals') {
    const allowed = digits === 0 ? 'no decimals' : `at most ${digits} decimals`;
    return validation.reject(path, 'too-many-decimals', `must have ${allowed} in this currency`);
  }
  if (minor === 'too-large') {
    const largest = formatMinorUnits(MAX_AMOUNT_MINOR, digits);
    return validation.reject(path, 'amount-too-large', `must be at most ${largest}`);
  }
  return minor;
}

/** A percentage as an exact fraction (12 becomes 3/25), if its size and decimals are within the limits (M4, M6). */
export function checkRate(
  validation: Validation,
  path: string,
  value: Decimal | undefined,
  { least, unit } = { least: -MAX_RATE_PERCENT, unit: 'percent a year' },
): ExactRatio | undefined {
  if (value === undefined) return undefined;
  if (!value.isFinite() || value.greaterThan(MAX_RATE_PERCENT) || value.lessThan(least)) {
    return validation.reject(path, 'out-of-range', `must be from ${least} to ${MAX_RATE_PERCENT} ${unit}`);
  }
  if (value.decimalPlaces() > MAX_RATE_DECIMALS) {
    return validation.reject(path, 'too-many-decimals', `must have at most ${MAX_RATE_DECIMALS} decimals`);
  }
  return percentToRatio(value);
}

/** The allowed name that equals the value, ignoring case and outer blanks; undefined, without a fault, if absent. */
export function checkName<Name extends string>(
  validation: Validation,
  path: string,
  value: string | undefined,
  allowed: readonly Name[],
): Name | undefined {
  if (value === undefined) return undefined;
  const message = `must be one of ${allowed.join(', ')}`;
  return findName(allowed, value) ?? validation.reject(path, 'unknown-value', message);
}

/** The known name that equals a text, ignoring case and surrounding blanks; undefined if there is none. */
export function findName<Known extends string>(known: readonly Known[], text: string): Known | undefined {
  const wanted = text.trim().toLowerCase();
  return known.find((name) => name.toLowerCase() === wanted);
}

/** The allowed periodicity with that name (D7); `path` is the field that holds the name. */
export function checkPeriodicity(
  validation: Validation,
  { path, name }: { readonly path: string; readonly name: string },
  known: readonly Periodicity[],
  isAllowed: (periodicity: Periodicity) => boolean = () => true,
): Periodicity | undefined {
  const found = findPeriodicity(name, known);
  if (found !== undefined && isAllowed(found)) return found;
  const code = found === undefined ? 'unknown-periodicity' : 'not-allowed';
  const names = known.filter(isAllowed).map((periodicity) => periodicity.name);
  return validation.reject(path, code, `must be one of ${names.join(', ')}`);
}

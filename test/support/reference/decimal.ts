/** Decimals of the reference implementation: 60 digits, and rounding half up to whole minor units. */

import { Decimal } from 'decimal.js';

export const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });
export type Exact = Decimal;

export const NONE = new Exact(0);

/** The number of digits that remain exact after many operations; the others must not decide a tie. */
const TRUSTED_DIGITS = 50;

/** The nearest whole number, half away from zero (M2). */
export function rounded(value: Exact): Exact {
  const whole = value.toSignificantDigits(TRUSTED_DIGITS).toDecimalPlaces(0, Decimal.ROUND_HALF_UP);
  return whole.isZero() ? NONE : whole;
}

export function lesser(one: Exact, other: Exact): Exact {
  return one.lt(other) ? one : other;
}

export function greater(one: Exact, other: Exact): Exact {
  return one.gt(other) ? one : other;
}

/** Thrown when the rules refuse a request, with a short reason. */
export class Refused extends Error {}

export function refuseIf(condition: boolean, reason: string): void {
  if (condition) throw new Refused(reason);
}

/** An amount in minor units; refused when negative or too fine (M2, M6). */
export function minorUnits(value: Decimal | undefined, digits: number, name: string): Exact {
  if (value === undefined) return NONE;
  const minor = new Exact(value).times(new Exact(10).pow(digits));
  refuseIf(!minor.isInteger() || minor.lt(0), `${name} is not an amount`);
  return minor;
}

/**
 * Values of formulas: exact fractions, so that a third of an amount times three is that amount, and a tie at half a
 * cent is a tie (M1, M4). The grammar has no operation that leaves the fractions.
 */

import { LARGEST_FIGURE_MINOR } from '../numbers/money.ts';
import { divideRounded, type RoundingMode } from '../numbers/rounding.ts';

/** numerator/denominator, denominator > 0, not necessarily in lowest terms. An ExactRatio is one. */
export interface FormulaValue {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A formula that has no value for this row. `reason` ends a sentence about the column, such as `divides by zero`. */
export interface FormulaFailure {
  readonly kind: 'formula-failure';
  readonly reason: string;
}

/** How money figures are written: minor digits of the currency and the schedule type's rounding (M2). */
export interface MoneyFormat {
  readonly digits: number;
  readonly rounding: RoundingMode;
}

const LARGEST_FIGURE = BigInt(LARGEST_FIGURE_MINOR);

/** A whole number as a value. */
export function wholeValue(whole: number): FormulaValue {
  return { numerator: BigInt(whole), denominator: 1n };
}

/** An amount of minor units as a value in major units, which is what formulas calculate in. */
export function moneyValue(minor: number, digits: number): FormulaValue {
  return { numerator: BigInt(minor), denominator: 10n ** BigInt(digits) };
}

/** True when a formula had no value. */
export function isFormulaFailure(result: number | FormulaValue | FormulaFailure): result is FormulaFailure {
  return typeof result === 'object' && 'kind' in result;
}

/**
 * A value in major units as whole minor units, rounded once (M2); a failure when it is beyond what a row may hold.
 */
export function minorUnitsOf(value: FormulaValue, money: MoneyFormat): number | FormulaFailure {
  const scaled = value.numerator * 10n ** BigInt(money.digits);
  const minor = divideRounded(scaled, value.denominator, money.rounding);
  if (minor > LARGEST_FIGURE || minor < -LARGEST_FIGURE) {
    return { kind: 'formula-failure', reason: 'is larger than can be calculated with' };
  }
  return Number(minor);
}

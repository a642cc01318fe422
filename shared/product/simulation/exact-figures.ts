/** Prices and rates as exact fractions, so that discounts and formulas are calculated without rounding (M1, M4). */

import { Decimal } from 'decimal.js';
import { reduceRatio } from '../../lending/numbers/exact-ratio.ts';
import { OPERATORS, compareValues } from '../../lending/formula/arithmetic.ts';
import type { FormulaValue } from '../../lending/formula/scope.ts';
import { formatMinorUnits } from '../../lending/numbers/money.ts';
import { divideRounded, type RoundingMode } from '../../lending/numbers/rounding.ts';

/** An exact fraction; its denominator is above zero. */
export type ExactFigure = FormulaValue;

/** Maximum number of decimals in requests, replies and the catalogue. */
const MAX_DECIMALS = 20;
/** Decimals of displayed percentages (Q4). */
const PERCENT_DECIMALS = 4;
/** Decimals of displayed figures that are not the catalogue's own (Q5). */
const SHOWN_DECIMALS = 10;

export const ZERO: ExactFigure = { numerator: 0n, denominator: 1n };
export const ONE_HUNDRED: ExactFigure = { numerator: 100n, denominator: 1n };

/** Converts a decimal, or a parsed JSON number, which means the shortest decimal that parses to it (M1). */
export function toExact(value: Decimal | number): ExactFigure {
  if (Number.isSafeInteger(value)) return { numerator: BigInt(Number(value)), denominator: 1n };
  const decimal = new Decimal(value);
  const digits = Math.max(0, decimal.decimalPlaces());
  return { numerator: BigInt(decimal.toFixed(digits).replace('.', '')), denominator: powerOfTen(digits) };
}

const powerOfTen = (exponent: number) => 10n ** BigInt(exponent);

/** Throws RangeError unless both are whole numbers. The denominator must be above zero. */
export function fraction(numerator: number, denominator: number): ExactFigure {
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
}

export const plus = (first: ExactFigure, second: ExactFigure) => OPERATORS['+'](first, second);
export const minus = (first: ExactFigure, second: ExactFigure) => OPERATORS['-'](first, second);

/** Returns the product in lowest terms. */
export function times(first: ExactFigure, second: ExactFigure): ExactFigure {
  const { numerator, denominator } = OPERATORS['*'](first, second);
  return reduceRatio(numerator, denominator);
}

/** Returns a percentage of a figure: 20 percent of 50 is 10. */
export function percentOf(figure: ExactFigure, percent: ExactFigure): ExactFigure {
  return times(figure, { numerator: percent.numerator, denominator: percent.denominator * 100n });
}

/** Returns a part as a percentage of the whole, which must be above zero: 10 of 50 is 20. */
export function percentageOf(part: ExactFigure, whole: ExactFigure): ExactFigure {
  return times(part, { numerator: 100n * whole.denominator, denominator: whole.numerator });
}

export function lesser(first: ExactFigure, second: ExactFigure): ExactFigure {
  return compareValues(second, first) < 0 ? second : first;
}

export function signOf({ numerator }: ExactFigure): number {
  return Number(numerator > 0n) - Number(numerator < 0n);
}

/** Rounds major units to minor units of a currency with `digits` decimals (M2). */
export function roundToMinor(figure: ExactFigure, digits: number, rounding: RoundingMode): bigint {
  return divideRounded(figure.numerator * powerOfTen(digits), figure.denominator, rounding);
}

/** Converts to a decimal, rounded half up to 20 decimals. */
export function toDecimal(figure: ExactFigure): Decimal {
  const { numerator, denominator } = figure;
  const digits = String(denominator).length - 1;
  if (digits <= MAX_DECIMALS && denominator === powerOfTen(digits)) return scaledDecimal(numerator, digits);
  return scaledDecimal(roundToMinor(figure, MAX_DECIMALS, 'HALF_UP'), MAX_DECIMALS);
}

/** Rounds a calculated figure half up to ten decimals, for display only (Q5). */
export function roundForDisplay(figure: ExactFigure): Decimal {
  return scaledDecimal(roundToMinor(figure, SHOWN_DECIMALS, 'HALF_UP'), SHOWN_DECIMALS);
}

/** Converts minor units to major units: `scaledDecimal(1050n, 2)` is 10.5. */
export function scaledDecimal(minor: bigint, digits: number): Decimal {
  return new Decimal(formatMinorUnits(minor, digits));
}

/** Formats a percentage with four decimals, rounded half up, such as `7.9500%` (Q4). */
export function formatPercent(figure: ExactFigure): string {
  return `${formatMinorUnits(roundToMinor(figure, PERCENT_DECIMALS, 'HALF_UP'), PERCENT_DECIMALS)}%`;
}

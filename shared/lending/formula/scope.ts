/** The scope of formulas: the named inputs of the row and the preceding columns, in numbered slots. */

import { MAX_FIGURE_MINOR } from '../numbers/money.ts';
import { type RoundingMode, divideRounded } from '../numbers/rounding.ts';

/**
 * The named inputs. Money is in major units. Absent fields are zero.
 * - InterestPercent: annual percent of the row, 12 for 12 %
 * - Amount: financed amount
 * - ContractPeriod: periods of the contract, InstallmentsNo if absent (D8)
 * - InstallmentsNo, InstallmentNo: number of rows of the contract, and original number of this row
 * - NoDays: calendar days of the period as accrued (D6)
 * - DayCountFraction: part of a year by the day count (C1)
 * - ResidualValue, CapitalPercent, UnusedAmount, AdvanceAmount, UpFrontValue: as sent
 * - LockedInstallment, LockedPrincipal: the fields installmentValue and principalValue
 * - PeriodsPerYear: 12 for Monthly; a year has 52 weeks or 365 days; 1 for Once
 */
export const INPUT_NAMES = [
  'InterestPercent',
  'Amount',
  'InstallmentsNo',
  'InstallmentNo',
  'NoDays',
  'DayCountFraction',
  'ResidualValue',
  'CapitalPercent',
  'UnusedAmount',
  'AdvanceAmount',
  'UpFrontValue',
  'LockedInstallment',
  'LockedPrincipal',
  'PeriodsPerYear',
  'ContractPeriod',
] as const;

export type InputName = (typeof INPUT_NAMES)[number];

/** Standard columns that formulas may read: all but TotalInstallment, which is calculated last (M3). */
export const READABLE_COLUMNS = [
  'RemainingValue',
  'Interest',
  'PMT',
  'Principal',
  'ManagementFee',
  'Insurance',
] as const;

type ReadableColumn = (typeof READABLE_COLUMNS)[number];

export const SLOTS = Object.fromEntries(
  [...INPUT_NAMES, ...READABLE_COLUMNS].map((name, slot) => [name, slot]),
) as Readonly<Record<InputName | ReadableColumn, number>>;

export const FIRST_EXTRA_SLOT = INPUT_NAMES.length + READABLE_COLUMNS.length;

/** The row loop writes the slots in place. A formula reads only columns that are calculated before it. */
export interface FormulaScope {
  readonly slots: FormulaValue[];
}

export const ZERO: FormulaValue = { numerator: 0n, denominator: 1n };

export function newFormulaScope(slotCount: number): FormulaScope {
  return { slots: Array.from({ length: slotCount }, () => ZERO) };
}

// Values of formulas: exact fractions, so that a third of an amount times three is that amount, and a tie at half a
// cent is a tie (M1, M4). Every operation of the grammar on fractions gives a fraction.

/** numerator/denominator, denominator > 0, not necessarily in lowest terms. Every ExactRatio is a FormulaValue. */
export interface FormulaValue {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A formula has no value in a row. `reason` continues `its formula ...`, such as `divides by zero at position 3`. */
export interface FormulaFailure {
  readonly kind: 'formula-failure';
  readonly reason: string;
}

export interface MoneyFormat {
  readonly digits: number;
  readonly rounding: RoundingMode;
}

const MAX_FIGURE = BigInt(MAX_FIGURE_MINOR);

/** An amount in major units: `moneyValue(1050, 2)` is 10.50. */
export function moneyValue(minor: number, digits: number): FormulaValue {
  return { numerator: BigInt(minor), denominator: 10n ** BigInt(digits) };
}

export function isFormulaFailure(result: number | FormulaValue | FormulaFailure): result is FormulaFailure {
  return typeof result === 'object' && 'kind' in result;
}

/** Rounds major units to minor units (M2); a failure if the size exceeds {@link MAX_FIGURE_MINOR}. */
export function roundToMinorUnits(value: FormulaValue, money: MoneyFormat): number | FormulaFailure {
  const scaled = value.numerator * 10n ** BigInt(money.digits);
  const minor = divideRounded(scaled, value.denominator, money.rounding);
  if (minor > MAX_FIGURE || minor < -MAX_FIGURE) {
    return { kind: 'formula-failure', reason: 'exceeds the largest supported amount' };
  }
  return Number(minor);
}

/** Which columns a schedule type may list, how each may be calculated, and which names are taken (S1, S2). */

import { INPUT_NAMES, READABLE_COLUMNS, type InputName } from '../formula/scope.ts';
import { FORMULA_FUNCTIONS } from '../formula/tree.ts';

/** The columns of the contract's row that a schedule type may list. */
export const STANDARD_COLUMNS = [...READABLE_COLUMNS, 'TotalInstallment'] as const;

/** One of {@link STANDARD_COLUMNS}. */
export type StandardColumn = (typeof STANDARD_COLUMNS)[number];

/** Calculation methods of columns (S2). */
export const COLUMN_METHODS = [
  'RemainingValue',
  'PMT',
  'Linear',
  'EffectiveRate',
  'CapitalPercent',
  'Balance',
  'Fee',
  'Insurance',
  'Formula',
] as const;

/** One of {@link COLUMN_METHODS}. */
export type ColumnMethod = (typeof COLUMN_METHODS)[number];

/** Most columns of a schedule type. */
export const MOST_COLUMNS = 40;
/** Longest name of an additional column. */
export const LONGEST_COLUMN_NAME = 64;

const ADDITIONAL_METHODS: readonly ColumnMethod[] = ['Fee', 'Insurance', 'Formula'];

const METHODS: Readonly<Record<StandardColumn, readonly ColumnMethod[]>> = {
  RemainingValue: ['RemainingValue'],
  Interest: ['Linear', 'EffectiveRate', 'Formula'],
  PMT: ['PMT', 'Formula'],
  Principal: ['Balance', 'Linear', 'CapitalPercent', 'Formula'],
  ManagementFee: ['Fee'],
  Insurance: ['Insurance'],
  TotalInstallment: ['Formula'],
};

const OWN_SOURCES: Readonly<Record<string, InputName>> = {
  'RemainingValue RemainingValue': 'Amount',
  'Interest Linear': 'InterestPercent',
  'Interest EffectiveRate': 'InterestPercent',
  'PMT PMT': 'LockedInstallment',
  'Principal Linear': 'LockedPrincipal',
  'Principal CapitalPercent': 'CapitalPercent',
};

/** Members of a row that are no columns of a schedule type. */
const OTHER_ROW_MEMBERS = [
  'InstallmentNo',
  'DueDate',
  'NoDays',
  'InstallmentTypeId',
  'ScheduleTypeId',
  'IsEarlyRepayment',
  'CapitalisedInterest',
  'Explanation',
  'DAE',
  'EIR',
] as const;

const TAKEN_NAMES: ReadonlySet<string> = new Set(
  [...OTHER_ROW_MEMBERS, ...INPUT_NAMES, ...Object.keys(FORMULA_FUNCTIONS)].map((name) => name.toLowerCase()),
);

const NAME_OF_ONES_OWN = /^[A-Za-z][A-Za-z0-9_]*$/;

/** The column of the contract's row that has this name in any case, or undefined. */
export function findStandardColumn(name: string): StandardColumn | undefined {
  const wanted = name.trim().toLowerCase();
  return STANDARD_COLUMNS.find((known) => known.toLowerCase() === wanted);
}

/** What is wrong with the name of an additional column, or undefined. */
export function columnNameFault(name: string): string | undefined {
  if (!NAME_OF_ONES_OWN.test(name) || name.length > LONGEST_COLUMN_NAME) {
    return (
      `must be one of ${STANDARD_COLUMNS.join(', ')}, or a name of up to ${LONGEST_COLUMN_NAME} letters, ` +
      'digits and underscores that begins with a letter'
    );
  }
  if (!TAKEN_NAMES.has(name.toLowerCase())) return undefined;
  return 'must have another name: this one belongs to a row member, an input or a function';
}

/** The methods that a column may be calculated by; `standard` is undefined for additional columns. */
export function methodsOf(standard: StandardColumn | undefined): readonly ColumnMethod[] {
  return standard === undefined ? ADDITIONAL_METHODS : METHODS[standard];
}

/** The input that a method of a standard column reads of itself, which is the only Source that it may name. */
export function ownSourceOf(
  standard: StandardColumn | undefined,
  method: ColumnMethod,
): InputName | undefined {
  return OWN_SOURCES[`${standard} ${method}`];
}

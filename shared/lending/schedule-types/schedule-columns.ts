/** The columns that a schedule type may list, their calculation methods, and reserved names (S1, S2). */

import type { CompiledExpression } from '../formula/compiler.ts';
import { parseFormula } from '../formula/parser.ts';
import { INPUT_NAMES, READABLE_COLUMNS, type InputName } from '../formula/scope.ts';
import { FORMULA_FUNCTIONS, type FormulaTree } from '../formula/tree.ts';
import { findName } from '../request/field-checks.ts';
import type { ActivationFault, ScheduleColumnRecord } from './schedule-type-record.ts';

/** The columns of a schedule row that the interface defines and a schedule type may list. */
export const STANDARD_COLUMNS = [...READABLE_COLUMNS, 'TotalInstallment'] as const;

export type StandardColumn = (typeof STANDARD_COLUMNS)[number];

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

type ColumnMethod = (typeof COLUMN_METHODS)[number];

export const MAX_COLUMNS = 40;
const MAX_COLUMN_NAME_LENGTH = 64;

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

/** The implicit input of each method of a standard column, which is the only Source that the column may name. */
const OWN_SOURCES: Readonly<Partial<Record<string, InputName>>> = {
  'RemainingValue RemainingValue': 'Amount',
  'Interest Linear': 'InterestPercent',
  'Interest EffectiveRate': 'InterestPercent',
  'PMT PMT': 'LockedInstallment',
  'Principal Linear': 'LockedPrincipal',
  'Principal CapitalPercent': 'CapitalPercent',
};

const OTHER_ROW_FIELDS = [
  'InstallmentNo',
  'DueDate',
  'NoDays',
  'InstallmentTypeId',
  'ScheduleTypeId',
  'IsEarlyRepayment',
  'CapitalisedInterest',
  'Overpaid',
  'Explanation',
  'DAE',
  'EIR',
] as const;

const TAKEN_NAMES: ReadonlySet<string> = new Set(
  [...OTHER_ROW_FIELDS, ...INPUT_NAMES, ...Object.keys(FORMULA_FUNCTIONS)].map((name) => name.toLowerCase()),
);

const ADDITIONAL_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

function findNameFault(name: string): string | undefined {
  if (!ADDITIONAL_NAME.test(name) || name.length > MAX_COLUMN_NAME_LENGTH) {
    return (
      `must be one of ${STANDARD_COLUMNS.join(', ')}, or a name of up to ${MAX_COLUMN_NAME_LENGTH} letters, ` +
      'digits and underscores that begins with a letter'
    );
  }
  if (!TAKEN_NAMES.has(name.toLowerCase())) return undefined;
  return 'must have another name: this one is a row field, an input or a function';
}

/** A parsed column, whose faults have been reported; an invalid method or formula is undefined. */
export interface ColumnDraft {
  /** The standard name, or the name as spelled in the record. */
  readonly name: string;
  readonly standard: StandardColumn | undefined;
  readonly method: ColumnMethod | undefined;
  readonly fee: string | undefined;
  readonly insuranceClass: string | undefined;
  readonly display: boolean;
  readonly isUpfront: boolean;
  /** The expression of a Formula column; with a Source instead of a Formula, the name of that input. */
  readonly text: string | undefined;
  readonly tree: FormulaTree | undefined;
  expression: CompiledExpression | undefined;
}

/** True for a formula column whose amount is added to managementFee or insurance. */
export function countsAsCharge(column: ColumnDraft): boolean {
  return column.method === 'Formula' && (column.fee !== undefined || column.insuranceClass !== undefined);
}

/** Reads a column; its expression is compiled later. */
export function draftColumn(record: ScheduleColumnRecord, faults: ActivationFault[]): ColumnDraft {
  const standard = findName(STANDARD_COLUMNS, record.ColumnRepaymentSchedule);
  const name = standard ?? record.ColumnRepaymentSchedule.trim();
  const report = (message: string): void => void faults.push({ column: name, message });
  const nameFault = standard === undefined ? findNameFault(name) : undefined;
  if (nameFault !== undefined) report(nameFault);
  const method = readMethod(record, standard, report);
  const text = method === undefined ? undefined : readExpression(record, standard, method, report);
  const draft: ColumnDraft = {
    name,
    standard,
    method,
    fee: nonEmpty(record.Fee),
    insuranceClass: nonEmpty(record.InsuranceClass),
    display: record.Display ?? true,
    isUpfront: record.IsUpfront ?? false,
    text,
    tree: text === undefined ? undefined : readTree(text, report),
    expression: undefined,
  };
  checkCharges(draft, report);
  return draft;
}

type Report = (message: string) => void;

function nonEmpty(text: string | null | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

function readMethod(
  record: ScheduleColumnRecord,
  standard: StandardColumn | undefined,
  report: Report,
): ColumnMethod | undefined {
  const allowed = standard === undefined ? ADDITIONAL_METHODS : METHODS[standard];
  const method = findName(allowed, record.CalculationMethod);
  if (method !== undefined) return method;
  const isCharge = standard === 'ManagementFee' || standard === 'Insurance';
  const advice = isCharge ? '; for your own amount add a Formula column with its own name' : '';
  report(`must have the CalculationMethod ${allowed.join(' or ')}${advice}`);
  return undefined;
}

/** The expression of a Formula column. Other columns may name only the implicit input of their method as Source. */
function readExpression(
  record: ScheduleColumnRecord,
  standard: StandardColumn | undefined,
  method: ColumnMethod,
  report: Report,
): string | undefined {
  const formula = nonEmpty(record.Formula);
  const source = nonEmpty(record.Source);
  if (method === 'Formula') return readFormula(formula, source, report);
  if (formula !== undefined) report('must have no Formula unless its CalculationMethod is Formula');
  const own = OWN_SOURCES[`${standard} ${method}`];
  if (source !== undefined && source.toLowerCase() !== own?.toLowerCase()) {
    report(own === undefined ? 'must have no Source' : `must have the Source ${own} or none`);
  }
  return undefined;
}

function readFormula(
  formula: string | undefined,
  source: string | undefined,
  report: Report,
): string | undefined {
  if (formula !== undefined && source !== undefined) {
    report('must have a Formula or a Source, not both: name the input in the Formula');
  }
  if (formula !== undefined) return formula;
  if (source === undefined) {
    report('needs a Formula, such as Interest + Principal, or the Source whose value it shows');
    return undefined;
  }
  const input = findName(INPUT_NAMES, source);
  if (input === undefined) report(`must have one of these as Source: ${INPUT_NAMES.join(', ')}`);
  return input;
}

function readTree(text: string, report: Report): FormulaTree | undefined {
  const tree = parseFormula(text);
  if (tree.kind !== 'formula-error') return tree;
  report(`has a formula that cannot be read at position ${tree.at}: ${tree.message}`);
  return undefined;
}

/** Refuses Fee, InsuranceClass and IsUpfront where they have no effect, and requires the first two where needed. */
function checkCharges(draft: ColumnDraft, report: Report): void {
  const { method, standard, fee, insuranceClass } = draft;
  if (method === undefined) return;
  const isAdditional = standard === undefined;
  if (isAdditional && method === 'Fee' && fee === undefined) {
    report('needs the Fee whose commission it shows; all commissions together are the column ManagementFee');
  }
  if (isAdditional && method === 'Insurance' && insuranceClass === undefined) {
    report('needs the InsuranceClass that it shows; all insurances together are the column Insurance');
  }
  const mayName = (own: ColumnMethod): boolean => isAdditional && (method === own || method === 'Formula');
  if (fee !== undefined && !mayName('Fee')) report(`must have no Fee${adviseOnCharge(standard)}`);
  if (insuranceClass !== undefined && !mayName('Insurance')) {
    report(`must have no InsuranceClass${adviseOnCharge(standard)}`);
  }
  if (fee !== undefined && insuranceClass !== undefined && method === 'Formula') {
    report('must count as a Fee or as an InsuranceClass, not as both');
  }
  if (draft.isUpfront && method !== 'Fee' && method !== 'Insurance') {
    report('must have no IsUpfront: only Fee and Insurance columns have one');
  }
}

function adviseOnCharge(standard: StandardColumn | undefined): string {
  if (standard !== 'ManagementFee' && standard !== 'Insurance') return '';
  return ': it contains all of them; show a single one in a column with its own name';
}

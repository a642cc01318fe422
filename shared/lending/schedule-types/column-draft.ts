/** One column of a schedule type record, read as far as it can be, with all that is wrong with it (S1, S2, S3). */

import type { CompiledExpression } from '../formula/compiler.ts';
import { INPUT_NAMES } from '../formula/scope.ts';
import { parseFormula } from '../formula/parser.ts';
import type { FormulaTree } from '../formula/tree.ts';
import {
  columnNameFault,
  findStandardColumn,
  methodsOf,
  ownSourceOf,
  type ColumnMethod,
  type StandardColumn,
} from './schedule-columns.ts';
import type { ActivationFault, ScheduleColumnRecord } from './schedule-type-record.ts';

/** A column as it was understood. What is wrong with it is undefined and has been reported. */
export interface ColumnDraft {
  /** The standard name, or the name as the record spells it. */
  readonly name: string;
  /** Undefined for an additional column. */
  readonly standard: StandardColumn | undefined;
  readonly method: ColumnMethod | undefined;
  readonly fee: string | undefined;
  readonly insuranceClass: string | undefined;
  readonly display: boolean;
  readonly isUpfront: boolean;
  /** The expression of a Formula column; a Source in its place is an expression of that name. */
  readonly text: string | undefined;
  readonly tree: FormulaTree | undefined;
  /** Set when all names of the expression are known. */
  expression: CompiledExpression | undefined;
}

/** A formula whose amount goes into managementFee or insurance. */
export function countsAsCharge(column: ColumnDraft): boolean {
  return column.method === 'Formula' && (column.fee !== undefined || column.insuranceClass !== undefined);
}

/** Reads a column and reports what is wrong with it alone. */
export function draftColumn(record: ScheduleColumnRecord, faults: ActivationFault[]): ColumnDraft {
  const standard = findStandardColumn(record.ColumnRepaymentSchedule);
  const name = standard ?? record.ColumnRepaymentSchedule.trim();
  const report = (message: string): void => void faults.push({ column: name, message });
  const nameFault = standard === undefined ? columnNameFault(name) : undefined;
  if (nameFault !== undefined) report(nameFault);
  const method = methodOf(record, standard, report);
  const text = method === undefined ? undefined : expressionOf(record, standard, method, report);
  const draft: ColumnDraft = {
    name,
    standard,
    method,
    fee: nonEmpty(record.Fee),
    insuranceClass: nonEmpty(record.InsuranceClass),
    display: record.Display ?? true,
    isUpfront: record.IsUpfront ?? false,
    text,
    tree: text === undefined ? undefined : treeOf(text, report),
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

function methodOf(
  record: ScheduleColumnRecord,
  standard: StandardColumn | undefined,
  report: Report,
): ColumnMethod | undefined {
  const allowed = methodsOf(standard);
  const wanted = record.CalculationMethod.trim().toLowerCase();
  const method = allowed.find((known) => known.toLowerCase() === wanted);
  if (method !== undefined) return method;
  const isCharge = standard === 'ManagementFee' || standard === 'Insurance';
  const advice = isCharge ? '; for an amount of your own add a Formula column with a name of its own' : '';
  report(`must have the CalculationMethod ${allowed.join(' or ')}${advice}`);
  return undefined;
}

/** The text of a Formula column; also checks Source, which other columns may name when it is their method's own. */
function expressionOf(
  record: ScheduleColumnRecord,
  standard: StandardColumn | undefined,
  method: ColumnMethod,
  report: Report,
): string | undefined {
  const formula = nonEmpty(record.Formula);
  const source = nonEmpty(record.Source);
  if (method === 'Formula') return formulaText(formula, source, report);
  if (formula !== undefined) report('must have no Formula unless its CalculationMethod is Formula');
  const own = ownSourceOf(standard, method);
  if (source !== undefined && source.toLowerCase() !== own?.toLowerCase()) {
    report(own === undefined ? 'must have no Source' : `must have the Source ${own} or none`);
  }
  return undefined;
}

function formulaText(
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
  const input = INPUT_NAMES.find((known) => known.toLowerCase() === source.toLowerCase());
  if (input === undefined) report(`must have one of these as Source: ${INPUT_NAMES.join(', ')}`);
  return input;
}

function treeOf(text: string, report: Report): FormulaTree | undefined {
  const tree = parseFormula(text);
  if (tree.kind !== 'formula-error') return tree;
  report(`has a formula that cannot be read at position ${tree.at}: ${tree.message}`);
  return undefined;
}

/** Fee, InsuranceClass and IsUpfront, each only where it means something. */
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
  if (fee !== undefined && !mayName('Fee')) report(`must have no Fee${adviceOf(standard)}`);
  if (insuranceClass !== undefined && !mayName('Insurance')) {
    report(`must have no InsuranceClass${adviceOf(standard)}`);
  }
  if (fee !== undefined && insuranceClass !== undefined && method === 'Formula') {
    report('must count as a Fee or as an InsuranceClass, not as both');
  }
  if (draft.isUpfront && method !== 'Fee' && method !== 'Insurance') {
    report('must have no IsUpfront: only Fee and Insurance columns have one');
  }
}

function adviceOf(standard: StandardColumn | undefined): string {
  if (standard !== 'ManagementFee' && standard !== 'Insurance') return '';
  return ': it holds all of them; show a single one in a column with a name of its own';
}

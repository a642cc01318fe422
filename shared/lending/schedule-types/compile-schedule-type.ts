/** From a catalogue record to a schedule type that is ready for calculation (S1, S2). */

import { checkScheduleType } from './activation-checks.ts';
import { slotsOf } from './activation-formulas.ts';
import { paysTheSum, repaysAtMaturity, type ColumnSet } from './activation-methods.ts';
import type { ColumnDraft } from './column-draft.ts';
import type {
  CompiledFormula,
  CompiledScheduleType,
  CountsAs,
  ExtraColumn,
  ExtraMethod,
  InterestMethod,
  PaymentMethod,
  PrincipalMethod,
  UpfrontDefaults,
} from './compiled-schedule-type.ts';
import { FIRST_EXTRA_SLOT, INPUT_NAMES, type FormulaScope } from '../formula/scope.ts';
import { formulaTextWithValues } from '../formula/text.ts';
import { namesIn } from '../formula/tree.ts';
import { rowStepsOf } from './row-steps.ts';
import type { ActivationFault, ScheduleTypeRecord } from './schedule-type-record.ts';
import type { ScheduleType } from './schedule-type.ts';

/** A compiled schedule type, or every reason why the record has none. */
export type CompileOutcome =
  | { readonly kind: 'schedule-type'; readonly compiled: CompiledScheduleType }
  | { readonly kind: 'refused'; readonly faults: readonly ActivationFault[] };

/** Checks (S3) and compiles a record, whatever its status; once at start, not per request. Never throws. */
export function compileScheduleType(record: ScheduleTypeRecord): CompileOutcome {
  const { type, columns, faults } = checkScheduleType(record);
  if (type === undefined || faults.length > 0) return { kind: 'refused', faults };
  return { kind: 'schedule-type', compiled: compiledOf(type, columns) };
}

function compiledOf(type: ScheduleType, columns: ColumnSet): CompiledScheduleType {
  const slots = slotsOf(columns.all);
  const formulaOf = (column: ColumnDraft | undefined): CompiledFormula | undefined =>
    compiledFormula(column, slots);
  const extras = columns.all
    .filter(({ standard }) => standard === undefined)
    .map((column) => extraColumn(column, slots, formulaOf(column)));
  const interest = interestOf(columns, formulaOf);
  const payment = paymentOf(columns, formulaOf);
  const principal = principalOf(columns, formulaOf);
  const methods = [interest, payment, principal, ...extras.map(({ method }) => method)];
  return {
    type,
    interest,
    payment,
    principal,
    extras,
    ...rowStepsOf(columns, extras),
    hasFormulas: methods.some(({ kind }) => kind === 'Formula'),
    namesRead: namesReadBy(columns),
    upfront: upfrontOf(columns),
    slotCount: FIRST_EXTRA_SLOT + extras.length,
  };
}

type FormulaOf = (column: ColumnDraft | undefined) => CompiledFormula | undefined;

function interestOf({ standard }: ColumnSet, formulaOf: FormulaOf): InterestMethod {
  const column = standard.get('Interest');
  const formula = formulaOf(column);
  if (formula !== undefined) return { kind: 'Formula', formula };
  return { kind: column?.method === 'EffectiveRate' ? 'EffectiveRate' : 'Linear' };
}

function paymentOf(columns: ColumnSet, formulaOf: FormulaOf): PaymentMethod {
  if (paysTheSum(columns)) return { kind: 'Sum' };
  const formula = formulaOf(columns.standard.get('PMT'));
  return formula === undefined ? { kind: 'Level' } : { kind: 'Formula', formula };
}

function principalOf(columns: ColumnSet, formulaOf: FormulaOf): PrincipalMethod {
  if (repaysAtMaturity(columns)) return { kind: 'AtMaturity' };
  const column = columns.standard.get('Principal');
  const formula = formulaOf(column);
  if (formula !== undefined) return { kind: 'Formula', formula };
  if (column?.method === 'CapitalPercent') return { kind: 'CapitalPercent' };
  return { kind: column?.method === 'Linear' ? 'EqualParts' : 'Balance' };
}

function extraColumn(
  column: ColumnDraft,
  slots: ReadonlyMap<string, number>,
  formula: CompiledFormula | undefined,
): ExtraColumn {
  const slot = slots.get(column.name.toLowerCase()) ?? 0;
  return { name: column.name, slot, display: column.display, method: extraMethod(column, formula) };
}

function extraMethod(
  { fee, insuranceClass }: ColumnDraft,
  formula: CompiledFormula | undefined,
): ExtraMethod {
  if (formula !== undefined) return { kind: 'Formula', formula, countsAs: countsAs(fee, insuranceClass) };
  if (fee !== undefined) return { kind: 'Fee', fee };
  return { kind: 'Insurance', insuranceClass: insuranceClass ?? '' };
}

function countsAs(fee: string | undefined, insuranceClass: string | undefined): CountsAs {
  if (fee !== undefined) return { kind: 'Fee', fee };
  if (insuranceClass !== undefined) return { kind: 'Insurance', insuranceClass };
  return { kind: 'Nothing' };
}

function compiledFormula(
  column: ColumnDraft | undefined,
  slots: ReadonlyMap<string, number>,
): CompiledFormula | undefined {
  if (column?.text === undefined || column.expression === undefined) return undefined;
  const { name, text, tree, expression } = column;
  const withValues = (scope: FormulaScope): string => formulaTextWithValues(text, slots, scope);
  const names = tree === undefined ? [] : [...namesIn(tree).keys()];
  const slotsRead = new Set(names.map((read) => slots.get(read.toLowerCase()) ?? -1));
  return { column: name, text, slotsRead, evaluate: expression.evaluate, withValues };
}

function namesReadBy({ all }: ColumnSet): ReadonlySet<string> {
  const spelled = new Map(
    [...INPUT_NAMES, ...all.map(({ name }) => name)].map((name) => [name.toLowerCase(), name]),
  );
  const names = all.flatMap(({ tree }) => (tree === undefined ? [] : [...namesIn(tree).keys()]));
  return new Set(names.map((name) => spelled.get(name.toLowerCase()) ?? name));
}

function upfrontOf({ all, standard }: ColumnSet): UpfrontDefaults {
  const byFee = new Map<string, boolean>();
  const byInsuranceClass = new Map<string, boolean>();
  for (const column of all) {
    if (column.standard !== undefined) continue;
    if (column.method === 'Fee') byFee.set((column.fee ?? '').toLowerCase(), column.isUpfront);
    if (column.method === 'Insurance') {
      byInsuranceClass.set((column.insuranceClass ?? '').toLowerCase(), column.isUpfront);
    }
  }
  return {
    fees: standard.get('ManagementFee')?.isUpfront ?? false,
    insurances: standard.get('Insurance')?.isUpfront ?? false,
    byFee,
    byInsuranceClass,
  };
}

/** Compiles a catalogue record to a schedule type (S1, S2). */

import { FIRST_EXTRA_SLOT, INPUT_NAMES, type FormulaScope } from '../formula/scope.ts';
import { formatFormulaWithValues } from '../formula/formula-with-values.ts';
import { collectNames } from '../formula/tree.ts';
import { checkScheduleType } from './activation-checks.ts';
import {
  assignSlots,
  paysInterestPlusPrincipal,
  repaysAtMaturity,
  type ColumnSet,
} from './activation-methods.ts';
import type {
  CompiledFormula,
  CompiledScheduleType,
  CountsAs,
  ExtraColumn,
  ExtraMethod,
  InterestMethod,
  PaymentMethod,
  PrincipalMethod,
  RowStep,
  ScheduleType,
  UpfrontDefaults,
} from './schedule-type.ts';
import type { ColumnDraft } from './schedule-columns.ts';
import type { ActivationFault, ScheduleTypeRecord } from './schedule-type-record.ts';

type CompileOutcome =
  | { readonly kind: 'schedule-type'; readonly compiled: CompiledScheduleType }
  | { readonly kind: 'refused'; readonly faults: readonly ActivationFault[] };

/** Checks (S3) and compiles a record of any status. Called when a catalogue is read, not per request. Never throws. */
export function compileScheduleType(record: ScheduleTypeRecord): CompileOutcome {
  const { type, columns, faults } = checkScheduleType(record);
  if (type === undefined || faults.length > 0) return { kind: 'refused', faults };
  return { kind: 'schedule-type', compiled: compileColumns(type, columns) };
}

function compileColumns(type: ScheduleType, columns: ColumnSet): CompiledScheduleType {
  const slots = assignSlots(columns.all);
  const extras = columns.all
    .filter(({ standard }) => standard === undefined)
    .map((column) => compileExtraColumn(column, slots));
  const interest = compileInterest(columns, slots);
  const payment = compilePayment(columns, slots);
  const principal = compilePrincipal(columns, slots);
  const methods = [interest, payment, principal, ...extras.map(({ method }) => method)];
  return {
    type,
    interest,
    payment,
    principal,
    extras,
    steps: orderSteps(columns, extras),
    hasFormulas: methods.some(({ kind }) => kind === 'Formula'),
    namesRead: collectNamesRead(columns),
    upfront: collectUpfrontDefaults(columns),
    slotCount: FIRST_EXTRA_SLOT + extras.length,
  };
}

type Slots = ReadonlyMap<string, number>;

function compileInterest({ standard }: ColumnSet, slots: Slots): InterestMethod {
  const column = standard.get('Interest');
  const formula = compileColumnFormula(column, slots);
  if (formula !== undefined) return { kind: 'Formula', formula };
  return { kind: column?.method === 'EffectiveRate' ? 'EffectiveRate' : 'Linear' };
}

function compilePayment(columns: ColumnSet, slots: Slots): PaymentMethod {
  if (paysInterestPlusPrincipal(columns)) return { kind: 'Sum' };
  const formula = compileColumnFormula(columns.standard.get('PMT'), slots);
  return formula === undefined ? { kind: 'Level' } : { kind: 'Formula', formula };
}

function compilePrincipal(columns: ColumnSet, slots: Slots): PrincipalMethod {
  if (repaysAtMaturity(columns)) return { kind: 'AtMaturity' };
  const column = columns.standard.get('Principal');
  const formula = compileColumnFormula(column, slots);
  if (formula !== undefined) return { kind: 'Formula', formula };
  if (column?.method === 'CapitalPercent') return { kind: 'CapitalPercent' };
  return { kind: column?.method === 'Linear' ? 'EqualParts' : 'Balance' };
}

function compileExtraColumn(column: ColumnDraft, slots: Slots): ExtraColumn {
  const method = compileExtraMethod(column, compileColumnFormula(column, slots));
  const slot = slots.get(column.name.toLowerCase()) ?? 0;
  return { name: column.name, slot, display: column.display, method };
}

function compileExtraMethod(
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

function compileColumnFormula(column: ColumnDraft | undefined, slots: Slots): CompiledFormula | undefined {
  if (column?.text === undefined || column.expression === undefined) return undefined;
  const { name, text, tree, expression } = column;
  const withValues = (scope: FormulaScope): string => formatFormulaWithValues(text, slots, scope);
  const names = tree === undefined ? [] : [...collectNames(tree).keys()];
  const slotsRead = new Set(names.map((read) => slots.get(read.toLowerCase()) as number));
  return { column: name, text, slotsRead, evaluate: expression.evaluate, withValues };
}

function collectNamesRead({ all }: ColumnSet): ReadonlySet<string> {
  const spelled = new Map(
    [...INPUT_NAMES, ...all.map(({ name }) => name)].map((name) => [name.toLowerCase(), name]),
  );
  const names = all.flatMap(({ tree }) => (tree === undefined ? [] : [...collectNames(tree).keys()]));
  return new Set(names.map((name) => spelled.get(name.toLowerCase()) ?? name));
}

function collectUpfrontDefaults({ all, standard }: ColumnSet): UpfrontDefaults {
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
    fees: standard.get('ManagementFee')?.isUpfront === true,
    insurances: standard.get('Insurance')?.isUpfront === true,
    byFee,
    byInsuranceClass,
  };
}

// Interest precedes payment and principal, because it never depends on them; otherwise columns follow the order of the
// record (S1). Charges and additional columns come last, unless a formula of interest, payment or principal reads one.
// Charges may be percentages only of figures that are calculated before them (F2).

interface Ordering {
  readonly steps: RowStep[];
  waiting: ColumnDraft[];
  hasCharges: boolean;
}

interface NamedColumns {
  readonly extras: ReadonlyMap<string, ExtraColumn>;
  readonly charges: ReadonlySet<string>;
}

function orderSteps(columns: ColumnSet, extras: readonly ExtraColumn[]): readonly RowStep[] {
  const named: NamedColumns = {
    extras: new Map(extras.map((extra) => [extra.name.toLowerCase(), extra])),
    charges: collectChargeColumns(columns.all),
  };
  const ordering: Ordering = { steps: [], waiting: [], hasCharges: false };
  const isSum = paysInterestPlusPrincipal(columns);
  for (const column of moveInterestFirst(columns.all)) {
    const kind = getMoneyStep(column, isSum);
    if (column.standard === undefined && column.method === 'Formula') ordering.waiting.push(column);
    if (kind === undefined) continue;
    if (readsAdditional(column, named)) addWaiting(ordering, named, column);
    ordering.steps.push({ kind });
    if (isSum && kind === 'principal') ordering.steps.push({ kind: 'payment' });
  }
  addCharges(ordering);
  addWaiting(ordering, named);
  return ordering.steps;
}

function collectChargeColumns(columns: readonly ColumnDraft[]): ReadonlySet<string> {
  const holders = columns.filter(({ method }) => method === 'Fee' || method === 'Insurance');
  return new Set(holders.map(({ name }) => name.toLowerCase()));
}

/** Moves payment, principal and columns calculated from them behind the interest, if they are listed before it. */
function moveInterestFirst(columns: readonly ColumnDraft[]): readonly ColumnDraft[] {
  const place = columns.findIndex(({ standard }) => standard === 'Interest');
  const moved = new Set<string>();
  for (const column of columns.slice(0, place)) {
    const isMoney = column.standard === 'PMT' || column.standard === 'Principal';
    if (isMoney || listNamesRead(column).some((name) => moved.has(name)))
      moved.add(column.name.toLowerCase());
  }
  const isMoved = ({ name }: ColumnDraft): boolean => moved.has(name.toLowerCase());
  const before = columns.slice(0, place + 1);
  return [
    ...before.filter((column) => !isMoved(column)),
    ...before.filter(isMoved),
    ...columns.slice(place + 1),
  ];
}

/** A payment that is a sum has no step here, since it directly follows the principal. */
function getMoneyStep(
  { standard }: ColumnDraft,
  isSum: boolean,
): 'interest' | 'payment' | 'principal' | undefined {
  if (standard === 'Interest') return 'interest';
  if (standard === 'Principal') return 'principal';
  return standard === 'PMT' && !isSum ? 'payment' : undefined;
}

function listNamesRead({ tree }: ColumnDraft): readonly string[] {
  return tree === undefined ? [] : [...collectNames(tree).keys()].map((name) => name.toLowerCase());
}

function readsCharges(column: ColumnDraft, { charges }: NamedColumns): boolean {
  return listNamesRead(column).some((name) => charges.has(name));
}

function readsAdditional(column: ColumnDraft, named: NamedColumns): boolean {
  return readsCharges(column, named) || listNamesRead(column).some((name) => named.extras.has(name));
}

function addWaiting(ordering: Ordering, named: NamedColumns, reader?: ColumnDraft): void {
  for (const column of ordering.waiting) {
    if (readsCharges(column, named)) addCharges(ordering);
    const extra = named.extras.get(column.name.toLowerCase());
    if (extra !== undefined) ordering.steps.push({ kind: 'column', column: extra });
  }
  ordering.waiting = [];
  if (reader !== undefined && readsCharges(reader, named)) addCharges(ordering);
}

function addCharges(ordering: Ordering): void {
  if (!ordering.hasCharges) ordering.steps.push({ kind: 'charges' });
  ordering.hasCharges = true;
}

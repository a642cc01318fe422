/** Checks that the methods of the columns and the settings of the schedule type are consistent (S1, S2, S3). */

import { compileFormula } from '../formula/compiler.ts';
import { FIRST_EXTRA_SLOT, INPUT_NAMES, READABLE_COLUMNS, SLOTS } from '../formula/scope.ts';
import { collectNames, type FormulaTree } from '../formula/tree.ts';
import type { RoundingMode } from '../numbers/rounding.ts';
import { findName } from '../request/field-checks.ts';
import { countsAsCharge, type ColumnDraft, type StandardColumn } from './schedule-columns.ts';
import type { ActivationFault, ScheduleTypeRecord } from './schedule-type-record.ts';

export interface ColumnSet {
  readonly all: readonly ColumnDraft[];
  readonly standard: ReadonlyMap<StandardColumn, ColumnDraft>;
}

/** `standard` has the first column of each standard name. */
export function createColumnSet(all: readonly ColumnDraft[]): ColumnSet {
  const standard = new Map<StandardColumn, ColumnDraft>();
  for (const column of all) {
    if (column.standard !== undefined && !standard.has(column.standard))
      standard.set(column.standard, column);
  }
  return { all, standard };
}

/** True if the payment of a row is calculated as the sum of its interest and principal. */
export function paysInterestPlusPrincipal({ standard }: ColumnSet): boolean {
  return standard.get('Principal')?.method !== 'Balance';
}

/** True if the formula of Principal is the constant zero, so the last row repays all principal. */
export function repaysAtMaturity({ standard }: ColumnSet): boolean {
  return standard.get('Principal')?.expression?.constant?.numerator === 0n;
}

export function checkMethods(
  record: ScheduleTypeRecord,
  columns: ColumnSet,
  faults: ActivationFault[],
): void {
  checkMandatory(columns, faults);
  checkDuplicates(columns, faults);
  checkPayment(columns, faults);
  checkTotal(columns, faults);
  checkEqualInstallments(record, columns, faults);
  checkFixedAmounts(record, columns, faults);
  checkCharges(record, columns, faults);
  checkMaturity(record, columns, faults);
}

function checkMandatory({ standard }: ColumnSet, faults: ActivationFault[]): void {
  const advice = {
    RemainingValue: 'with the CalculationMethod RemainingValue, before Interest',
    Interest: 'with the CalculationMethod Linear, EffectiveRate or Formula',
    Principal: 'with the CalculationMethod Balance, Linear, CapitalPercent or Formula',
  } as const;
  for (const column of ['RemainingValue', 'Interest', 'Principal'] as const) {
    if (!standard.has(column)) faults.push({ column, message: `is missing: add it ${advice[column]}` });
  }
}

function checkDuplicates({ all }: ColumnSet, faults: ActivationFault[]): void {
  const seen = new Set<string>();
  const report = (column: string, key: string, message: string): void => {
    if (seen.has(key)) faults.push({ column, message });
    seen.add(key);
  };
  for (const { name, standard, method, fee, insuranceClass } of all) {
    report(name, `name ${name.toLowerCase()}`, 'is listed twice: remove one, or give it another name');
    if (standard !== undefined) continue;
    if (method === 'Fee' && fee !== undefined) {
      report(name, `fee ${fee.toLowerCase()}`, `shows the Fee ${fee} of another column: remove one of them`);
    }
    if (method === 'Insurance' && insuranceClass !== undefined) {
      const message = `shows the InsuranceClass ${insuranceClass} of another column: remove one of them`;
      report(name, `class ${insuranceClass.toLowerCase()}`, message);
    }
  }
}

function checkPayment(columns: ColumnSet, faults: ActivationFault[]): void {
  const payment = columns.standard.get('PMT');
  const principal = columns.standard.get('Principal')?.method;
  const report = (message: string): void => void faults.push({ column: 'PMT', message });
  if (payment === undefined) {
    if (principal === 'Balance') {
      report('is missing: Principal by Balance is PMT less Interest; add PMT before Principal');
    }
    return;
  }
  if (payment.method === 'PMT') {
    if (columns.standard.get('Interest')?.method === 'Formula') {
      report('is a level payment, which needs Interest by Linear or EffectiveRate: change one of the two');
    }
    if (principal !== undefined && principal !== 'Balance') {
      report('is a level payment, which needs Principal by Balance: change one of the two');
    }
  }
  const isOther = payment.tree !== undefined && !isSumOf(payment.tree, ['Interest', 'Principal']);
  if (isOther && principal !== undefined && principal !== 'Balance') {
    report('must be Interest + Principal, or be left out, unless Principal is calculated by Balance');
  }
}

/** TotalInstallment may be listed, but only with the sum that M3 defines. */
function checkTotal({ standard }: ColumnSet, faults: ActivationFault[]): void {
  const tree = standard.get('TotalInstallment')?.tree;
  if (tree === undefined) return;
  const charges = (['ManagementFee', 'Insurance'] as const).filter((column) => standard.has(column));
  const sums = [['Interest', 'Principal', ...charges]];
  if (standard.has('PMT')) sums.unshift(['PMT', ...charges]);
  if (sums.some((names) => isSumOf(tree, names))) return;
  const formula = sums[0]?.join(' + ');
  faults.push({ column: 'TotalInstallment', message: `must have the Formula ${formula}, or be left out` });
}

function checkEqualInstallments(
  record: ScheduleTypeRecord,
  { standard }: ColumnSet,
  faults: ActivationFault[],
): void {
  const principal = standard.get('Principal')?.method;
  if (record.IsWithEqualInstallments && principal !== undefined && principal !== 'Balance') {
    const message = 'IsWithEqualInstallments must be false unless Principal is calculated by Balance';
    faults.push({ message });
  }
  if (!record.IsWithEqualInstallments && standard.get('PMT')?.method === 'PMT') {
    const message = 'IsWithEqualInstallments must be true, because PMT is a level payment';
    faults.push({ message });
  }
}

function checkFixedAmounts(record: ScheduleTypeRecord, columns: ColumnSet, faults: ActivationFault[]): void {
  const readers = columns.all.filter(({ tree }) => {
    const names = tree === undefined ? [] : [...collectNames(tree).keys()].map((name) => name.toLowerCase());
    return names.includes('lockedinstallment') || names.includes('lockedprincipal');
  });
  const hasFixedAmount =
    columns.standard.get('PMT')?.method === 'PMT' || columns.standard.get('Principal')?.method === 'Linear';
  if (record.InstallmentValueCustom && !hasFixedAmount && readers.length === 0) {
    const message = 'InstallmentValueCustom must be false: no column reads a fixed payment or principal';
    faults.push({ message });
  }
  if (record.InstallmentValueCustom) return;
  for (const { name } of readers) {
    const message = 'reads a fixed payment or principal in its formula: InstallmentValueCustom must be true';
    faults.push({ column: name, message });
  }
}

function checkCharges(record: ScheduleTypeRecord, columns: ColumnSet, faults: ActivationFault[]): void {
  if (record.AcceptsCharges ?? true) return;
  for (const column of columns.all) {
    if (column.method !== 'Fee' && column.method !== 'Insurance' && !countsAsCharge(column)) continue;
    faults.push({ column: column.name, message: 'must be left out unless AcceptsCharges is true' });
  }
}

/** UseExpiryDate and InterestCapitalization each require that the last row repays all principal. */
function checkMaturity(record: ScheduleTypeRecord, columns: ColumnSet, faults: ActivationFault[]): void {
  const principal = columns.standard.get('Principal');
  const isUnknown =
    principal?.method === undefined || (principal.method === 'Formula' && !principal.expression);
  if (isUnknown || repaysAtMaturity(columns)) return;
  for (const setting of ['UseExpiryDate', 'InterestCapitalization'] as const) {
    if (record[setting] !== true) continue;
    const message = `must have the Formula 0, which repays at the end, unless ${setting} is false`;
    faults.push({ column: 'Principal', message });
  }
}

/** Slots of all names allowed in formulas of these columns, by name in lower case. */
export function assignSlots(columns: readonly ColumnDraft[]): ReadonlyMap<string, number> {
  const slots = new Map<string, number>();
  for (const input of INPUT_NAMES) slots.set(input.toLowerCase(), SLOTS[input]);
  let extraSlot = FIRST_EXTRA_SLOT;
  for (const { name, standard } of columns) {
    if (standard === 'TotalInstallment') continue;
    const slot = standard === undefined ? extraSlot : SLOTS[standard];
    if (standard === undefined) extraSlot += 1;
    if (!slots.has(name.toLowerCase())) slots.set(name.toLowerCase(), slot);
  }
  return slots;
}

/** Compiles the formulas whose names are all known. Reports unknown names and formulas that cannot be calculated. */
export function compileFormulas(
  columns: readonly ColumnDraft[],
  rounding: RoundingMode,
  faults: ActivationFault[],
): void {
  const slots = assignSlots(columns);
  for (const column of columns) {
    if (column.tree === undefined) continue;
    const unknown = [...collectNames(column.tree).keys()].filter((name) => !slots.has(name.toLowerCase()));
    for (const name of unknown) faults.push({ column: column.name, message: adviseOnName(name, columns) });
    if (unknown.length > 0) continue;
    const getSlot = (name: string): number => slots.get(name.toLowerCase()) ?? 0;
    const expression = compileFormula(column.tree, { getSlot, rounding });
    if ('kind' in expression) {
      const message = `has a formula that cannot be calculated at position ${expression.at}: ${expression.message}`;
      faults.push({ column: column.name, message });
      continue;
    }
    column.expression = expression;
  }
}

function adviseOnName(name: string, columns: readonly ColumnDraft[]): string {
  if (name.toLowerCase() === 'totalinstallment') {
    return 'must not name TotalInstallment, which is calculated last: write PMT + ManagementFee + Insurance';
  }
  const missing = findName(READABLE_COLUMNS, name);
  if (missing !== undefined) return `names ${missing} in its formula: list that column before it`;
  const own = columns.filter(({ standard }) => standard === undefined).map((column) => column.name);
  const known = [...READABLE_COLUMNS, ...own, ...INPUT_NAMES].join(', ');
  return `names ${name} in its formula, which is neither a column nor an input; known: ${known}`;
}

/** True if an expression is the sum of these names, each once, regardless of order and case. */
function isSumOf(tree: FormulaTree, names: readonly string[]): boolean {
  const terms = listTerms(tree);
  return terms !== undefined && sortNames(terms) === sortNames(names);
}

function sortNames(names: readonly string[]): string {
  return names
    .map((name) => name.toLowerCase())
    .toSorted()
    .join(' ');
}

function listTerms(tree: FormulaTree): readonly string[] | undefined {
  switch (tree.kind) {
    case 'name':
      return [tree.name];
    case 'operation': {
      const left = tree.operator === '+' ? listTerms(tree.left) : undefined;
      const right = left === undefined ? undefined : listTerms(tree.right);
      return left === undefined || right === undefined ? undefined : [...left, ...right];
    }
    case 'number':
    case 'negation':
    case 'call':
      return undefined;
    default:
      return tree satisfies never;
  }
}

/**
 * The order in which the figures of a row are calculated. Interest comes before payment and principal wherever it is
 * listed, as no schedule type can calculate it from them; otherwise columns follow the record's order (S1). Charges and
 * additional columns wait until a formula of interest, payment or principal reads one of them, so that charges may be
 * percentages of all three figures (F2) unless the schedule type itself says otherwise.
 */

import { paysTheSum, type ColumnSet } from './activation-methods.ts';
import type { ColumnDraft } from './column-draft.ts';
import type { CompiledScheduleType, ExtraColumn, RowStep } from './compiled-schedule-type.ts';
import { namesIn } from '../formula/tree.ts';

/** Steps put in order so far. */
interface Ordering {
  readonly steps: RowStep[];
  /** Additional Formula columns that the record lists before the place reached and that have no step yet. */
  waiting: ColumnDraft[];
  hasCharges: boolean;
}

/** Additional Formula columns and columns that hold charges, by name in lower case. */
interface NamedColumns {
  readonly extras: ReadonlyMap<string, ExtraColumn>;
  readonly charges: ReadonlySet<string>;
}

/** The steps of a row, and the first money figure that needs charges. */
export function rowStepsOf(
  columns: ColumnSet,
  extras: readonly ExtraColumn[],
): Pick<CompiledScheduleType, 'steps' | 'chargesBefore'> {
  const named: NamedColumns = {
    extras: new Map(extras.map((extra) => [extra.name.toLowerCase(), extra])),
    charges: chargeColumns(columns.all),
  };
  const ordering: Ordering = { steps: [], waiting: [], hasCharges: false };
  const isSum = paysTheSum(columns);
  let chargesBefore: CompiledScheduleType['chargesBefore'];
  for (const column of interestFirst(columns.all)) {
    const kind = moneyStepOf(column, isSum);
    if (column.standard === undefined && column.method === 'Formula') ordering.waiting.push(column);
    if (kind === undefined) continue;
    if (readsAdditional(column, named)) addWaiting(ordering, named, column);
    if (ordering.hasCharges) chargesBefore ??= kind;
    ordering.steps.push({ kind });
    if (isSum && kind === 'principal') ordering.steps.push({ kind: 'payment' });
  }
  addCharges(ordering);
  addWaiting(ordering, named);
  return { steps: ordering.steps, chargesBefore };
}

/** Columns that hold charges of the request, by name in lower case. */
function chargeColumns(columns: readonly ColumnDraft[]): ReadonlySet<string> {
  const holders = columns.filter(({ method }) => method === 'Fee' || method === 'Insurance');
  return new Set(holders.map(({ name }) => name.toLowerCase()));
}

/** Payment, principal and what is calculated from them, moved behind the interest if listed before it. */
function interestFirst(columns: readonly ColumnDraft[]): readonly ColumnDraft[] {
  const place = columns.findIndex(({ standard }) => standard === 'Interest');
  const moved = new Set<string>();
  for (const column of columns.slice(0, place)) {
    const isMoney = column.standard === 'PMT' || column.standard === 'Principal';
    if (isMoney || namesReadBy(column).some((name) => moved.has(name))) moved.add(column.name.toLowerCase());
  }
  const isMoved = ({ name }: ColumnDraft): boolean => moved.has(name.toLowerCase());
  const before = columns.slice(0, place + 1);
  return [
    ...before.filter((column) => !isMoved(column)),
    ...before.filter(isMoved),
    ...columns.slice(place + 1),
  ];
}

/** The step of a money figure. A payment that is a mere sum has no step of its own place. */
function moneyStepOf({ standard }: ColumnDraft, isSum: boolean): CompiledScheduleType['chargesBefore'] {
  if (standard === 'Interest') return 'interest';
  if (standard === 'Principal') return 'principal';
  return standard === 'PMT' && !isSum ? 'payment' : undefined;
}

function namesReadBy({ tree }: ColumnDraft): readonly string[] {
  return tree === undefined ? [] : [...namesIn(tree).keys()].map((name) => name.toLowerCase());
}

function readsCharges(column: ColumnDraft, { charges }: NamedColumns): boolean {
  return namesReadBy(column).some((name) => charges.has(name));
}

function readsAdditional(column: ColumnDraft, named: NamedColumns): boolean {
  return readsCharges(column, named) || namesReadBy(column).some((name) => named.extras.has(name));
}

/** Steps of the waiting columns in the record's order, with the charges before the first that reads them. */
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

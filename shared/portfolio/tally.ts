/** Counts the results of a recalculation, in bounded memory whatever the number of contracts. */

import type { Problem, Warning } from '../platform/problem.ts';
import { type ChangeCounts, countChange, noChanges } from './change-distribution.ts';
import { addSums, type Comparison, magnitude, NO_SUMS, type ScheduleSums } from './comparison.ts';

export interface CurrencyTotals {
  /** ISO code in capitals; null if the requests name no currency. */
  readonly currency: string | null;
  readonly digits: number;
  contracts: number;
  after: ScheduleSums;
  /** Contracts that were compared with a previous schedule. Only these count in `before` and `difference`. */
  compared: number;
  before: ScheduleSums;
  difference: ScheduleSums;
}

export interface FieldCounts {
  /** `count` is the number of contracts with the fault or warning. All items of a list are one field. */
  readonly fields: Map<string, { readonly path: string; readonly code: string; readonly count: number }>;
  /** Number of contracts with faults or warnings in further fields, which have no entry. */
  others: number;
}

export interface Tally {
  calculated: number;
  failed: number;
  warned: number;
  rows: number;
  compared: number;
  changed: number;
  /** Contracts with an instalment that only one of the two schedules has. */
  otherLength: number;
  formerUnreadable: number;
  formerUnreadableLines: number[];
  failuresByCode: Map<string, number>;
  failedFields: FieldCounts;
  ignoredFields: FieldCounts;
  firstFailures: (Omit<CountedFailure, 'problem'> & { readonly code: string; readonly reason: string })[];
  totals: Map<string, CurrencyTotals>;
  paymentChanges: ChangeCounts;
  totalChanges: ChangeCounts;
  rises: Mover[];
  falls: Mover[];
}

export interface CountedSchedule {
  readonly line: number;
  readonly id: string | number;
  readonly currency: string | null;
  readonly digits: number;
  readonly rows: number;
  readonly sums: ScheduleSums;
  readonly warnings: readonly Warning[];
  /** `none` if there is no previous schedule, `unreadable` if it is not a valid list of instalments. */
  readonly comparison: Comparison | 'none' | 'unreadable';
}

export interface CountedFailure {
  readonly line: number;
  readonly id: string | number | undefined;
  readonly problem: Pick<Problem, 'code' | 'title' | 'detail' | 'errors'>;
}

const MAX_LISTED_LINES = 10;
const MAX_LISTED_FAILURES = 20;
/** Paths may contain names from the input, so their number would otherwise be unlimited. */
const MAX_FIELDS = 50;
const MAX_PATH = 200;
const MAX_REASON = 400;

export function emptyTally(): Tally {
  return {
    calculated: 0,
    failed: 0,
    warned: 0,
    rows: 0,
    compared: 0,
    changed: 0,
    otherLength: 0,
    formerUnreadable: 0,
    formerUnreadableLines: [],
    failuresByCode: new Map(),
    failedFields: { fields: new Map(), others: 0 },
    ignoredFields: { fields: new Map(), others: 0 },
    firstFailures: [],
    totals: new Map(),
    paymentChanges: noChanges(),
    totalChanges: noChanges(),
    rises: [],
    falls: [],
  };
}

export function countFailure(tally: Tally, { line, id, problem }: CountedFailure): void {
  const { code, errors = [] } = problem;
  tally.failed += 1;
  tally.failuresByCode.set(code, (tally.failuresByCode.get(code) ?? 0) + 1);
  countFields(tally.failedFields, errors);
  const failure = { line, id, code, reason: reasonOf(problem) };
  keepFirst(tally.firstFailures, failure, (one, other) => one.line < other.line, MAX_LISTED_FAILURES);
}

function countFields(counts: FieldCounts, found: readonly Warning[]): void {
  let isOther = false;
  for (const key of new Set(found.map(fieldKey))) {
    const known = counts.fields.get(key);
    if (known === undefined && counts.fields.size >= MAX_FIELDS) isOther = true;
    else {
      const [path = '', code = ''] = key.split('\n');
      counts.fields.set(key, { path, code, count: (known?.count ?? 0) + 1 });
    }
  }
  if (isOther) counts.others += 1;
}

/** `jsonParam.Commission[3].FeeDate` counts as `jsonParam.Commission[].FeeDate`. */
function fieldKey({ path, code }: Warning): string {
  const field = path.replaceAll(/\[\d+\]/g, '[]').replaceAll('\n', ' ');
  return `${field.slice(0, MAX_PATH)}\n${code}`;
}

/** Returns the faults of a problem with their fields, or else its detail or title, in at most 400 characters. */
export function reasonOf({ title, detail, errors = [] }: CountedFailure['problem']): string {
  const faults = errors.map(({ path, message }) => `${path} ${message}`).join('; ');
  const reason = faults === '' ? (detail ?? title) : faults;
  return reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON - 1)}…` : reason;
}

export function countSchedule(tally: Tally, schedule: CountedSchedule): void {
  const { comparison } = schedule;
  tally.calculated += 1;
  tally.rows += schedule.rows;
  if (schedule.warnings.length > 0) tally.warned += 1;
  countFields(tally.ignoredFields, schedule.warnings);
  const totals = totalsOf(tally, schedule);
  totals.contracts += 1;
  totals.after = addSums(totals.after, schedule.sums);
  if (comparison === 'none') return;
  if (comparison === 'unreadable') {
    tally.formerUnreadable += 1;
    if (tally.formerUnreadableLines.length < MAX_LISTED_LINES)
      tally.formerUnreadableLines.push(schedule.line);
    return;
  }
  totals.compared += 1;
  totals.before = addSums(totals.before, comparison.before);
  totals.difference = addSums(totals.difference, comparison.difference);
  countComparison(tally, schedule, comparison);
}

function countComparison(tally: Tally, schedule: CountedSchedule, comparison: Comparison): void {
  const { line, id, currency, digits } = schedule;
  const { before, after, difference, payment } = comparison;
  tally.compared += 1;
  if (comparison.isChanged) tally.changed += 1;
  if (comparison.hasOtherLength) tally.otherLength += 1;
  countChange(tally.totalChanges, difference.total, before.total);
  if (payment === undefined) tally.paymentChanges.withoutBase += 1;
  else countChange(tally.paymentChanges, payment.difference, payment.before);
  if (difference.total === 0n) return;
  const mover = { line, id, currency, digits, before: before.total, after: after.total };
  keepFirst(difference.total > 0n ? tally.rises : tally.falls, mover, movesMore, MAX_MOVERS);
}

function totalsOf(tally: Tally, schedule: CountedSchedule): CurrencyTotals {
  const { currency, digits } = schedule;
  const key = `${currency ?? ''}/${digits}`;
  const none = { contracts: 0, after: NO_SUMS, compared: 0, before: NO_SUMS, difference: NO_SUMS };
  const totals = tally.totals.get(key) ?? { currency, digits, ...none };
  tally.totals.set(key, totals);
  return totals;
}

export function totalsByCurrency({ totals }: Pick<Tally, 'totals'>): readonly CurrencyTotals[] {
  return [...totals.values()].toSorted((left, right) => {
    if (left.currency === right.currency) return left.digits - right.digits;
    return (left.currency ?? '') < (right.currency ?? '') ? -1 : 1;
  });
}

/** Sorts the largest count first, and equal counts in the order of the input. */
export function byCount<Entry extends { readonly count: number }>(
  entries: Iterable<Entry>,
): readonly Entry[] {
  return [...entries].toSorted((left, right) => right.count - left.count);
}

/** A contract whose total changes. Amounts are minor units of `digits` decimals. */
export interface Mover {
  readonly line: number;
  readonly id: string | number;
  readonly currency: string | null;
  readonly digits: number;
  readonly before: bigint;
  readonly after: bigint;
}

const MAX_MOVERS = 10;
/** Changes in all currencies are compared as plain numbers with this many decimals. No amount has more. */
const COMMON_DIGITS = 12;

/** Returns the contracts that change most, at most ten; equal changes are in the order of their lines. */
export function largestMovers(
  { rises, falls }: { readonly rises: readonly Mover[]; readonly falls: readonly Mover[] },
  count = MAX_MOVERS,
): readonly Mover[] {
  const largest: Mover[] = [];
  for (const mover of [...rises, ...falls]) keepFirst(largest, mover, movesMore, Math.min(count, MAX_MOVERS));
  return largest;
}

function keepFirst<Item>(
  list: Item[],
  item: Item,
  isBefore: (one: Item, other: Item) => boolean,
  max: number,
): void {
  const last = list.at(-1);
  if (list.length >= max && last !== undefined && !isBefore(item, last)) return;
  const behind = list.findIndex((known) => isBefore(item, known));
  list.splice(behind === -1 ? list.length : behind, 0, item);
  if (list.length > max) list.pop();
}

function movesMore(one: Mover, other: Mover): boolean {
  const [size, otherSize] = [sizeOf(one), sizeOf(other)];
  return size > otherSize || (size === otherSize && one.line < other.line);
}

function sizeOf({ before, after, digits }: Mover): bigint {
  return magnitude(after - before) * 10n ** BigInt(COMMON_DIGITS - digits);
}

/** What a recalculation has come to so far: counts, exact totals by currency, and what changed against former schedules. */

import type { Comparison } from './comparison.ts';
import { addMover, type Mover } from './largest-movers.ts';
import { NO_SUMS, plus, type ScheduleSums } from './schedule-sums.ts';

/** Totals of the contracts of one currency and number of digits; amounts in minor units. */
export interface CurrencyTotals {
  /** ISO code as the requests have it, in capitals; null where they name none. */
  readonly currency: string | null;
  readonly digits: number;
  contracts: number;
  after: ScheduleSums;
  /** Contracts among them that were held against a former schedule, with its sums and what they changed by. */
  compared: number;
  before: ScheduleSums;
  difference: ScheduleSums;
}

export interface Tally {
  calculated: number;
  /** Failed contracts and refused lines. */
  failed: number;
  /** Contracts with members that had no effect. */
  warned: number;
  /** Instalments of all schedules. */
  rows: number;
  compared: number;
  changed: number;
  /** Former schedules that could not be read, and the lines of the first of them. */
  formerUnreadable: number;
  readonly formerUnreadableLines: number[];
  readonly failuresByCode: Map<string, number>;
  readonly totals: Map<string, CurrencyTotals>;
  readonly movers: Mover[];
}

/** A schedule as it is counted. */
export interface CountedSchedule {
  readonly line: number;
  readonly id: string | number;
  readonly currency: string | null;
  readonly digits: number;
  readonly rows: number;
  readonly sums: ScheduleSums;
  readonly hasWarnings: boolean;
  /** `none` where the line has no former schedule, `unreadable` where it is no list of rows. */
  readonly comparison: Comparison | 'none' | 'unreadable';
}

/** So many lines are named of those that are counted only. */
const NAMED_LINES = 10;

export function emptyTally(): Tally {
  return {
    calculated: 0,
    failed: 0,
    warned: 0,
    rows: 0,
    compared: 0,
    changed: 0,
    formerUnreadable: 0,
    formerUnreadableLines: [],
    failuresByCode: new Map(),
    totals: new Map(),
    movers: [],
  };
}

export function countFailure(tally: Tally, code: string): void {
  tally.failed += 1;
  tally.failuresByCode.set(code, (tally.failuresByCode.get(code) ?? 0) + 1);
}

export function countSchedule(tally: Tally, schedule: CountedSchedule): void {
  const { comparison } = schedule;
  tally.calculated += 1;
  tally.rows += schedule.rows;
  if (schedule.hasWarnings) tally.warned += 1;
  const totals = totalsOf(tally, schedule);
  totals.contracts += 1;
  totals.after = plus(totals.after, schedule.sums);
  if (comparison === 'none') return;
  if (comparison === 'unreadable') {
    tally.formerUnreadable += 1;
    if (tally.formerUnreadableLines.length < NAMED_LINES) tally.formerUnreadableLines.push(schedule.line);
    return;
  }
  tally.compared += 1;
  if (comparison.isChanged) tally.changed += 1;
  totals.compared += 1;
  totals.before = plus(totals.before, comparison.before);
  totals.difference = plus(totals.difference, comparison.difference);
  const { line, id, currency, digits } = schedule;
  const { before, after } = comparison;
  addMover(tally.movers, { line, id, currency, digits, before: before.total, after: after.total });
}

/** There are as many as the requests that could be calculated name currencies of ISO 4217, by their digits. */
function totalsOf(tally: Tally, { currency, digits }: CountedSchedule): CurrencyTotals {
  const key = `${currency ?? ''}/${digits}`;
  const known = tally.totals.get(key);
  if (known !== undefined) return known;
  const none = { contracts: 0, after: NO_SUMS, compared: 0, before: NO_SUMS, difference: NO_SUMS };
  const totals: CurrencyTotals = { currency, digits, ...none };
  tally.totals.set(key, totals);
  return totals;
}

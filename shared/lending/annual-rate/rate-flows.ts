/** Dated flows of a loan as annual rates see them: what is drawn at the start, and the payments after it. */

import type { CalendarDate } from '../dates/calendar-date.ts';

/** What annual rates read of a row: its date as shown and its figures in minor units. */
export interface RatedRow {
  readonly dueDate: CalendarDate;
  readonly interest: number;
  readonly principal: number;
  readonly managementFee: number;
  readonly totalInstallment: number;
}

/** A loan with its schedule, in minor units. */
export interface ScheduledLoan {
  readonly startDate: CalendarDate;
  /** What the borrower gets at the start: the amount less the costs paid then. */
  readonly drawn: number;
  /** In any order; early repayments and shifted dates stand among the rows. */
  readonly rows: readonly RatedRow[];
}

/** Whole numbers of minor units, or of any smaller unit in which all amounts are whole. */
export type FlowAmounts = readonly number[] | readonly bigint[];

/**
 * Flows with their times. Payment k lies wholeUnits[k] / unitsPerYear + extraDays[k] / yearDays[k] years after the
 * start; neither whole units nor times decrease from one payment to the next.
 */
export interface RateFlows {
  /** Paid out at the start; below zero when more is paid than drawn then. */
  readonly drawn: number | bigint;
  /** Paid back; below zero what is drawn later. */
  readonly payments: FlowAmounts;
  readonly wholeUnits: readonly number[];
  readonly unitsPerYear: number;
  /** Empty when no payment has any. */
  readonly extraDays: readonly number[];
  /** 365 or 366 where there are left-over days. */
  readonly yearDays: readonly number[];
}

const DAYS_PER_YEAR = 365;

/** Flows at days over 365 after the start, as XIRR counts them (A2). */
export function flowsByDays(drawn: number, payments: readonly number[], days: readonly number[]): RateFlows {
  return flowsAtUnits(drawn, payments, days, DAYS_PER_YEAR);
}

/** Flows at whole units after the start. */
export function flowsAtUnits(
  drawn: number,
  payments: readonly number[],
  wholeUnits: readonly number[],
  unitsPerYear: number,
): RateFlows {
  return { drawn, payments, wholeUnits, unitsPerYear, extraDays: [], yearDays: [] };
}

/** The rows by date, as flows need them; the same rows when they already are. */
export function rowsByDate(rows: readonly RatedRow[]): readonly RatedRow[] {
  let last = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    if (row.dueDate < last) return rows.toSorted((a, b) => a.dueDate - b.dueDate);
    last = row.dueDate;
  }
  return rows;
}

/** True when a payment has the same time as the one before it, or the first one that of what is drawn. */
export function isSameTime({ wholeUnits, extraDays, yearDays }: RateFlows, index: number): boolean {
  if ((wholeUnits[index] ?? 0) !== (wholeUnits[index - 1] ?? 0)) return false;
  const [days, daysBefore] = [extraDays[index] ?? 0, extraDays[index - 1] ?? 0];
  return days === daysBefore && (days === 0 || yearDays[index] === yearDays[index - 1]);
}

/** The same flows with those of one time added up. */
export function addSameTimes(flows: RateFlows): RateFlows {
  const kept: number[] = [];
  const payments: bigint[] = [];
  let drawn = BigInt(flows.drawn);
  for (const [index, payment] of flows.payments.entries()) {
    if (!isSameTime(flows, index)) {
      kept.push(index);
      payments.push(BigInt(payment));
    } else if (kept.length === 0) drawn -= BigInt(payment);
    else payments.push((payments.pop() ?? 0n) + BigInt(payment));
  }
  const pick = (values: readonly number[]): number[] => kept.flatMap((index) => values[index] ?? []);
  const { wholeUnits, extraDays, yearDays } = flows;
  return {
    ...flows,
    drawn,
    payments,
    wholeUnits: pick(wholeUnits),
    extraDays: pick(extraDays),
    yearDays: pick(yearDays),
  };
}

/** Cash flows for annual rates: amounts with their times after the first one. */

import type { CalendarDate } from '../dates/calendar-date.ts';
import type { ScheduleRow } from '../request/repayment-schedule.ts';

/** The part of a schedule row that annual rates use: its date as shown and its figures in minor units. */
export type RatedRow = Pick<
  ScheduleRow,
  'dueDate' | 'interest' | 'principal' | 'managementFee' | 'totalInstallment'
>;

/** A loan with its schedule, in minor units. */
export interface ScheduledLoan {
  readonly startDate: CalendarDate;
  /** The net amount drawn at the start: the amount less upfront costs. */
  readonly drawn: number;
  /** In any order, prepayments and shifted due dates included. */
  readonly rows: readonly RatedRow[];
}

/**
 * Flows with their times, the first at time 0. Flow k lies wholeUnits[k] / unitsPerYear + extraDays[k] / yearDays[k]
 * years after it; neither whole units nor times decrease from one flow to the next.
 */
export interface RateFlows {
  /** Paid out below zero, paid back above: minor units, or any smaller unit in which all amounts are whole. */
  readonly amounts: readonly number[] | readonly bigint[];
  readonly wholeUnits: readonly number[];
  readonly unitsPerYear: number;
  /** Left-over days beyond the whole units; empty when no flow has any. */
  readonly extraDays: readonly number[];
  /** 365 or 366 where there are left-over days. */
  readonly yearDays: readonly number[];
}

const DAYS_PER_YEAR = 365;

/** The initial drawdown and the payments at days over 365 after it, as XIRR counts them (A2). */
export function flowsByDays(drawn: number, payments: readonly number[], days: readonly number[]): RateFlows {
  return flowsAtUnits(drawn, payments, days, DAYS_PER_YEAR);
}

/** The initial drawdown and the payments at whole units after it. */
export function flowsAtUnits(
  drawn: number,
  payments: readonly number[],
  units: readonly number[],
  unitsPerYear: number,
): RateFlows {
  const amounts = [-drawn, ...payments];
  return { amounts, wholeUnits: [0, ...units], unitsPerYear, extraDays: [], yearDays: [] };
}

/** The rows by date, as flows need them; the same array when they are already sorted. */
export function sortByDate(rows: readonly RatedRow[]): readonly RatedRow[] {
  let last = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    if (row.dueDate < last) return rows.toSorted((a, b) => a.dueDate - b.dueDate);
    last = row.dueDate;
  }
  return rows;
}

/** True when a flow other than the first has the same time as the one before it. */
export function isSameTime({ wholeUnits, extraDays, yearDays }: RateFlows, index: number): boolean {
  if (wholeUnits[index] !== wholeUnits[index - 1]) return false;
  const [days, daysBefore] = [extraDays[index] ?? 0, extraDays[index - 1] ?? 0];
  return days === daysBefore && (days === 0 || yearDays[index] === yearDays[index - 1]);
}

/** The flows with those at equal times added up. */
export function addSameTimes(flows: RateFlows): RateFlows {
  const kept: number[] = [];
  const amounts: bigint[] = [];
  for (const [index, amount] of flows.amounts.entries()) {
    if (index > 0 && isSameTime(flows, index)) {
      amounts.push((amounts.pop() ?? 0n) + BigInt(amount));
    } else {
      kept.push(index);
      amounts.push(BigInt(amount));
    }
  }
  const pick = (values: readonly number[]): number[] => kept.flatMap((index) => values[index] ?? []);
  const { wholeUnits, unitsPerYear, extraDays, yearDays } = flows;
  return {
    amounts,
    wholeUnits: pick(wholeUnits),
    unitsPerYear,
    extraDays: pick(extraDays),
    yearDays: pick(yearDays),
  };
}

/** Dated flows of a loan as effective rates see them: what is drawn at the start, and the payments after it. */

import type { CalendarDate } from './calendar-date.ts';
import type { ScheduleRow } from './repayment-schedule.ts';

/** A loan with its schedule, in minor units. */
export interface ScheduledLoan {
  readonly startDate: CalendarDate;
  /** What the borrower gets at the start: the amount less the costs paid then. */
  readonly drawn: number;
  readonly rows: readonly ScheduleRow[];
}

/**
 * Flows with their times. Payment k lies wholeUnits[k] / unitsPerYear + extraDays[k] / yearDays[k] years after the
 * start; whole units never decrease from one payment to the next.
 */
export interface RateFlows {
  /** Paid out at the start, more than zero. */
  readonly drawn: number;
  /** Paid back; may be zero or less in single rows. */
  readonly payments: readonly number[];
  readonly wholeUnits: readonly number[];
  readonly unitsPerYear: number;
  readonly extraDays: readonly number[];
  /** 365 or 366 for each payment. */
  readonly yearDays: readonly number[];
}

/** The time of a payment in years, as a binary number for the search of a root. */
export function yearsOf(flows: RateFlows, index: number): number {
  const whole = (flows.wholeUnits[index] ?? 0) / flows.unitsPerYear;
  const extra = flows.extraDays[index] ?? 0;
  return extra === 0 ? whole : whole + extra / (flows.yearDays[index] ?? 1);
}

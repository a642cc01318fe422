/**
 * The effective annual rate of consumer credit, DAE (A1): the rate at which the drawn amount equals all payments, at
 * intervals of whole months, weeks or years (Directive 2008/48/EC, Annex I; 2014/17/EU; (EU) 2023/2225).
 */

import { percentOfFlows } from './effective-rate.ts';
import type { Periodicity } from './periodicity.ts';
import type { ScheduledLoan } from './rate-flows.ts';
import { intervalsFrom, intervalUnitOf, UNITS_PER_YEAR } from './rate-interval.ts';

/** Percent with four decimals, rounded half up; null when there is no such rate (A4). */
export function effectiveAnnualRate(loan: ScheduledLoan, periodicity: Periodicity): string | null {
  const unit = intervalUnitOf(periodicity);
  const wholeUnits: number[] = [];
  const extraDays: number[] = [];
  const yearDays: number[] = [];
  const intervalTo = intervalsFrom(loan.startDate, unit);
  for (const row of loan.rows) {
    const interval = intervalTo(row.dueDate);
    wholeUnits.push(interval.wholeUnits);
    extraDays.push(interval.extraDays);
    yearDays.push(interval.yearDays);
  }
  const payments = loan.rows.map((row) => row.totalInstallment);
  const unitsPerYear = UNITS_PER_YEAR[unit];
  return percentOfFlows({ drawn: loan.drawn, payments, wholeUnits, unitsPerYear, extraDays, yearDays });
}

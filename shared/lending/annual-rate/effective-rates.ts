/**
 * The effective annual rate of consumer credit, DAE (A1): the rate at which the drawn amount equals all payments, at
 * intervals of whole months, weeks or years (Directive 2008/48/EC, Annex I; 2014/17/EU; (EU) 2023/2225).
 */

import { percentOfFlows } from './solve-rate.ts';
import type { Periodicity } from '../dates/periodicity.ts';
import { rowsByDate, type ScheduledLoan } from './rate-flows.ts';
import { intervalsFrom, intervalUnitOf, UNITS_PER_YEAR } from './rate-interval.ts';

/** Percent with four decimals, rounded half up; null when there is no such rate (A4). */
export function effectiveAnnualRate(loan: ScheduledLoan, periodicity: Periodicity): string | null {
  const unit = intervalUnitOf(periodicity);
  const payments: number[] = [];
  const wholeUnits: number[] = [];
  const extraDays: number[] = [];
  const yearDays: number[] = [];
  let hasExtraDays = false;
  const intervalTo = intervalsFrom(loan.startDate, unit);
  for (const row of rowsByDate(loan.rows)) {
    const interval = intervalTo(row.dueDate);
    payments.push(row.totalInstallment);
    wholeUnits.push(interval.wholeUnits);
    if (interval.extraDays > 0 && !hasExtraDays) {
      hasExtraDays = true;
      for (let earlier = 1; earlier < payments.length; earlier += 1) {
        extraDays.push(0);
        yearDays.push(0);
      }
    }
    if (!hasExtraDays) continue;
    extraDays.push(interval.extraDays);
    yearDays.push(interval.yearDays);
  }
  const unitsPerYear = UNITS_PER_YEAR[unit];
  return percentOfFlows({ drawn: loan.drawn, payments, wholeUnits, unitsPerYear, extraDays, yearDays });
}

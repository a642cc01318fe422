/** The two rates of a schedule: the effective annual rate of consumer credit, DAE, and the effective interest rate, EIR. */

import type { Periodicity } from '../dates/periodicity.ts';
import { flowsByDays, sortByDate, type ScheduledLoan } from './rate-flows.ts';
import { intervalsFrom, chooseIntervalUnit, UNITS_PER_YEAR } from './rate-interval.ts';
import { solveEffectiveRate } from './solve-rate.ts';

/**
 * DAE (A1): the rate at which the drawn amount equals all payments, at intervals of whole months, weeks or years
 * (Directive 2008/48/EC, Annex I; 2014/17/EU; (EU) 2023/2225). Percent with four decimals, rounded half up; null when
 * there is no such rate (A4).
 */
export function effectiveAnnualRate(loan: ScheduledLoan, periodicity: Periodicity): string | null {
  const unit = chooseIntervalUnit(periodicity);
  const intervalTo = intervalsFrom(loan.startDate, unit);
  const amounts = [-loan.drawn];
  const wholeUnits = [0];
  const extraDays = [0];
  const yearDays = [0];
  let hasExtraDays = false;
  for (const row of sortByDate(loan.rows)) {
    const interval = intervalTo(row.dueDate);
    amounts.push(row.totalInstallment);
    wholeUnits.push(interval.wholeUnits);
    extraDays.push(interval.extraDays);
    yearDays.push(interval.yearDays);
    hasExtraDays ||= interval.extraDays > 0;
  }
  return solveEffectiveRate({
    amounts,
    wholeUnits,
    unitsPerYear: UNITS_PER_YEAR[unit],
    extraDays: hasExtraDays ? extraDays : [],
    yearDays: hasExtraDays ? yearDays : [],
  });
}

/**
 * EIR (A2): as XIRR, days over 365, with interest, principal and fees of each row. Percent with four decimals, rounded
 * half up; null when there is no such rate (A4).
 */
export function effectiveInterestRate(loan: ScheduledLoan): string | null {
  const payments: number[] = [];
  const days: number[] = [];
  for (const row of sortByDate(loan.rows)) {
    payments.push(row.interest + row.principal + row.managementFee);
    days.push(row.dueDate - loan.startDate);
  }
  return solveEffectiveRate(flowsByDays(loan.drawn, payments, days));
}

/** Calculates the DAE (annual percentage rate of charge) and the EIR (effective interest rate) of a schedule. */

import type { CalendarDate } from '../dates/calendar-date.ts';
import type { Periodicity } from '../dates/periodicity.ts';
import type { ScheduleRow } from '../request/repayment-schedule.ts';
import { flowAtUnits, type RateFlow, type RateFlows } from './rate-flows.ts';
import { intervalsFrom, chooseIntervalUnit, UNITS_PER_YEAR } from './time-between-flows.ts';
import { solveEffectiveRate } from './proven-rate.ts';

type RatedRow = Pick<
  ScheduleRow,
  'dueDate' | 'interest' | 'principal' | 'managementFee' | 'totalInstallment'
>;

/** Amounts are minor units. */
interface ScheduledLoan<Row> {
  readonly startDate: CalendarDate;
  /** The amount less upfront costs. */
  readonly drawn: number;
  /** In any order, with prepayments; due dates as shown (A1). */
  readonly rows: readonly Row[];
}

type RatedLoan = ScheduledLoan<Pick<RatedRow, 'dueDate' | 'totalInstallment'>>;

/**
 * DAE (A1; Directive 2008/48/EC, Annex I; 2014/17/EU; (EU) 2023/2225) in percent with four decimals, rounded half up;
 * null if none is found (A4). Time is counted in whole months, weeks or years, and in left-over days.
 */
export function effectiveAnnualRate(loan: RatedLoan, periodicity: Periodicity): string | null {
  return solveEffectiveRate(annualRateFlows(loan, periodicity));
}

/** The flows of the DAE: what is drawn at the start, negative, then the total of each row at its time (A1). */
export function annualRateFlows(loan: RatedLoan, periodicity: Periodicity): RateFlows {
  const unit = chooseIntervalUnit(periodicity);
  const intervalTo = intervalsFrom(loan.startDate, unit);
  const flows: RateFlow[] = [flowAtUnits(-loan.drawn, 0)];
  for (const { dueDate, totalInstallment: amount } of sortByDate(loan.rows)) {
    const { wholeUnits, extraDays, yearDays } = intervalTo(dueDate);
    flows.push({ amount, wholeUnits, extraDays, yearDays });
  }
  return { flows, unitsPerYear: UNITS_PER_YEAR[unit] };
}

/** EIR (A2) of interest, principal and fees, in percent with four decimals, half up; null if none is found (A4). */
export function effectiveInterestRate(loan: ScheduledLoan<RatedRow>): string | null {
  const flows: RateFlow[] = [flowAtUnits(-loan.drawn, 0)];
  for (const { dueDate, interest, principal, managementFee } of sortByDate(loan.rows)) {
    flows.push(flowAtUnits(interest + principal + managementFee, dueDate - loan.startDate));
  }
  return solveEffectiveRate({ flows, unitsPerYear: UNITS_PER_YEAR.Days });
}

function sortByDate<Row extends Pick<RatedRow, 'dueDate'>>(rows: readonly Row[]): readonly Row[] {
  const isSorted = rows.every(({ dueDate }, at) => dueDate >= (rows[at - 1]?.dueDate ?? dueDate));
  return isSorted ? rows : rows.toSorted((a, b) => a.dueDate - b.dueDate);
}

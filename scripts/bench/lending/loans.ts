/** The loans of the measurements, and their calculation split into its phases. */

import { Decimal } from 'decimal.js';
import { amortise } from '../../../shared/lending/amortisation/amortise.ts';
import type { AmortisedRow } from '../../../shared/lending/amortisation/amortised-row.ts';
import { parseCalendarDate, type CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import { validateFields } from '../../../shared/lending/terms/validate-schedule-request.ts';
import {
  effectiveAnnualRate,
  effectiveInterestRate,
} from '../../../shared/lending/annual-rate/effective-rates.ts';
import { isComplete, type LoanTerms } from '../../../shared/lending/terms/loan-terms.ts';
import { planRepayment, type RepaymentPlan } from '../../../shared/lending/amortisation/repayment-plan.ts';
import type { ScheduledLoan } from '../../../shared/lending/annual-rate/effective-rates.ts';
import { MAX_INSTALLMENTS } from '../../../shared/lending/request/max-installments.ts';
import { Validation } from '../../../shared/lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { ScheduleRow } from '../../../shared/lending/request/repayment-schedule.ts';
import { BUILT_IN_CATALOGUE } from '../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { planScheduleDates, type ScheduleDates } from '../../../shared/lending/due-dates/schedule-dates.ts';
import { buildScheduleRows } from '../../../shared/lending/schedule-rows.ts';

/** The date of a valid `yyyy-mm-dd` string. */
function on(text: string): CalendarDate {
  const date = parseCalendarDate(text);
  if (date === undefined) throw new Error(`not a date: ${text}`);
  return date;
}

const START = on('2024-01-15');
/** The day of the request, which has no effect because the loans have a start date. */
export const REQUEST_DAY = START;

/** 250,000 at 7.25 % with monthly level payments from 15 January 2024, without charges. */
export function plainLoan(installments: number): RepaymentScheduleRequest {
  return {
    ScheduleType: 'EqualInstallments',
    Amount: new Decimal(250_000),
    InterestPercent: new Decimal('7.25'),
    InstallmentsNo: installments,
    PeriodicityType: 'Monthly',
    InstallmentDay: 15,
    ActivationDate: START,
    CalculateDAE: 0,
  };
}

/**
 * The plain loan with a monthly fee, a yearly percentage of the balance that is charged monthly, and a premium at the
 * start of each year.
 */
export function loanWithCharges(installments: number): RepaymentScheduleRequest {
  return {
    ...plainLoan(installments),
    UpFrontValue: new Decimal(500),
    Commission: [
      {
        FeeName: 'Account',
        SourceValue: new Decimal(5),
        FeePeriodicityType: 'Monthly',
        FeeDate: START,
      },
      {
        FeeName: 'Administration',
        SourcePercent: new Decimal('0.5'),
        PercentAppliedTo: 'RemainingValue',
        PerAnnum: true,
        FeePeriodicityType: 'Monthly',
        FeeDate: START,
      },
    ],
    Insurance: [
      {
        InsuranceName: 'Life',
        SourcePercent: new Decimal('0.2'),
        InsurancePeriodicityType: 'Annual',
        InsuranceDate: START,
        IsUpfront: true,
      },
    ],
  };
}

/** The data that the first phase returns. */
export interface DatedTerms {
  readonly terms: LoanTerms;
  readonly dates: ScheduleDates;
}

/** Phase 1: validates fields and plans due dates. `rows` may exceed the maximum number of installments of a request. */
export function dated(request: RepaymentScheduleRequest, rows: number): DatedTerms {
  const validation = new Validation();
  const context = {
    requestDay: REQUEST_DAY,
    maxRows: MAX_INSTALLMENTS,
    catalogue: BUILT_IN_CATALOGUE,
    calendars: { find: () => undefined },
  };
  const { draft: terms, dateContext } = validateFields(request, context, validation);
  const dates = planScheduleDates(request, { ...dateContext, installmentsNo: rows }, validation);
  if (!isComplete(terms) || dates === undefined || validation.faults.length > 0) throw refused(validation);
  return { terms: { ...terms, installmentsNo: rows }, dates };
}

/** Phase 2: day counts, rates, and the rows that collect each charge. */
export function planned(request: RepaymentScheduleRequest, { terms, dates }: DatedTerms): RepaymentPlan {
  const validation = new Validation();
  const plan = planRepayment(request, terms, dates, validation);
  if (plan === undefined) throw refused(validation);
  return plan;
}

/** Phase 3: the level payment, interest and principal of every row. */
export function amortised(plan: RepaymentPlan): readonly AmortisedRow[] {
  const outcome = amortise(plan);
  if (outcome.kind !== 'rows') throw new Error(outcome.message);
  return outcome.rows;
}

/** Phase 4: the rows of the answer, with the charges that they collect. */
export function answered(
  rows: readonly AmortisedRow[],
  plan: RepaymentPlan,
  currencyDigits: number,
): readonly ScheduleRow[] {
  return buildScheduleRows(rows, { plan, currencyDigits }, new Validation());
}

/** Phases 1 to 4: a loan with its rows, from which the rates are calculated. */
export function scheduled(request: RepaymentScheduleRequest, rows: number): ScheduledLoan & DatedTerms {
  const known = dated(request, rows);
  const plan = planned(request, known);
  const { terms, dates } = known;
  const answer = answered(amortised(plan), plan, terms.currencyDigits);
  return { terms, dates, startDate: dates.startDate, drawn: terms.amount - terms.upFront, rows: answer };
}

/** The loan with charges whose due dates are shifted off Romanian holidays and weekends. */
export function shiftedLoan(installments: number): RepaymentScheduleRequest {
  return { ...loanWithCharges(installments), HolidayShift: true, HolidayCountry: 'RO' };
}

/** All phases with DAE and EIR, as in calculateRepaymentSchedule but without its limit on rows. */
export function withBothRates(request: RepaymentScheduleRequest, rows: number): readonly (string | null)[] {
  const loan = scheduled(request, rows);
  return [effectiveAnnualRate(loan, loan.terms.periodicity), effectiveInterestRate(loan)];
}

function refused(validation: Validation): Error {
  return new Error(`the sample is refused: ${JSON.stringify(validation.faults)}`);
}

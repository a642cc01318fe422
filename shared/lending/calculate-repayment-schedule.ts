/** The repayment schedule of a request: one pure function from members to rows and rates. */

import { amortise } from './amortisation/amortise.ts';
import { assertNever } from './numbers/assert-never.ts';
import type { AnswerShape } from './request/answer-shape.ts';
import type { CalendarDate } from './dates/calendar-date.ts';
import { checkAgainstDates } from './terms/check-against-dates.ts';
import { checkMembers } from './terms/validate-schedule-request.ts';
import { effectiveAnnualRate, effectiveInterestRate } from './annual-rate/effective-rates.ts';
import type { KnownCalendars } from './due-dates/holiday-shift.ts';
import { completeTerms, MOST_INSTALLMENTS, type LoanTerms } from './terms/loan-terms.ts';
import { checkChargesAtEnd, refuseTooLargeCharges } from './charges/schedule-charges.ts';
import { planRepayment } from './amortisation/plan-repayment.ts';
import { Findings, type Fault } from './request/refusal.ts';
import type { RepaymentScheduleRequest } from './request/repayment-schedule-request.ts';
import type { ScheduleOutcome, ScheduleRow } from './request/repayment-schedule.ts';
import { BUILT_IN_CATALOGUE, type ScheduleCatalogue } from './schedule-types/schedule-catalogue.ts';
import { scheduleDatesOf, type ScheduleDates } from './due-dates/schedule-dates.ts';
import { scheduleRowsOf, shownColumnsOf } from './schedule-rows.ts';

/** What a calculation knows besides the request. */
export interface ScheduleContext {
  /** UTC day of the request message's own timestamp, so that a replay gives the same answer (D2). */
  readonly requestDay: CalendarDate;
  /** Most rows that the caller can carry; default {@link MOST_INSTALLMENTS}. */
  readonly maxRows?: number;
  /** Largest reply in bytes of its Avro encoding: explanations that exceed it are refused; default: no limit (E6). */
  readonly maxReplyBytes?: number;
  /** Schedule types and periodicities; default: the built-in ones (S4, D7). */
  readonly catalogue?: ScheduleCatalogue;
  /** Holiday calendars; default: none is known (H2). */
  readonly calendars?: KnownCalendars;
}

/** The rates that an answer shows. */
interface CalculatedRates {
  readonly dae?: string | null;
  readonly eir?: string | null;
}

const NO_CALENDARS: KnownCalendars = { find: () => undefined };

/**
 * Calculates a repayment schedule. Never throws for bad input: a request that cannot be calculated is refused with
 * every fault that was found (E1, E3). Rows hold minor units, rates are percent text with four decimals.
 */
export function calculateRepaymentSchedule(
  request: RepaymentScheduleRequest,
  context: ScheduleContext,
): ScheduleOutcome {
  const findings = new Findings();
  const refused = (): ScheduleOutcome => ({ kind: 'refused', faults: findings.faults });
  const checked = checkMembers(
    request,
    {
      requestDay: context.requestDay,
      maxRows: context.maxRows ?? MOST_INSTALLMENTS,
      catalogue: context.catalogue ?? BUILT_IN_CATALOGUE,
      calendars: context.calendars ?? NO_CALENDARS,
    },
    findings,
  );
  const { shape } = checked;
  const dates = scheduleDatesOf(request, checked.dates, findings);
  if (dates !== undefined) checkAgainstDates(request, checked.draft, dates, findings);
  const terms = completeTerms(checked.draft);
  if (terms === undefined || dates === undefined || shape === undefined) return refused();
  const planned = planRepayment(request, terms, dates, findings);
  if (planned === undefined || !findings.faults.every(leavesFigures)) return refused();
  const amortised = amortise(planned.plan);
  if (amortised.kind === 'fault') findings.refuseAlso(amortised);
  else checkChargesAtEnd(request, planned.charges, { rows: amortised.rows, dates }, findings);
  if (amortised.kind === 'fault' || findings.faults.length > 0) return refused();
  const { currencyDigits } = terms;
  const { maxReplyBytes } = context;
  const rows = scheduleRowsOf(amortised.rows, { ...planned, currencyDigits, maxReplyBytes }, findings);
  refuseTooLargeCharges(planned.charges, findings);
  if (findings.faults.length > 0) return refused();
  const columns = shownColumnsOf(planned.plan);
  return {
    kind: 'schedule',
    ...shape,
    currencyDigits: terms.currencyDigits,
    scheduleTypeId: terms.compiled.type.id,
    startDate: dates.startDate,
    ...(columns.length === 0 ? {} : { extraColumns: columns }),
    rows,
    ...ratesOf(shape, terms, dates, rows),
    ...(dates.calendar === undefined ? {} : { calendar: calendarOf(dates.calendar) }),
    warnings: findings.warnings,
  };
}

/** True of a fault beside which interest and principal can be told wrong all the same (E3). */
function leavesFigures({ path }: Fault): boolean {
  return /^(Commission|Insurance|HolidayCountry|HolidayMethod)\b/.test(path);
}

function calendarOf({ name, version }: { readonly name: string; readonly version: string }) {
  return { name, version };
}

function ratesOf(
  shape: AnswerShape,
  terms: LoanTerms,
  dates: ScheduleDates,
  rows: readonly ScheduleRow[],
): CalculatedRates {
  const loan = { startDate: dates.startDate, drawn: terms.amount - terms.upFront, rows };
  switch (shape.show) {
    case 'rows':
      return {};
    case 'dae':
    case 'rows-with-dae':
      return { dae: effectiveAnnualRate(loan, terms.periodicity) };
    case 'rows-with-eir':
      return { eir: effectiveInterestRate(loan) };
    default:
      return assertNever(shape.show);
  }
}

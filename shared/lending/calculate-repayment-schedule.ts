/** The repayment schedule of a request: a pure function from its fields to rows and rates. */

import { amortise } from './amortisation/amortise.ts';
import { planRepayment } from './amortisation/repayment-plan.ts';
import { effectiveAnnualRate, effectiveInterestRate } from './annual-rate/dae-and-eir.ts';
import { checkChargesAtEnd, findEarlyEnd } from './amortisation/early-end.ts';
import { refuseTooLargeCharges } from './charges/schedule-charges.ts';
import type { CalendarDate } from './dates/calendar-date.ts';
import type { KnownCalendars } from './due-dates/shift-due-date.ts';
import type { ScheduleDates } from './due-dates/schedule-dates.ts';
import type { AnswerShape } from './request/answer-shape.ts';
import { MAX_INSTALLMENTS } from './request/field-checks.ts';
import { Validation, type RequestFault } from './request/validation.ts';
import type { RepaymentScheduleRequest } from './request/repayment-schedule-request.ts';
import type { RepaymentSchedule, ScheduleOutcome, ScheduleRow } from './request/repayment-schedule.ts';
import { buildScheduleRows, listShownColumns } from './schedule-rows.ts';
import { BUILT_IN_CATALOGUE, type ScheduleCatalogue } from './schedule-types/schedule-catalogue.ts';
import { isComplete, type LoanTerms } from './terms/loan-terms.ts';
import { validateDates, validateFields } from './terms/validate-schedule-request.ts';

export interface ScheduleContext {
  /** UTC day of the request message's own timestamp, so that a replay gives the same answer (D2). */
  readonly requestDay: CalendarDate;
  /** Largest InstallmentsNo that is accepted; default 1200 (E6). */
  readonly maxRows?: number;
  /** Largest Avro-encoded reply in bytes; longer explanations are refused (E6). Default: no limit. */
  readonly maxReplyBytes?: number;
  /** Schedule types and periodicities; default: the built-in ones (S4, D7). */
  readonly catalogue?: ScheduleCatalogue;
  /** Default: none, so that a request that names a calendar is refused (H2). */
  readonly calendars?: KnownCalendars;
}

const NO_CALENDARS: KnownCalendars = { find: () => undefined };

/** Never throws: an invalid request is refused with all its faults (E1, E3). Amounts of rows are minor units. */
export function calculateRepaymentSchedule(
  request: RepaymentScheduleRequest,
  context: ScheduleContext,
): ScheduleOutcome {
  const validation = new Validation();
  const refused = (): ScheduleOutcome => ({ kind: 'refused', faults: validation.faults });
  const validated = validateFields(
    request,
    {
      requestDay: context.requestDay,
      maxRows: context.maxRows ?? MAX_INSTALLMENTS,
      catalogue: context.catalogue ?? BUILT_IN_CATALOGUE,
      calendars: context.calendars ?? NO_CALENDARS,
    },
    validation,
  );
  const { shape, draft: terms } = validated;
  const dates = validateDates(request, validated, validation);
  if (!isComplete(terms) || dates === undefined || shape === undefined) return refused();
  const plan = planRepayment(request, terms, dates, validation);
  if (plan === undefined || !validation.faults.every(leavesFigures)) return refused();
  const amortised = amortise(plan);
  if (amortised.kind === 'fault') {
    validation.rejectOnce(amortised);
    return refused();
  }
  const earlyEnd = findEarlyEnd(amortised.rows, dates);
  if (earlyEnd !== undefined) checkChargesAtEnd(request, plan.charges, earlyEnd, validation);
  const { currencyDigits } = terms;
  const { calendar } = dates;
  const rows = buildScheduleRows(amortised.rows, plan, context.maxReplyBytes, validation);
  refuseTooLargeCharges(plan.charges, validation);
  if (validation.faults.length > 0) return refused();
  const columns = listShownColumns(plan);
  return {
    kind: 'schedule',
    ...shape,
    currencyDigits,
    scheduleTypeId: terms.compiled.type.id,
    startDate: dates.startDate,
    ...(columns.length > 0 && { extraColumns: columns }),
    rows,
    ...calculateRates(shape, terms, dates, rows),
    ...(calendar !== undefined && { calendar: { name: calendar.name, version: calendar.version } }),
    warnings: validation.warnings,
  };
}

/** True for a fault despite which the rows are still calculated, to find faults of interest and principal too (E3). */
function leavesFigures({ path }: RequestFault): boolean {
  return /^(Commission|Insurance|HolidayCountry|HolidayMethod)\b/.test(path);
}

function calculateRates(
  shape: AnswerShape,
  terms: LoanTerms,
  dates: ScheduleDates,
  rows: readonly ScheduleRow[],
): Pick<RepaymentSchedule, 'dae' | 'eir'> {
  // A prepayment may precede LastDueDate if interest begins before it; Amount is then owed from that day (A4, X1).
  const isPrepaidBefore = rows.some(({ dueDate }) => dueDate < dates.startDate);
  const startDate = isPrepaidBefore ? dates.accrualStart : dates.startDate;
  const loan = { startDate, drawn: terms.amount - terms.upFront, rows };
  if (shape.show === 'rows') return {};
  if (shape.show === 'rows-with-eir') return { eir: effectiveInterestRate(loan) };
  return { dae: effectiveAnnualRate(loan, terms.periodicity) };
}

/** Calculates the rows and rates of a repayment schedule as a pure function of the request and its context. */

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
  /** UTC day by the request's header or record timestamp, so that a replay gives the same answer (D2). */
  readonly requestDay: CalendarDate;
  /** Largest accepted InstallmentsNo; default 1200 (M6). */
  readonly maxRows?: number;
  /** Largest reply in bytes of Avro; a request whose explanations need more is refused (E6). Default: no limit. */
  readonly maxReplyBytes?: number;
  /** Default: the built-in schedule types and periodicities, and no known charges (S4, D7, F1). */
  readonly catalogue?: ScheduleCatalogue;
  /** Default: no calendars; a request that names one is then refused (H2). */
  readonly calendars?: KnownCalendars;
}

const NO_CALENDARS: KnownCalendars = { find: () => undefined };

/** Never throws: an invalid request is refused with its faults (E1, E3). Amounts of rows are minor units. */
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
  if (earlyEnd !== undefined) checkChargesAtEnd(request, plan, earlyEnd, validation);
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

/** True for faults of charges and holidays; despite them, rows are calculated to find further faults (E3). */
function leavesFigures({ path }: RequestFault): boolean {
  return /^(Commission|Insurance|HolidayCountry|HolidayMethod)\b/.test(path);
}

function calculateRates(
  shape: AnswerShape,
  terms: LoanTerms,
  dates: ScheduleDates,
  rows: readonly ScheduleRow[],
): Pick<RepaymentSchedule, 'dae' | 'eir'> {
  // A prepayment may precede LastDueDate if interest begins earlier; Amount is then owed from accrualStart (A4, X1).
  const isPrepaidBefore = rows.some(({ dueDate }) => dueDate < dates.startDate);
  const startDate = isPrepaidBefore ? dates.accrualStart : dates.startDate;
  const loan = { startDate, drawn: terms.amount - terms.upFront, rows };
  if (shape.show === 'rows') return {};
  if (shape.show === 'rows-with-eir') return { eir: effectiveInterestRate(loan) };
  return { dae: effectiveAnnualRate(loan, terms.periodicity) };
}

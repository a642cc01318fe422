/** Reads the date members of a request and gives the due dates, or notes why they cannot be (D2-D7). */

import { calendarDateOf, formatCalendarDate, LATEST_YEAR, type CalendarDate } from './calendar-date.ts';
import { dueDatesOf, singleDueDateOf, type DueDates, type InstallmentMethod } from './due-dates.ts';
import { checkName, checkWhole } from './member-checks.ts';
import type { Periodicity } from './periodicity.ts';
import type { Findings } from './refusal.ts';
import type { RepaymentScheduleRequest } from './repayment-schedule-request.ts';

const INSTALLMENT_METHODS = ['ActualMonth', 'NextMonth'] as const satisfies readonly InstallmentMethod[];
const LATEST_DUE_DATE = calendarDateOf(LATEST_YEAR, 12, 31);
const LAST_DAY_OF_MONTH = 31;

/** What the dates depend on besides the request itself; undefined what was found wrong before. */
interface DateContext {
  readonly periodicity: Periodicity | undefined;
  readonly installmentsNo: number | undefined;
  /** Day of the request message, UTC (D2). */
  readonly requestDay: CalendarDate;
}

/** The schedule's dates; undefined, with all faults noted, when the request's dates do not give any. */
export function scheduleDatesOf(
  request: RepaymentScheduleRequest,
  context: DateContext,
  findings: Findings,
): DueDates | undefined {
  const faultsBefore = findings.faults.length;
  const days = { least: 1, greatest: LAST_DAY_OF_MONTH };
  const installmentDay = checkWhole(findings, 'InstallmentDay', request.InstallmentDay, days);
  const method = checkName(findings, 'InstallmentMethod', request.InstallmentMethod, INSTALLMENT_METHODS);
  const { periodicity, installmentsNo, requestDay } = context;
  if (periodicity === undefined || installmentsNo === undefined) return undefined;
  if (installmentDay === undefined || findings.faults.length > faultsBefore) return undefined;
  const terms = {
    periodicity,
    installmentsNo,
    requestDay,
    installmentDay,
    installmentMethod: method ?? 'OnePeriodLater',
    lastDueDate: request.LastDueDate,
    activationDate: request.ActivationDate,
    firstDueDate: request.FirstDueDate,
    maturityDate: request.MaturityDate,
  } as const;
  const dates = periodicity.unit === 'Once' ? singleDueDateOf(terms) : dueDatesOf(terms);
  if (dates === undefined) {
    findings.refuse(
      'MaturityDate',
      'missing',
      'is missing; MaturityDate or FirstDueDate is needed with the periodicity Once',
    );
    return undefined;
  }
  checkOrder(request, dates, findings);
  return findings.faults.length > faultsBefore ? undefined : dates;
}

/** Every due date lies after the one before, the first after the start, none after the last year (D5). */
function checkOrder(request: RepaymentScheduleRequest, dates: DueDates, findings: Findings): void {
  const { startDate, dueDates } = dates;
  const last = dueDates.at(-1) ?? startDate;
  const beforeLast = dueDates.at(-2) ?? startDate;
  if (request.MaturityDate !== undefined && last <= beforeLast) {
    const earliest = formatCalendarDate(beforeLast);
    findings.refuse('MaturityDate', 'date-order', `must be after ${earliest}`);
  }
  const firstIsMaturity = request.MaturityDate !== undefined && dueDates.length === 1;
  if (!firstIsMaturity && (dueDates[0] ?? startDate) <= startDate) {
    const start = formatCalendarDate(startDate);
    findings.refuse('FirstDueDate', 'date-order', `must be after the start of the schedule, ${start}`);
  }
  if (last > LATEST_DUE_DATE) {
    findings.refuse(
      'InstallmentsNo',
      'out-of-range',
      `must be smaller: the last due date would be after the year ${LATEST_YEAR}`,
    );
  }
}

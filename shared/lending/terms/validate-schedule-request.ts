/** The checks of a request's members that need no figures. */

import { answerShape, type AnswerShape } from '../request/answer-shape.ts';
import { calendarDateOf, EARLIEST_YEAR, LATEST_YEAR, type CalendarDate } from '../dates/calendar-date.ts';
import { checkAgainstDates } from './check-against-dates.ts';
import { DEFAULT_CURRENCY_DIGITS } from '../numbers/currency-digits.ts';
import { reportDateMembersWithoutEffect } from '../due-dates/date-members-without-effect.ts';
import type { KnownCalendars } from '../due-dates/holiday-shift.ts';
import { draftTermsOf, MOST_INSTALLMENTS, type DraftTerms } from './loan-terms.ts';
import { reportMembersWithoutEffect } from './members-without-effect.ts';
import { Findings, type Fault } from '../request/refusal.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import { BUILT_IN_CATALOGUE, type ScheduleCatalogue } from '../schedule-types/schedule-catalogue.ts';
import { scheduleDatesOf, type DateContext } from '../due-dates/schedule-dates.ts';

/** What members are checked with. */
export interface MemberContext {
  /** UTC day of the request message (D2). */
  readonly requestDay: CalendarDate;
  readonly maxRows: number;
  readonly catalogue: ScheduleCatalogue;
  readonly calendars: KnownCalendars;
}

/** What the members say; undefined what was found wrong. */
interface CheckedMembers {
  readonly shape: AnswerShape | undefined;
  readonly draft: DraftTerms;
  /** What the dates are made with. */
  readonly dates: DateContext;
}

/** Checks the members one by one and notes all faults and warnings. */
export function checkMembers(
  request: RepaymentScheduleRequest,
  context: MemberContext,
  findings: Findings,
): CheckedMembers {
  const shape = answerShape(request.CalculateDAE, findings);
  const draft = draftTermsOf(request, context, findings);
  const digits = draft.currencyDigits ?? DEFAULT_CURRENCY_DIGITS;
  const type = draft.compiled?.type;
  const rules = {
    useMaturityDate: type?.useMaturityDate ?? true,
    usesExpiry: type?.useExpiryDate ?? false,
  };
  reportMembersWithoutEffect(request, draft, digits, findings);
  reportDateMembersWithoutEffect(request, { ...rules, periodicity: draft.periodicity }, findings);
  const { periodicity, installmentsNo } = draft;
  const { requestDay, calendars } = context;
  return { shape, draft, dates: { ...rules, periodicity, installmentsNo, requestDay, calendars } };
}

const EARLIEST_DATE = calendarDateOf(EARLIEST_YEAR, 1, 1);
const LATEST_DATE = calendarDateOf(LATEST_YEAR, 12, 31);
/** A day that no date is calculated from: dates are made only where the request says when the schedule starts. */
const ANY_DAY = 0 as CalendarDate;

/**
 * The faults of a request as far as they can be told without its calendar and its figures: for callers that know
 * already that other members cannot be read, and list everything that is wrong at once (E3). What only a calendar could
 * tell is left to the calculation.
 */
export function faultsOfMembers(
  request: RepaymentScheduleRequest,
  catalogue: ScheduleCatalogue = BUILT_IN_CATALOGUE,
): readonly Fault[] {
  const findings = new Findings();
  const context = {
    requestDay: ANY_DAY,
    maxRows: MOST_INSTALLMENTS,
    catalogue,
    calendars: { find: () => undefined },
  };
  const checked = checkMembers(request, context, findings);
  const installmentsNo = saysItsDates(request) ? checked.dates.installmentsNo : undefined;
  const dates = scheduleDatesOf(request, { ...checked.dates, installmentsNo }, findings);
  if (dates !== undefined) checkAgainstDates(request, checked.draft, dates, findings);
  return findings.faults.filter(({ code }) => code !== 'unknown-calendar');
}

/** True when a request says when its schedule starts, by dates that are within what is calculated with. */
function saysItsDates(request: RepaymentScheduleRequest): boolean {
  const { LastDueDate, ActivationDate, FirstDueDate, MaturityDate, ExpiryDateForOD } = request;
  const dates = [LastDueDate, ActivationDate, FirstDueDate, MaturityDate, ExpiryDateForOD];
  return (LastDueDate ?? ActivationDate ?? FirstDueDate) !== undefined && dates.every(isReadable);
}

function isReadable(date: CalendarDate | undefined): boolean {
  return date === undefined || (date >= EARLIEST_DATE && date <= LATEST_DATE);
}

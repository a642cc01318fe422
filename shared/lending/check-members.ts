/** The checks of a request's members that need no dates and no figures. */

import { answerShape, type AnswerShape } from './answer-shape.ts';
import type { CalendarDate } from './calendar-date.ts';
import { DEFAULT_CURRENCY_DIGITS } from './currency-digits.ts';
import { draftTermsOf, MOST_INSTALLMENTS, type DraftTerms } from './loan-terms.ts';
import { reportMembersWithoutEffect } from './members-without-effect.ts';
import { Findings, type Fault } from './refusal.ts';
import type { RepaymentScheduleRequest } from './repayment-schedule-request.ts';
import { scheduleDatesOf } from './schedule-dates.ts';
import { refuseUnsupportedMembers } from './unsupported-members.ts';

/** What the members say; undefined what was found wrong. */
interface CheckedMembers {
  readonly shape: AnswerShape | undefined;
  readonly draft: DraftTerms;
}

/** Checks the members one by one and notes all faults and warnings. */
export function checkMembers(
  request: RepaymentScheduleRequest,
  maxRows: number,
  findings: Findings,
): CheckedMembers {
  refuseUnsupportedMembers(request, findings);
  const shape = answerShape(request.CalculateDAE, findings);
  const draft = draftTermsOf(request, maxRows, findings);
  const digits = draft.currencyDigits ?? DEFAULT_CURRENCY_DIGITS;
  reportMembersWithoutEffect(request, draft.periodicity, digits, findings);
  return { shape, draft };
}

/** A day that no date is calculated from: without a number of installments there are no dates. */
const ANY_DAY = 0 as CalendarDate;

/**
 * The faults of a request as far as they can be told without calculating dates: for callers that know already that
 * other members cannot be read, and list everything that is wrong at once (E3).
 */
export function faultsOfMembers(request: RepaymentScheduleRequest): readonly Fault[] {
  const findings = new Findings();
  const { draft } = checkMembers(request, MOST_INSTALLMENTS, findings);
  scheduleDatesOf(request, { ...draft, installmentsNo: undefined, requestDay: ANY_DAY }, findings);
  return findings.faults;
}

/** Validates a schedule request: first its fields, then what depends on the due dates (E3, E5). */

import { readAnswerShape, type AnswerShape } from '../request/answer-shape.ts';
import { MAX_YEAR, MIN_YEAR, toCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import { refuseLateCharges } from '../charges/schedule-charges.ts';
import { reportIgnoredFields, warnIgnoredDateFields } from './ignored-fields.ts';
import type { KnownCalendars } from '../due-dates/shift-due-date.ts';
import { MAX_INSTALLMENTS } from '../request/field-checks.ts';
import { parseLoanTerms, type DraftTerms, type ParsingContext } from './loan-terms.ts';
import { checkPrepaymentDates } from './repayment-terms.ts';
import { Validation, type RequestFault } from '../request/validation.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import { BUILT_IN_CATALOGUE, type ScheduleCatalogue } from '../schedule-types/schedule-catalogue.ts';
import { planScheduleDates, type DateContext, type ScheduleDates } from '../due-dates/schedule-dates.ts';

interface ValidationContext extends ParsingContext {
  readonly requestDay: CalendarDate;
  readonly calendars: KnownCalendars;
}

interface ValidatedFields {
  readonly shape: AnswerShape | undefined;
  readonly draft: DraftTerms;
  readonly dateContext: DateContext;
}

/** Reports fields without effect, and the faults of all fields except those from which due dates are planned. */
export function validateFields(
  request: RepaymentScheduleRequest,
  context: ValidationContext,
  validation: Validation,
): ValidatedFields {
  const shape = readAnswerShape(request.CalculateDAE, validation);
  const draft = parseLoanTerms(request, context, validation);
  const type = draft.compiled?.type;
  const rules = {
    useMaturityDate: type?.useMaturityDate ?? true,
    usesExpiry: type?.useExpiryDate === true,
  };
  reportIgnoredFields(request, draft, validation);
  const { periodicity, installmentsNo, repayment } = draft;
  warnIgnoredDateFields(request, { ...rules, periodicity, repayment }, validation);
  const { requestDay, calendars } = context;
  const isInAdvance = repayment?.isInAdvance === true;
  const dateContext = { ...rules, periodicity, installmentsNo, requestDay, calendars, isInAdvance };
  return { shape, draft, dateContext };
}

/** Reports the faults of the dates and of what depends on them, even if other fields are invalid (E3). */
export function validateDates(
  request: RepaymentScheduleRequest,
  { draft: { repayment }, dateContext }: ValidatedFields,
  validation: Validation,
): ScheduleDates | undefined {
  const dates = planScheduleDates(request, dateContext, validation);
  if (dates === undefined) return undefined;
  const lastDueDate = dates.dueDates[dates.rowCount - 1];
  if (lastDueDate !== undefined) refuseLateCharges(request, lastDueDate, validation);
  if (repayment === undefined) return dates;
  checkPrepaymentDates(repayment.prepayments, dates, validation);
  // An expiry date may leave fewer rows than the contract had; one must still follow the grace period (G1, G2, B5).
  const most = dates.settledRows + dates.rowCount - 1;
  const graces = [
    ['GracePeriodPrincipal', repayment.gracePrincipal],
    ['GracePeriodInterest', repayment.graceInterest],
  ] as const;
  for (const [path, rows] of graces) {
    if (rows <= most) continue;
    const message = `must be at most ${most}: at least one installment must follow the grace period`;
    validation.reject(path, 'out-of-range', message);
  }
  return dates;
}

/** A placeholder for the request day: it starts a schedule only if Once is sent with FirstDueDate alone (D7). */
const ANY_DAY = 0 as CalendarDate;

/** The faults found without a calendar or a calculation, for callers that have other faults to report too (E3). */
export function findScheduleFaults(
  request: RepaymentScheduleRequest,
  catalogue: ScheduleCatalogue = BUILT_IN_CATALOGUE,
): readonly RequestFault[] {
  const validation = new Validation();
  const calendars = { find: () => undefined };
  const context = { requestDay: ANY_DAY, maxRows: MAX_INSTALLMENTS, catalogue, calendars };
  const validated = validateFields(request, context, validation);
  const installmentsNo = hasStartDate(request) ? validated.draft.installmentsNo : undefined;
  const dateContext = { ...validated.dateContext, installmentsNo };
  validateDates(request, { ...validated, dateContext }, validation);
  return validation.faults.filter(({ code }) => code !== 'unknown-calendar');
}

const EARLIEST_DATE = toCalendarDate(MIN_YEAR, 1, 1);
const LATEST_DATE = toCalendarDate(MAX_YEAR, 12, 31);

/** True if the dates of a request are within the supported range and one of them may determine the start (D2). */
function hasStartDate(request: RepaymentScheduleRequest): boolean {
  const { LastDueDate, ActivationDate, FirstDueDate, MaturityDate, ExpiryDateForOD, DueDates = [] } = request;
  const dates = [LastDueDate, ActivationDate, FirstDueDate, MaturityDate, ExpiryDateForOD, ...DueDates];
  return (
    (LastDueDate ?? ActivationDate ?? FirstDueDate ?? DueDates[0]) !== undefined &&
    dates.every((date) => date === undefined || (date >= EARLIEST_DATE && date <= LATEST_DATE))
  );
}

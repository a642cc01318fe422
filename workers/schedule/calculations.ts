/** What the handlers of calculations have in common: estimate, calculate, and give the outcome. */

import { refuseLargeReply } from '../../shared/contract/actions/request-limits.ts';
import { JSON_PARAM } from '../../shared/contract/json/request-contract.ts';
import type { CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import { done, refused, type Outcome } from '../../shared/messaging/outcome.ts';
import type { Fault, Warning } from '../../shared/lending/request/refusal.ts';
import type { UsedCalendar } from '../../shared/lending/request/repayment-schedule.ts';
import type { RequestEffort } from '../../shared/lending/request-effort.ts';
import { createProblem, type Problem } from '../../shared/platform/problem.ts';
import { calendarHeader } from './calendar-header.ts';

const DAY_MS = 86_400_000;

/** What a calculation answers: a result, with the members that had no effect, or all reasons why there is none. */
type CalculationOutcome =
  | { readonly kind: 'refused'; readonly faults: readonly Fault[] }
  | {
      readonly kind: string;
      readonly warnings?: readonly Warning[];
      /** The holiday calendar that it was made with. */
      readonly calendar?: UsedCalendar;
    };

/** One calculation. */
interface Calculation<Request> {
  /** Record name of the reply in the catalogue of messages; its payload is the result. */
  readonly replyType: string;
  /** What it will cost (E6). Pure. */
  readonly effort: (request: Request, requestDay: CalendarDate) => RequestEffort;
  /** Pure; `requestDay` is the UTC day of the message's own timestamp, so that a replay gives the same answer (D2). */
  readonly calculate: (request: Request, requestDay: CalendarDate) => CalculationOutcome;
}

/** A calculation of one type of request. */
export interface AnsweredCalculation {
  /** What a request will cost, or that it is refused because its reply cannot fit. */
  readonly estimate: (payload: unknown, originTimestampMs: number) => Refused | EstimatedEffort;
  /** The outcome of a request that was not refused. Pure. */
  readonly answer: (payload: unknown, originTimestampMs: number) => Outcome;
}

type Refused = Extract<Outcome, { kind: 'refused' }>;
interface EstimatedEffort extends RequestEffort {
  readonly kind: 'effort';
}

/** Makes the parts of a calculation's handler. A refusal carries every fault at once (E1, E3). */
export function answerCalculation<Request>(calculation: Calculation<Request>): AnsweredCalculation {
  const { replyType, calculate, effort } = calculation;
  const estimate: AnsweredCalculation['estimate'] = (payload, originTimestampMs) => {
    const expected = effort(payload as Request, dayOf(originTimestampMs));
    const tooLarge = refuseLargeReply(expected);
    return tooLarge === undefined ? { kind: 'effort', ...expected } : refuse(tooLarge);
  };
  const answer: AnsweredCalculation['answer'] = (payload, originTimestampMs) => {
    const outcome = calculate(payload as Request, dayOf(originTimestampMs));
    if ('faults' in outcome) return refusalOf(outcome.faults);
    const { warnings = [], calendar } = outcome;
    const headers = calendar === undefined ? {} : { holidayCalendar: calendarHeader(calendar) };
    if (warnings.length === 0) return done({ type: replyType, payload: outcome, ...headers });
    const located = warnings.map(({ code, path }) => ({ code, path: `${JSON_PARAM}.${path}` }));
    const header = located.map(({ code, path }) => `${code};${path}`).join(', ');
    const body = { type: replyType, payload: { ...outcome, warnings: located }, warnings: header };
    return done({ ...body, ...headers });
  };
  return { estimate, answer };
}

const refuse = (problem: Problem): Refused => ({ kind: 'refused', problem });

function dayOf(originTimestampMs: number): CalendarDate {
  return Math.floor(originTimestampMs / DAY_MS) as CalendarDate;
}

/** A request that is incomplete, or contradicts itself, is a 400; one that cannot be computed a 422 (E1). */
function refusalOf(faults: readonly Fault[]): Outcome {
  const tooLarge = faults.find(({ code }) => code === 'reply-too-large');
  if (tooLarge !== undefined) {
    return refused(createProblem('reply-too-large', { detail: `${tooLarge.path} ${tooLarge.message}.` }));
  }
  const isIncomplete = faults.some((fault) => fault.status === 400);
  const errors = faults.map(({ path, code, message }) => ({
    path: `${JSON_PARAM}.${path}`,
    code,
    message,
  }));
  return refused(createProblem(isIncomplete ? 'invalid-request' : 'not-computable', { errors }));
}

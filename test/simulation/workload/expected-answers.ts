import { ACTIONS } from '../../../shared/api/actions/actions.ts';
import type { Action } from '../../../shared/api/json/action-definition.ts';
import {
  toSimulateRequest,
  type SimulateInput,
  simulatePayload,
} from '../../../shared/api/actions/simulate-action.ts';
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { Request } from '../../../shared/messaging/handler/request.ts';
import { done, refused, type Outcome } from '../../../shared/messaging/outcome.ts';
import { createProblem, ERROR_CODES, type ErrorCode } from '../../../shared/platform/problem.ts';
import { simulate } from '../../../shared/product/simulation/simulate-product.ts';
import { createProductHandlers } from '../../../workers/product/main.ts';
import { createScheduleHandlers } from '../../../workers/schedule/schedule-calculations.ts';
import { EXAMPLE_CATALOGUE } from '../../support/builders/example-catalogue.ts';

const DAY_MS = 86_400_000;

export type Expected =
  | { readonly status: 200; readonly body: string }
  | { readonly status: number; readonly code: ErrorCode };

const CALENDARS = {
  find: (name: string) =>
    findCalendar(name, { catalogue: EXAMPLE_CATALOGUE.lending.calendars, others: { find: () => undefined } }),
};
const HANDLERS = {
  ...createScheduleHandlers({ catalogue: EXAMPLE_CATALOGUE.lending, calendars: CALENDARS }),
  ...createProductHandlers(EXAMPLE_CATALOGUE),
};
const BY_TYPE = new Map(ACTIONS.map((action) => [action.requestType, action]));

export function actionOf(requestType: string): Action {
  const action = BY_TYPE.get(requestType);
  if (action === undefined) throw new Error(`no action has requests of type ${requestType}`);
  return action;
}

/** Calculated without messages, codecs or processes. Dates depend on the UTC day of `atMs` (D2, L1, Q2). */
export function expectedAnswer(action: Action, body: unknown, atMs: number): Expected {
  const read = action.read(body);
  if (read.kind === 'invalid') return refusal(read.problem);
  const outcome = calculate(action.requestType, read.payload, atMs);
  if (outcome.kind === 'refused') return refusal(outcome.problem.code as ErrorCode);
  if (outcome.kind !== 'done' || outcome.reply === undefined) throw new Error('a request without an answer');
  return { status: 200, body: action.render(outcome.reply.payload) };
}

function refusal(code: ErrorCode): Expected {
  return { status: ERROR_CODES[code].status, code };
}

function calculate(type: string, payload: unknown, originTimestampMs: number): Outcome {
  if (type === 'SimulateRequest') return simulateAt(payload as SimulateInput, originTimestampMs);
  const outcome = HANDLERS[type]?.(payload, { originTimestampMs } as Request);
  if (outcome === undefined || outcome instanceof Promise)
    throw new Error(`${type} cannot be calculated here`);
  return outcome;
}

function simulateAt(input: SimulateInput, originTimestampMs: number): Outcome {
  const requestDay = Math.floor(originTimestampMs / DAY_MS) as CalendarDate;
  const context = { catalogue: EXAMPLE_CATALOGUE, calendars: CALENDARS, requestDay };
  const outcome = simulate(toSimulateRequest(input), context);
  if (outcome.kind !== 'refused') {
    return done({ type: 'SimulateReply', payload: simulatePayload(outcome.records, outcome.warnings) });
  }
  if (outcome.unknownProduct === true) return refused(createProblem('unknown-product'));
  const isIncomplete = outcome.faults.some(({ status }) => status === 400);
  return refused(createProblem(isIncomplete ? 'invalid-request' : 'not-computable'));
}

import { refuseLargeReply, requestWeight } from '../../../shared/contract/actions/request-limits.ts';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { ANSWER_HEADERS, type AnswerHeader } from '../../../shared/messaging/answer-headers.ts';
import type { CancellableRequests, RequestReply } from '../../../shared/messaging/requester/request-reply.ts';
import type { Reply } from '../../../shared/messaging/requester/requester.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { createProblem, type Warning } from '../../../shared/platform/problem.ts';
import { warningsList } from '../../../shared/platform/header-text.ts';
import { refuseRateLimited } from '../server/admission.ts';
import type { ActionContract } from './action-contract.ts';
import type { AcceptedAction } from './action-handler.ts';
import { logCorrelationId } from '../server/correlation-id.ts';
import { readPreferences } from './prefer-header.ts';
import type { RateLimit } from '../server/rate-limit.ts';
import { sendJson, sendProblem } from '../server/send-answer.ts';

/** A request that is valid and ready for the log. */
export interface ValidAction extends AcceptedAction {
  readonly payload: unknown;
  readonly warnings: readonly Warning[];
}

export interface ForwardDeps {
  readonly requester: RequestReply & CancellableRequests;
  readonly topicPrefix: string;
  readonly replyTimeoutMs: number;
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  /** Takes a request whose caller prefers to fetch the result later. */
  readonly respondLater: (action: ValidAction) => void;
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
/** The HTTP headers of what answers tell beside their body. */
const HTTP_NAMES: Readonly<Record<AnswerHeader, string>> = { holidayCalendar: 'Holiday-Calendar' };
const TRACE_PARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** Reads the action's input and sends it on its way: answered here when the reply comes, or later (RFC 7240). */
export function createForward(deps: ForwardDeps): (accepted: AcceptedAction) => void {
  return (accepted) => {
    const read = accepted.action.read(accepted.body);
    if (read.kind === 'invalid') {
      sendProblem(accepted.reply, createProblem(read.problem, { errors: read.faults }));
      return;
    }
    const { payload, warnings } = read;
    if (!isAffordable(deps, accepted, payload)) return;
    const preferences = readPreferences(accepted.request.headers.prefer);
    const valid = { ...accepted, payload, warnings };
    if (preferences.respondAsync) deps.respondLater(valid);
    else respondNow(deps, valid, preferences.waitSeconds);
  };
}

/** Refuses what cannot be answered, and counts expensive requests by what they cost (E6). */
function isAffordable(
  { rateLimit, clock }: ForwardDeps,
  { action, caller, reply }: AcceptedAction,
  payload: unknown,
): boolean {
  const effort = action.effort?.(payload, Math.floor(clock.now() / DAY_MS) as CalendarDate);
  if (effort === undefined) return true;
  const tooLarge = refuseLargeReply(effort);
  if (tooLarge !== undefined) {
    sendProblem(reply, tooLarge);
    return false;
  }
  const further = requestWeight(effort) - 1;
  const waitSeconds = further === 0 ? 0 : rateLimit.charge(caller, further);
  if (waitSeconds > 0) refuseRateLimited(reply, waitSeconds);
  return waitSeconds === 0;
}

/** The trace context to pass on, if the caller sent a valid one. */
export function traceParentOf(headers: IncomingHttpHeaders): string | undefined {
  const given = headers.traceparent;
  return typeof given === 'string' && TRACE_PARENT.test(given) ? given : undefined;
}

function respondNow(deps: ForwardDeps, valid: ValidAction, waitSeconds: number | undefined): void {
  const { action, reply, request } = valid;
  if (reply.raw.destroyed) return;
  const askedMs = (waitSeconds ?? Number.POSITIVE_INFINITY) * SECOND_MS;
  const timeoutMs = Math.min(deps.replyTimeoutMs, askedMs);
  if (timeoutMs === askedMs) reply.header('preference-applied', `wait=${waitSeconds}`);
  const traceParent = traceParentOf(request.headers);
  const correlationId = logCorrelationId(request.headers, request.id);
  request.abandoned = () => deps.requester.cancel(correlationId);
  deps.requester
    .request({
      topic: topicName(deps.topicPrefix, action.topic),
      type: action.requestType,
      payload: valid.payload,
      timeoutMs,
      correlationId,
      ...(traceParent === undefined ? {} : { traceParent }),
    })
    .then((answer) => sendReply(reply, { answer: withDetail(answer, timeoutMs), ...valid }))
    .catch((error: unknown) => reply.send(error));
}

/** Says what the requester cannot know: how long this caller waited, and what may come of it. */
function withDetail(answer: Reply, timeoutMs: number): Reply {
  if (answer.kind !== 'problem' || answer.problem.code !== 'reply-timeout') return answer;
  const detail = `No worker replied within ${timeoutMs} ms. Nothing is stored by an action: it may be sent again.`;
  return { kind: 'problem', problem: { detail, ...answer.problem } };
}

/** What a reply is rendered with. */
export interface RenderedReply {
  readonly action: ActionContract;
  readonly answer: Reply;
  readonly warnings: readonly Warning[];
}

/** Answers with what came back: 200 and the body unwrapped (E1), or the problem with its status; warnings with either. */
export function sendReply(reply: FastifyReply, { action, answer, warnings }: RenderedReply): void {
  if (reply.raw.destroyed) return;
  const header = warningsList(warnings, answer.kind === 'problem' ? undefined : answer.warnings);
  if (header !== undefined) reply.header('warnings', header);
  if (answer.kind === 'problem') {
    sendProblem(reply, answer.problem);
    return;
  }
  for (const name of ANSWER_HEADERS) {
    const told = answer.headers?.[name];
    if (told !== undefined) reply.header(HTTP_NAMES[name], told);
  }
  sendJson(reply, 200, answer.body ?? action.render(answer.payload));
}

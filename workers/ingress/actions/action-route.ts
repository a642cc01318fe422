import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from '../../../shared/messaging/reply.ts';
import type { Action } from '../../../shared/contract/json/action-definition.ts';
import { refuseLargeReply, requestWeight } from '../../../shared/contract/actions/request-limits.ts';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { Requester, OutgoingRequest } from '../../../shared/messaging/requester/requester.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { MAX_REQUEST_VALUES } from '../../../shared/platform/json.ts';
import { warningsList } from '../../../shared/platform/header-text.ts';
import { nearestName } from '../../../shared/platform/nearest-name.ts';
import { createProblem, type Warning } from '../../../shared/platform/problem.ts';
import { hashSubject } from '../access/access.ts';
import { authenticateBearer, authenticateBody, readBody } from '../server/authentication.ts';
import type { Place } from '../server/adaptive-limit.ts';
import { BodyBudget, type BodyShare } from '../server/body-budget.ts';
import { callerOf } from '../server/caller.ts';
import type { IngressContext } from '../server/context.ts';
import { createLogCorrelationId, readTraceContext } from '../server/correlation-id.ts';
import { RETRY_AFTER_SECONDS } from '../server/http-limits.ts';
import { requireJson, type BodyRoom } from '../server/json-body.ts';
import { refuseRateLimited } from '../server/rate-limit.ts';
import { refuse, refuseOtherMethods, sendJson, sendProblem } from '../server/send-answer.ts';
import { onAbandoned, requireOpen } from '../server/traffic.ts';
import { readPreferences } from './prefer-header.ts';
import { renderPending, formatResultPath, sendReply } from './reply.ts';
import type { ResultIds } from './result-ids.ts';

/** The part of an action that the ingress needs to forward its requests; a new action requires no change here. */
export type ActionContract = Pick<
  Action,
  'name' | 'topic' | 'requestType' | 'replyType' | 'read' | 'effort' | 'render'
>;

/** Actions by their name in lower case: names are case-insensitive (E4). */
export type ActionRegistry = ReadonlyMap<string, ActionContract>;

export interface ActionRouteDeps extends IngressContext {
  readonly actions: ActionRegistry;
  readonly requester: Requester;
  readonly resultIds: ResultIds;
  /** Calls back when the result of a correlation id is on the results topic. */
  readonly onResult: (correlationId: string, callback: () => void) => void;
}

/** A validated and admitted request, ready to be published. */
interface ValidRequest {
  readonly action: ActionContract;
  readonly payload: unknown;
  readonly admitted: Admitted;
  readonly warnings: readonly Warning[];
}

/** The places of a request, and its estimated processor time. */
interface Admitted {
  readonly place: Place;
  readonly processorMs: number;
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const SERVICE_UNAVAILABLE = 503;

declare module 'fastify' {
  interface FastifyRequest {
    /** The action of the path; set on routes of actions. */
    action: ActionContract;
  }
}

/**
 * POST of an action (section 4): checks the request, the cheapest checks first, reads its body and publishes it. Responds
 * when the reply arrives, or with `Prefer: respond-async` immediately with the address of the result (RFC 7240).
 */
export function registerActions(app: FastifyInstance, deps: ActionRouteDeps): void {
  const { options, shedding, earlyAdmission, traffic } = deps;
  const prefix = `${options.basePath}/platapi/automation-processors/actions/`;
  const url = `${prefix}:action`;
  earlyAdmission.watch(prefix, (name) => deps.actions.get(name.toLowerCase())?.topic);
  const findAction = createActionLookup(deps);
  app.decorateRequest('action');
  app.post(url, {
    preHandler: [
      findAction,
      labelAction,
      requireOpen(traffic),
      requireJson(options.bodyLimitBytes),
      authenticateBearer(deps),
      shedding.requireRoom(({ action }) => action.topic),
      readBody(deps, createRooms(deps)),
      authenticateBody(deps),
    ],
    handler: (request, reply) => {
      const { action } = request;
      const read = action.read(request.body);
      if (read.kind === 'invalid') {
        sendProblem(reply, createProblem(read.problem, { errors: read.faults }));
        return;
      }
      const { payload, warnings } = read;
      const admitted = admit(deps, request, reply, payload);
      if (admitted === undefined) return;
      const preferences = readPreferences(request.headers.prefer);
      const valid = { action, payload, warnings, admitted };
      const { waitSeconds } = preferences;
      const responding = preferences.respondAsync
        ? respondLater(deps, request, reply, valid)
        : respondNow(deps, request, reply, { ...valid, waitSeconds });
      responding.catch((error: unknown) => reply.send(error));
    },
  });
  refuseOtherMethods(app, url, 'POST', [findAction]);
}

/**
 * Limits the memory of the bodies of all actions. A caller gets half of it. Requests without a bearer token, which may have one in
 * their body (E2), together get no more than that, and an address half of it, so that they do not lock the others out.
 */
function createRooms({ options }: ActionRouteDeps) {
  const { bodyLimitBytes: limitBytes, actionBodyBytes } = options;
  const budget = new BodyBudget(actionBodyBytes);
  // The largest body has room when there is no other.
  const half = Math.max(actionBodyBytes / 2, limitBytes);
  const quarter = Math.max(actionBodyBytes / 4, limitBytes);
  const withoutToken = { name: 'without a token', limitBytes: half };
  const sharesOf = (request: FastifyRequest): readonly BodyShare[] =>
    request.caller === ''
      ? [withoutToken, { name: callerOf(request), limitBytes: quarter }]
      : [{ name: request.caller, limitBytes: half }];
  return (request: FastifyRequest, reply: FastifyReply): BodyRoom => ({
    limitBytes,
    maxValues: MAX_REQUEST_VALUES,
    reserve: budget.of(reply, sharesOf(request)),
  });
}

/** Hook: finds the action of the path, or responds with 404 and the most similar name. */
function createActionLookup({ actions, options }: ActionRouteDeps) {
  const names = [...actions.values()].map(({ name }) => name);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { action: name } = request.params as { readonly action: string };
    const action = actions.get(name.toLowerCase());
    if (action !== undefined) {
      request.action = action;
      done();
      return;
    }
    const nearest = nearestName(name, names);
    const hint = nearest === undefined ? '' : `Did you mean ${nearest}? `;
    refuse(reply, 'unknown-action', {
      detail: `${hint}The documentation at ${options.basePath}/docs lists the actions.`,
    });
  };
}

function labelAction(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.metricsLabel = request.action.name;
  done();
}

/**
 * Admits a request by its effort, and charges an expensive one to the caller's allowance (E6). Undefined if it was refused:
 * its reply would be too large, too many requests are in progress, or the allowance is used up.
 */
function admit(
  { rateLimiter, shedding, clock }: ActionRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Admitted | undefined {
  const { action, caller, bodyCost } = request;
  const effort = action.effort?.(payload, Math.floor(clock.now() / DAY_MS) as CalendarDate);
  const tooLarge = effort === undefined ? undefined : refuseLargeReply(effort);
  if (tooLarge !== undefined) {
    sendProblem(reply, tooLarge);
    return undefined;
  }
  const processorMs = effort?.processorMs ?? 0;
  const place = shedding.admit(request, reply, { queue: action.topic, processorMs });
  if (place === undefined) return undefined;
  const further = effort === undefined ? 0 : requestWeight(effort) - 1;
  const waitSeconds = further === 0 ? 0 : rateLimiter.charge(caller, further, bodyCost);
  if (waitSeconds === 0) return { place, processorMs };
  place.release();
  refuseRateLimited(reply, waitSeconds);
  return undefined;
}

/** Sends a request and waits for its reply, at most for the caller's `Prefer: wait`. */
function respondNow(
  deps: ActionRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  valid: ValidRequest & { readonly waitSeconds: number | undefined },
): Promise<void> {
  const { place, processorMs } = valid.admitted;
  if (reply.raw.destroyed) {
    place.release();
    return Promise.resolve();
  }
  const waitMs = (valid.waitSeconds ?? Number.POSITIVE_INFINITY) * SECOND_MS;
  const timeoutMs = Math.min(deps.options.replyTimeoutMs, waitMs);
  if (timeoutMs === waitMs) reply.header('preference-applied', `wait=${valid.waitSeconds}`);
  const correlationId = createLogCorrelationId(request.headers, request.id, deps.newId);
  onAbandoned(request, () => {
    place.abandon();
    deps.requester.cancel(correlationId);
  });
  const outgoing = createOutgoing(deps, request, valid, { correlationId, timeoutMs });
  const respond = (answer: Reply): void => {
    place.release(releaseReason(answer, processorMs));
    sendReply(reply, { ...valid, answer: explainTimeout(answer, timeoutMs) });
  };
  return deps.requester.request(outgoing).then(respond);
}

/**
 * `Prefer: respond-async` (RFC 7240): publishes the request with the results topic as its reply address, and responds with
 * 202 and the address of the result once the broker has stored it. If publishing fails, responds with a problem; the
 * result of a request that was stored nevertheless is never read. The request keeps its place until its result is there,
 * like any other that the worker has not answered.
 */
async function respondLater(
  deps: ActionRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  valid: ValidRequest,
): Promise<void> {
  const { basePath, topicPrefix, asyncTimeoutMs: timeoutMs } = deps.options;
  const issuedAtMs = deps.clock.now();
  const owner = hashSubject(request.subject);
  const ticket = { issuedAtMs, deadlineMs: issuedAtMs + timeoutMs, owner, action: valid.action.name };
  const { id, correlationId } = deps.resultIds.issue(ticket, callerOf(request));
  const outgoing = createOutgoing(deps, request, valid, { correlationId, timeoutMs });
  const { place, processorMs } = valid.admitted;
  deps.onResult(correlationId, () => place.release(processorMs));
  const sent = await deps.requester.fire(outgoing, topicName(topicPrefix, 'ingressResults'));
  if (sent.kind !== 'sent') {
    place.release();
    return sendProblem(reply, sent.problem);
  }
  const header = warningsList(valid.warnings, undefined);
  if (header !== undefined) reply.header('warnings', header);
  reply
    .header('location', formatResultPath(basePath, id))
    .header('preference-applied', 'respond-async')
    .header('retry-after', RETRY_AFTER_SECONDS);
  sendJson(reply, 202, renderPending(basePath, id));
}

function createOutgoing(
  { options }: ActionRouteDeps,
  { headers }: FastifyRequest,
  { action, payload }: ValidRequest,
  call: Required<Pick<OutgoingRequest, 'correlationId' | 'timeoutMs'>>,
): OutgoingRequest {
  const topic = topicName(options.topicPrefix, action.topic);
  return { topic, type: action.requestType, payload, ...call, ...readTraceContext(headers) };
}

/** What the limit learns from the reply about the queue of the worker. The delay of a refusal tells nothing of it. */
function releaseReason(answer: Reply, processorMs: number): number | 'refused' | undefined {
  if (answer.kind !== 'problem' || answer.problem.status !== SERVICE_UNAVAILABLE) return processorMs;
  return answer.problem.code === 'overloaded' ? 'refused' : undefined;
}

/** Adds to the problem of a timeout how long this caller waited, and that the request may be sent again. */
function explainTimeout(answer: Reply, timeoutMs: number): Reply {
  if (answer.kind !== 'problem' || answer.problem.code !== 'reply-timeout') return answer;
  const detail = `No worker replied within ${timeoutMs} ms. Actions store nothing: the request may be sent again.`;
  return { kind: 'problem', problem: { detail, ...answer.problem } };
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from '../../../shared/messaging/reply.ts';
import type { Action } from '../../../shared/contract/json/action-definition.ts';
import { callsOf } from '../../../shared/contract/actions/request-limits.ts';
import type { Requester, OutgoingRequest } from '../../../shared/messaging/requester/requester.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { MAX_REQUEST_VALUES } from '../../../shared/platform/json.ts';
import { warningsList } from '../../../shared/platform/header-text.ts';
import { nearestName } from '../../../shared/platform/nearest-name.ts';
import { createProblem, type Warning } from '../../../shared/platform/problem.ts';
import { hashSubject } from '../access/access.ts';
import { authenticateBearer, authenticateBody, readBody } from '../server/authentication.ts';
import { ACTION_BYTES_PER_UNIT, type Permit } from '../server/admission.ts';
import { callerOf } from '../server/caller.ts';
import type { IngressContext } from '../server/context.ts';
import { createLogCorrelationId, readTraceContext } from '../server/correlation-id.ts';
import { RETRY_AFTER_SECONDS } from '../server/http-limits.ts';
import { requireJson } from '../server/json-body.ts';
import { refuseRateLimited } from '../server/rate-limit.ts';
import { refuse, sendJson, sendProblem } from '../server/send-answer.ts';
import { requireOpen } from '../server/traffic.ts';
import { readPreferences } from './prefer-header.ts';
import { renderPending, formatResultPath, sendReply } from './reply.ts';
import type { ResultIds } from './result-ids.ts';

/** The part of an action that the ingress needs to forward its requests; a new action requires no change here. */
export type ActionContract = Pick<
  Action,
  'name' | 'topic' | 'requestType' | 'replyType' | 'read' | 'units' | 'render'
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
  readonly permit: Permit;
  readonly timeoutMs: number;
  readonly warnings: readonly Warning[];
}

const SECOND_MS = 1_000;

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
  const { options, admission, traffic } = deps;
  const url = '/platapi/automation-processors/actions/:action';
  const findAction = createActionLookup(deps);
  app.decorateRequest('action');
  app.post(url, {
    config: { beforeOtherMethods: findAction },
    preHandler: [
      findAction,
      labelAction,
      requireOpen(traffic),
      requireJson(options.bodyLimitBytes),
      authenticateBearer(deps),
      admission.requirePermit(({ action }) => action.topic, {
        limitBytes: options.bodyLimitBytes,
        bytesPerUnit: ACTION_BYTES_PER_UNIT,
      }),
      readBody(deps, { limitBytes: options.bodyLimitBytes, maxValues: MAX_REQUEST_VALUES }),
      authenticateBody(deps),
    ],
    handler: async (request, reply) => {
      const { action } = request;
      const read = action.read(request.body);
      if (read.kind === 'invalid') {
        sendProblem(reply, createProblem(read.problem, { errors: read.faults }));
        return;
      }
      const { payload, warnings } = read;
      const { respondAsync, waitSeconds } = readPreferences(request.headers.prefer);
      const waitMs = (waitSeconds ?? Number.POSITIVE_INFINITY) * SECOND_MS;
      const timeoutMs = respondAsync ? options.asyncTimeoutMs : Math.min(options.replyTimeoutMs, waitMs);
      const permit = await admit(deps, request, reply, payload);
      if (permit === undefined) return;
      const valid = { action, payload, warnings, permit, timeoutMs };
      if (respondAsync) return respondLater(deps, request, reply, valid);
      if (timeoutMs === waitMs) reply.header('preference-applied', `wait=${waitSeconds}`);
      return respondNow(deps, request, reply, valid);
    },
  });
}

/** Hook: finds the action of the path, or responds with 404 and the most similar name. */
function createActionLookup({ actions }: ActionRouteDeps) {
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
      detail: `${hint}The documentation at /docs lists the actions.`,
    });
  };
}

function labelAction(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.metricsLabel = request.action.name;
  done();
}

/**
 * Admits the work of a request, and charges an expensive one to the caller's allowance (E6). Undefined if it was refused, since too
 * much is in progress or the allowance is used up, or if its caller has disconnected, which has released its permit.
 */
async function admit(
  { rateLimiter, admission, options }: ActionRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<Permit | undefined> {
  if (reply.raw.destroyed) return undefined;
  const units = request.action.units?.(payload) ?? 0;
  if (!admission.admitWork(request, reply, units)) return undefined;
  // The dearest request takes a whole second of the allowance, not more, and some of it has been taken already.
  const taken = 1 + request.bodyCost;
  const further = Math.min(callsOf(units), options.rateLimitPerSecond) - taken;
  const waitSeconds = further > 0 ? await rateLimiter.take(request.caller, further) : 0;
  if (waitSeconds === 0) return reply.raw.destroyed ? undefined : request.permit;
  refuseRateLimited(reply, waitSeconds);
  return undefined;
}

/**
 * Sends a request and waits for its reply, at most for the caller's `Prefer: wait`. The request keeps its permit until then, also
 * if the caller disconnects: its worker is busy with it.
 */
async function respondNow(
  deps: ActionRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  valid: ValidRequest,
): Promise<void> {
  const { permit, timeoutMs } = valid;
  const correlationId = createLogCorrelationId(request.headers, request.id, deps.newId);
  permit.hold();
  try {
    const answer = await deps.requester.request(createOutgoing(deps, request, valid, correlationId));
    sendReply(reply, { ...valid, answer: explainTimeout(answer, timeoutMs) });
  } finally {
    permit.release();
  }
}

/**
 * `Prefer: respond-async` (RFC 7240): publishes the request with the results topic as its reply address, and responds with
 * 202 and the address of the result once the broker has stored it. If publishing fails, responds with a problem; the
 * result of a request that was stored nevertheless is never read. The request keeps its permit until its result is there or
 * overdue.
 */
async function respondLater(
  deps: ActionRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  valid: ValidRequest,
): Promise<void> {
  const { topicPrefix } = deps.options;
  const { permit, timeoutMs } = valid;
  const issuedAtMs = deps.clock.now();
  const owner = hashSubject(request.subject);
  const ticket = { issuedAtMs, deadlineMs: issuedAtMs + timeoutMs, owner, action: valid.action.name };
  const { id, correlationId } = deps.resultIds.issue(ticket, callerOf(request));
  const outgoing = createOutgoing(deps, request, valid, correlationId);
  permit.hold();
  const cancelRelease = deps.timers.schedule(() => permit.release(), timeoutMs, 'background');
  const release = (): void => {
    cancelRelease();
    permit.release();
  };
  deps.onResult(correlationId, release);
  const sent = await deps.requester.fire(outgoing, topicName(topicPrefix, 'ingressResults'));
  if (sent.kind !== 'sent') {
    release();
    return sendProblem(reply, sent.problem);
  }
  const header = warningsList(valid.warnings, undefined);
  if (header !== undefined) reply.header('warnings', header);
  reply
    .header('location', formatResultPath(id))
    .header('preference-applied', 'respond-async')
    .header('retry-after', RETRY_AFTER_SECONDS);
  sendJson(reply, 202, renderPending(id));
}

function createOutgoing(
  { options }: ActionRouteDeps,
  { headers }: FastifyRequest,
  { action, payload, timeoutMs }: ValidRequest,
  correlationId: string,
): OutgoingRequest {
  const topic = topicName(options.topicPrefix, action.topic);
  return { topic, type: action.requestType, payload, correlationId, timeoutMs, ...readTraceContext(headers) };
}

/** Adds to the problem of a timeout how long this caller waited, and that the request may be sent again. */
function explainTimeout(answer: Reply, timeoutMs: number): Reply {
  if (answer.kind !== 'problem' || answer.problem.code !== 'reply-timeout') return answer;
  const detail = `No worker replied within ${timeoutMs} ms. Actions store nothing: the request may be sent again.`;
  return { kind: 'problem', problem: { detail, ...answer.problem } };
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from '../../../shared/messaging/outcome.ts';
import type { Action } from '../../../shared/api/json/action-definition.ts';
import type { OutgoingRequest } from '../../../shared/messaging/requester/requester.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import { MAX_REQUEST_VALUES } from '../../../shared/platform/parse-json.ts';
import { warningsList } from '../../../shared/messaging/header-text.ts';
import { nearestName } from '../../../shared/platform/nearest-name.ts';
import { createProblem, type Warning } from '../../../shared/platform/problem.ts';
import { hashSubject } from '../access/access.ts';
import { authenticateBearer, authenticateBody } from '../server/authentication.ts';
import { ACTION_BYTES_PER_UNIT, callerOf, type Permit } from '../server/admission.ts';
import type { IngressContext } from '../server/context.ts';
import { createLogCorrelationId, readTraceContext } from '../server/app.ts';
import { RETRY_AFTER_SECONDS } from '../server/http-limits.ts';
import { readJsonBody, requireJson } from '../server/json-body.ts';
import { refuse, sendJson, sendProblem } from '../server/send-answer.ts';
import { requireOpen } from '../server/traffic.ts';
import { renderPending, formatResultPath, sendReply } from './send-reply.ts';
import { chooseFormat } from './accepted-format.ts';
import type { ResultIds } from './result-ids.ts';

/** The part of an action that the ingress needs to forward its requests; a new action requires no change here. */
export type ServedAction = Pick<
  Action,
  'name' | 'topic' | 'requestType' | 'replyType' | 'read' | 'units' | 'render' | 'formats'
>;

/** Actions by their name in lower case: names are case-insensitive (E4). */
export type ActionRegistry = ReadonlyMap<string, ServedAction>;

interface ActionRouteDeps extends IngressContext {
  readonly actions: ActionRegistry;
  readonly resultIds: ResultIds;
  readonly onResult: (correlationId: string, callback: () => void) => void;
}

interface ValidRequest {
  readonly action: ServedAction;
  readonly payload: unknown;
  /** The media type of the answer. */
  readonly mediaType: string;
  readonly permit: Permit;
  readonly timeoutMs: number;
  readonly warnings: readonly Warning[];
}

declare module 'fastify' {
  interface FastifyRequest {
    action: ServedAction;
  }
}

/** POST of an action (section 4). Responds with its reply or, for `respond-async`, with the address of the result. */
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
      readBody(deps),
      authenticateBody(deps),
    ],
    handler: async (request, reply) => {
      const { action } = request;
      const read = action.read(request.body);
      if (read.kind === 'invalid')
        return sendProblem(reply, createProblem(read.problem, { errors: read.faults }));
      const { warnings } = read;
      const mediaType = chooseFormat(request.headers.accept, Object.keys(action.formats ?? {}));
      const payload = action.formats?.[mediaType]?.select?.(read.payload) ?? read.payload;
      const { respondAsync, waitSeconds } = readPreferences(request.headers.prefer);
      const waitMs = (waitSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
      const timeoutMs = respondAsync ? options.asyncTimeoutMs : Math.min(options.replyTimeoutMs, waitMs);
      const permit = await admission.admitWork(request, reply, action.units?.(payload) ?? 0);
      if (permit === undefined) return;
      const valid = { action, payload, mediaType, warnings, permit, timeoutMs };
      if (respondAsync) return respondLater(deps, reply, valid);
      if (timeoutMs === waitMs) reply.header('preference-applied', `wait=${waitSeconds}`);
      return respondNow(deps, reply, valid);
    },
  });
}

/** An unclosed quotation extends to the end of the text. Otherwise each quote in it would start another search. */
const QUOTED = /"(?:[^"\\]|\\.)*"?/g;
const SEPARATORS = /[,;=]/g;

/** Reads `respond-async` and the first valid `wait` (a positive number of seconds) from `Prefer` (RFC 7240). */
export function readPreferences(header: string | readonly string[] | undefined) {
  let respondAsync = false;
  let waitSeconds: number | undefined;
  if (header === undefined) return { respondAsync, waitSeconds };
  const text = String(header).replaceAll(QUOTED, (quoted) => quoted.replaceAll(SEPARATORS, ' '));
  for (const preference of text.split(',')) {
    const [token = ''] = preference.split(';', 1);
    const [name = '', value] = token.split('=', 2).map((part) => part.trim());
    if (name.toLowerCase() === 'respond-async') respondAsync = true;
    const digits = value?.replaceAll('"', '') ?? '';
    if (name.toLowerCase() === 'wait' && /^[1-9]\d{0,8}$/.test(digits)) waitSeconds ??= Number(digits);
  }
  return { respondAsync, waitSeconds };
}

function createActionLookup({ actions }: ActionRouteDeps) {
  const names = [...actions.values()].map(({ name }) => name);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { action: name } = request.params as { readonly action: string };
    const action = actions.get(name.toLowerCase());
    if (action !== undefined) {
      request.action = action;
      return done();
    }
    const nearest = nearestName(name, names);
    const hint = nearest === undefined ? '' : `Did you mean ${nearest}? `;
    refuse(reply, 'unknown-action', { detail: `${hint}The documentation at /docs lists the actions.` });
  };
}

/** Hook: reads the body. Charges for a body that is refused; `authenticateBody` charges for any other. */
function readBody({ options, admission }: ActionRouteDeps) {
  const room = { limitBytes: options.bodyLimitBytes, maxValues: MAX_REQUEST_VALUES };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await readJsonBody(request, reply, room);
    if (reply.sent) admission.spend(request, request.bodyCost);
  };
}

function labelAction(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.metricsLabel = request.action.name;
  done();
}

/** The request keeps its permit until the reply, even if the caller disconnects, because a worker is busy with it. */
async function respondNow(deps: ActionRouteDeps, reply: FastifyReply, valid: ValidRequest): Promise<void> {
  const { permit, timeoutMs } = valid;
  const { headers, id } = reply.request;
  const correlationId = createLogCorrelationId(headers, id, deps.newId);
  permit.hold();
  try {
    const answer = await deps.requester.request(createOutgoing(deps, headers, { ...valid, correlationId }));
    sendReply(reply, { ...valid, answer: explainTimeout(answer, timeoutMs) });
  } finally {
    permit.release();
  }
}

/** Responds once the broker has stored the request. Its permit is kept until the result arrives or is overdue. */
async function respondLater(deps: ActionRouteDeps, reply: FastifyReply, valid: ValidRequest): Promise<void> {
  const { permit, timeoutMs } = valid;
  const { request } = reply;
  const owner = hashSubject(request.subject);
  const issuedAtMs = deps.clock.now();
  const ticket = { issuedAtMs, deadlineMs: issuedAtMs + timeoutMs, owner, action: valid.action.name };
  const { id, correlationId } = deps.resultIds.issue(ticket, callerOf(request));
  const outgoing = createOutgoing(deps, request.headers, { ...valid, correlationId });
  permit.hold();
  const cancelRelease = deps.timers.schedule(() => permit.release(), timeoutMs, 'background');
  const release = (): void => {
    cancelRelease();
    permit.release();
  };
  deps.onResult(correlationId, release);
  const sent = await deps.requester.fire(outgoing, topicName(deps.options.topicPrefix, 'ingressResults'));
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
  headers: FastifyRequest['headers'],
  { action, payload, mediaType, timeoutMs, correlationId }: ValidRequest & { readonly correlationId: string },
): OutgoingRequest {
  const topic = topicName(options.topicPrefix, action.topic);
  const sent = { topic, type: action.requestType, payload, correlationId, timeoutMs, readAs: mediaType };
  return { ...sent, ...readTraceContext(headers) };
}

function explainTimeout(answer: Reply, timeoutMs: number): Reply {
  if (answer.kind !== 'problem' || answer.problem.code !== 'reply-timeout') return answer;
  const detail = `No worker replied within ${timeoutMs} ms. Actions store nothing: the request may be sent again.`;
  return { kind: 'problem', problem: { detail, ...answer.problem } };
}

import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import type { z } from 'zod';
import {
  discardBody,
  editBody,
  letterQuery,
  markSentBody,
  redriveBody,
  type ActionReply,
} from '../../../shared/contract/operations/dead-letter-calls.ts';
import {
  OPERATIONS_LIMITS,
  readFields,
  readQuery,
} from '../../../shared/contract/operations/operation-fields.ts';
import type { AuditRecord } from '../../../shared/dead-letters/audit.ts';
import { createEdit, type Editable, editMessage } from '../../../shared/dead-letters/edit.ts';
import { actOnSelected } from '../../../shared/dead-letters/handle-letters.ts';
import type { LetterContext } from '../../../shared/dead-letters/letter-context.ts';
import { parsePlace, placeId, sanitise } from '../../../shared/dead-letters/letter.ts';
import { type Scan, scanLetters } from '../../../shared/dead-letters/scan-letters.ts';
import { isRestricted, type Selection } from '../../../shared/dead-letters/selection.ts';
import { showLetters } from '../../../shared/dead-letters/show-letters.ts';
import { MessagingError, SystemError } from '../../../shared/platform/errors.ts';
import type { Fault } from '../../../shared/platform/problem.ts';
import { callerOf } from '../server/caller.ts';
import type { IngressContext } from '../server/context.ts';
import { readJsonBody, requireJson } from '../server/json-body.ts';
import { refuse, sendJson } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';
import type { LetterCall, LetterCalls } from './letter-calls.ts';
import { renderPage, type PageQuery } from './letter-page.ts';
import { authorizeOperator } from '../server/authorize-operator.ts';

export interface LetterRouteDeps extends IngressContext {
  readonly calls: LetterCalls;
}

/** A selection of 500 ids has 50 KiB, and an edited payload is as large as a request. */
const BODY_LIMIT_BYTES = 262_144;
const ACTIONS = ['redrive', 'edit', 'discard', 'mark-sent'] as const;
/** The names of the fields and headers that an edit may change. */
const MAX_NAMES = OPERATIONS_LIMITS.editedFields + OPERATIONS_LIMITS.editedHeaders;
/** The processor time of reading this many dead letters or records of the audit is one unit of the caller's allowance, 10 ms. */
const RECORDS_PER_UNIT = 500;

/**
 * Dead letters, for `npm run dead-letters` and the workbench: a list by filters, one with its audit, and redrive, edit, discard and mark-sent by
 * selection, with dry run and reason. Payloads are masked. Reading requires the scope `operations:read`, actions
 * `operations:write`.
 */
export function registerLetters(app: FastifyInstance, base: string, deps: LetterRouteDeps): void {
  const label = labelMetrics('operations-dead-letters');
  const opened = requireOpen(deps.traffic);
  const mayRead = { preHandler: [label, opened, authorizeOperator(deps, 'operations:read')] };
  const url = `${base}/dead-letters`;
  app.get(url, mayRead, (request, reply) => list(deps, request, reply));
  const one = `${url}/:topic/:partition/:offset`;
  app.get<{ Params: PlaceParams }>(one, mayRead, (request, reply) => show(deps, request, reply));
  const mayAct: preHandlerHookHandler[] = [
    label,
    opened,
    requireJson(BODY_LIMIT_BYTES),
    authorizeOperator(deps, 'operations:write'),
  ];
  for (const action of ACTIONS) {
    const address = `${url}/${action}`;
    app.post(address, { preHandler: mayAct }, async (request, reply) => {
      await readJsonBody(request, reply, { limitBytes: BODY_LIMIT_BYTES });
      if (!reply.sent) await act(deps, action, request, reply);
    });
  }
}

/** Scans within the limits of a call, and charges the caller for it. */
async function scanCharged(
  deps: LetterRouteDeps,
  request: FastifyRequest,
  context: LetterContext,
  selection: Selection,
): Promise<Scan> {
  const scan = await scanLetters(context, selection, OPERATIONS_LIMITS.scannedLetters);
  deps.rateLimiter.spend(callerOf(request), Math.round((scan.read + scan.audit.read) / RECORDS_PER_UNIT));
  return scan;
}

interface PlaceParams {
  readonly topic: string;
  readonly partition: string;
  readonly offset: string;
}

async function list(deps: LetterRouteDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const read = readQuery(letterQuery, request.query);
  if (read.kind === 'invalid') return refuseFaults(reply, read.faults);
  const { topic, code, type, id, since, until, ...query } = read.fields;
  const selection = { ...query, topics: topic, codes: code, types: type, ids: id, since, until };
  await respond(deps, reply, { request, kind: 'read', reason: undefined }, async (context) => {
    const scan = await scanCharged(deps, request, context, selectionOf(selection));
    return renderPage(scan, query satisfies PageQuery);
  });
}

async function show(
  deps: LetterRouteDeps,
  request: FastifyRequest<{ Params: PlaceParams }>,
  reply: FastifyReply,
): Promise<void> {
  const { topic, partition, offset } = request.params;
  const place = parsePlace(`${topic}/${partition}/${offset}`);
  if (place === undefined) return refuseUnknown(reply);
  const selection = selectionOf({ ids: [placeId(place)] });
  await respond(deps, reply, { request, kind: 'read', reason: undefined }, async (context) => {
    const { letters, states } = await scanCharged(deps, request, context, selection);
    const [shown] = await showLetters(context, letters.slice(0, 1), ({ id }) => states.of(id).status);
    if (shown === undefined) return undefined;
    return { ...shown, audit: shown.audit.map(renderStep) };
  });
}

/** Everyone with write access to the topic may have written the record, so its texts are not trusted to be short. */
function renderStep({ action, stage, operator, at, reason, result, run, members, overrides }: AuditRecord) {
  return {
    action,
    stage,
    operator: sanitise(operator),
    at,
    reason: reason && sanitise(reason, OPERATIONS_LIMITS.reasonCharacters),
    result: result && sanitise(result),
    run: sanitise(run),
    members: members?.slice(0, MAX_NAMES).map((name) => sanitise(name)),
    overrides: overrides?.slice(0, MAX_NAMES).map((name) => sanitise(name)),
  };
}

type ActionFields = z.output<typeof discardBody> & Partial<z.output<typeof editBody>>;

const BODIES = { redrive: redriveBody, edit: editBody, discard: discardBody, 'mark-sent': markSentBody };
type LetterAction = keyof typeof BODIES;

async function act(
  deps: LetterRouteDeps,
  action: LetterAction,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const body = BODIES[action];
  const read = readFields(body, request.body);
  const fields = read.kind === 'read' ? (read.fields as ActionFields) : undefined;
  const edit = action === 'edit' && fields !== undefined ? editOf(fields) : undefined;
  const faults = [
    ...(read.kind === 'invalid' ? read.faults : []),
    ...(fields === undefined ? [] : missingFields(action, fields)),
    ...(edit !== undefined && 'faults' in edit ? edit.faults : []),
  ];
  if (fields === undefined || faults.length > 0) return refuseFaults(reply, faults);
  const changes = edit === undefined || 'faults' in edit ? undefined : edit;
  await respond(deps, reply, { request, kind: 'action', reason: fields.reason }, async (context) => {
    const selection = selectionOf(fields.selection);
    const scan = await scanCharged(deps, request, context, selection);
    if (!scan.isComplete || !scan.audit.isComplete) return 'incomplete';
    const { limit = OPERATIONS_LIMITS.defaultActionLetters, dryRun } = fields;
    const chosen = { selection, limit };
    const options = { force: false, acceptDuplicates: false, ...fields };
    const change = changes && ((letter: Editable) => editMessage(letter, changes, context.codec));
    const acting = { action, options, changed: changes?.changed, change };
    const summary = await actOnSelected(context, scan, chosen, acting);
    const { run } = context.actor;
    if (!dryRun) deps.log.info({ action, run, counts: summary.counts }, 'an operator handled dead letters');
    return { run, dryRun, ...summary } satisfies ActionReply;
  });
}

function editOf({ patch, headers = {} }: ActionFields) {
  return createEdit(
    patch === undefined ? [] : [patch],
    Object.entries(headers).map(([name, value]) => [name, value ?? undefined] as const),
  );
}

/** Fields that are required together with others. */
function missingFields(
  action: string,
  { selection, dryRun, reason, patch, headers = {} }: ActionFields,
): Fault[] {
  const faults: Fault[] = [];
  const missing = (path: string, message: string) => faults.push({ path, code: 'missing', message });
  if (!isRestricted(selectionOf(selection))) {
    missing('selection', 'must name ids, topics, codes, types, a channel, a key or a time');
  }
  if (!dryRun && reason === undefined)
    missing('reason', 'is missing; must say why, for the audit, unless dryRun is true');
  const changes = Object.keys(headers).length;
  if (action === 'edit' && patch === undefined && changes === 0) missing('patch', 'must be sent, or headers');
  return faults;
}

function selectionOf(
  sent: Partial<Omit<z.output<typeof discardBody>['selection'], 'ids'>> & {
    readonly ids?: readonly string[];
  },
): Selection {
  const { ids = [], topics = [], codes = [], types = [], channel, key, since, until } = sent;
  return { ids, topics, codes, types, channel, key, sinceMs: since, untilMs: until };
}

/** Runs the work of a call and responds with its result; `undefined`: there is no such dead letter. */
async function respond(
  { calls, log }: LetterRouteDeps,
  reply: FastifyReply,
  call: LetterCall,
  work: (context: LetterContext) => Promise<object | 'incomplete' | undefined>,
): Promise<void> {
  try {
    if (reply.raw.destroyed) return void reply.hijack();
    const result = await calls.run(call, work);
    if (reply.raw.destroyed) return void reply.hijack();
    if (result === undefined) return refuseUnknown(reply);
    if (result === 'busy')
      return refuse(reply, 'rate-limited', {
        detail: 'Other calls of yours on dead letters are still running.',
      });
    if (result === 'full')
      return refuse(reply, 'overloaded', { detail: 'Too many calls on dead letters are running.' });
    if (result === 'late') return refuse(reply, 'broker-unavailable', { detail: LATE });
    if (result === 'incomplete') return refuse(reply, 'too-many-records', { detail: TOO_MANY });
    sendJson(reply, 200, JSON.stringify(result));
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    log.error({ code: error.code, reason: error.message }, 'a call on dead letters failed');
    if (error.canRetry) return refuse(reply, 'broker-unavailable');
    const detail =
      error instanceof MessagingError ? error.message : 'The dead letters cannot be read at the moment.';
    refuse(reply, 'not-ready', { detail });
  }
}

const LATE = 'The broker takes too long. What an action has done is in the audit.';
const TOO_MANY =
  `More than ${OPERATIONS_LIMITS.scannedLetters} dead letters or ${OPERATIONS_LIMITS.auditRecords} records of the audit would ` +
  'have to be searched, or it took too long: select by id.';

function refuseUnknown(reply: FastifyReply): void {
  refuse(reply, 'not-found', { detail: 'There is no dead letter at this place, or it is no longer kept.' });
}

function refuseFaults(reply: FastifyReply, errors: readonly Fault[]): void {
  refuse(reply, 'invalid-request', { errors });
}

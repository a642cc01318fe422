import type { FastifyInstance, FastifyReply } from 'fastify';
import type { z } from 'zod';
import {
  discardBody,
  editBody,
  letterQuery,
  markSentBody,
  redriveBody,
  type ActionReply,
  type LetterPage,
  type ListedLetter,
} from '../../../shared/api/operations/dead-letter-calls.ts';
import { OPERATIONS_LIMITS, readFields, readQuery } from '../../../shared/api/operations/operation-fields.ts';
import type { AuditRecord } from '../../../shared/dead-letters/audit.ts';
import { createEdit } from '../../../shared/dead-letters/edit-dead-letter.ts';
import {
  actOnSelected,
  countByCode,
  visibleDeadLetters,
} from '../../../shared/dead-letters/act-on-dead-letters.ts';
import {
  type DeadLetterContext,
  deadLetterTopics,
  type DeadLetterLog,
} from '../../../shared/dead-letters/dead-letter-log.ts';
import {
  parsePlace,
  placeId,
  sanitise,
  type DeadLetter,
  plainPath,
} from '../../../shared/dead-letters/read-dead-letter.ts';
import {
  type Scan,
  scanDeadLetters,
  isRestricted,
  type Selection,
  channelOf,
} from '../../../shared/dead-letters/find-dead-letters.ts';
import { showDeadLetter } from '../../../shared/dead-letters/show-dead-letter.ts';
import type { Fault } from '../../../shared/platform/problem.ts';
import { operatorHooks } from '../server/authentication.ts';
import type { IngressContext } from '../server/context.ts';
import { readJsonBody, requireJson } from '../server/json-body.ts';
import { refuse, refuseFailed, sendJson } from '../server/send-answer.ts';
import { callerOf } from '../server/admission.ts';
import type { CommandProofs } from '../../../shared/notification/command-proof.ts';

interface DeadLetterRouteDeps extends IngressContext {
  readonly letters: DeadLetterLog;
  readonly proofs: CommandProofs;
}

type ReadingDeps = DeadLetterRouteDeps & { readonly respond: ReturnType<typeof createResponder> };

const LABEL = 'operations-dead-letters';
/** A selection of 500 ids has 50 KiB, and an edited payload is as large as a request. */
const BODY_LIMIT_BYTES = 262_144;
const MAX_NAMES = OPERATIONS_LIMITS.editedFields + OPERATIONS_LIMITS.editedHeaders;
/** Reading this many dead letters or audit records takes 10 ms, as long as one call of the caller's allowance. */
const RECORDS_PER_UNIT = 500;

/** Serves dead letters with masked payloads (scope operations:read), and actions on them (operations:write). */
export function registerDeadLetters(app: FastifyInstance, base: string, context: DeadLetterRouteDeps): void {
  const deps = { ...context, respond: createResponder(context) };
  const mayRead = { preHandler: operatorHooks(deps, LABEL, 'operations:read') };
  const url = `${base}/dead-letters`;
  app.get(url, mayRead, (_request, reply) => list(deps, reply));
  const one = `${url}/:topic/:partition/:offset`;
  app.get<{ Params: PlaceParams }>(one, mayRead, ({ params }, reply) => show(deps, params, reply));
  const mayAct = operatorHooks(deps, LABEL, 'operations:write', requireJson(BODY_LIMIT_BYTES));
  for (const action of Object.keys(BODIES) as LetterAction[]) {
    app.post(`${url}/${action}`, { preHandler: mayAct }, async (request, reply) => {
      await readJsonBody(request, reply, { limitBytes: BODY_LIMIT_BYTES });
      if (!reply.sent) await act(deps, action, reply);
    });
  }
}

/** A page of the scanned letters, newest first. */
export function renderPage(
  scan: Scan,
  query: Pick<z.output<typeof letterQuery>, 'all' | 'limit' | 'cursor'>,
): LetterPage {
  const { all, limit = OPERATIONS_LIMITS.defaultPageLetters, cursor } = query;
  const visible = visibleDeadLetters(scan, all);
  const rest = cursor === undefined ? visible : visible.slice(afterCursor(visible, cursor));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    letters: page.map((letter) => renderDeadLetter(letter, scan)),
    count: visible.length,
    codes: countByCode(visible),
    handled: scan.letters.length - visible.length,
    isComplete: scan.isComplete,
    isAuditComplete: scan.audit.isComplete,
    nextCursor: last === undefined || rest.length === page.length ? undefined : cursorOf(last),
  };
}

async function scanCharged(
  deps: ReadingDeps,
  { request }: FastifyReply,
  context: DeadLetterContext,
  selection: Selection,
): Promise<Scan> {
  const scan = await scanDeadLetters(context, selection, OPERATIONS_LIMITS.scannedLetters);
  deps.admission.spend(request, Math.round((scan.read + scan.audit.read) / RECORDS_PER_UNIT));
  return scan;
}

type PlaceParams = Readonly<Record<'topic' | 'partition' | 'offset', string>>;

async function list(deps: ReadingDeps, reply: FastifyReply): Promise<void> {
  const read = readQuery(letterQuery, reply.request.query);
  if (read.kind === 'invalid') return refuseFaults(reply, read.faults);
  const { topic, code, type, id, channel, key, since, until, ...query } = read.fields;
  const selection = { topics: topic, codes: code, types: type, ids: id, channel, key, since, until };
  await deps.respond(reply, { kind: 'read', reason: undefined }, async (context) => {
    const scan = await scanCharged(deps, reply, context, selection);
    return renderPage(scan, query);
  });
}

async function show(deps: ReadingDeps, params: PlaceParams, reply: FastifyReply): Promise<void> {
  const { topic, partition, offset } = params;
  const place = parsePlace(`${topic}/${partition}/${offset}`);
  if (place === undefined) return refuseUnknown(reply);
  const selection = { ids: [placeId(place)] };
  await deps.respond(reply, { kind: 'read', reason: undefined }, async (context) => {
    const { letters, states } = await scanCharged(deps, reply, context, selection);
    const [letter] = letters;
    const shown = letter && (await showDeadLetter(context, letter, states.of(letter.id).status));
    if (shown === undefined) return undefined;
    return { ...shown, audit: shown.audit.map(renderStep) };
  });
}

/** Shortens the texts of an audit record, which anyone with write access to the topic may have written. */
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

async function act(deps: ReadingDeps, action: LetterAction, reply: FastifyReply): Promise<void> {
  const read = readFields(BODIES[action], reply.request.body);
  if (read.kind === 'invalid') return refuseFaults(reply, read.faults);
  const fields = read.fields as ActionFields;
  const edit = action === 'edit' ? createEdit(fields.patch, fields.headers) : undefined;
  const faults = [...missingFields(action, fields), ...(edit && 'faults' in edit ? edit.faults : [])];
  if (faults.length > 0 || (edit && 'faults' in edit)) return refuseFaults(reply, faults);
  await deps.respond(reply, { kind: 'action', reason: fields.reason }, async (context) => {
    const { selection, limit = OPERATIONS_LIMITS.defaultActionLetters, dryRun } = fields;
    const scan = await scanCharged(deps, reply, context, selection);
    if (!scan.isComplete || !scan.audit.isComplete) return 'incomplete';
    const options = { force: false, acceptDuplicates: false, ...fields };
    const summary = await actOnSelected(context, scan, { selection, limit, action, options, edit });
    const { run } = context.actor;
    if (!dryRun) deps.log.info({ action, run, counts: summary.counts }, 'an operator handled dead letters');
    return { run, dryRun, ...summary } satisfies ActionReply;
  });
}

function missingFields(
  action: string,
  { selection, dryRun, reason, patch, headers = {} }: ActionFields,
): Fault[] {
  const faults: Fault[] = [];
  const missing = (path: string, message: string) => faults.push({ path, code: 'missing', message });
  if (!isRestricted(selection)) {
    missing('selection', 'must name ids, topics, codes, types, a channel, a key or a time');
  }
  if (!dryRun && reason === undefined)
    missing('reason', 'is missing; must say why, for the audit, unless dryRun is true');
  const changes = Object.keys(headers).length;
  if (action === 'edit' && patch === undefined && changes === 0) missing('patch', 'must be sent, or headers');
  return faults;
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

function cursorOf({ atMs, id }: DeadLetter): string {
  return `${atMs}:${id}`;
}

/** The index after the letter of the cursor or, if that is gone, the index of the first older letter. */
function afterCursor(letters: readonly DeadLetter[], cursor: string): number {
  const at = letters.findIndex((letter) => cursorOf(letter) === cursor);
  if (at >= 0) return at + 1;
  const atMs = Number(cursor.slice(0, cursor.indexOf(':')));
  const older = letters.findIndex((letter) => letter.atMs < atMs);
  return older < 0 ? letters.length : older;
}

function renderDeadLetter(letter: DeadLetter, { states, prefix }: Scan): ListedLetter {
  const { id, atMs, code, reason, type, original, attempts, redrives, notificationId, valueBytes } = letter;
  const channel = channelOf(letter, prefix);
  return {
    id,
    at: new Date(atMs).toISOString(),
    code: sanitise(code),
    reason: sanitise(reason),
    ...(type === undefined ? {} : { type: plainPath(type) }),
    ...(channel === undefined ? {} : { channel }),
    ...(original === undefined ? {} : { from: sanitise(placeId(original)) }),
    attempts,
    redrives,
    status: states.of(id).status,
    ...(notificationId === undefined ? {} : { notificationId: sanitise(notificationId) }),
    bytes: valueBytes,
  };
}

/** After `stopMs` nothing more is read or begun; a publish may take 15 s. After `answerMs` the caller is answered. */
const LIMITS = {
  read: { stopMs: 10_000, answerMs: 15_000 },
  action: { stopMs: 30_000, answerMs: 50_000 },
} as const;
/** Calls of all callers that may run at the same time: each takes a share of the event loop. */
const MAX_RUNNING = 6;
const MAX_OF_CALLER = 3;
const BUSY = 'Other calls of yours on dead letters are still running.';

/**
 * Responds with the result of `work`, or with 404 if that is undefined. A caller may have three calls in progress, but
 * only one action, so that a repeat cannot act at the same time. A call that the broker does not answer counts too. The
 * signal is aborted after `stopMs`, or when the caller disconnects.
 */
function createResponder(deps: DeadLetterRouteDeps) {
  const { options, codec, clock, timers, newId, letters, proofs, log } = deps;
  const running = new Set<{ readonly caller: string; readonly kind: keyof typeof LIMITS }>();
  return async (
    reply: FastifyReply,
    { kind, reason }: { readonly kind: keyof typeof LIMITS; readonly reason: string | undefined },
    work: (context: DeadLetterContext) => Promise<object | 'incomplete' | undefined>,
  ): Promise<void> => {
    const { request, raw } = reply;
    if (raw.destroyed) return void reply.hijack();
    const call = { caller: callerOf(request), kind };
    const own = [...running].filter(({ caller }) => caller === call.caller);
    const isActing = kind === 'action' && own.some((one) => one.kind === 'action');
    if (isActing || own.length >= MAX_OF_CALLER) return refuse(reply, 'rate-limited', { detail: BUSY });
    if (running.size >= MAX_RUNNING)
      return refuse(reply, 'overloaded', { detail: 'Too many calls on dead letters are running.' });
    const end = new AbortController();
    raw.once('close', () => end.abort());
    const late = Promise.withResolvers<'late'>();
    const { stopMs, answerMs } = LIMITS[kind];
    const cancelStop = timers.schedule(() => end.abort(), stopMs, 'background');
    const cancelAnswer = timers.schedule(() => late.resolve('late'), answerMs, 'background');
    running.add(call);
    const ended = work({
      codec,
      proofs,
      clock,
      timers,
      topics: deadLetterTopics(options.topicPrefix),
      maxAuditRecords: OPERATIONS_LIMITS.auditRecords,
      log: letters,
      actor: { operator: request.subject === '' ? 'anonymous' : request.subject, run: newId(), reason },
      signal: end.signal,
    }).finally(() => {
      running.delete(call);
      cancelStop();
      cancelAnswer();
    });
    ended.catch(() => undefined);
    try {
      const result = await Promise.race([ended, late.promise]);
      if (raw.destroyed) return void reply.hijack();
      if (result === undefined) return refuseUnknown(reply);
      if (result === 'late') return refuse(reply, 'broker-unavailable', { detail: LATE });
      if (result === 'incomplete') return refuse(reply, 'too-many-records', { detail: TOO_MANY });
      sendJson(reply, 200, JSON.stringify(result));
    } catch (error) {
      const detail = 'The dead letters cannot be read at the moment.';
      refuseFailed(reply, { log, error, event: 'a call on dead letters failed', detail });
    }
  };
}

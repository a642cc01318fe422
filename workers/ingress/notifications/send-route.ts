import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BatchResult } from '../../../shared/api/notification/answers.ts';
import { warningsList } from '../../../shared/messaging/header-text.ts';
import { MAX_REQUEST_VALUES } from '../../../shared/platform/parse-json.ts';
import { readTraceContext } from '../server/app.ts';
import { NOTIFICATION_LIMITS } from '../../../shared/api/notification/notification-limits.ts';
import {
  batchPath,
  NOTIFICATIONS,
  type NotificationDefinition,
} from '../../../shared/api/notification/send-operations.ts';
import { isAbsent, isRecord, shapeFault } from '../../../shared/api/json/faults.ts';
import type { ReadRequest } from '../../../shared/api/json/request-reader.ts';
import { unknownField } from '../../../shared/api/json/unknown-fields.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { hasTemplate } from '../../../shared/api/notification/read-command.ts';
import type { FindTemplate } from '../../../shared/api/notification/fill-template.ts';
import type {
  EmailCommand,
  Priority,
  SmsCommand,
} from '../../../shared/notification/notification-command.ts';
import {
  createProblem,
  joinPath,
  type Fault,
  type Problem,
  type Warning,
} from '../../../shared/platform/problem.ts';
import { NOTIFICATION_BYTES_PER_UNIT, type AdmissionQueue } from '../server/admission.ts';
import { authenticate } from '../server/authentication.ts';
import type { IngressContext } from '../server/context.ts';
import { readJsonBody, requireJson } from '../server/json-body.ts';
import { refuse, sendJson, sendProblem, setRetryAfter } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';
import type { Suppressions } from '../../../shared/suppressions/suppressions.ts';
import type { Accept, ValidNotification } from './accept-notification.ts';
import type { ProviderFacts } from './channels.ts';
import type { AcceptAnswer } from './idempotency.ts';

export type NotificationContext = IngressContext &
  ProviderFacts & {
    readonly suppressions: Suppressions;
    /** Resolves with a function that finds templates, or with a sentence: why the catalogue cannot be read. */
    readonly templates: () => Promise<FindTemplate | string>;
  };

const { batchMessages, batchErrors } = NOTIFICATION_LIMITS;
const SENDER_ID = 'platrealm';
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${NOTIFICATION_LIMITS.idempotencyKeyCharacters}}$`);
const KEY_RULE = `must have 1 to ${NOTIFICATION_LIMITS.idempotencyKeyCharacters} printable ASCII characters`;
/** The urgencies of RFC 8030 section 5.3. There are only two priorities, so the lower urgencies are normal (N5). */
const URGENCIES: ReadonlyMap<string, Priority> = new Map([
  ['very-low', 'normal'],
  ['low', 'normal'],
  ['normal', 'normal'],
  ['high', 'urgent'],
]);

type NotificationHeaders = Pick<ValidNotification, 'idempotencyKey' | 'priority'>;

type SendingDeps = NotificationContext & { readonly accept: Accept };

type Read = ReadRequest<SmsCommand | EmailCommand>;

/** A call whose headers are valid and whose body is parsed. */
interface SendCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly idempotencyKey: string | undefined;
  readonly read: (body: unknown) => Read | Promise<Read>;
  /** Also answers for a notification with faults. */
  readonly accept: (read: Read, idempotencyKey: string | undefined) => Promise<AcceptAnswer>;
}

/** POST of a notification (interface 4.8) or of several (N12). The token is accepted in the header only (E2). */
export function registerSending(app: FastifyInstance, deps: SendingDeps): void {
  for (const definition of NOTIFICATIONS) {
    registerPost(app, deps, definition, false);
    registerPost(app, deps, definition, true);
  }
}

/** The cheapest checks come first. */
function registerPost(
  app: FastifyInstance,
  deps: SendingDeps,
  definition: NotificationDefinition,
  isBatch: boolean,
): void {
  const { options, admission, accept } = deps;
  const { channel, path, reader } = definition;
  const isSmall = channel === 'sms' && !isBatch;
  const limitBytes = isSmall ? options.bodyLimitBytes : options.emailBodyLimitBytes;
  const costs = { limitBytes, bytesPerUnit: NOTIFICATION_BYTES_PER_UNIT };
  const maxValues = isBatch ? MAX_REQUEST_VALUES : undefined;
  app.post(isBatch ? batchPath(path) : path, {
    preHandler: [
      labelMetrics(`send-${channel}${isBatch ? '-batch' : ''}`),
      requireOpen(deps.traffic),
      requireJson(limitBytes),
      authenticate(deps),
      admission.requirePermit((request) => queueOf(request.headers), costs),
    ],
    handler: async (request, reply) => {
      const headers = readNotificationHeaders(request.raw, definition);
      if ('code' in headers) return sendProblem(reply, headers);
      const profile = deps.channelProfiles(channel);
      if (profile === undefined) return refuse(reply, 'no-provider');
      await readJsonBody(request, reply, { limitBytes, maxValues });
      admission.spend(request, request.bodyCost);
      if (reply.sent) return;
      const { body } = request;
      const needsTemplates = (isBatch ? messagesOf(body) : [body]).some(hasTemplate);
      const findTemplate = needsTemplates ? await deps.templates() : undefined;
      if (typeof findTemplate === 'string') return refuse(reply, 'not-ready', { detail: findTemplate });
      const reading = { country: options.defaultCountry, ...profile, nowMs: deps.clock.now(), findTemplate };
      const common = {
        definition,
        priority: headers.priority,
        caller: request.subject,
        traceParent: readTraceContext(request.headers).traceParent,
        isGone: () => reply.raw.destroyed,
      };
      const call: SendCall = {
        request,
        reply,
        idempotencyKey: headers.idempotencyKey,
        read: (sent) => reader.read(sent, reading),
        accept: async (read, idempotencyKey) =>
          read.kind === 'invalid'
            ? { code: read.problem, errors: read.faults }
            : accept({ ...common, idempotencyKey, command: read.payload }),
      };
      await (isBatch ? sendBatch(deps, call) : sendOne(call));
    },
  });
}

async function sendOne({ request, reply, read, accept, idempotencyKey }: SendCall): Promise<void> {
  const found = await read(request.body);
  // The command holds the attachments now; this frees their second copy.
  request.body = undefined;
  const answer = await accept(found, idempotencyKey);
  if (reply.raw.destroyed) return;
  if ('code' in answer) {
    const { code, retryAfterMs, ...extras } = answer;
    if (retryAfterMs !== undefined) setRetryAfter(reply, retryAfterMs);
    return refuse(reply, code, extras);
  }
  const header = found.kind === 'valid' ? warningsList(found.warnings, undefined) : undefined;
  if (header !== undefined) reply.header('warnings', header);
  reply.header('location', `/api/notifications/v1/${answer.notificationId}`);
  sendJson(reply, 202, JSON.stringify({ notificationId: answer.notificationId, status: 'accepted' }));
}

/** The notifications of a batch; none if the body has no list of them. */
function messagesOf(body: unknown): readonly unknown[] {
  return isRecord(body) && Array.isArray(body['messages']) ? body['messages'] : [];
}

/**
 * Accepts each notification of a list by itself (N12). All are in progress together, so that the publisher sends many
 * commands at once.
 */
async function sendBatch(
  { admission, log }: IngressContext,
  { request, reply, read, accept, idempotencyKey: key }: SendCall,
): Promise<void> {
  const { body } = request;
  const messages = messagesOf(body);
  if (messages.length === 0 || messages.length > batchMessages) {
    const isMissing = isRecord(body) && isAbsent(body['messages']);
    const code = messages.length > 0 ? 'too-many-items' : isMissing ? 'missing' : 'wrong-type';
    const fault = shapeFault('messages', code, `must be a list of 1 to ${batchMessages} notifications`);
    return refuse(reply, 'invalid-request', { errors: [fault] });
  }
  request.body = undefined;
  admission.spend(request, messages.length - 1);
  const unknown = Object.keys(body as object).filter((name) => name !== 'messages');
  const warnings: Warning[] = unknown.map((name) => unknownField(name));
  const sendItem = async (item: unknown, index: number): Promise<BatchResult> => {
    const found = await read(item);
    if (found.kind === 'valid') {
      const place = `messages[${index}]`;
      warnings.push(...found.warnings.map(({ code, path }) => ({ code, path: joinPath(place, path) })));
    }
    // A key of a single notification has no line break.
    const answer = await accept(found, key === undefined ? undefined : `${key}\n${index}`);
    if (!('code' in answer)) return { notificationId: answer.notificationId, status: 'accepted' };
    const { code: problem, detail, errors } = answer;
    const status = problem === 'accept-unknown' ? 'unknown' : 'refused';
    return { status, problem, detail, errors: errors?.slice(0, batchErrors) };
  };
  const results = await Promise.all(
    messages.map((item, index) =>
      sendItem(item, index).catch((error: unknown): BatchResult => {
        log.error({ reason: errorText(error) }, 'a notification of a batch failed unexpectedly');
        return { status: 'unknown', problem: 'unexpected' };
      }),
    ),
  );
  if (reply.raw.destroyed) return;
  const header = warningsList(warnings, undefined);
  if (header !== undefined) reply.header('warnings', header);
  sendJson(reply, 202, JSON.stringify({ results }));
}

/** Urgent notifications have a limit of their own, so that they are admitted while too many normal ones arrive. */
function queueOf({ urgency }: IncomingHttpHeaders): AdmissionQueue {
  const isUrgent = URGENCIES.get(String(urgency).toLowerCase()) === 'urgent';
  return isUrgent ? 'urgentNotifications' : 'notifications';
}

/** All faults are reported together; the status is 403 if X-Sender-Id has one, otherwise 400. */
function readNotificationHeaders(
  { headers, headersDistinct }: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
  { channel, channelNumber: number }: NotificationDefinition,
): NotificationHeaders | Problem {
  const sender = headers['x-sender-id'];
  const sent = headers['x-communication-channel'];
  const faults: Fault[] = [];
  if (sender !== SENDER_ID) faults.push(createValueFault('X-Sender-Id', sender, `\`${SENDER_ID}\``));
  if (sent !== number) {
    const wanted = `\`${number}\` at this address, which accepts ${channel}`;
    faults.push(createValueFault('X-Communication-Channel', sent, wanted));
  }
  const { key, fault } = readIdempotencyKey({ headers, headersDistinct });
  if (fault !== undefined) faults.push(fault);
  const urgency = headers['urgency'];
  const priority = urgency === undefined ? 'normal' : URGENCIES.get(String(urgency).toLowerCase());
  if (priority === undefined)
    faults.push(createValueFault('Urgency', urgency, `one of ${[...URGENCIES.keys()].join(', ')}`));
  if (faults.length === 0 && priority !== undefined) return { idempotencyKey: key, priority };
  const detail = faults.map(({ path, message }) => `The header ${path} ${message}.`).join(' ');
  const code = sender === SENDER_ID ? 'invalid-request' : 'forbidden';
  return createProblem(code, { detail, errors: faults });
}

/** The Idempotency-Key, and its fault if it is repeated or not printable. */
export function readIdempotencyKey({
  headers,
  headersDistinct,
}: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): {
  readonly key: string | undefined;
  readonly fault: Fault | undefined;
} {
  const { 'idempotency-key': sent } = headers;
  const key = sent === undefined ? undefined : String(sent);
  // Node joins repeated headers with commas, and a key may contain commas.
  const isRepeated = (headersDistinct['idempotency-key']?.length ?? 0) > 1;
  if (!isRepeated && (key === undefined || KEY.test(key))) return { key, fault: undefined };
  const message = isRepeated ? 'must be sent once' : KEY_RULE;
  return { key, fault: { path: 'Idempotency-Key', code: 'wrong-type', message } };
}

function createValueFault(path: string, sent: unknown, wanted: string): Fault {
  return sent === undefined
    ? { path, code: 'missing', message: `is missing; must be ${wanted}` }
    : { path, code: 'unknown-value', message: `must be ${wanted}` };
}

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { renderAccepted } from '../../../shared/api/notification/answers.ts';
import { warningsList } from '../../../shared/messaging/header-text.ts';
import { MAX_REQUEST_VALUES } from '../../../shared/platform/parse-json.ts';
import { readTraceContext } from '../server/app.ts';
import { NOTIFICATION_LIMITS } from '../../../shared/api/notification/notification-limits.ts';
import {
  batchPath,
  NOTIFICATIONS,
  type NotificationDefinition,
} from '../../../shared/api/notification/send-operations.ts';
import { isAbsent, isRecord } from '../../../shared/api/json/faults.ts';
import type { FindTemplate } from '../../../shared/api/notification/fill-template.ts';
import type { Priority } from '../../../shared/notification/notification-command.ts';
import { createProblem, type Fault, type Problem } from '../../../shared/platform/problem.ts';
import { NOTIFICATION_BYTES_PER_UNIT, type AdmissionQueue } from '../server/admission.ts';
import { authenticate } from '../server/authentication.ts';
import type { IngressContext } from '../server/context.ts';
import { readJsonBody, requireJson } from '../server/json-body.ts';
import { refuse, sendJson, sendProblem, setRetryAfter } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';
import type { Suppressions } from '../../../shared/suppressions/suppressions.ts';
import type { Accept, ValidNotification } from './accept-notification.ts';
import type { ChannelProfiles } from './channels.ts';
import type { Reporter } from './receipt-route.ts';
import { messagesOf, sendBatch, type SendCall } from './send-batch.ts';

export type NotificationContext = IngressContext & {
  readonly channelProfiles: ChannelProfiles;
  readonly reporters: readonly Reporter[];
  readonly suppressions: Suppressions;
  /** Resolves with a function that finds templates, or with a sentence: why the catalogue cannot be read. */
  readonly templates: () => Promise<FindTemplate | string>;
};

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
      const hasTemplate = (isBatch ? messagesOf(body) : [body]).some(namesTemplate);
      const findTemplate = hasTemplate ? await deps.templates() : undefined;
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
  sendJson(reply, 202, renderAccepted(answer.notificationId));
}

function namesTemplate(body: unknown): boolean {
  return isRecord(body) && !isAbsent(body['template']);
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

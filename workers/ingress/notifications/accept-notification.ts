import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderAccepted } from '../../../shared/api/notification/answers.ts';
import type { NotificationDefinition } from '../../../shared/api/notification/send-operations.ts';
import { NOTIFICATION_LIMITS } from '../../../shared/api/notification/notification-limits.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import { isTransientFailure } from '../../../shared/messaging/outcome.ts';
import { classifySendError } from '../../../shared/messaging/requester/requester.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import type {
  EmailCommand,
  Priority,
  SmsCommand,
} from '../../../shared/notification/notification-command.ts';
import type { NotificationAcceptance } from '../../../shared/notification/notification-state.ts';
import type { Quota, Quotas } from '../../../shared/quotas/quotas.ts';
import type { Suppressions } from '../../../shared/suppressions/suppressions.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { warningsList } from '../../../shared/messaging/header-text.ts';
import type { ErrorCode, ProblemExtras, Warning } from '../../../shared/platform/problem.ts';
import { hashSubject } from '../access/access.ts';
import type { IngressContext } from '../server/context.ts';
import { readTraceContext } from '../server/app.ts';
import { refuse, sendJson, setRetryAfter } from '../server/send-answer.ts';
import type { AcceptanceRecord, AcceptanceRecords } from './acceptance-records.ts';
import {
  createAcceptOnce,
  type AcceptResult,
  type IdempotencyDeps,
  type NotificationIds,
} from './idempotency.ts';
import { ACCEPTANCE_TYPE } from './notification-feed.ts';

/** A notification that was admitted and validated; `request.subject` is its caller. */
export interface ValidNotification {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly definition: NotificationDefinition;
  /** The notificationId is not set yet. */
  readonly command: SmsCommand | EmailCommand;
  readonly warnings: readonly Warning[];
  readonly idempotencyKey: string | undefined;
  readonly priority: Priority;
}

interface AcceptDeps extends IngressContext, IdempotencyDeps {
  readonly publisher: Publisher;
  readonly acceptances: AcceptanceRecords;
  readonly suppressions: Pick<Suppressions, 'faultsOf'>;
}

const UNKNOWN_WITH_KEY =
  'The notification may have been accepted. Repeat the request with the same Idempotency-Key: it is sent once.';
const UNKNOWN_WITHOUT_KEY =
  'The notification may have been accepted. A repetition may be sent a second time: only requests with an Idempotency-Key can be repeated safely.';
const NOT_KEPT = 'Accepted notifications cannot be recorded at the moment.';
const TOO_LARGE = `A notification may have at most ${NOTIFICATION_LIMITS.commandBytes} bytes, including its decoded files.`;

/** Accepts notifications (N3): 202 once the command and, with an Idempotency-Key, its acceptance are stored. */
export function createAccept(deps: AcceptDeps): (notification: ValidNotification) => Promise<void> {
  const acceptOnce = createAcceptOnce(deps);
  return async (notification) => {
    const { request, reply, definition, command, idempotencyKey } = notification;
    if (reply.raw.destroyed) return;
    // An acceptance that cannot be recorded would be forgotten, and a repetition within 24 hours would be sent again.
    if (deps.feed.health().status !== 'ready') return refuse(reply, 'not-ready', { detail: NOT_KEPT });
    try {
      if (idempotencyKey === undefined) {
        const notificationId = deps.keys.newId();
        await accept(deps, notification, { notificationId, bodyHash: '', keyId: undefined });
        return;
      }
      await acceptOnce({
        owner: { subject: request.subject, channel: definition.channel, idempotencyKey },
        command,
        reply,
        accept: (ids) => accept(deps, notification, ids),
        repeatAnswer: (notificationId) => {
          if (deps.acceptances.isUnwritten(notificationId)) refuseUnknown(notification);
          else sendAccepted(notification, notificationId);
        },
      });
    } catch (error) {
      // The command was not published: a schema registry cannot be reached, or there is a bug.
      if (!isTransientFailure(error)) throw error;
      refuse(reply, 'broker-unavailable');
    }
  };
}

async function accept(
  deps: AcceptDeps,
  notification: ValidNotification,
  ids: NotificationIds,
): Promise<AcceptResult> {
  const { reply, definition, command } = notification;
  const { quotas, acceptances } = deps;
  const { notificationId } = ids;
  const errors = deps.suppressions.faultsOf(definition.channel, command);
  if (errors.length > 0) {
    deps.count(definition.channel, 'refused');
    if (!reply.raw.destroyed) refuse(reply, 'suppressed', { errors });
    return 'refused';
  }
  const times = { ...ids, acceptedAt: deps.clock.now() };
  const acceptance = await encodeAcceptance(deps, notification, times);
  if (!acceptances.reserve()) {
    deps.count(definition.channel, 'refused');
    if (!reply.raw.destroyed) refuse(reply, 'not-ready', { detail: NOT_KEPT });
    return 'refused';
  }
  const records = quotas === undefined ? [] : admitByQuotas(quotas, notification, times);
  if (records === undefined) {
    acceptances.release();
    deps.count(definition.channel, 'refused');
    return 'refused';
  }
  let fault: ErrorCode | undefined;
  try {
    fault = await publishCommand(deps, notification, { ...times, records });
  } catch (error) {
    acceptances.release();
    if (isTransientFailure(error)) quotas?.release(notificationId);
    throw error;
  }
  if (fault === undefined) return respondToStored(deps, notification, acceptance);
  acceptances.release();
  const result = fault === 'accept-unknown' ? 'unknown' : 'refused';
  if (result === 'unknown') quotas?.keep(notificationId);
  else quotas?.release(notificationId);
  deps.count(definition.channel, result);
  if (reply.raw.destroyed) return result;
  if (result === 'unknown') refuseUnknown(notification);
  else refuse(reply, fault, fault === 'body-too-large' ? { detail: TOO_LARGE } : {});
  return result;
}

/** Writes the acceptance. If that fails, no other instance recognises a repeat, so a caller with a key gets 504. */
async function respondToStored(
  deps: AcceptDeps,
  notification: ValidNotification,
  acceptance: AcceptanceRecord,
): Promise<'stored'> {
  const { reply, definition, idempotencyKey } = notification;
  const isWritten = await deps.acceptances.write(acceptance);
  const isUnknown = !isWritten && idempotencyKey !== undefined;
  deps.count(definition.channel, isUnknown ? 'unknown' : 'accepted');
  if (reply.raw.destroyed) return 'stored';
  if (isUnknown) refuseUnknown(notification);
  else sendAccepted(notification, acceptance.notificationId);
  return 'stored';
}

function refuseUnknown({ reply, idempotencyKey }: ValidNotification): void {
  const detail = idempotencyKey === undefined ? UNKNOWN_WITHOUT_KEY : UNKNOWN_WITH_KEY;
  refuse(reply, 'accept-unknown', { detail });
}

/** Resolves with undefined when all in-sync replicas have the command, otherwise with the code of the problem. */
async function publishCommand(
  { options, keys, codec, publisher, quotas }: AcceptDeps,
  { request, definition, command, priority }: ValidNotification,
  ids: NotificationIds & { readonly acceptedAt: number; readonly records: readonly OutgoingMessage[] },
): Promise<ErrorCode | undefined> {
  const { notificationId, bodyHash, acceptedAt, records } = ids;
  if (!publisher.isHealthy()) return 'broker-unavailable';
  const encoded = await codec.encode(definition.commandType, { ...command, notificationId }, 'avro');
  if (encoded.value.length > NOTIFICATION_LIMITS.commandBytes) return 'body-too-large';
  const { traceParent } = readTraceContext(request.headers);
  const message = {
    topic: topicName(options.topicPrefix, priority === 'urgent' ? definition.urgentTopic : definition.topic),
    key: keys.receiverKey(definition.channel, command.receiver),
    value: encoded.value,
    timestampMs: acceptedAt,
    headers: {
      ...encoded.headers,
      [HEADER.notificationId]: notificationId,
      [HEADER.sender]: hashSubject(request.subject),
      [HEADER.commandProof]: keys.commands.prove(notificationId, bodyHash || keys.commands.hash(command)),
      [HEADER.originTimestamp]: String(acceptedAt),
      ...(traceParent === undefined ? {} : { [HEADER.traceParent]: traceParent }),
      ...(quotas === undefined ? {} : { [HEADER.quotaCounted]: 'true' }),
    },
  };
  try {
    await publisher.publish([message, ...records]);
    return undefined;
  } catch (error) {
    const code = classifySendError(error);
    if (code === 'bug') throw error;
    // One of the topics is missing; the broker may have stored the record for the other.
    const isPartial = records.length > 0 && error instanceof MessagingError && error.code === 'topic-unknown';
    return code === 'unknown' || isPartial ? 'accept-unknown' : code;
  }
}

/** Encodes the acceptance before the command is published, so that a failure refuses the notification. */
async function encodeAcceptance(
  { options, codec, keys }: AcceptDeps,
  { request, definition, command }: ValidNotification,
  { notificationId, bodyHash, keyId, acceptedAt }: NotificationIds & { readonly acceptedAt: number },
): Promise<AcceptanceRecord> {
  const { channel } = definition;
  const owner = hashSubject(request.subject);
  const acceptance: NotificationAcceptance = {
    notificationId,
    channel,
    acceptedAt,
    owner,
    bodyHash,
    category: command.category ?? 'transactional',
    receiverHash: keys.receiverHash(channel, command.receiver),
  };
  const topic = topicName(options.topicPrefix, 'notificationAcceptances');
  const ids = keyId === undefined || keyId === notificationId ? [notificationId] : [notificationId, keyId];
  const { value, headers } = await codec.encode(ACCEPTANCE_TYPE, acceptance, 'avro');
  return { notificationId, acceptedAt, ids, message: { topic, value, headers, timestampMs: acceptedAt } };
}

function sendAccepted({ reply, warnings }: ValidNotification, notificationId: string): void {
  const header = warningsList(warnings, undefined);
  if (header !== undefined) reply.header('warnings', header);
  reply.header('location', `/api/notifications/v1/${notificationId}`);
  sendJson(reply, 202, renderAccepted(notificationId));
}

const STATE_UNKNOWN = 'The quotas cannot be read at the moment.';

/** The text of each refusal, and the field that causes it; an empty path is the request as a whole. */
const TEXTS: Readonly<Record<Quota, { readonly path: string; readonly text: string }>> = {
  'country-not-allowed': { path: 'receiver', text: 'belongs to a country to which no messages are sent' },
  'quota-caller': { path: '', text: 'the caller has used up its quota of notifications for the day' },
  'quota-receiver': { path: 'receiver', text: 'has used up its quota of notifications for the day' },
  'quota-country': {
    path: 'receiver',
    text: 'belongs to a country that has used up its quota of messages for the day',
  },
};

/** Counts a notification for the quotas (N6). Returns records to publish with its command; undefined if refused. */
function admitByQuotas(
  quotas: Quotas,
  { request, reply, definition: { channel }, command }: ValidNotification,
  { notificationId, acceptedAt }: { readonly notificationId: string; readonly acceptedAt: number },
): readonly OutgoingMessage[] | undefined {
  const caller = hashSubject(request.subject);
  const decision = quotas.admit(notificationId, { caller, channel, command });
  const respond = (code: ErrorCode, extras: ProblemExtras): undefined => {
    if (!reply.raw.destroyed) refuse(reply, code, extras);
  };
  if (decision.kind === 'unknown') return respond('not-ready', { detail: STATE_UNKNOWN });
  if (decision.kind === 'admitted') return decision.record === undefined ? [] : [decision.record];
  const { quota, resetsAtMs } = decision;
  const { path, text } = TEXTS[quota];
  const errors = [{ path, code: quota, message: text }];
  if (quota === 'country-not-allowed') return respond(quota, { errors });
  setRetryAfter(reply, resetsAtMs - acceptedAt);
  const detail = `${path === '' ? '' : `${path} `}${text}; it begins again at ${new Date(resetsAtMs).toISOString()}.`;
  return respond('quota-exceeded', { detail, errors });
}

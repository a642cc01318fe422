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
import type { ErrorCode } from '../../../shared/platform/problem.ts';
import { hashSubject } from '../access/access.ts';
import type { IngressContext } from '../server/context.ts';
import type { AcceptanceRecord, AcceptanceRecords } from './acceptance-records.ts';
import {
  createAcceptOnce,
  refusal,
  type AcceptAnswer,
  type AcceptResult,
  type IdempotencyDeps,
  type NotificationIds,
} from './idempotency.ts';
import { ACCEPTANCE_TYPE } from './notification-feed.ts';

/** A notification that was admitted and validated. */
export interface ValidNotification {
  readonly definition: NotificationDefinition;
  /** Its template is filled in. The notificationId is not set yet. */
  readonly command: SmsCommand | EmailCommand;
  readonly idempotencyKey: string | undefined;
  readonly priority: Priority;
  /** The subject of the caller. */
  readonly caller: string;
  readonly traceParent: string | undefined;
  /** True if the caller has disconnected. */
  readonly isGone: () => boolean;
}

/** Resolves with undefined if the caller disconnected before anything was stored. */
export type Accept = (notification: ValidNotification) => Promise<AcceptAnswer | undefined>;

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

/** Accepts notifications (N3), once the command and, with an Idempotency-Key, its acceptance are stored. */
export function createAccept(deps: AcceptDeps): Accept {
  const acceptOnce = createAcceptOnce(deps);
  return async (notification) => {
    const { definition, command, idempotencyKey, caller: subject, isGone } = notification;
    if (isGone()) return undefined;
    // An acceptance that cannot be recorded would be forgotten, and a repetition within 24 hours would be sent again.
    if (deps.feed.health().status !== 'ready') return refusal('not-ready', { detail: NOT_KEPT });
    try {
      if (idempotencyKey === undefined) {
        const notificationId = deps.keys.newId();
        return (await accept(deps, notification, { notificationId, bodyHash: '', keyId: undefined })).answer;
      }
      return await acceptOnce({
        owner: { subject, channel: definition.channel, idempotencyKey },
        command,
        isGone,
        accept: (ids) => accept(deps, notification, ids),
        repeatAnswer: (notificationId) =>
          deps.acceptances.isUnwritten(notificationId)
            ? unknownAnswer(notification)
            : { kind: 'accepted', notificationId },
      });
    } catch (error) {
      // The command was not published: a schema registry cannot be reached, or there is a bug.
      if (!isTransientFailure(error)) throw error;
      return refusal('broker-unavailable');
    }
  };
}

async function accept(
  deps: AcceptDeps,
  notification: ValidNotification,
  ids: NotificationIds,
): Promise<AcceptResult> {
  const {
    definition: { channel },
    command,
  } = notification;
  const { quotas, acceptances } = deps;
  const { notificationId } = ids;
  const times = { ...ids, acceptedAt: deps.clock.now() };
  const refused = (answer: AcceptAnswer): AcceptResult => {
    deps.count(channel, 'refused');
    return { storage: 'refused', answer };
  };
  const errors = deps.suppressions.faultsOf(channel, command);
  if (errors.length > 0) return refused(refusal('suppressed', { errors }));
  const acceptance = await encodeAcceptance(deps, notification, times);
  if (!acceptances.reserve()) return refused(refusal('not-ready', { detail: NOT_KEPT }));
  const records = quotas === undefined ? [] : admitByQuotas(quotas, notification, times);
  if ('kind' in records) {
    acceptances.release();
    return refused(records);
  }
  let fault: ErrorCode | undefined;
  try {
    fault = await publishCommand(deps, notification, { ...times, records });
  } catch (error) {
    acceptances.release();
    if (isTransientFailure(error)) quotas?.release(notificationId);
    throw error;
  }
  if (fault === undefined) return recordStored(deps, notification, acceptance);
  acceptances.release();
  if (fault === 'accept-unknown') {
    quotas?.keep(notificationId);
    deps.count(channel, 'unknown');
    return { storage: 'unknown', answer: unknownAnswer(notification) };
  }
  quotas?.release(notificationId);
  return refused(refusal(fault, fault === 'body-too-large' ? { detail: TOO_LARGE } : {}));
}

/** Writes the acceptance. If that fails, no other instance recognises a repeat, so a caller with a key gets 504. */
async function recordStored(
  deps: AcceptDeps,
  notification: ValidNotification,
  acceptance: AcceptanceRecord,
): Promise<AcceptResult> {
  const { definition, idempotencyKey } = notification;
  const isWritten = await deps.acceptances.write(acceptance);
  const isUnknown = !isWritten && idempotencyKey !== undefined;
  deps.count(definition.channel, isUnknown ? 'unknown' : 'accepted');
  const { notificationId } = acceptance;
  const answer = isUnknown ? unknownAnswer(notification) : ({ kind: 'accepted', notificationId } as const);
  return { storage: 'stored', answer };
}

function unknownAnswer({ idempotencyKey }: ValidNotification): AcceptAnswer {
  const detail = idempotencyKey === undefined ? UNKNOWN_WITHOUT_KEY : UNKNOWN_WITH_KEY;
  return refusal('accept-unknown', { detail });
}

/** Resolves with undefined when all in-sync replicas have the command, otherwise with the code of the problem. */
async function publishCommand(
  { options, keys, codec, publisher, quotas }: AcceptDeps,
  { caller, definition, command, priority, traceParent }: ValidNotification,
  ids: NotificationIds & { readonly acceptedAt: number; readonly records: readonly OutgoingMessage[] },
): Promise<ErrorCode | undefined> {
  const { notificationId, bodyHash, acceptedAt, records } = ids;
  if (!publisher.isHealthy()) return 'broker-unavailable';
  // The hash in the acceptance is that of the template's fields, so that a repeat is one even if the template changed.
  const final = { ...command, template: undefined };
  const hash = command.template === undefined && bodyHash !== '' ? bodyHash : keys.commands.hash(final);
  const encoded = await codec.encode(definition.commandType, { ...final, notificationId }, 'avro');
  if (encoded.value.length > NOTIFICATION_LIMITS.commandBytes) return 'body-too-large';
  const message = {
    topic: topicName(options.topicPrefix, priority === 'urgent' ? definition.urgentTopic : definition.topic),
    key: keys.receiverKey(definition.channel, command.receiver),
    value: encoded.value,
    timestampMs: acceptedAt,
    headers: {
      ...encoded.headers,
      [HEADER.notificationId]: notificationId,
      [HEADER.sender]: hashSubject(caller),
      [HEADER.commandProof]: keys.commands.prove(notificationId, hash),
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
  { caller, definition, command }: ValidNotification,
  { notificationId, bodyHash, keyId, acceptedAt }: NotificationIds & { readonly acceptedAt: number },
): Promise<AcceptanceRecord> {
  const { channel } = definition;
  const owner = hashSubject(caller);
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

/** Counts a notification for the quotas (N6). Returns records to publish with its command, or the refusal. */
function admitByQuotas(
  quotas: Quotas,
  { caller: subject, definition: { channel }, command }: ValidNotification,
  { notificationId, acceptedAt }: { readonly notificationId: string; readonly acceptedAt: number },
): readonly OutgoingMessage[] | AcceptAnswer {
  const caller = hashSubject(subject);
  const decision = quotas.admit(notificationId, { caller, channel, command });
  if (decision.kind === 'unknown') return refusal('not-ready', { detail: STATE_UNKNOWN });
  if (decision.kind === 'admitted') return decision.record === undefined ? [] : [decision.record];
  const { quota, resetsAtMs } = decision;
  const { path, text } = TEXTS[quota];
  const errors = [{ path, code: quota, message: text }];
  if (quota === 'country-not-allowed') return refusal(quota, { errors });
  const detail = `${path === '' ? '' : `${path} `}${text}; it begins again at ${new Date(resetsAtMs).toISOString()}.`;
  return refusal('quota-exceeded', { detail, errors }, resetsAtMs - acceptedAt);
}

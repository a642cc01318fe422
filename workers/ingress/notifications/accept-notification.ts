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
import { hashSubject } from '../access/access.ts';
import type { IngressContext } from '../server/context.ts';
import type { AcceptanceRecord, AcceptanceRecords } from './acceptance-records.ts';
import {
  createAcceptOnce,
  type AcceptAnswer,
  type IdempotencyDeps,
  type NotificationIds,
  type Refusal,
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
  /** True if the caller has disconnected: then nothing more is accepted. */
  readonly isGone: () => boolean;
}

export type Accept = (notification: ValidNotification) => Promise<AcceptAnswer>;

interface AcceptDeps extends IngressContext, IdempotencyDeps {
  readonly publisher: Publisher;
  readonly acceptances: AcceptanceRecords;
  readonly suppressions: Pick<Suppressions, 'faultsOf' | 'isKeyed'>;
  readonly count: (channel: string, result: string) => void;
}

const UNKNOWN: Refusal = {
  code: 'accept-unknown',
  detail:
    'The notification may have been accepted. Repeat the request with the same Idempotency-Key: it is sent once. Without one, a repetition may be sent a second time.',
};
const NOT_KEPT = {
  code: 'not-ready',
  detail: 'Accepted notifications cannot be recorded at the moment.',
} as const;
const TOO_LARGE = `A notification may have at most ${NOTIFICATION_LIMITS.commandBytes} bytes, including its decoded files.`;

/** Accepts notifications (N3), once the command and, with an Idempotency-Key, its acceptance are stored. */
export function createAccept(deps: AcceptDeps): Accept {
  const acceptOnce = createAcceptOnce(deps);
  const answerTo = async (notification: ValidNotification): Promise<AcceptAnswer> => {
    const { definition, command, idempotencyKey, caller: subject } = notification;
    // An acceptance that cannot be recorded would be forgotten, and a repetition within 24 hours would be sent again.
    if (deps.feed.health().status !== 'ready') return NOT_KEPT;
    try {
      if (idempotencyKey === undefined) {
        const notificationId = deps.keys.newId();
        return await accept(deps, notification, { notificationId, bodyHash: '', keyId: notificationId });
      }
      const owner = { subject, channel: definition.channel, idempotencyKey };
      const answer = await acceptOnce(owner, command, (ids) => accept(deps, notification, ids));
      return 'isRepeat' in answer && deps.acceptances.isUnwritten(answer.notificationId) ? UNKNOWN : answer;
    } catch (error) {
      // The command was not published: a schema registry cannot be reached, or there is a bug.
      if (!isTransientFailure(error)) throw error;
      return { code: 'broker-unavailable' };
    }
  };
  return async (notification) => {
    const answer = await answerTo(notification);
    deps.count(notification.definition.channel, resultOf(answer));
    return answer;
  };
}

function resultOf(answer: AcceptAnswer): string {
  if (!('code' in answer)) return 'isRepeat' in answer ? 'repeated' : 'accepted';
  if (answer.code === 'accept-unknown') return 'unknown';
  return answer.code === 'idempotency-conflict' ? 'conflict' : 'refused';
}

async function accept(
  deps: AcceptDeps,
  notification: ValidNotification,
  given: NotificationIds,
): Promise<AcceptAnswer> {
  const { command, idempotencyKey, isGone } = notification;
  const { quotas, acceptances, publisher } = deps;
  const { notificationId } = given;
  const ids = { ...given, acceptedAt: deps.clock.now() };
  if (command.category === 'campaign' && !deps.suppressions.isKeyed)
    return { code: 'not-ready', detail: 'Campaigns need RESULT_ID_SECRET, which is not set.' };
  const errors = deps.suppressions.faultsOf(command);
  if (errors.length > 0) return { code: 'suppressed', errors };
  if (isGone() || !publisher.isHealthy()) return { code: 'broker-unavailable' };
  const message = await encodeCommand(deps, notification, ids);
  if (message.value.length > NOTIFICATION_LIMITS.commandBytes)
    return { code: 'body-too-large', detail: TOO_LARGE };
  const acceptance = await encodeAcceptance(deps, notification, ids);
  if (!acceptances.reserve()) return NOT_KEPT;
  const records = quotas === undefined ? [] : admitByQuotas(quotas, notification, ids);
  if ('code' in records) {
    acceptances.release();
    return records;
  }
  try {
    await publisher.publish([message, ...records]);
  } catch (error) {
    acceptances.release();
    const code = classifySendError(error);
    if (code === 'bug') throw error;
    // One of the topics is missing; the broker may have stored the record for the other.
    const isPartial = records.length > 0 && error instanceof MessagingError && error.code === 'topic-unknown';
    if (code === 'unknown' || isPartial) {
      quotas?.keep(notificationId);
      return UNKNOWN;
    }
    quotas?.release(notificationId);
    return code === 'body-too-large' ? { code, detail: TOO_LARGE } : { code };
  }
  // Without the acceptance, no other instance recognises a repeat.
  const isWritten = await acceptances.write(acceptance);
  return isWritten || idempotencyKey === undefined ? { notificationId } : UNKNOWN;
}

async function encodeCommand(
  { options, keys, codec, quotas }: AcceptDeps,
  { caller, definition, command, priority, traceParent }: ValidNotification,
  { notificationId, acceptedAt }: AcceptanceIds,
) {
  // The hash in the acceptance is that of the template's fields, so that a repeat is one even if the template changed.
  const final = { ...command, template: undefined };
  const { value, headers } = await codec.encode(definition.commandType, { ...final, notificationId }, 'avro');
  return {
    topic: topicName(options.topicPrefix, priority === 'urgent' ? definition.urgentTopic : definition.topic),
    key: keys.receiverKey(definition.channel, command.receiver),
    value,
    timestampMs: acceptedAt,
    headers: {
      ...headers,
      [HEADER.notificationId]: notificationId,
      [HEADER.sender]: hashSubject(caller),
      [HEADER.commandProof]: keys.commands.prove(notificationId, keys.commands.hash(final)),
      [HEADER.originTimestamp]: String(acceptedAt),
      ...(traceParent === undefined ? {} : { [HEADER.traceParent]: traceParent }),
      ...(quotas === undefined ? {} : { [HEADER.quotaCounted]: 'true' }),
    },
  };
}

type AcceptanceIds = NotificationIds & { readonly acceptedAt: number };

/** Encodes the acceptance before the command is published, so that a failure refuses the notification. */
async function encodeAcceptance(
  { options, codec, keys }: AcceptDeps,
  { caller, definition: { channel }, command }: ValidNotification,
  { notificationId, bodyHash, keyId, acceptedAt }: AcceptanceIds,
): Promise<AcceptanceRecord> {
  const acceptance: NotificationAcceptance = {
    notificationId,
    channel,
    acceptedAt,
    owner: hashSubject(caller),
    bodyHash,
    category: command.category ?? 'transactional',
    receiverHash: keys.receiverHash(channel, command.receiver),
  };
  const topic = topicName(options.topicPrefix, 'notificationAcceptances');
  const ids = [...new Set([notificationId, keyId])];
  const { value, headers } = await codec.encode(ACCEPTANCE_TYPE, acceptance, 'avro');
  return { notificationId, acceptedAt, ids, message: { topic, value, headers, timestampMs: acceptedAt } };
}

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
  { notificationId, acceptedAt }: AcceptanceIds,
): readonly OutgoingMessage[] | Refusal {
  const caller = hashSubject(subject);
  const decision = quotas.admit(notificationId, { caller, channel, command });
  if (decision.kind === 'unknown')
    return { code: 'not-ready', detail: 'The quotas cannot be read at the moment.' };
  if (decision.kind === 'admitted') return decision.record === undefined ? [] : [decision.record];
  const { quota, resetsAtMs } = decision;
  const { path, text } = TEXTS[quota];
  const errors = [{ path, code: quota, message: text }];
  if (quota === 'country-not-allowed') return { code: quota, errors };
  const detail = `${path === '' ? '' : `${path} `}${text}; it begins again at ${new Date(resetsAtMs).toISOString()}.`;
  return { code: 'quota-exceeded', detail, errors, retryAfterMs: resetsAtMs - acceptedAt };
}

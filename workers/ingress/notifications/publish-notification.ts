import { NOTIFICATION_LIMITS } from '../../../shared/contract/notification/limits.ts';
import type { Codec, Encoded } from '../../../shared/messaging/codec.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { isPromise } from '../../../shared/messaging/sync-or-async.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import { classifySendError } from '../../../shared/messaging/requester/requester.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import type { EmailCommand, SmsCommand } from '../../../shared/notification/command.ts';
import type { NotificationAcceptance } from '../../../shared/notification/notification-state.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { ErrorCode } from '../../../shared/platform/problem.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { IngressOptions } from '../server/http-limits.ts';
import type { ChannelContract } from './channels.ts';
import { ACCEPTANCE_TYPE, type NotificationFeed } from './notification-feed.ts';
import type { NotificationKeys } from './notification-ids.ts';

/** A command ready to be published, and the data of its acceptance. */
export interface ReadyNotification {
  readonly contract: ChannelContract;
  /** The notificationId is not set yet. */
  readonly command: SmsCommand | EmailCommand;
  readonly notificationId: string;
  /** Hash of the caller, and of the command where it has an Idempotency-Key. */
  readonly owner: string;
  readonly bodyHash: string;
  /** The id under which a repeat of the Idempotency-Key looks; the notification's own, except for a later use. */
  readonly keyId: string | undefined;
  readonly traceParent: string | undefined;
}

/** The result of publishing. `unknown`: the command may be stored. */
export type Published =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly code: ErrorCode }
  | { readonly kind: 'unknown' };

export interface PublishDeps {
  readonly publisher: Publisher;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly log: Log;
  readonly options: IngressOptions;
  readonly keys: NotificationKeys;
  readonly feed: NotificationFeed;
  /** Counts acceptances that could not be written. */
  readonly countLostRecord: () => void;
}

/**
 * Publishes a command and then records its acceptance (N3). Accepted once the command is stored by all
 * replicas; a lost record costs the caller its GET, not the message, and is logged and counted. Rejects on bugs only.
 */
export async function publishNotification(deps: PublishDeps, ready: ReadyNotification): Promise<Published> {
  const { contract, command, notificationId } = ready;
  if (!deps.publisher.isHealthy()) return { kind: 'refused', code: 'broker-unavailable' };
  const acceptedAt = deps.clock.now();
  const encoding = deps.codec.encode(contract.commandType, { ...command, notificationId }, 'avro');
  const encoded = isPromise(encoding) ? await encoding : encoding;
  if (encoded.value.length > NOTIFICATION_LIMITS.commandBytes)
    return { kind: 'refused', code: 'body-too-large' };
  try {
    await deps.publisher.publish([createCommandMessage(deps, ready, { encoded, nowMs: acceptedAt })]);
  } catch (error) {
    const code = classifySendError(error);
    if (code === 'bug') throw error;
    return code === 'unknown' ? { kind: 'unknown' } : { kind: 'refused', code };
  }
  await recordAcceptance(deps, ready, acceptedAt);
  return { kind: 'accepted' };
}

function createCommandMessage(
  { options, keys }: PublishDeps,
  { contract, command, notificationId, traceParent }: ReadyNotification,
  { encoded, nowMs }: { readonly encoded: Encoded; readonly nowMs: number },
): OutgoingMessage {
  return {
    topic: topicName(options.topicPrefix, contract.topic),
    key: keys.receiverKey(contract.channel, command.receiver),
    value: encoded.value,
    timestampMs: nowMs,
    headers: {
      ...encoded.headers,
      [HEADER.notificationId]: notificationId,
      [HEADER.originTimestamp]: String(nowMs),
      ...(traceParent === undefined ? {} : { [HEADER.traceParent]: traceParent }),
    },
  };
}

async function recordAcceptance(
  deps: PublishDeps,
  { contract, notificationId, owner, bodyHash, keyId }: ReadyNotification,
  acceptedAt: number,
): Promise<void> {
  const { channel } = contract;
  const acceptance: NotificationAcceptance = { notificationId, channel, acceptedAt, owner, bodyHash };
  const topic = topicName(deps.options.topicPrefix, 'notificationAcceptances');
  try {
    const { value, headers } = await deps.codec.encode(ACCEPTANCE_TYPE, acceptance, 'avro');
    const ids = keyId === undefined || keyId === notificationId ? [notificationId] : [notificationId, keyId];
    for (const id of ids) deps.feed.addAcceptance(id, value, acceptedAt);
    await deps.publisher.publish(ids.map((key) => ({ topic, key, value, headers, timestampMs: acceptedAt })));
  } catch (error) {
    deps.countLostRecord();
    deps.log.error({ notificationId, reason: errorText(error) }, 'an acceptance could not be written');
  }
}

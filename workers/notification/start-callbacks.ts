import { CONTENT_TYPE } from '../../shared/messaging/codec/message-codec.ts';
import { consumerMetrics } from '../../shared/messaging/handler/consumer-metrics.ts';
import { HEADER } from '../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../shared/messaging/message.ts';
import { retryTopicName } from '../../shared/messaging/topics/topic-list.ts';
import { STATE_TYPE } from '../../shared/api/notification/state-record.ts';
import { isReceipt, type NotificationState } from '../../shared/notification/notification-state.ts';
import { hashSubject } from '../../shared/notification/party-hashes.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import { startConsumer, type SharedParts } from './shared-parts.ts';
import { createCallbackProcess, createCallbackReceiver, MAX_IN_HAND } from './callbacks/post-callback.ts';

const LOG_READ_MS = 5_000;
const PENDING: ReadonlySet<string> = new Set(['scheduled', 'sending', 'retrying']);

/** Starts the consumer that makes callbacks of final outcomes and posts them (N13). Leaves nothing running if it rejects. */
export async function startCallbacks(context: WorkerContext, shared: SharedParts) {
  const { clock, codec, config, metrics } = context;
  const { callbacks: settings, retryTiersMs: tiersMs } = config.notification;
  const { copies, deliveryLog } = shared;
  const clientId = 'notification-callbacks';
  const groupId = `${config.topicPrefix}plat.notification.callbacks`;
  const callbackTopic = shared.topic('notificationCallbacks');
  // Over HTTP the sender of a notification is a hash of the subject; upstream systems name themselves.
  const bySender = new Map(
    settings.flatMap((one) => {
      const receiver = createCallbackReceiver(one, context);
      return [hashSubject(one.sender), one.sender].map((key) => [key, receiver] as const);
    }),
  );
  const post = createCallbackProcess({
    clock,
    copies,
    tiersMs,
    tierTopic: (delayMs) => retryTopicName(config.topicPrefix, delayMs),
    deadLetters: shared.deadLetters(groupId),
    receiverOf: (sender) => bySender.get(sender),
  });
  const writeCallback = async (message: LogMessage): Promise<'settled'> => {
    const decoded = message.value === null ? undefined : await codec.decode(message);
    if (decoded?.kind !== 'decoded' || decoded.type !== STATE_TYPE) return 'settled';
    const state = decoded.payload as NotificationState;
    const { notificationId: id, sender, status } = state;
    if (sender === undefined || !bySender.has(sender) || PENDING.has(status)) return 'settled';
    if (status !== 'sent' && !isReceipt(status)) {
      // A record that lost, such as a cancellation after the first attempt, must not contradict the outcome.
      await deliveryLog.caughtUp(LOG_READ_MS);
      if (deliveryLog.find(id)?.status !== status) return 'settled';
    }
    await copies.publish([callbackOf(state, callbackTopic, clock.now())]);
    return 'settled';
  };
  const topic = [shared.topic('notificationOutcomes'), callbackTopic];
  const consumer = await startConsumer(
    context,
    { groupId, clientId, topic, observe: consumerMetrics(metrics, clientId) },
    {
      process: (message, ...rest) =>
        message.topic === callbackTopic ? post(message, ...rest) : writeCallback(message),
      concurrency: settings.length * MAX_IN_HAND + 1,
    },
  );
  return {
    health: () => consumer.health(),
    stop: async (timeoutMs: number): Promise<void> => {
      await consumer.stop(timeoutMs);
      for (const receiver of bySender.values()) await receiver.close();
    },
  };
}

/**
 * The callback for an outcome (N13). Its value is the body that is posted, unchanged by retries. The id is the same for
 * a record that is written or read again: `sent` and receipts are final for good, others belong to a round. `nowMs`, in
 * epoch milliseconds: its time limit begins now, so that an outage of this worker costs no callback.
 */
export function callbackOf(state: NotificationState, topic: string, nowMs: number): OutgoingMessage {
  const { notificationId, channel, status, attempt, code, providerMessageId, sender = '' } = state;
  const updatedAt = new Date(state.updatedAt).toISOString();
  const data = { notificationId, channel, status, attempt, code, providerMessageId, updatedAt };
  const isForGood = status === 'sent' || isReceipt(status);
  return {
    topic,
    key: notificationId,
    value: Buffer.from(JSON.stringify({ type: `notification.${status}`, timestamp: updatedAt, data })),
    headers: {
      [HEADER.contentType]: CONTENT_TYPE.json,
      [HEADER.messageType]: 'NotificationCallback',
      [HEADER.callbackId]: `${notificationId}_${status}${isForGood ? '' : `_${attempt}`}`,
      [HEADER.notificationId]: notificationId,
      [HEADER.sender]: sender,
      [HEADER.originTimestamp]: String(nowMs),
    },
  };
}

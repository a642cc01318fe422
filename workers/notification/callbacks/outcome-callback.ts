import { createHmac } from 'node:crypto';
import { CONTENT_TYPE } from '../../../shared/messaging/codec/message-codec.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Codec } from '../../../shared/messaging/codec.ts';
import { STATE_TYPE } from '../../../shared/api/notification/state-record.ts';
import type { Process } from '../../../shared/messaging/outcome.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import type { DeliveryLog } from '../state/delivery-log.ts';
import { isReceipt, type NotificationState } from '../../../shared/notification/notification-state.ts';

/**
 * The callback for an outcome (N13). Its value is the body that is posted, unchanged by retries. The id is the same for
 * a record that is written or read again: `sent` and receipts are final for good, others belong to a round.
 */
export function callbackOf(state: NotificationState, topic: string): OutgoingMessage {
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
      [HEADER.originTimestamp]: String(state.updatedAt),
    },
  };
}

/** The signature of Standard Webhooks 1.0. `atSeconds`: the time of the attempt. */
export function callbackHeaders(key: Buffer, id: string, atSeconds: number, body: Buffer) {
  const signature = createHmac('sha256', key).update(`${id}.${atSeconds}.`).update(body).digest('base64');
  return {
    'content-type': CONTENT_TYPE.json,
    'webhook-id': id,
    'webhook-timestamp': String(atSeconds),
    'webhook-signature': `v1,${signature}`,
  };
}

/** A callback is repeated for this long after its outcome. Older outcomes, which a new group reads, get none. */
export const CALLBACK_TIME_LIMIT_MS = 24 * 3_600_000;
const LOG_READ_MS = 5_000;

/** Writes a callback for each outcome that its sender wants. */
export function createOutcomeProcess({
  codec,
  clock,
  deliveryLog,
  copies,
  callbackTopic,
  isWanted,
}: {
  readonly codec: Pick<Codec, 'decode'>;
  readonly clock: Clock;
  readonly deliveryLog: Pick<DeliveryLog, 'caughtUp' | 'find'>;
  readonly copies: Publisher;
  readonly callbackTopic: string;
  readonly isWanted: (sender: string, status: string) => boolean;
}): Process {
  return async (message): Promise<'settled'> => {
    const decoded = message.value === null ? undefined : await codec.decode(message);
    if (decoded?.kind !== 'decoded' || decoded.type !== STATE_TYPE) return 'settled';
    const state = decoded.payload as NotificationState;
    const { notificationId: id, sender, status, updatedAt } = state;
    const isLate = clock.now() - updatedAt > CALLBACK_TIME_LIMIT_MS;
    if (sender === undefined || !isWanted(sender, status) || isLate) return 'settled';
    if (status === 'failed' || status === 'parked') {
      // A late record of a process whose lease was over must not contradict `sent`.
      await deliveryLog.caughtUp(LOG_READ_MS);
      if (deliveryLog.find(id)?.status === 'sent') return 'settled';
    }
    await copies.publish([callbackOf(state, callbackTopic)]);
    return 'settled';
  };
}

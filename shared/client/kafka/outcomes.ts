/** The outcomes of notifications, for senders over Kafka. */
import type { Kafka } from 'kafkajs';
import { readValue, type ValueReader } from './messages.ts';

/** How far a notification has come. Further fields of the record are in its Avro schema. */
export interface NotificationOutcome {
  readonly notificationId: string;
  readonly channel: 'sms' | 'email';
  /** `parked`: the provider may have sent it; an operator decides. `sending` and `retrying` are not final. */
  readonly status: 'sending' | 'retrying' | 'sent' | 'failed' | 'parked';
  /** Round of delivery, from 1. */
  readonly attempt: number;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  /** Stable code of the reason for retrying, failed or parked. */
  readonly code: string | null;
}

export interface OutcomeOptions {
  /** Consumer group: it continues where it was stopped. */
  readonly groupId: string;
  /** Whether a new group begins with the outcomes of the last days; otherwise with those to come. */
  readonly fromBeginning?: boolean;
  /** Called if the outcomes can no longer be read, such as without permission; an interrupted connection is no such reason. */
  readonly onBroken?: ((error: Error) => void) | undefined;
}

/**
 * Passes each outcome to `handle`, at least once, and commits it once the returned promise has resolved; one that rejects is
 * passed again. Resolves when it reads, with what stops it; rejects if it cannot.
 */
export async function followOutcomes(
  kafka: Kafka,
  { groupId, fromBeginning = false, onBroken }: OutcomeOptions,
  { topic, reader }: { readonly topic: string; readonly reader: ValueReader },
  handle: (outcome: NotificationOutcome) => Promise<void> | void,
): Promise<() => Promise<void>> {
  const consumer = kafka.consumer({ groupId, readUncommitted: false, allowAutoTopicCreation: false });
  let broken: Error | undefined;
  let isReading = false;
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
    if (restart) return;
    if (isReading) onBroken?.(error);
    else broken = error;
  });
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning });
    await consumer.run({
      eachMessage: async ({ message: { value } }) => {
        if (value !== null) await handle((await readValue(value, reader)) as NotificationOutcome);
      },
    });
    // kafkajs does not report here that it never joined the group.
    if (broken !== undefined) throw broken;
    isReading = true;
  } catch (error) {
    await consumer.disconnect();
    throw error;
  }
  return () => consumer.disconnect();
}

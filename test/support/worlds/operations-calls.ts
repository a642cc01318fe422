import { HEADER } from '../../../shared/messaging/headers.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { DEAD_LETTER_TOPICS, TOPIC, topicNames } from '../../../shared/messaging/topics/topic-list.ts';
import { post } from '../builders/schedule-call.ts';
import { deadLetterMessage } from './dead-letters.ts';
import { publishTo } from './ingress-fixture.ts';

export const OPERATIONS = '/api/operations/v1';

/** Calls an operations address of an ingress, and reads its JSON. */
export function operationsOf(url: string, headers: Readonly<Record<string, string>> = {}) {
  return {
    get: async (address: string) => read(await fetch(`${url}${OPERATIONS}${address}`, { headers })),
    post: async (address: string, body: unknown) =>
      read(await post(url, body, { path: OPERATIONS + address, headers })),
  };
}

async function read(response: Response) {
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as Record<string, unknown> };
}

export async function createLetterTopics(broker: Broker): Promise<void> {
  const topics = topicNames('', DEAD_LETTER_TOPICS).map((topic) => ({ topic, partitions: 2 }));
  await broker.admin.createTopics([...topics, { topic: TOPIC.deadLetterAudit, partitions: 1 }]);
}

export function letterNotificationId(number: number): string {
  return `0c6a9f5e-1d5c-4b9e-8f7a-${String(number).padStart(12, '0')}`;
}

/**
 * Publishes dead letters of SMS as their worker does, all in partition 0, one second after the other. `headersOf` changes the
 * headers of each.
 */
export async function publishLetters(
  broker: Broker,
  count: number,
  headersOf: (number: number) => Readonly<Record<string, string>> = () => ({}),
): Promise<void> {
  const startMs = Date.UTC(2026, 4, 1, 10);
  for (let number = 0; number < count; number += 1) {
    const { topic, key, value, headers } = deadLetterMessage({
      [HEADER.deadLetterPartition]: '0',
      [HEADER.notificationId]: letterNotificationId(number),
      [HEADER.deadLetterAt]: String(startMs + number * 1_000),
      ...headersOf(number),
    });
    await publishTo(broker, [{ topic, key, value, headers, partition: 0 }]);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { MessagingError } from '../../platform/errors.ts';
import { brokerErrorType, isTopicUnknown } from './connection/errors.ts';
import type { TopicSpec } from '../ports.ts';

/** A new topic has its leaders within some 10 ms on a broker at rest. */
const LEADER_POLL_MS = 50;
/** A leader or a coordinator that moves is settled within seconds. */
const LEADER_MOVE_MS = 5_000;
const SETTLING: ReadonlySet<string> = new Set([
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
]);

/** Resolves when every partition of the new topics has a leader. Rejects after `timeoutMs`. */
export async function untilLed(
  admin: Pick<Admin, 'fetchTopicMetadata'>,
  specs: readonly TopicSpec[],
  timeoutMs: number,
): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  for (const spec of specs) {
    while (!(await isLed(admin, spec))) {
      if (performance.now() > giveUpAt) {
        throw new MessagingError('broker-unavailable', `${spec.topic} was made but has no leader yet`, {
          canRetry: true,
        });
      }
      await sleep(LEADER_POLL_MS);
    }
  }
}

/**
 * Asks about a topic that exists again while a leader or coordinator that the metadata names does not know of its
 * office, or the broker that answers of the topic.
 */
export async function whileSettling<T>(ask: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + LEADER_MOVE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!SETTLING.has(brokerErrorType(error) ?? '') || performance.now() > giveUpAt) throw error;
      await sleep(LEADER_POLL_MS);
    }
  }
}

async function isLed(
  admin: Pick<Admin, 'fetchTopicMetadata'>,
  { topic, partitions }: TopicSpec,
): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const found = topics.find(({ name }) => name === topic)?.partitions ?? [];
    return found.length >= partitions && found.every(({ leader }) => leader >= 0);
  } catch (error) {
    if (isTopicUnknown(error) || brokerErrorType(error) === 'LEADER_NOT_AVAILABLE') return false;
    throw error;
  }
}

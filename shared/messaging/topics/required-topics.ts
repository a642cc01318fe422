import { setTimeout as sleep } from 'node:timers/promises';
import { MessagingError } from '../../platform/errors.ts';
import type { BrokerAdmin } from '../ports.ts';

/**
 * A topic is known to all brokers of a cluster this long after it was made, on a busy machine too; one that is missing
 * then is missing.
 */
export const TOPIC_SPREAD_MS = 5_000;
const ASK_AGAIN_MS = 100;

/**
 * The partition counts of topics that are to be read. A topic that was made a moment ago may not have reached the broker
 * that answers, so a missing one is asked for again for five seconds. Rejects with `topic-unknown` after that.
 */
export async function existingTopics(
  admin: Pick<BrokerAdmin, 'partitionCounts'>,
  topics: readonly string[],
  spreadMs: number = TOPIC_SPREAD_MS,
): Promise<ReadonlyMap<string, number>> {
  const endMs = performance.now() + spreadMs;
  for (;;) {
    const counts = await admin.partitionCounts(topics);
    const missing = topics.find((topic) => !counts.has(topic));
    if (missing === undefined) return counts;
    if (performance.now() >= endMs) {
      throw new MessagingError('topic-unknown', `there is no topic ${missing}`, { canRetry: false });
    }
    await sleep(ASK_AGAIN_MS);
  }
}

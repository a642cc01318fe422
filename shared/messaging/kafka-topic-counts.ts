import type { Admin } from 'kafkajs';
import { isTopicUnknown } from './kafka-errors.ts';

/**
 * Brokers hear of a new topic one after the other, on a busy machine up to 0.7 s after it was made, and the one that
 * answers may be the last. What is missing is asked for again so often, so far apart, before it counts as missing: for
 * two seconds in all.
 */
const QUESTIONS = 11;
const QUESTION_INTERVAL_MS = 200;

type MetadataAdmin = Pick<Admin, 'fetchTopicMetadata'>;

/** The partition counts of those topics that the broker that answers knows at this moment. */
export async function topicCountsNow(
  admin: MetadataAdmin,
  topics: Iterable<string>,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  // Topic by topic: one that is missing fails the whole answer of kafkajs.
  for (const topic of new Set(topics)) {
    const count = await topicCountNow(admin, topic);
    if (count !== undefined) counts.set(topic, count);
  }
  return counts;
}

/** The partition counts of those topics that exist; ones that are new are waited for. */
export async function topicCounts(
  admin: MetadataAdmin,
  topics: readonly string[],
): Promise<Map<string, number>> {
  const counts = await topicCountsNow(admin, topics);
  for (let question = 2; question <= QUESTIONS; question += 1) {
    const missing = topics.filter((topic) => !counts.has(topic));
    if (missing.length === 0) break;
    await new Promise((resolve) => {
      setTimeout(resolve, QUESTION_INTERVAL_MS);
    });
    for (const [topic, count] of await topicCountsNow(admin, missing)) counts.set(topic, count);
  }
  return counts;
}

async function topicCountNow(admin: MetadataAdmin, topic: string): Promise<number | undefined> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics.find(({ name }) => name === topic)?.partitions.length;
  } catch (error) {
    if (isTopicUnknown(error)) return undefined;
    throw error;
  }
}

import { MessagingError } from '../../../platform/errors.ts';
import type { TopicSpec } from '../../ports.ts';

/** A topic to be created, with everything that the request names. */
export interface NewTopic {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly config: { name: string; value: string }[];
}

/** Replicas of a topic where the cluster has enough brokers. */
const WANTED_REPLICAS = 3;
/** With three replicas, two must have a record before it counts as stored: one broker may fail without loss. */
const MIN_IN_SYNC_REPLICAS = '2';

/**
 * The topics of these specs on a cluster with this number of live brokers. Throws MessagingError `broker-unavailable` if a spec names
 * more replicas: while a cluster starts, not all brokers have joined, and the caller retries instead of creating topics with
 * fewer replicas.
 */
export function newTopics(specs: readonly TopicSpec[], liveBrokers: number): NewTopic[] {
  const wanted = Math.max(...specs.map(({ replicationFactor = 1 }) => replicationFactor));
  if (liveBrokers < wanted) {
    throw new MessagingError(
      'broker-unavailable',
      `new topics get ${wanted} replicas, but only ${liveBrokers} brokers are available; KAFKA_BROKERS with fewer brokers means fewer replicas`,
      { canRetry: true },
    );
  }
  const replicas = Math.min(WANTED_REPLICAS, liveBrokers);
  return specs.map(({ topic, partitions, config, replicationFactor = replicas }) => {
    const entries = Object.entries({
      ...(replicationFactor >= WANTED_REPLICAS ? { 'min.insync.replicas': MIN_IN_SYNC_REPLICAS } : {}),
      ...config,
    });
    return {
      topic,
      partitions,
      replicationFactor,
      config: entries.map(([name, value]) => ({ name, value })),
    };
  });
}

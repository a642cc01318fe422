/** Checks that topics exist before they are used. */

import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, errorText, MessagingError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { BrokerAdmin } from '../ports.ts';
import type { TopicState } from './topic-settings.ts';

/** All brokers of a cluster know a new topic within this time, even on a busy machine. */
export const TOPIC_SPREAD_MS = 5_000;
const POLL_INTERVAL_MS = 100;
/** With these values of compression.type the broker stores no batch that kafkajs cannot read, whatever the producer sends. */
const READABLE_COMPRESSION: ReadonlySet<string> = new Set(['uncompressed', 'gzip', 'zstd']);

/** What a start asks about topics. The embedded broker compresses nothing and has no configuration to show. */
export interface TopicAdmin extends Pick<BrokerAdmin, 'partitionCounts'> {
  topicStates?(topics: readonly string[]): Promise<ReadonlyMap<string, TopicState>>;
}

/**
 * The partition counts of topics that must exist. The broker that answers may not know a new topic yet, so a missing one
 * is looked up again for `spreadMs`. Rejects with MessagingError `topic-unknown` after that.
 */
export async function existingTopics(
  admin: Pick<BrokerAdmin, 'partitionCounts'>,
  topics: readonly string[],
  spreadMs: number = TOPIC_SPREAD_MS,
): Promise<ReadonlyMap<string, number>> {
  const counts = await pollTopics(admin, topics, spreadMs);
  const missing = topics.find((topic) => !counts.has(topic));
  if (missing === undefined) return counts;
  throw new MessagingError('topic-unknown', `there is no topic ${missing}`, { canRetry: false });
}

/**
 * Refuses to start without the topics, which only `npm run topics -- create` creates, and with topics that would store a
 * producer's lz4 or snappy batches unchanged. Throws ConfigError that names all of them and the remedy. Rejects with
 * MessagingError when the broker cannot be reached. A broker that shows configuration to administrators only is not
 * checked for compression, which is logged.
 */
export async function requireTopics(
  admin: TopicAdmin,
  names: readonly string[],
  log: Pick<Log, 'warn'>,
  spreadMs: number = TOPIC_SPREAD_MS,
): Promise<void> {
  const counts = await pollTopics(admin, names, spreadMs);
  const missing = names.filter((name) => !counts.has(name));
  const unreadable = await findUnreadableTopics(admin, [...counts.keys()], log);
  const faults: string[] = [];
  if (missing.length > 0) {
    faults.push(`the broker lacks topics: ${missing.join(', ')}; create them by: npm run topics -- create`);
  }
  if (unreadable.length > 0) {
    faults.push(
      `batches in lz4 or snappy would be lost on topics: ${unreadable.join(', ')}; set compression.type to uncompressed by: ` +
        'kafka-configs.sh --alter --entity-type topics --entity-name TOPIC --add-config compression.type=uncompressed',
    );
  }
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
}

/** Partition counts as soon as all topics are there, else those that are there after `spreadMs`. */
async function pollTopics(
  admin: Pick<BrokerAdmin, 'partitionCounts'>,
  topics: readonly string[],
  spreadMs: number,
): Promise<ReadonlyMap<string, number>> {
  const endMs = performance.now() + spreadMs;
  for (;;) {
    const counts = await admin.partitionCounts(topics);
    if (topics.every((topic) => counts.has(topic)) || performance.now() >= endMs) return counts;
    await sleep(POLL_INTERVAL_MS);
  }
}

async function findUnreadableTopics(
  admin: TopicAdmin,
  names: readonly string[],
  log: Pick<Log, 'warn'>,
): Promise<string[]> {
  try {
    const states = (await admin.topicStates?.(names)) ?? new Map<string, TopicState>();
    return [...states].flatMap(([name, { config }]) => {
      const type = config.get('compression.type') ?? '';
      return READABLE_COMPRESSION.has(type) ? [] : [`${name} (compression.type=${type})`];
    });
  } catch (error) {
    if (!(error instanceof MessagingError) || error.code !== 'broker-refused') throw error;
    log.warn(
      { error: errorText(error) },
      'the compression of topics cannot be checked: DescribeConfigs is refused',
    );
    return [];
  }
}

import { ConfigError, errorText, MessagingError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { systemPorts, type SystemPorts, sleep } from '../../platform/system-ports.ts';
import { topicUnknown } from '../broker-errors.ts';
import type { BrokerAdmin, TopicState } from '../ports.ts';

/** Time within which all brokers of a cluster know a new topic, even on a busy machine. */
const TOPIC_SPREAD_MS = 5_000;
const POLL_INTERVAL_MS = 100;
/** With these values of compression.type the broker never stores a batch that our consumers cannot read. */
const READABLE_COMPRESSION: ReadonlySet<string> = new Set(['uncompressed', 'gzip', 'zstd']);

interface TopicWait extends Partial<Pick<SystemPorts, 'monotonic' | 'timers'>> {
  readonly spreadMs?: number;
}

type TopicAdmin = Pick<BrokerAdmin, 'partitionCounts' | 'topicStates'>;

/** Partition counts by topic. Rejects with `topic-unknown` if a topic is still missing after `wait.spreadMs`. */
export async function existingTopics(
  admin: Pick<BrokerAdmin, 'partitionCounts'>,
  topics: readonly string[],
  wait: TopicWait = {},
): Promise<ReadonlyMap<string, number>> {
  const counts = await pollTopics(admin, topics, wait);
  const missing = topics.find((topic) => !counts.has(topic));
  if (missing !== undefined) throw topicUnknown(missing);
  return counts;
}

/** Rejects with ConfigError if topics do not exist, or may store lz4 or snappy, which our consumers cannot read. */
export async function requireTopics(
  admin: TopicAdmin,
  names: readonly string[],
  log: Pick<Log, 'warn'>,
  wait: TopicWait = {},
): Promise<void> {
  const counts = await pollTopics(admin, names, wait);
  const missing = names.filter((name) => !counts.has(name));
  const unreadable = await findUnreadableTopics(admin, [...counts.keys()], log);
  const faults: string[] = [];
  if (missing.length > 0) {
    faults.push(`the broker lacks topics: ${missing.join(', ')}; create them with: npm run topics -- create`);
  }
  if (unreadable.length > 0) {
    faults.push(
      `batches in lz4 or snappy would be lost on topics: ${unreadable.join(', ')}; set compression.type to uncompressed with: ` +
        'kafka-configs.sh --alter --entity-type topics --entity-name TOPIC --add-config compression.type=uncompressed',
    );
  }
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
}

async function pollTopics(
  admin: Pick<BrokerAdmin, 'partitionCounts'>,
  topics: readonly string[],
  wait: TopicWait,
): Promise<ReadonlyMap<string, number>> {
  const { spreadMs = TOPIC_SPREAD_MS, monotonic, timers } = { ...systemPorts, ...wait };
  const endMs = monotonic.elapsedMs() + spreadMs;
  for (;;) {
    const counts = await admin.partitionCounts(topics);
    if (topics.every((topic) => counts.has(topic)) || monotonic.elapsedMs() >= endMs) return counts;
    await sleep(timers, POLL_INTERVAL_MS);
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
    const text = 'the compression of topics cannot be checked: the broker rejects DescribeConfigs';
    log.warn({ error: errorText(error) }, text);
    return [];
  }
}

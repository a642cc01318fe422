import { COMMAND_RETENTION_MS, OUTCOME_RETENTION_MS } from '../../platform/retention.ts';
import { ConfigError, errorText, MessagingError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { existingTopics, TOPIC_SPREAD_MS } from './required-topics.ts';
import type { BrokerAdmin, TopicSpec } from '../ports.ts';
import { retryTopicName, TOPIC, topicName, type TopicKey } from './topics.ts';

const MIB = 1_024 * 1_024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Work is spread over so many partitions; never changed in place, since keys would move to other partitions. */
const PARTITIONS = 12;
/** Every ingress reads all results, so fewer partitions cost it less. */
const RESULT_PARTITIONS = 6;
/** Every notification worker and every ingress reads all outcomes; each request of a writer costs by the partitions in it. */
const OUTCOME_PARTITIONS = 3;
/** One order over all records, so that a product is never seen before the lists that it names; written by hand only. */
const CATALOGUE_PARTITIONS = 1;
/** The largest record of ours: the rows of all offers of a simulation; a schedule of 1,200 rows is below 1 MiB. */
const MAX_MESSAGE_BYTES = 8 * MIB;
/** Requests stay long enough to find out the next day what happened; bulk ones over a weekend. */
const REQUEST_RETENTION_MS = DAY_MS;
const BULK_RETENTION_MS = 7 * DAY_MS;
/** Nobody waits for a reply or fetches a result longer. */
const ANSWER_RETENTION_MS = HOUR_MS;
/** A month to look into what could not be handled, and to send it again. */
const DEAD_LETTER_RETENTION_MS = 30 * DAY_MS;
/** An Idempotency-Key counts for 24 hours (N3); the rest is room for clocks and compaction. */
const ACCEPTANCE_RETENTION_MS = 2 * DAY_MS;
/** Who did what with a dead letter is asked for long after the letter itself is gone. */
const AUDIT_RETENTION_MS = 365 * DAY_MS;
/** Most that the answers of one partition may take, so that a flood within the hour cannot fill the disks. */
const ANSWER_RETENTION_BYTES = 512 * MIB;
/** Retention removes whole closed segments: short retention needs segments that close soon. */
const ANSWER_SEGMENT_MS = 10 * MINUTE_MS;
const ANSWER_SEGMENT_BYTES = 64 * MIB;

type Settings = Readonly<Record<string, string>>;

/**
 * The broker unpacks what arrives packed: any client may write lz4 or snappy, which kafkajs does not read, and one such
 * batch would be lost to each reader. Records carry the producer's time (D2 reads it where no header tells).
 */
const COMMON: Settings = {
  'cleanup.policy': 'delete',
  'compression.type': 'uncompressed',
  'max.message.bytes': String(MAX_MESSAGE_BYTES),
  'message.timestamp.type': 'CreateTime',
};
/** What is large and not waited for stays packed, or is packed again, in a format that every client reads. */
const PACKED: Settings = { 'compression.type': 'gzip' };
/** Under these the broker stores no batch that kafkajs does not read, whatever a producer sends. */
const READABLE: ReadonlySet<string> = new Set(['uncompressed', 'gzip', 'zstd']);
const ANSWERS: Settings = {
  'retention.ms': String(ANSWER_RETENTION_MS),
  'retention.bytes': String(ANSWER_RETENTION_BYTES),
  'segment.ms': String(ANSWER_SEGMENT_MS),
  'segment.bytes': String(ANSWER_SEGMENT_BYTES),
};

/**
 * The present state of something by key. A tombstone outlives a reader that is away for a week, and compaction comes soon
 * enough that a start reads little that is superseded.
 */
const STATE: Settings = {
  'cleanup.policy': 'compact',
  'delete.retention.ms': String(7 * DAY_MS),
  'min.cleanable.dirty.ratio': '0.1',
  'segment.ms': String(DAY_MS),
};

/** A state that is forgotten after a while: compacted, and old segments go. Segments close soon, so that they can. */
function expiringState(ms: number): Settings {
  return {
    ...STATE,
    'cleanup.policy': 'compact,delete',
    'retention.ms': String(ms),
    'segment.ms': String(10 * MINUTE_MS),
  };
}

interface Entry {
  readonly partitions: number;
  readonly config: Settings;
}

const DEAD_LETTERS = entry(PARTITIONS, { ...PACKED, ...retention(DEAD_LETTER_RETENTION_MS) });

/** Every topic of the system. Replicas follow the cluster: min(3, brokers), with 3 also min.insync.replicas 2. */
const CATALOGUE: Readonly<Record<TopicKey, Entry>> = {
  scheduleRequests: entry(PARTITIONS, retention(REQUEST_RETENTION_MS)),
  scheduleBulkRequests: entry(PARTITIONS, retention(BULK_RETENTION_MS)),
  scheduleDeadLetters: DEAD_LETTERS,
  productRequests: entry(PARTITIONS, retention(REQUEST_RETENTION_MS)),
  productDeadLetters: DEAD_LETTERS,
  simulationRequests: entry(PARTITIONS, retention(REQUEST_RETENTION_MS)),
  simulationDeadLetters: DEAD_LETTERS,
  ingressReplies: entry(PARTITIONS, ANSWERS),
  ingressResults: entry(RESULT_PARTITIONS, ANSWERS),
  recalculationReplies: entry(PARTITIONS, { ...ANSWERS, ...PACKED }),
  catalogueRecords: entry(CATALOGUE_PARTITIONS, STATE),
  smsCommands: entry(PARTITIONS, retention(COMMAND_RETENTION_MS)),
  emailCommands: entry(PARTITIONS, retention(COMMAND_RETENTION_MS)),
  notificationHold: entry(PARTITIONS, expiringState(COMMAND_RETENTION_MS)),
  notificationOutcomes: entry(OUTCOME_PARTITIONS, expiringState(OUTCOME_RETENTION_MS)),
  notificationAcceptances: entry(PARTITIONS, expiringState(ACCEPTANCE_RETENTION_MS)),
  notificationDeadLetters: DEAD_LETTERS,
  deadLetterAudit: entry(CATALOGUE_PARTITIONS, retention(AUDIT_RETENTION_MS)),
};

/** The specifications of the named topics. */
export function topicSpecs(prefix: string, keys: readonly TopicKey[]): TopicSpec[] {
  return keys.map((key) => ({ topic: topicName(prefix, key), ...CATALOGUE[key] }));
}

/** The specifications of the retry tiers with these delays, in milliseconds. */
export function retryTopicSpecs(prefix: string, tiersMs: readonly number[]): TopicSpec[] {
  const retry = entry(PARTITIONS, retention(COMMAND_RETENTION_MS));
  return tiersMs.map((delayMs) => ({ topic: retryTopicName(prefix, delayMs), ...retry }));
}

/** All topics of the system: those of the catalogue, and the retry tiers as they are configured. */
export function allTopicSpecs(prefix: string, tiersMs: readonly number[]): TopicSpec[] {
  return [...topicSpecs(prefix, Object.keys(TOPIC) as TopicKey[]), ...retryTopicSpecs(prefix, tiersMs)];
}

/**
 * Refuses a start without the topics that it needs, which are made by `npm run topics -- create` only, or with topics on
 * which a producer's lz4 or snappy batches would be stored as they are. Throws ConfigError naming all of them and what to
 * do. Rejects with MessagingError when the broker cannot be asked; one that shows its settings to administrators only is
 * not checked for compression, and the log says so.
 */
export async function requireTopics(
  admin: TopicAdmin,
  names: readonly string[],
  log: Pick<Log, 'warn'>,
  spreadMs = TOPIC_SPREAD_MS,
): Promise<void> {
  const counts = await partitionCountsOf(admin, names, spreadMs);
  const missing = names.filter((name) => !counts.has(name));
  const packed = await unreadableTopics(admin, [...counts.keys()], log);
  const faults = [
    ...(missing.length === 0
      ? []
      : [`the broker lacks topics: ${missing.join(', ')}; make them by: npm run topics -- create`]),
    ...(packed.length === 0
      ? []
      : [
          `batches in lz4 or snappy would be lost on topics: ${packed.join(', ')}; set compression.type to uncompressed by: ` +
            'kafka-configs.sh --alter --entity-type topics --entity-name TOPIC --add-config compression.type=uncompressed',
        ]),
  ];
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
}

/** What is asked of topics at a start. KafkaAdmin answers both; the embedded broker packs nothing and shows no settings. */
export interface TopicAdmin extends Pick<BrokerAdmin, 'partitionCounts'> {
  topicStates?(topics: readonly string[]): Promise<ReadonlyMap<string, TopicState>>;
}

/** Of the topics that exist; a missing one is asked for again first, as not every broker knows a new topic at once. */
async function partitionCountsOf(
  admin: TopicAdmin,
  names: readonly string[],
  spreadMs: number,
): Promise<ReadonlyMap<string, number>> {
  try {
    return await existingTopics(admin, names, spreadMs);
  } catch (error) {
    if (!(error instanceof MessagingError) || error.code !== 'topic-unknown') throw error;
    return admin.partitionCounts(names);
  }
}

async function unreadableTopics(
  admin: TopicAdmin,
  names: readonly string[],
  log: Pick<Log, 'warn'>,
): Promise<string[]> {
  try {
    const states = (await admin.topicStates?.(names)) ?? new Map<string, TopicState>();
    return [...states].flatMap(([name, { config }]) => {
      const type = config.get('compression.type') ?? '';
      return READABLE.has(type) ? [] : [`${name} (compression.type=${type})`];
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

/** A topic as it is on the broker. */
export interface TopicState {
  readonly partitions: number;
  /** Settings by Kafka's names, defaults included. */
  readonly config: ReadonlyMap<string, string>;
}

/** In what a topic differs from its specification, one line each; settings that the specification leaves open are free. */
export function topicDifferences(spec: TopicSpec, state: TopicState): string[] {
  const differences: string[] = [];
  if (state.partitions !== spec.partitions) {
    differences.push(`${spec.topic} has ${state.partitions} partitions instead of ${spec.partitions}`);
  }
  for (const [name, wanted] of Object.entries(spec.config ?? {})) {
    const actual = state.config.get(name);
    if (actual !== wanted) {
      differences.push(`${spec.topic} has ${name}=${actual ?? '(none)'} instead of ${wanted}`);
    }
  }
  return differences;
}

function entry(partitions: number, config: Settings): Entry {
  return { partitions, config: { ...COMMON, ...config } };
}

function retention(ms: number): Settings {
  return { 'retention.ms': String(ms) };
}

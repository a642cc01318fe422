import { COMMAND_RETENTION_MS, OUTCOME_RETENTION_MS } from '../notification/retention.ts';
import type { BrokerAdmin, TopicSpec } from './ports.ts';
import { retryTopicName, TOPIC, topicName, type TopicKey } from './topic-names.ts';

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

/** Records stay packed as they were written, under the producer's time (D2 reads it where no header tells). */
const COMMON: Settings = {
  'cleanup.policy': 'delete',
  'compression.type': 'producer',
  'max.message.bytes': String(MAX_MESSAGE_BYTES),
  'message.timestamp.type': 'CreateTime',
};
/**
 * Upstream systems write requests with producers of their own, and kafkajs cannot read snappy or lz4: one such batch
 * would stop its partition. The broker unpacks what arrives packed; our own single requests are not packed anyway.
 */
const REQUESTS: Settings = { 'compression.type': 'uncompressed' };
const ANSWERS: Settings = {
  'retention.ms': String(ANSWER_RETENTION_MS),
  'retention.bytes': String(ANSWER_RETENTION_BYTES),
  'segment.ms': String(ANSWER_SEGMENT_MS),
  'segment.bytes': String(ANSWER_SEGMENT_BYTES),
};

/**
 * The present state of something by key. The broker unpacks what arrives packed, as with requests; a tombstone outlives
 * a reader that is away for a week, and compaction comes soon enough that a start reads little that is superseded.
 */
const STATE: Settings = {
  'cleanup.policy': 'compact',
  'compression.type': 'uncompressed',
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

/** Every topic of the system. Replicas follow the cluster: min(3, brokers), with 3 also min.insync.replicas 2. */
const CATALOGUE: Readonly<Record<TopicKey, Entry>> = {
  scheduleRequests: entry(PARTITIONS, { ...REQUESTS, ...retention(REQUEST_RETENTION_MS) }),
  scheduleBulkRequests: entry(PARTITIONS, { ...REQUESTS, ...retention(BULK_RETENTION_MS) }),
  scheduleDeadLetters: entry(PARTITIONS, retention(DEAD_LETTER_RETENTION_MS)),
  productRequests: entry(PARTITIONS, { ...REQUESTS, ...retention(REQUEST_RETENTION_MS) }),
  productDeadLetters: entry(PARTITIONS, retention(DEAD_LETTER_RETENTION_MS)),
  simulationRequests: entry(PARTITIONS, { ...REQUESTS, ...retention(REQUEST_RETENTION_MS) }),
  simulationDeadLetters: entry(PARTITIONS, retention(DEAD_LETTER_RETENTION_MS)),
  ingressReplies: entry(PARTITIONS, ANSWERS),
  ingressResults: entry(RESULT_PARTITIONS, ANSWERS),
  recalculationReplies: entry(PARTITIONS, ANSWERS),
  catalogueRecords: entry(CATALOGUE_PARTITIONS, STATE),
  smsCommands: entry(PARTITIONS, { ...REQUESTS, ...retention(COMMAND_RETENTION_MS) }),
  emailCommands: entry(PARTITIONS, { ...REQUESTS, ...retention(COMMAND_RETENTION_MS) }),
  notificationHold: entry(PARTITIONS, expiringState(COMMAND_RETENTION_MS)),
  notificationOutcomes: entry(OUTCOME_PARTITIONS, expiringState(OUTCOME_RETENTION_MS)),
  notificationAcceptances: entry(PARTITIONS, expiringState(ACCEPTANCE_RETENTION_MS)),
  notificationDeadLetters: entry(PARTITIONS, retention(DEAD_LETTER_RETENTION_MS)),
  deadLetterAudit: entry(CATALOGUE_PARTITIONS, retention(AUDIT_RETENTION_MS)),
};

/** The specifications of the named topics. */
export function topicSpecs(prefix: string, keys: readonly TopicKey[]): TopicSpec[] {
  return keys.map((key) => ({ topic: topicName(prefix, key), ...CATALOGUE[key] }));
}

/** The specifications of the retry tiers with these delays, in milliseconds. */
export function retryTopicSpecs(prefix: string, tiersMs: readonly number[]): TopicSpec[] {
  const retry = entry(PARTITIONS, { ...REQUESTS, ...retention(COMMAND_RETENTION_MS) });
  return tiersMs.map((delayMs) => ({ topic: retryTopicName(prefix, delayMs), ...retry }));
}

/** All topics of the system: those of the catalogue, and the retry tiers as they are configured. */
export function allTopicSpecs(prefix: string, tiersMs: readonly number[]): TopicSpec[] {
  return [...topicSpecs(prefix, Object.keys(TOPIC) as TopicKey[]), ...retryTopicSpecs(prefix, tiersMs)];
}

/**
 * Names of the topics that are not there, for a worker to refuse its start with: they are made by `npm run topics --
 * create` only. Rejects with MessagingError when the broker cannot be asked.
 */
export async function missingTopics(
  admin: Pick<BrokerAdmin, 'partitionCounts'>,
  prefix: string,
  keys: readonly TopicKey[],
  tiersMs: readonly number[] = [],
): Promise<string[]> {
  const names = [
    ...keys.map((key) => topicName(prefix, key)),
    ...tiersMs.map((delayMs) => retryTopicName(prefix, delayMs)),
  ];
  const counts = await admin.partitionCounts(names);
  return names.filter((name) => !counts.has(name));
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

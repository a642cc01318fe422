/** Partitions and configuration of every topic. */

import {
  ACCEPTANCE_RETENTION_MS,
  COMMAND_RETENTION_MS,
  OUTCOME_RETENTION_MS,
} from '../../platform/retention.ts';
import type { TopicSpec, TopicState, TopicStorage } from '../ports.ts';
import { retryTopicNames, TOPIC, topicName, type TopicKey } from './topics.ts';

const MIB = 1_024 * 1_024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Maximum number of consumers of a worker. Never changed on an existing topic, since keys would move to other partitions. */
const PARTITIONS = 12;
/** Every ingress reads all results, so fewer partitions make that cheaper. */
const RESULT_PARTITIONS = 6;
/** Every notification worker and every ingress reads all outcomes; fewer partitions make reading and produce requests cheaper. */
const OUTCOME_PARTITIONS = 3;
/** One partition orders all records, so that a product is never read before its lists; there are few records. */
const CATALOGUE_PARTITIONS = 1;
/** The largest message is a simulation with the schedules of all offers; a schedule of 1,200 instalments is below 1 MiB. */
const MAX_MESSAGE_BYTES = 8 * MIB;
/** Requests can be investigated on the next day, bulk requests also after a weekend. */
const REQUEST_RETENTION_MS = DAY_MS;
const BULK_RETENTION_MS = 7 * DAY_MS;
/** No requester waits for a reply or fetches a result longer than this. */
const ANSWER_RETENTION_MS = HOUR_MS;
/** Dead letters can be investigated and redriven for a month. */
const DEAD_LETTER_RETENTION_MS = 30 * DAY_MS;
/** Audits need to know who redrove or discarded a dead letter long after the letter was deleted. */
const AUDIT_RETENTION_MS = 365 * DAY_MS;
/** Maximum size of the replies in one partition, so that a flood within the hour cannot fill the disks. */
const ANSWER_RETENTION_BYTES = 512 * MIB;
/** Retention deletes only closed segments: a short retention needs segments that close soon. */
const ANSWER_SEGMENT_MS = 10 * MINUTE_MS;
const ANSWER_SEGMENT_BYTES = 64 * MIB;

type Settings = Readonly<Record<string, string>>;

/**
 * The broker decompresses batches when it stores them: other clients may write lz4 or snappy, which kafkajs cannot read, and
 * every consumer would skip such a batch. Records have the producer's time, the default of plat-origin-timestamp (D2).
 */
const COMMON: Settings = {
  'cleanup.policy': 'delete',
  'compression.type': 'uncompressed',
  'max.message.bytes': String(MAX_MESSAGE_BYTES),
  'message.timestamp.type': 'CreateTime',
};
/** Large records that are not latency-sensitive are stored in a compression that every client can read. */
const COMPRESSED: Settings = { 'compression.type': 'gzip' };
const ANSWERS: Settings = {
  'retention.ms': String(ANSWER_RETENTION_MS),
  'retention.bytes': String(ANSWER_RETENTION_BYTES),
  'segment.ms': String(ANSWER_SEGMENT_MS),
  'segment.bytes': String(ANSWER_SEGMENT_BYTES),
};

/**
 * The latest state by key. Tombstones are kept for a week, for readers that are down for that long, and compaction
 * runs often, so that a starting process reads few superseded records.
 */
const STATE: Settings = {
  'cleanup.policy': 'compact',
  'delete.retention.ms': String(7 * DAY_MS),
  'min.cleanable.dirty.ratio': '0.1',
  'segment.ms': String(DAY_MS),
};

/** State that expires: compacted, and deleted after the retention time, for which segments must close soon. */
function expiringState(ms: number): Settings {
  return {
    ...STATE,
    'cleanup.policy': 'compact,delete',
    'retention.ms': String(ms),
    'segment.ms': String(10 * MINUTE_MS),
  };
}

/** Quotas count one UTC day; the rest allows for clock differences. Retention deletes only closed segments. */
const USAGE: Settings = { 'retention.ms': String(26 * HOUR_MS), 'segment.ms': String(10 * MINUTE_MS) };

type Entry = Required<Pick<TopicSpec, 'partitions' | 'config'>> & Pick<TopicSpec, 'storage'>;

const DEAD_LETTERS = entry(PARTITIONS, { ...COMPRESSED, ...retention(DEAD_LETTER_RETENTION_MS) });

/** Replication follows the cluster: min(3, brokers), with 3 also min.insync.replicas 2. */
const SETTINGS: Readonly<Record<TopicKey, Entry>> = {
  scheduleRequests: entry(PARTITIONS, retention(REQUEST_RETENTION_MS), 'as-reply'),
  scheduleBulkRequests: entry(PARTITIONS, retention(BULK_RETENTION_MS), 'as-reply'),
  scheduleDeadLetters: DEAD_LETTERS,
  productRequests: entry(PARTITIONS, retention(REQUEST_RETENTION_MS), 'as-reply'),
  productDeadLetters: DEAD_LETTERS,
  simulationRequests: entry(PARTITIONS, retention(REQUEST_RETENTION_MS), 'as-reply'),
  simulationDeadLetters: DEAD_LETTERS,
  ingressReplies: entry(PARTITIONS, ANSWERS, 'memory'),
  ingressResults: entry(RESULT_PARTITIONS, ANSWERS),
  recalculationReplies: entry(PARTITIONS, { ...ANSWERS, ...COMPRESSED }, 'memory'),
  catalogueRecords: entry(CATALOGUE_PARTITIONS, STATE),
  smsCommands: entry(PARTITIONS, retention(COMMAND_RETENTION_MS)),
  emailCommands: entry(PARTITIONS, retention(COMMAND_RETENTION_MS)),
  smsUrgentCommands: entry(PARTITIONS, retention(COMMAND_RETENTION_MS)),
  emailUrgentCommands: entry(PARTITIONS, retention(COMMAND_RETENTION_MS)),
  notificationHold: entry(PARTITIONS, expiringState(COMMAND_RETENTION_MS)),
  notificationOutcomes: entry(OUTCOME_PARTITIONS, expiringState(OUTCOME_RETENTION_MS)),
  notificationAcceptances: entry(PARTITIONS, expiringState(ACCEPTANCE_RETENTION_MS)),
  notificationUsage: entry(OUTCOME_PARTITIONS, USAGE),
  notificationDeadLetters: DEAD_LETTERS,
  deadLetterAudit: entry(CATALOGUE_PARTITIONS, retention(AUDIT_RETENTION_MS)),
};

/** The specifications of these topics. */
export function topicSpecs(prefix: string, keys: readonly TopicKey[]): TopicSpec[] {
  return keys.map((key) => ({ topic: topicName(prefix, key), ...SETTINGS[key] }));
}

/** The specifications of all topics, including the retry tiers with the configured delays (milliseconds). */
export function allTopicSpecs(prefix: string, retryTiersMs: readonly number[]): TopicSpec[] {
  const retryTier = entry(PARTITIONS, retention(COMMAND_RETENTION_MS));
  return [
    ...topicSpecs(prefix, Object.keys(TOPIC) as TopicKey[]),
    ...retryTopicNames(prefix, retryTiersMs).map((topic) => ({ topic, ...retryTier })),
  ];
}

/** The differences between a topic and its specification as text; settings that the specification omits may have any value. */
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

function entry(partitions: number, config: Settings, storage?: TopicStorage): Entry {
  return {
    partitions,
    config: { ...COMMON, ...config },
    ...(storage === undefined ? {} : { storage }),
  };
}

function retention(ms: number): Settings {
  return { 'retention.ms': String(ms) };
}

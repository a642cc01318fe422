import type { MessageTopic } from '../../../schemas/messages.ts';
import {
  ACCEPTANCE_RETENTION_MS,
  COMMAND_RETENTION_MS,
  OUTCOME_RETENTION_MS,
} from '../../platform/retention.ts';
import type { TopicSpec, TopicState } from '../ports.ts';

const MIB = 1_024 * 1_024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Maximum number of consumers that share a topic. Must not change for existing topics, whose keys would move. */
const PARTITIONS = 12;
/** Every ingress reads all results, so fewer partitions make that cheaper. */
const RESULT_PARTITIONS = 6;
/** Every notification worker and ingress reads all outcomes and usage. With fewer partitions that costs less. */
const OUTCOME_PARTITIONS = 3;
/** One partition orders all records, so that a product is never read before its lists. There are few records a second. */
const ORDERED_PARTITIONS = 1;
/** The largest message is a simulation with the schedules of all offers. 1,200 instalments take less than 1 MiB. */
export const MAX_MESSAGE_BYTES = 8 * MIB;
/** Requests can be investigated on the next day. */
const REQUEST_RETENTION_MS = DAY_MS;
/** Bulk requests can be investigated even after a weekend. */
const BULK_RETENTION_MS = 7 * DAY_MS;
/** No requester waits for a reply or fetches a result for longer than this. */
const ANSWER_RETENTION_MS = HOUR_MS;
/** Dead letters can be investigated and redriven for a month. */
const DEAD_LETTER_RETENTION_MS = 30 * DAY_MS;
/** Audits need to know who redrove or discarded a dead letter long after the letter was deleted. */
const AUDIT_RETENTION_MS = 365 * DAY_MS;
/** Maximum size of the replies in one partition, so that a flood within the hour cannot fill the disks. */
const ANSWER_RETENTION_BYTES = 512 * MIB;
/** Kafka deletes only closed segments, so a short retention needs segments that close early, by age or by size. */
const ANSWER_SEGMENT_MS = 10 * MINUTE_MS;
const ANSWER_SEGMENT_BYTES = 64 * MIB;

type Settings = Readonly<Record<string, string>>;

/** Brokers decompress batches: our consumers cannot read lz4 or snappy of other producers. Producers set times (D2). */
const COMMON: Settings = {
  'cleanup.policy': 'delete',
  'compression.type': 'uncompressed',
  'max.message.bytes': String(MAX_MESSAGE_BYTES),
  'message.timestamp.type': 'CreateTime',
};
/** For large records that need no low latency: a compression that every client can read. */
const COMPRESSED: Settings = { 'compression.type': 'gzip' };
const ANSWERS: Settings = {
  'retention.ms': String(ANSWER_RETENTION_MS),
  'retention.bytes': String(ANSWER_RETENTION_BYTES),
  'segment.ms': String(ANSWER_SEGMENT_MS),
  'segment.bytes': String(ANSWER_SEGMENT_BYTES),
};

/** Tombstones stay for a week, for readers that were down. Frequent compaction leaves few superseded records. */
const STATE: Settings = {
  'cleanup.policy': 'compact',
  'delete.retention.ms': String(7 * DAY_MS),
  'min.cleanable.dirty.ratio': '0.1',
  'segment.ms': String(DAY_MS),
};

function expiringState(ms: number): Settings {
  return {
    ...STATE,
    'cleanup.policy': 'compact,delete',
    'retention.ms': String(ms),
    'segment.ms': String(10 * MINUTE_MS),
  };
}

/** Quotas count a UTC day; two hours are for clock skew. Segments close early, since only closed ones are deleted. */
const USAGE: Settings = { 'retention.ms': String(26 * HOUR_MS), 'segment.ms': String(10 * MINUTE_MS) };

/** A verification is known for two hours; the third is for clock skew. */
const VERIFICATIONS: Settings = {
  'retention.ms': String(3 * HOUR_MS),
  'segment.ms': String(10 * MINUTE_MS),
};

/** All topics by their keys, except retry tiers. Replication: min(3, brokers), with 3 also min.insync.replicas 2. */
const LIST = {
  scheduleRequests: requests('plat.schedule.requests.v1'),
  scheduleBulkRequests: requests('plat.schedule.requests.bulk.v1', BULK_RETENTION_MS),
  scheduleDeadLetters: deadLetters('plat.schedule.dead-letters.v1'),
  productRequests: requests('plat.product.requests.v1'),
  productDeadLetters: deadLetters('plat.product.dead-letters.v1'),
  simulationRequests: requests('plat.simulation.requests.v1'),
  simulationDeadLetters: deadLetters('plat.simulation.dead-letters.v1'),
  ingressReplies: { ...entry('plat.ingress.replies.v1', ANSWERS), storage: 'memory' },
  ingressResults: entry('plat.ingress.results.v1', ANSWERS, RESULT_PARTITIONS),
  recalculationReplies: {
    ...entry('plat.recalculation.replies.v1', { ...ANSWERS, ...COMPRESSED }),
    storage: 'memory',
  },
  catalogueRecords: entry('plat.catalogue.records.v1', STATE, ORDERED_PARTITIONS),
  smsCommands: commands('plat.notification.commands.sms.v1'),
  emailCommands: commands('plat.notification.commands.email.v1'),
  smsUrgentCommands: commands('plat.notification.commands.sms.urgent.v1'),
  emailUrgentCommands: commands('plat.notification.commands.email.urgent.v1'),
  notificationCallbacks: commands('plat.notification.callbacks.v1'),
  notificationHold: entry('plat.notification.hold.v1', expiringState(COMMAND_RETENTION_MS)),
  notificationOutcomes: entry(
    'plat.notification.outcomes.v1',
    expiringState(OUTCOME_RETENTION_MS),
    OUTCOME_PARTITIONS,
  ),
  notificationAcceptances: entry('plat.notification.acceptances.v1', expiringState(ACCEPTANCE_RETENTION_MS)),
  // Checks have typed codes, which are not kept for longer than their verifications.
  verificationRequests: entry('plat.notification.verification-requests.v1', VERIFICATIONS),
  notificationVerifications: entry('plat.notification.verifications.v1', VERIFICATIONS, OUTCOME_PARTITIONS),
  notificationUsage: entry('plat.notification.usage.v1', USAGE, OUTCOME_PARTITIONS),
  notificationSuppressions: entry('plat.notification.suppressions.v1', STATE, ORDERED_PARTITIONS),
  notificationDeadLetters: deadLetters('plat.notification.dead-letters.v1'),
  deadLetterAudit: entry('plat.dead-letters.audit.v1', retention(AUDIT_RETENTION_MS), ORDERED_PARTITIONS),
} as const satisfies Readonly<Record<MessageTopic, Entry>> & Readonly<Record<string, Entry>>;

export type TopicKey = keyof typeof LIST;

const KEYS = Object.keys(LIST) as TopicKey[];

/** Names without the prefix. */
export const TOPIC = Object.fromEntries(KEYS.map((key) => [key, LIST[key].topic])) as Readonly<
  Record<TopicKey, string>
>;

/** The name on the broker. The prefix isolates tests and tenants from each other. */
export function topicName(prefix: string, key: TopicKey): string {
  return prefix + TOPIC[key];
}

export function topicNames(prefix: string, keys: readonly TopicKey[]): readonly string[] {
  return keys.map((key) => topicName(prefix, key));
}

export const DEAD_LETTER_TOPICS = findTopics(/\.dead-letters\.v\d+$/);
export const COMMAND_TOPICS = findTopics(/\.commands\.[a-z]+(?:\.urgent)?\.v\d+$/);
export const WORK_TOPICS = [...findTopics(/\.(?:requests(\.bulk)?|callbacks)\.v\d+$/), ...COMMAND_TOPICS];
const REPLY_TOPICS: readonly TopicKey[] = ['ingressReplies', 'ingressResults', 'recalculationReplies'];

export function ownReplyTopics(prefix: string): readonly string[] {
  return topicNames(prefix, REPLY_TOPICS);
}

/** Urgent notifications have tiers of their own, because a partition returns its copies in order, at a limited rate. */
export function retryTopicName(prefix: string, delayMs: number, priority: Priority = 'normal'): string {
  const urgent = priority === 'urgent' ? '.urgent' : '';
  return `${prefix}plat.notification.retry.${delayLabel(delayMs)}${urgent}.v1`;
}

export type Priority = 'normal' | 'urgent';

export function retryTopicNames(prefix: string, retryTiersMs: readonly number[]): readonly string[] {
  return (['normal', 'urgent'] as const).flatMap((priority) =>
    retryTiersMs.map((delayMs) => retryTopicName(prefix, delayMs, priority)),
  );
}

const UNITS = [
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'm'],
  [1_000, 's'],
] as const;

/** Writes a delay, which is in whole seconds, as topic names have it: `10s`, `1m`, `10m`, `1h`. */
export function delayLabel(delayMs: number): string {
  const [unitMs, unit] = UNITS.find(([ms]) => delayMs % ms === 0) ?? [1, 'ms'];
  return `${delayMs / unitMs}${unit}`;
}

function findTopics(pattern: RegExp): readonly TopicKey[] {
  return KEYS.filter((key) => pattern.test(TOPIC[key]));
}

export function topicSpecs(prefix: string, keys: readonly TopicKey[]): TopicSpec[] {
  return keys.map((key) => ({ ...LIST[key], topic: topicName(prefix, key) }));
}

export function allTopicSpecs(prefix: string, retryTiersMs: readonly number[]): TopicSpec[] {
  return [...topicSpecs(prefix, KEYS), ...retryTopicNames(prefix, retryTiersMs).map(commands)];
}

/** A sentence for each difference between a topic and its definition. */
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

type Entry = Required<Pick<TopicSpec, 'topic' | 'partitions' | 'config'>> & Pick<TopicSpec, 'storage'>;

function entry(topic: string, config: Settings, partitions = PARTITIONS): Entry {
  return { topic, partitions, config: { ...COMMON, ...config } };
}

function requests(topic: string, retentionMs = REQUEST_RETENTION_MS): Entry {
  return { ...entry(topic, retention(retentionMs)), storage: 'as-reply' };
}

function commands(topic: string): Entry {
  return entry(topic, retention(COMMAND_RETENTION_MS));
}

function deadLetters(topic: string): Entry {
  return entry(topic, { ...COMPRESSED, ...retention(DEAD_LETTER_RETENTION_MS) });
}

function retention(ms: number): Settings {
  return { 'retention.ms': String(ms) };
}

import { MessagingError } from '../../platform/errors.ts';
import { HEADER, headerText } from '../headers.ts';
import type { OutgoingMessage } from '../message.ts';
import type { TopicSpec } from '../ports.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** Kafka's defaults, so that a topic without these settings behaves the same on both brokers. */
const DEFAULT_RETENTION_MS = 7 * 24 * HOUR_MS;
const DEFAULT_DELETE_RETENTION_MS = 24 * HOUR_MS;
const DEFAULT_MAX_MESSAGE_BYTES = 1_048_588;
const TOPIC_NAME = /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}$/;

export interface MemoryLimits {
  readonly maxRecordsPerTopic: number;
  readonly maxBytesPerTopic: number;
  /** Limits of the records in memory. At a limit, publishers wait for readers and disk. Default: the limits above. */
  readonly memoryRecordsPerTopic?: number;
  readonly memoryBytesPerTopic?: number;
  /** Limits of the records that stay in memory once they are stored or read by all. Default: the first two limits. */
  readonly keptRecordsPerTopic?: number;
  readonly keptBytesPerTopic?: number;
}

export interface EmbeddedTopicConfig {
  readonly compact: boolean;
  readonly delete: boolean;
  readonly retentionMs: number;
  readonly deleteRetentionMs: number;
  readonly maxMessageBytes: number;
  readonly maxRecords: number;
  readonly maxBytes: number;
  readonly memoryRecords: number;
  readonly memoryBytes: number;
  readonly keptRecords: number;
  readonly keptBytes: number;
}

/** Parses a topic's settings. Throws MessagingError `invalid-topic`, whose message names the invalid setting. */
export function parseTopicConfig(spec: TopicSpec, limits: MemoryLimits): EmbeddedTopicConfig {
  if (!TOPIC_NAME.test(spec.topic))
    throw invalid(spec, 'its name must have 1 to 249 letters, digits, dots, dashes and underscores');
  if (!Number.isInteger(spec.partitions) || spec.partitions < 1)
    throw invalid(spec, 'it needs at least one partition');
  const policies = (spec.config?.['cleanup.policy'] ?? 'delete').split(',').map((policy) => policy.trim());
  if (policies.some((policy) => policy !== 'compact' && policy !== 'delete')) {
    throw invalid(spec, 'cleanup.policy must be compact, delete or both');
  }
  const retentionBytes = setting(spec, 'retention.bytes', -1);
  const { maxRecordsPerTopic: records, maxBytesPerTopic: bytes } = limits;
  const share = (ofTopic: number): number => Math.max(1, Math.floor(ofTopic / spec.partitions));
  return {
    compact: policies.includes('compact'),
    delete: policies.includes('delete'),
    retentionMs: unlimitedIfNegative(setting(spec, 'retention.ms', DEFAULT_RETENTION_MS)),
    deleteRetentionMs: setting(spec, 'delete.retention.ms', DEFAULT_DELETE_RETENTION_MS),
    maxMessageBytes: setting(spec, 'max.message.bytes', DEFAULT_MAX_MESSAGE_BYTES),
    maxRecords: share(records),
    maxBytes: Math.min(unlimitedIfNegative(retentionBytes), share(bytes)),
    memoryRecords: share(Math.min(limits.memoryRecordsPerTopic ?? records, records)),
    memoryBytes: share(Math.min(limits.memoryBytesPerTopic ?? bytes, bytes)),
    keptRecords: share(limits.keptRecordsPerTopic ?? records),
    keptBytes: share(limits.keptBytesPerTopic ?? bytes),
  };
}

/** Whether a message stays in memory only. A request does if its reply does, unless redriven: then no caller waits. */
export function isInMemory(
  { storage }: TopicSpec,
  { headers = {} }: OutgoingMessage,
  findSpec: (topic: string) => TopicSpec | undefined,
): boolean {
  if (storage !== 'as-reply') return storage === 'memory';
  const replyTopic = headerText(headers, HEADER.replyTopic);
  if (replyTopic === undefined || headers[HEADER.redriveCount] !== undefined) return false;
  return findSpec(replyTopic)?.storage === 'memory';
}

function setting(spec: TopicSpec, name: string, otherwise: number): number {
  const text = spec.config?.[name];
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value)) throw invalid(spec, `${name} must be a whole number`);
  return value;
}

function unlimitedIfNegative(value: number): number {
  return value < 0 ? Infinity : value;
}

function invalid(spec: TopicSpec, why: string): MessagingError {
  return new MessagingError('invalid-topic', `topic ${spec.topic}: ${why}`, { canRetry: false });
}

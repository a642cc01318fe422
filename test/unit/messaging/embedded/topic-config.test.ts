import { expect, test } from 'vitest';
import { parseTopicConfig } from '../../../../shared/messaging/embedded/topic-config.ts';

const LIMITS = { maxRecordsPerTopic: 1_000, maxBytesPerTopic: 64_000 };

test("a topic has Kafka's defaults and an equal share of the limits for each partition", () => {
  const equal = { maxRecords: 250, memoryRecords: 250, keptRecords: 250 };
  const bytes = { maxBytes: 16_000, memoryBytes: 16_000, keptBytes: 16_000 };
  const defaults = { retentionMs: 604_800_000, deleteRetentionMs: 86_400_000, maxMessageBytes: 1_048_588 };
  const expected = { compact: false, delete: true, ...defaults, ...equal, ...bytes };
  expect(parseTopicConfig({ topic: 't', partitions: 4 }, LIMITS)).toEqual(expected);
});

test('settings of a topic and limits of memory lower its shares, to one record at least', () => {
  const config = { 'cleanup.policy': 'compact, delete', 'retention.bytes': '5000', 'retention.ms': '-1' };
  const memory = { memoryRecordsPerTopic: 40, memoryBytesPerTopic: 400, keptRecordsPerTopic: 3 };
  const limits = { ...LIMITS, ...memory, keptBytesPerTopic: 2_000_000 };
  const policy = { compact: true, delete: true, retentionMs: Infinity, maxBytes: 5_000 };
  const expected = { ...policy, memoryRecords: 10, memoryBytes: 100, keptRecords: 1, keptBytes: 500_000 };
  expect(parseTopicConfig({ topic: 't', partitions: 4, config }, limits)).toMatchObject(expected);
});

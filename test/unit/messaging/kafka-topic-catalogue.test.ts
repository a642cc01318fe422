import { describe, expect, test } from 'vitest';
import { missingTopics, topicDifferences, topicSpecs } from '../../../shared/messaging/topic-catalogue.ts';
import { TOPIC, type TopicKey } from '../../../shared/messaging/topic-names.ts';

const KEYS = Object.keys(TOPIC) as TopicKey[];
const HOUR_MS = 3_600_000;

function specOf(key: TopicKey) {
  const [spec] = topicSpecs('', [key]);
  if (spec === undefined) throw new Error(`no specification of ${key}`);
  return spec;
}

function retentionOf(key: TopicKey): number {
  return Number(specOf(key).config?.['retention.ms']);
}

function asSpecified(key: TopicKey) {
  const { partitions, config = {} } = specOf(key);
  return { partitions, config: new Map(Object.entries(config)) };
}

describe('topic catalogue', () => {
  test('specifies every topic of the system under its prefixed name', () => {
    expect(topicSpecs('x.', KEYS).map(({ topic }) => topic)).toEqual(KEYS.map((key) => `x.${TOPIC[key]}`));
  });

  test('work has 12 partitions, results have 6, and every topic takes records of 8 MiB', () => {
    expect(specOf('scheduleRequests').partitions).toBe(12);
    expect(specOf('ingressReplies').partitions).toBe(12);
    expect(specOf('ingressResults').partitions).toBe(6);
    for (const key of KEYS) {
      expect(specOf(key).config).toMatchObject({ 'max.message.bytes': String(8 * 1_024 * 1_024) });
    }
  });

  test('the broker unpacks requests, which others may pack as kafkajs cannot read, and keeps answers packed', () => {
    for (const key of ['scheduleRequests', 'scheduleBulkRequests'] as const) {
      expect(specOf(key).config?.['compression.type']).toBe('uncompressed');
    }
    expect(specOf('ingressReplies').config?.['compression.type']).toBe('producer');
  });

  test('results go after an hour and are capped, and segments close soon enough for both', () => {
    const { config = {} } = specOf('ingressResults');
    expect(config['cleanup.policy']).toBe('delete');
    expect(Number(config['retention.ms'])).toBe(HOUR_MS);
    expect(Number(config['segment.ms'])).toBeLessThan(HOUR_MS);
    expect(Number(config['segment.bytes'])).toBeLessThan(Number(config['retention.bytes']));
  });

  test('the catalogue keeps its newest records for ever, in one order', () => {
    const { partitions, config = {} } = specOf('catalogueRecords');
    expect(partitions).toBe(1);
    expect(config).toMatchObject({ 'cleanup.policy': 'compact', 'compression.type': 'uncompressed' });
    expect(config['retention.ms']).toBeUndefined();
    expect(Number(config['delete.retention.ms'])).toBeGreaterThan(24 * HOUR_MS);
  });

  test('dead letters outlive the requests they came from', () => {
    expect(retentionOf('scheduleDeadLetters')).toBeGreaterThan(retentionOf('scheduleBulkRequests'));
  });

  test('names the topics that are missing, with their prefix', async () => {
    const admin = { partitionCounts: async () => new Map([[`p.${TOPIC.ingressReplies}`, 12]]) };
    expect(await missingTopics(admin, 'p.', ['ingressReplies', 'ingressResults'])).toEqual([
      `p.${TOPIC.ingressResults}`,
    ]);
  });

  test('a topic as specified shows no difference, whatever other settings it has', () => {
    const state = asSpecified('ingressResults');
    state.config.set('flush.ms', '7');
    expect(topicDifferences(specOf('ingressResults'), state)).toEqual([]);
  });

  test('a differing partition count and setting are named with what is and what should be', () => {
    const state = { ...asSpecified('ingressResults'), partitions: 3 };
    state.config.set('retention.ms', '5').delete('segment.ms');
    expect(topicDifferences(specOf('ingressResults'), state)).toEqual([
      `${TOPIC.ingressResults} has 3 partitions instead of 6`,
      `${TOPIC.ingressResults} has retention.ms=5 instead of 3600000`,
      `${TOPIC.ingressResults} has segment.ms=(none) instead of 600000`,
    ]);
  });
});

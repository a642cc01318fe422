import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TopicPartitions } from '../../../../../../shared/messaging/kafka/common/publishing/topic-partitions.ts';

const FIVE_MINUTES_MS = 300_000;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.advanceTimersByTime(1);
});
afterEach(() => vi.useRealTimers());

/** The cache for a broker with these topics, and the queries that the broker receives. */
function setUp(counts: Record<string, number>) {
  const queries: string[] = [];
  const topics = new TopicPartitions({
    partitionCounts: async ([topic = '']) => {
      queries.push(topic);
      const count = counts[topic];
      return new Map(count === undefined ? [] : [[topic, count]]);
    },
  });
  return { topics, queries };
}

describe('TopicPartitions', () => {
  test('sends one query for concurrent calls, and caches the count', async () => {
    const { topics, queries } = setUp({ t: 3 });
    expect(topics.known('t')).toBe(undefined);
    expect(await Promise.all([topics.find('t'), topics.find('t')])).toEqual([3, 3]);
    expect(topics.known('t')).toBe(3);
    expect(queries).toEqual(['t']);
  });

  test('refreshes counts older than five minutes in the background', async () => {
    const counts = { t: 3 };
    const { topics, queries } = setUp(counts);
    await topics.find('t');
    counts.t = 5;
    await vi.advanceTimersByTimeAsync(FIVE_MINUTES_MS - 1);
    expect(topics.known('t')).toBe(3);
    expect(queries).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(topics.known('t')).toBe(3);
    await vi.advanceTimersByTimeAsync(0);
    expect(topics.known('t')).toBe(5);
  });

  test('repeats the query for a new topic that the broker does not know yet', async () => {
    const counts: Record<string, number> = {};
    const { topics, queries } = setUp(counts);
    const found = topics.find('t');
    await vi.advanceTimersByTimeAsync(900);
    counts['t'] = 2;
    await vi.advanceTimersByTimeAsync(100);
    expect(await found).toBe(2);
    expect(queries).toHaveLength(3);
  });

  test('caches a missing topic for two seconds', async () => {
    const counts: Record<string, number> = {};
    const { topics, queries } = setUp(counts);
    const missing = topics.find('t').catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await missing).toMatchObject({ code: 'topic-unknown', message: 'there is no topic t' });
    counts['t'] = 2;
    await vi.advanceTimersByTimeAsync(1_999);
    await expect(topics.find('t')).rejects.toMatchObject({ code: 'topic-unknown' });
    expect(topics.known('t')).toBe(undefined);
    expect(queries).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(2);
    expect(await topics.find('t')).toBe(2);
  });

  test('keeps the counts of the 1,000 topics that were used last', async () => {
    const names = Array.from({ length: 1_001 }, (_, index) => `t${index}`);
    const { topics } = setUp(Object.fromEntries(names.map((name) => [name, 1])));
    for (const name of names.slice(0, 1_000)) await topics.find(name);
    await topics.find('t0');
    expect(topics.known('t1')).toBe(1);
    await topics.find('t1000');
    expect(['t0', 't1', 't2', 't1000'].map((name) => topics.known(name))).toEqual([1, 1, undefined, 1]);
  });
});

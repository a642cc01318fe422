import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { TopicPartitions } from '../../../../shared/messaging/topics/topic-partitions.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.advanceTimersByTime(1);
});
afterEach(() => vi.useRealTimers());

function setUp(counts: Record<string, number>) {
  const queries: string[] = [];
  const admin = {
    partitionCounts: async ([topic = '']: readonly string[]) => {
      queries.push(topic);
      const count = counts[topic];
      return new Map(count === undefined ? [] : [[topic, count]]);
    },
  };
  return { topics: new TopicPartitions(admin, systemPorts, 3), queries };
}

it('TopicPartitions caches a missing topic for two seconds', async () => {
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

it('TopicPartitions asks again for a lacking partition after two seconds, and for an old count, which it returns meanwhile', async () => {
  const counts = { t: 2 };
  const { topics, queries } = setUp(counts);
  await topics.find('t');
  counts.t = 3;
  expect([topics.known('t', 1), topics.known('t', 2)]).toEqual([2, 2]);
  await vi.advanceTimersByTimeAsync(2_001);
  expect([topics.known('t', 1), topics.known('t', 2)]).toEqual([2, undefined]);
  expect(await topics.find('t')).toBe(3);
  await vi.advanceTimersByTimeAsync(300_001);
  counts.t = 4;
  expect(topics.known('t')).toBe(3);
  await vi.advanceTimersByTimeAsync(0);
  expect([topics.known('t'), queries.length]).toEqual([4, 3]);
});

it('TopicPartitions keeps the counts of the 1,000 topics that were used last', async () => {
  const names = Array.from({ length: 1_001 }, (_, index) => `t${index}`);
  const { topics } = setUp(Object.fromEntries(names.map((name) => [name, 1])));
  for (const name of names.slice(0, 1_000)) await topics.find(name);
  await topics.find('t0');
  expect(topics.known('t1')).toBe(1);
  await topics.find('t1000');
  expect(['t0', 't1', 't2', 't1000'].map((name) => topics.known(name))).toEqual([1, 1, undefined, 1]);
});

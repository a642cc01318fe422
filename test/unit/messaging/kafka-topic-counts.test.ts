import type { Admin } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { topicCounts, topicCountsNow } from '../../../shared/messaging/kafka-topic-counts.ts';

/** A broker that hears of topics at given times, and says of others what Kafka says of a topic it does not know. */
function brokerThatHears(topics: Record<string, number>) {
  const asked: string[] = [];
  const fetchTopicMetadata: Admin['fetchTopicMetadata'] = async (options) => {
    const topic = options?.topics[0] ?? '';
    asked.push(topic);
    const heardAt = topics[topic];
    if (heardAt === undefined || Date.now() < heardAt) {
      throw Object.assign(new Error('no such topic'), { type: 'UNKNOWN_TOPIC_OR_PARTITION' });
    }
    const partitions = [0, 1, 2].map((partitionId) => ({
      partitionErrorCode: 0,
      partitionId,
      leader: 1,
      replicas: [1],
      isr: [1],
    }));
    return { topics: [{ name: topic, partitions }] };
  };
  return { asked, admin: { fetchTopicMetadata } };
}

const connectionLost = () => Promise.reject(new Error('connection lost'));

describe('partition counts on Kafka', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are there at once, by one question for each topic, where the broker knows them', async () => {
    const { admin, asked } = brokerThatHears({ a: 0, b: 0 });
    expect([...(await topicCounts(admin, ['a', 'b', 'a']))]).toEqual([
      ['a', 3],
      ['b', 3],
    ]);
    expect(asked).toEqual(['a', 'b']);
  });

  it('of a new topic are waited for, without asking for the others again', async () => {
    const { admin, asked } = brokerThatHears({ old: 0, fresh: 700 });
    const counted = topicCounts(admin, ['old', 'fresh']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(Object.fromEntries(await counted)).toEqual({ old: 3, fresh: 3 });
    expect(asked.filter((topic) => topic === 'old')).toHaveLength(1);
  });

  it('leave out what does not appear within two seconds', async () => {
    const { admin } = brokerThatHears({ old: 0 });
    const counted = topicCounts(admin, ['absent', 'old']);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(Object.fromEntries(await counted)).toEqual({ old: 3 });
  });

  it('of this moment are asked for once', async () => {
    const { admin, asked } = brokerThatHears({ fresh: 700 });
    expect((await topicCountsNow(admin, ['fresh'])).size).toBe(0);
    expect(asked).toEqual(['fresh']);
  });

  it('do not hide an error of another kind', async () => {
    const admin = { fetchTopicMetadata: connectionLost };
    await expect(topicCounts(admin, ['a'])).rejects.toThrow('connection lost');
  });
});

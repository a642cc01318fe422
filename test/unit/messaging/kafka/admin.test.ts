import { describe, expect, it } from 'vitest';
import { KafkaAdmin } from '../../../../shared/messaging/kafka/admin.ts';
import type { CreateKafkaClient } from '../../../../shared/messaging/kafka/connection/client.ts';

interface CreatedTopics {
  readonly topics: readonly { readonly topic: string; readonly replicationFactor: number }[];
}

/** An admin of a cluster of which `live` brokers are up. */
function adminOf(live: number) {
  const created: string[] = [];
  const admin = {
    events: {},
    on: () => () => undefined,
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    listTopics: () => Promise.resolve([]),
    describeCluster: () =>
      Promise.resolve({ brokers: Array.from({ length: live }, (_, nodeId) => ({ nodeId })) }),
    createTopics: ({ topics }: CreatedTopics) => {
      created.push(...topics.map(({ topic, replicationFactor }) => `${topic} x${replicationFactor}`));
      return Promise.resolve(true);
    },
    fetchTopicMetadata: () =>
      Promise.resolve({
        topics: [{ name: 'a', partitions: [{ partitionErrorCode: 0, partitionId: 0, leader: 0 }] }],
      }),
  };
  const client = {
    kafka: { admin: () => admin },
    connections: { destroy: () => undefined },
    onSilent: () => undefined,
  };
  const createClient = (() => client) as unknown as CreateKafkaClient;
  return { admin: new KafkaAdmin(createClient, 'test'), created };
}

describe('replicas of new topics', () => {
  it('are never fewer than asked for because brokers are still starting', async () => {
    const { admin, created } = adminOf(1);
    await expect(
      admin.createTopics([{ topic: 'a', partitions: 1, replicationFactor: 3 }]),
    ).rejects.toMatchObject({ code: 'broker-unavailable', canRetry: true });
    expect(created).toEqual([]);
  });

  it('are on three brokers at most where nothing is asked for', async () => {
    for (const [live, replicas] of [
      [1, 1],
      [2, 2],
      [5, 3],
    ] as const) {
      const { admin, created } = adminOf(live);
      await admin.createTopics([{ topic: 'a', partitions: 1 }]);
      expect(created).toEqual([`a x${replicas}`]);
    }
  });
});

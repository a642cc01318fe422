import { describe, expect, it } from 'vitest';
import { KafkaAdmin, type AdminRequests } from '../../../../../shared/messaging/kafka/common/admin.ts';
import type { NewTopic } from '../../../../../shared/messaging/kafka/common/new-topics.ts';

const brokerError = (type: string) => Object.assign(new Error(type), { type });

/** An admin client of a cluster with these topics (partition counts) and live brokers; `over` replaces requests. */
function setUp(counts: Record<string, number>, over: Partial<AdminRequests> = {}, live = 1) {
  const created: NewTopic[] = [];
  const known = (topic: string) => Array.from({ length: counts[topic] ?? 0 }, () => 1);
  const requests: AdminRequests = {
    topics: () => Promise.resolve(Object.keys(counts)),
    liveBrokers: () => Promise.resolve(live),
    leaders: (topics) =>
      Promise.resolve(
        new Map(topics.filter((topic) => topic in counts).map((topic) => [topic, known(topic)])),
      ),
    create: (topics) => {
      created.push(...topics);
      for (const { topic, partitions } of topics) counts[topic] = partitions;
      return Promise.resolve();
    },
    offsets: (topic) => Promise.resolve(known(topic).map((_, partition) => ({ partition, low: 0, high: 5 }))),
    commits: (_, topics) =>
      Promise.resolve(
        topics.flatMap((topic) => [
          { topic, partition: 0, offset: 3 },
          { topic, partition: 1, offset: -1 },
        ]),
      ),
    describe: () => Promise.resolve(undefined),
    configuration: () => Promise.resolve(new Map()),
    ...over,
  };
  const admin = new KafkaAdmin({ use: (call) => call(requests), close: () => undefined });
  return { admin, created };
}

describe('the admin client', () => {
  it('creates only missing topics, and returns their names when they have leaders', async () => {
    const asked: number[] = [];
    const { admin, created } = setUp({ old: 1 }, {});
    const specs = [
      { topic: 'old', partitions: 1 },
      { topic: 'new', partitions: 2, config: { 'cleanup.policy': 'compact' } },
    ];
    expect(await admin.createTopics(specs)).toEqual(['new']);
    expect(created).toEqual([
      {
        topic: 'new',
        partitions: 2,
        replicationFactor: 1,
        config: [{ name: 'cleanup.policy', value: 'compact' }],
      },
    ]);
    const late = setUp(
      {},
      {
        leaders: () => {
          asked.push(1);
          if (asked.length === 1) return Promise.reject(brokerError('LEADER_NOT_AVAILABLE'));
          return Promise.resolve(new Map([['t', [asked.length < 3 ? -1 : 1]]]));
        },
      },
    );
    expect(await late.admin.createTopics([{ topic: 't', partitions: 1 }])).toEqual(['t']);
    expect(asked).toHaveLength(3);
  });

  it('creates no topic with fewer replicas than its specification has', async () => {
    const { admin, created } = setUp({}, {}, 2);
    const wanted = admin.createTopics([{ topic: 't', partitions: 1, replicationFactor: 3 }]);
    await expect(wanted).rejects.toMatchObject({ code: 'broker-unavailable', canRetry: true });
    expect(created).toEqual([]);
  });

  it('repeats a query while a leader moves, by the names of both clients, and no other', async () => {
    let failures = ['NOT_LEADER_FOR_PARTITION', 'NOT_LEADER_OR_FOLLOWER'];
    const offsets = () => {
      const [next, ...rest] = failures;
      failures = rest;
      if (next !== undefined) return Promise.reject(brokerError(next));
      return Promise.resolve([{ partition: 0, low: 1, high: 2 }]);
    };
    const { admin } = setUp({ t: 1 }, { offsets });
    expect(await admin.offsets('t')).toEqual([{ partition: 0, low: 1, high: 2 }]);
    failures = ['CLUSTER_AUTHORIZATION_FAILED'];
    await expect(admin.offsets('t')).rejects.toMatchObject({ code: 'broker-refused' });
  });

  it('lists topics without internal ones, and leaves out commits that a group does not have', async () => {
    const { admin } = setUp({ t: 2, __consumer_offsets: 50 });
    expect(await admin.listTopics()).toEqual(['t']);
    expect(await admin.committed('g', ['t'])).toEqual([{ topic: 't', partition: 0, offset: 3 }]);
    expect(await admin.groups([{ groupId: 'g', topics: ['t', 'missing'] }])).toEqual([
      {
        groupId: 'g',
        state: 'empty',
        members: [],
        partitions: [
          { topic: 't', partition: 0, low: 0, high: 5, committed: 3 },
          { topic: 't', partition: 1, low: 0, high: 5 },
        ],
      },
    ]);
  });

  it('refuses calls after close()', async () => {
    const { admin } = setUp({});
    admin.close();
    await expect(admin.listTopics()).rejects.toMatchObject({ code: 'broker-unavailable', canRetry: false });
  });
});

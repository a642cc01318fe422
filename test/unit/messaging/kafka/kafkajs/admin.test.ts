import { createRequire } from 'node:module';
import { describe, expect, it, vi } from 'vitest';
import { KafkajsAdmin } from '../../../../../shared/messaging/kafka/kafkajs/admin.ts';
import type { CreateKafkajsClient } from '../../../../../shared/messaging/kafka/kafkajs/connection/client.ts';

const require = createRequire(import.meta.url);

interface CreateTopicsCall {
  readonly topics: readonly {
    readonly topic: string;
    readonly numPartitions: number;
    readonly replicationFactor: number;
    readonly configEntries: readonly { readonly name: string; readonly value: string }[];
  }[];
  readonly waitForLeaders: boolean;
}

const brokerError = (type: string) => Object.assign(new Error(type), { type });
const rejectWith = (type: string) => () => Promise.reject(brokerError(type));
const connectionLost = () => new Error('connection lost');

/** Partition counts of the topics of a cluster; a partition has no leader while `leader` is -1. */
function describeTopic(counts: Readonly<Record<string, number>>, name: string, leader = 0) {
  const count = counts[name];
  if (count === undefined) throw brokerError('UNKNOWN_TOPIC_OR_PARTITION');
  return {
    topics: [
      { name, partitions: Array.from({ length: count }, (_, partitionId) => ({ partitionId, leader })) },
    ],
  };
}

/** The topics and the number of brokers of a cluster; `calls` replaces calls of kafkajs. */
interface Cluster {
  readonly topics?: Record<string, number>;
  readonly live?: number;
  readonly calls?: object;
}

function setUp({ topics = {}, live = 1, calls = {} }: Cluster = {}) {
  const created: CreateTopicsCall[] = [];
  const deleted: string[][] = [];
  const clients: { isDestroyed: boolean; isDisconnected: boolean; silent: string[]; timeOut: () => void }[] =
    [];
  const createClient = (() => {
    let onTimeout: ((event: object) => void) | undefined;
    const client = {
      isDestroyed: false,
      isDisconnected: false,
      silent: [] as string[],
      timeOut: () => onTimeout?.({ payload: { broker: 'b:1' } }),
    };
    clients.push(client);
    const admin = {
      events: { REQUEST_TIMEOUT: 'admin.network.request_timeout' },
      on: (_: string, listener: typeof onTimeout) => {
        onTimeout = listener;
      },
      connect: () => Promise.resolve(),
      disconnect: async () => {
        client.isDisconnected = true;
      },
      listTopics: async () => Object.keys(topics),
      describeCluster: async () => ({ brokers: Array.from({ length: live }, (_, nodeId) => ({ nodeId })) }),
      createTopics: async (call: CreateTopicsCall) => {
        created.push(call);
        for (const { topic, numPartitions } of call.topics) topics[topic] = numPartitions;
      },
      deleteTopics: async (call: { topics: string[] }) => deleted.push(call.topics),
      fetchTopicMetadata: async ({ topics: [name = ''] }: { topics: string[] }) =>
        describeTopic(topics, name),
      ...calls,
    };
    return {
      kafka: { admin: () => admin },
      connections: {
        destroy: () => {
          client.isDestroyed = true;
        },
      },
      onSilent: (broker: string) => client.silent.push(broker),
    };
  }) as unknown as CreateKafkajsClient;
  return { admin: new KafkajsAdmin(createClient, 'test'), clients, created, deleted };
}

describe('createTopics()', () => {
  it('rejects with broker-unavailable while fewer brokers are available than replicas are required', async () => {
    const { admin, created } = setUp({ live: 1 });
    const specs = [
      { topic: 'a', partitions: 1, replicationFactor: 1 },
      { topic: 'b', partitions: 1, replicationFactor: 3 },
    ];
    await expect(admin.createTopics(specs)).rejects.toMatchObject({
      code: 'broker-unavailable',
      canRetry: true,
      message: expect.stringMatching(/3 replicas, but only 1 brokers/),
    });
    expect(created).toEqual([]);
  });

  it.each([
    [1, 1, []],
    [2, 2, []],
    [5, 3, [{ name: 'min.insync.replicas', value: '2' }]],
  ])('creates topics on %i brokers with %i replicas', async (live, replicationFactor, minInSync) => {
    const { admin, created } = setUp({ live });
    await admin.createTopics([{ topic: 'a', partitions: 2, config: { 'retention.ms': '5' } }]);
    const configEntries = [...minInSync, { name: 'retention.ms', value: '5' }];
    const topics = [{ topic: 'a', numPartitions: 2, replicationFactor, configEntries }];
    expect(created).toEqual([{ topics, timeout: 15_000, waitForLeaders: false }]);
  });

  it('creates only missing topics and returns their names', async () => {
    const { admin, created } = setUp({ topics: { a: 1 } });
    const specs = ['a', 'b'].map((topic) => ({ topic, partitions: 1 }));
    expect(await admin.createTopics(specs)).toEqual(['b']);
    expect(await admin.createTopics(specs)).toEqual([]);
    expect(created).toHaveLength(1);
  });

  it('accepts a topic that another client has created in the meantime, but rejects with other errors', async () => {
    const topics: Record<string, number> = {};
    const createTopics = vi.fn<(call: unknown) => Promise<unknown>>(async () => {
      topics['a'] = 1;
      throw brokerError('TOPIC_ALREADY_EXISTS');
    });
    const { admin } = setUp({ topics, calls: { createTopics } });
    expect(await admin.createTopics([{ topic: 'a', partitions: 1 }])).toEqual(['a']);
    const other = setUp({ calls: { createTopics: rejectWith('TOPIC_AUTHORIZATION_FAILED') } });
    await expect(other.admin.createTopics([{ topic: 'a', partitions: 1 }])).rejects.toMatchObject({
      code: 'broker-refused',
      message: expect.stringContaining('create topics'),
    });
  });

  it('waits until every partition of a new topic has a leader', async () => {
    const states = [
      () => Promise.reject(brokerError('LEADER_NOT_AVAILABLE')),
      () => Promise.reject(brokerError('UNKNOWN_TOPIC_OR_PARTITION')),
      async () => ({ topics: [] }),
      async () => describeTopic({ a: 1 }, 'a'),
      async () => describeTopic({ a: 2 }, 'a', -1),
      async () => describeTopic({ a: 2 }, 'a'),
    ];
    const fetchTopicMetadata = vi.fn<(call: unknown) => Promise<unknown>>(
      () => states.shift()?.() ?? Promise.reject(connectionLost()),
    );
    const { admin } = setUp({ calls: { fetchTopicMetadata } });
    await admin.createTopics([{ topic: 'a', partitions: 2 }]);
    expect(fetchTopicMetadata).toHaveBeenCalledTimes(6);
    const failing = setUp({ calls: { fetchTopicMetadata: () => Promise.reject(connectionLost()) } });
    await expect(failing.admin.createTopics([{ topic: 'a', partitions: 1 }])).rejects.toThrow(
      'connection lost',
    );
  });

  it('rejects if a new topic has no leader after 15 s', async () => {
    const { admin } = setUp({ calls: { fetchTopicMetadata: async () => ({ topics: [] }) } });
    const now = vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(15_000);
    now.mockReturnValue(15_001);
    await expect(admin.createTopics([{ topic: 'a', partitions: 1 }])).rejects.toMatchObject({
      code: 'broker-unavailable',
      message: 'a was created but has no leader yet',
      canRetry: true,
    });
    expect(now).toHaveBeenCalledTimes(3);
    now.mockRestore();
  });
});

describe('topics of a cluster', () => {
  it('are listed without internal ones', async () => {
    const { admin } = setUp({ topics: { a: 1, __consumer_offsets: 50, b: 1 } });
    expect(await admin.listTopics()).toEqual(['a', 'b']);
  });

  it('are deleted if they exist', async () => {
    const { admin, deleted } = setUp({ topics: { a: 1, b: 1 } });
    await admin.deleteTopics(['a', 'missing']);
    await admin.deleteTopics(['missing']);
    expect(deleted).toEqual([['a']]);
  });

  it('have partition counts, which omit missing topics', async () => {
    const { admin } = setUp({ topics: { a: 1, b: 3 } });
    expect(await admin.partitionCounts(['a', 'missing', 'b', 'a'])).toEqual(
      new Map(Object.entries({ a: 1, b: 3 })),
    );
    const empty = setUp({ calls: { fetchTopicMetadata: async () => ({ topics: [{ name: 'other' }] }) } });
    expect(await empty.admin.partitionCounts(['a'])).toEqual(new Map());
  });

  it('have states with partitions and configuration', async () => {
    const describeConfigs = vi.fn<(call: unknown) => Promise<unknown>>(async () => ({
      resources: [{ configEntries: [{ configName: 'retention.ms', configValue: '5' }] }],
    }));
    const { admin } = setUp({ topics: { a: 2 }, calls: { describeConfigs } });
    const config = new Map([['retention.ms', '5']]);
    expect(await admin.topicStates(['a', 'missing'])).toEqual(new Map([['a', { partitions: 2, config }]]));
    expect(describeConfigs).toHaveBeenCalledExactlyOnceWith({
      includeSynonyms: false,
      resources: [{ type: 2, name: 'a' }],
    });
  });
});

const offsetsOf = (...partitions: number[]) =>
  partitions.map((partition) => ({ partition, low: '1', high: String(10 + partition) }));

describe('offsets', () => {
  it('are returned by partition, from a separate connection that is closed afterwards', async () => {
    const { admin, clients } = setUp({
      topics: { a: 2 },
      calls: { fetchTopicOffsets: async () => offsetsOf(1, 0) },
    });
    expect(await admin.offsets('a')).toEqual([
      { partition: 0, low: 1, high: 10 },
      { partition: 1, low: 1, high: 11 },
    ]);
    expect(clients).toMatchObject([{ isDestroyed: true, isDisconnected: true }]);
  });

  it.each(['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE', 'GROUP_LOAD_IN_PROGRESS'])(
    'are queried again after %s on another connection, for up to 5 s',
    async (type) => {
      const fetchTopicOffsets = vi
        .fn<(call: unknown) => Promise<unknown>>(async () => offsetsOf(0))
        .mockRejectedValueOnce(brokerError(type));
      const { admin, clients } = setUp({ topics: { a: 1 }, calls: { fetchTopicOffsets } });
      expect(await admin.offsets('a')).toHaveLength(1);
      expect(clients).toMatchObject([{ isDestroyed: true }, { isDestroyed: true }]);
      fetchTopicOffsets.mockRejectedValue(brokerError(type));
      let nowMs = 0;
      const now = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 2_000));
      await expect(admin.offsets('a')).rejects.toMatchObject({ code: 'broker-unavailable' });
      now.mockRestore();
      expect(fetchTopicOffsets.mock.calls.length).toBeGreaterThan(3);
    },
  );

  it('are not queried again after other errors', async () => {
    const fetchTopicOffsets = vi.fn<(call: unknown) => Promise<unknown>>(() =>
      Promise.reject(connectionLost()),
    );
    const { admin, clients } = setUp({ topics: { a: 1 }, calls: { fetchTopicOffsets } });
    await expect(admin.offsets('a')).rejects.toThrow('offsets of a: connection lost');
    expect(fetchTopicOffsets).toHaveBeenCalledOnce();
    expect(clients[0]?.isDestroyed).toBe(true);
  });

  it('use the isolation level READ_UNCOMMITTED only for high watermarks', async () => {
    const levels: unknown[] = [];
    const broker = {
      lookupRequest: () => (request: { isolationLevel: number }) => {
        levels.push(request.isolationLevel);
        throw new Error('no connection');
      },
    };
    const fetchTopicOffsets = async () => {
      const { prototype } = require('kafkajs/src/broker') as {
        prototype: { listOffsets: (this: object, request: object) => Promise<unknown> };
      };
      await prototype.listOffsets.call(broker, { isolationLevel: 1, topics: [] }).catch(() => undefined);
      return offsetsOf(0);
    };
    const { admin } = setUp({ topics: { a: 1 }, calls: { fetchTopicOffsets } });
    expect(await admin.highWatermarks('a')).toMatchObject([{ partition: 0, high: 10 }]);
    await admin.offsets('a');
    expect(levels).toEqual([0, 1]);
  });

  it('of a group omit partitions without a commit', async () => {
    const fetchOffsets = vi.fn<(call: unknown) => Promise<unknown>>(async () => [
      {
        topic: 'a',
        partitions: [
          { partition: 0, offset: '7' },
          { partition: 1, offset: '-1' },
          { partition: 2, offset: '0' },
        ],
      },
    ]);
    const { admin } = setUp({ calls: { fetchOffsets } });
    expect(await admin.committed('g', ['a'])).toEqual([
      { topic: 'a', partition: 0, offset: 7 },
      { topic: 'a', partition: 2, offset: 0 },
    ]);
    expect(fetchOffsets).toHaveBeenCalledWith({ groupId: 'g', topics: ['a'] });
  });
});

describe('the connection of the admin client', () => {
  it('is shared by calls, and kept if a topic is unknown', async () => {
    const unknown = rejectWith('UNKNOWN_TOPIC_OR_PARTITION');
    const calls = { fetchTopicMetadata: unknown, deleteTopics: unknown };
    const { admin, clients } = setUp({ topics: { a: 1 }, calls });
    await admin.partitionCounts(['a']);
    await expect(admin.deleteTopics(['a'])).rejects.toMatchObject({ code: 'topic-unknown' });
    await expect(admin.createTopics([{ topic: 'b', partitions: 1, replicationFactor: 9 }])).rejects.toThrow(
      '9 replicas',
    );
    await admin.listTopics();
    expect(clients).toMatchObject([{ isDestroyed: false }]);
    clients[0]?.timeOut();
    expect(clients[0]?.silent).toEqual(['b:1']);
  });

  it('is replaced after another failure', async () => {
    const listTopics = vi
      .fn<(call: unknown) => Promise<unknown>>(async () => ['a'])
      .mockRejectedValueOnce(connectionLost());
    const { admin, clients } = setUp({ calls: { listTopics } });
    await expect(admin.listTopics()).rejects.toMatchObject({
      code: 'broker-unavailable',
      message: 'list topics: connection lost',
    });
    expect(await admin.listTopics()).toEqual(['a']);
    expect(clients).toMatchObject([{ isDestroyed: true, isDisconnected: true }, { isDestroyed: false }]);
  });

  it('is replaced after a failed attempt to connect', async () => {
    const connect = vi
      .fn<(call: unknown) => Promise<unknown>>(() => Promise.resolve())
      .mockRejectedValueOnce(connectionLost());
    const { admin, clients } = setUp({ calls: { connect } });
    await expect(admin.listTopics()).rejects.toThrow('connection lost');
    await admin.listTopics();
    expect(clients.map(({ isDestroyed }) => isDestroyed)).toEqual([true, false]);
  });

  it('is closed by close(), after which calls reject', async () => {
    const { admin, clients } = setUp();
    await admin.listTopics();
    await admin.close();
    expect(clients).toMatchObject([{ isDestroyed: true, isDisconnected: true }]);
    const closed = { code: 'broker-unavailable', canRetry: false, message: /the admin client is closed/ };
    const expected = { ...closed, message: expect.stringMatching(closed.message) };
    await expect(admin.listTopics()).rejects.toMatchObject(expected);
    await expect(admin.offsets('a')).rejects.toMatchObject(expected);
    expect(clients).toHaveLength(1);
  });

  it('is abandoned by close() while it connects', async () => {
    const { admin, clients } = setUp({ calls: { connect: () => new Promise(() => undefined) } });
    void admin.listTopics();
    void admin.committed('g', ['a']);
    await admin.close();
    expect(clients.map(({ isDestroyed }) => isDestroyed)).toEqual([true, true]);
  });
});

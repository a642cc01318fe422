import kafkajs, { AssignerProtocol, type Admin, type ITopicConfig } from 'kafkajs';
import { expect, it } from 'vitest';
import { KafkaAdmin } from '../../../../shared/messaging/kafka/kafka-admin.ts';
import type { CreateKafkajsClient } from '../../../../shared/messaging/kafka/kafkajs-client.ts';

function protocolError(type: string) {
  return new kafkajs.KafkaJSProtocolError(Object.assign(new Error(type), { type, retriable: true, code: 0 }));
}

function setUp(counts: Record<string, number>, over: Partial<Admin> = {}, live = 1) {
  const created: ITopicConfig[] = [];
  const requests: Partial<Admin> = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    listTopics: () => Promise.resolve(Object.keys(counts)),
    describeCluster: async () => {
      const brokers = Array.from({ length: live }, (_, nodeId) => ({ nodeId, host: 'h', port: 1 }));
      return { brokers, controller: null, clusterId: 'c' };
    },
    fetchTopicMetadata: ({ topics = [] } = { topics: [] }) => {
      const [name = ''] = topics;
      if (!(name in counts)) return Promise.reject(protocolError('UNKNOWN_TOPIC_OR_PARTITION'));
      const one = { partitionErrorCode: 0, leader: 1, replicas: [], isr: [] };
      const partitions = Array.from({ length: counts[name] ?? 0 }, (_, id) => ({ ...one, partitionId: id }));
      return Promise.resolve({ topics: [{ name, partitions }] });
    },
    createTopics: ({ topics }) => {
      created.push(...topics);
      for (const { topic, numPartitions = 1 } of topics) counts[topic] = numPartitions;
      return Promise.resolve(true);
    },
    fetchTopicOffsets: async (topic) => {
      const range = { offset: '5', low: '0', high: '5' };
      const all = Array.from({ length: counts[topic] ?? 0 }, (_, partition) => ({ partition, ...range }));
      return all.toReversed();
    },
    fetchOffsets: async ({ topics = [] }) => {
      const partitions = ['3', '-1'].map((offset, partition) => ({ partition, offset, metadata: null }));
      return topics.map((topic) => ({ topic, partitions }));
    },
    describeGroups: () => Promise.resolve({ groups: [] }),
    ...over,
  };
  const client = { kafka: { admin: () => requests }, connections: { destroy: () => undefined } };
  const createClient = (() => client) as unknown as CreateKafkajsClient;
  return { admin: new KafkaAdmin(createClient, 'test'), created };
}

it('the admin client creates only missing topics, and returns their names, also when the reply was lost', async () => {
  const { admin, created } = setUp({ old: 1 });
  const specs = [
    { topic: 'old', partitions: 1 },
    { topic: 'new', partitions: 2, config: { 'cleanup.policy': 'compact' } },
  ];
  expect(await admin.createTopics(specs)).toEqual(['new']);
  const configEntries = [{ name: 'cleanup.policy', value: 'compact' }];
  expect(await admin.createTopics(specs)).toEqual([]);
  expect(created).toEqual([{ topic: 'new', numPartitions: 2, replicationFactor: 1, configEntries }]);
  const counts: Record<string, number> = {};
  const late = setUp(counts, {
    createTopics: () => {
      counts['t'] = 1;
      return Promise.reject(new Error('timed out'));
    },
  });
  expect(await late.admin.createTopics([{ topic: 't', partitions: 1 }])).toEqual(['t']);
});

it('the admin client creates topics with three replicas, two of them in sync, and none with fewer than specified', async () => {
  const few = setUp({}, {}, 2);
  const wanted = few.admin.createTopics([{ topic: 't', partitions: 1, replicationFactor: 3 }]);
  await expect(wanted).rejects.toMatchObject({ code: 'broker-unavailable', canRetry: true });
  expect(few.created).toEqual([]);
  const { admin, created } = setUp({}, {}, 5);
  await admin.createTopics([{ topic: 't', partitions: 1 }]);
  const configEntries = [{ name: 'min.insync.replicas', value: '2' }];
  expect(created).toEqual([{ topic: 't', numPartitions: 1, replicationFactor: 3, configEntries }]);
});

it('the admin client repeats a query while a leader moves, and no other', async () => {
  let failures = ['NOT_LEADER_FOR_PARTITION', 'UNKNOWN_TOPIC_OR_PARTITION'];
  const fetchTopicOffsets: Admin['fetchTopicOffsets'] = () => {
    const [next, ...rest] = failures;
    failures = rest;
    if (next !== undefined) return Promise.reject(protocolError(next));
    return Promise.resolve([{ partition: 0, offset: '2', low: '1', high: '2' }]);
  };
  const { admin } = setUp({ t: 1 }, { fetchTopicOffsets });
  expect(await admin.offsets('t')).toEqual([{ partition: 0, low: 1, high: 2 }]);
  failures = ['CLUSTER_AUTHORIZATION_FAILED'];
  await expect(admin.offsets('t')).rejects.toMatchObject({ code: 'broker-refused' });
});

it('the admin client lists topics without internal ones, commits and members of groups, and nothing after close()', async () => {
  const { admin } = setUp({ t: 2, __consumer_offsets: 50 });
  expect(await admin.listTopics()).toEqual(['t']);
  expect(await admin.committed('g', ['t'])).toEqual([{ topic: 't', partition: 0, offset: 3 }]);
  const [range0, range1] = [0, 1].map((partition) => ({ topic: 't', partition, low: 0, high: 5 }));
  expect(await admin.groups([{ groupId: 'g', topics: ['t', 'missing'] }])).toEqual([
    { groupId: 'g', state: 'empty', members: [], partitions: [{ ...range0, committed: 3 }, range1] },
  ]);
  const assignment = { version: 0, assignment: { t: [1] }, userData: Buffer.alloc(0) };
  const memberAssignment = AssignerProtocol.MemberAssignment.encode(assignment);
  const member = { memberId: 'm', clientId: 'c', clientHost: '/10.0.0.1', memberMetadata: memberAssignment };
  for (const state of ['Stable', 'PreparingRebalance'] as const) {
    const group = { groupId: 'g', protocol: '', protocolType: '', errorCode: 0, state };
    const described = { ...group, members: [{ ...member, memberAssignment }] };
    const { admin: other } = setUp({}, { describeGroups: async () => ({ groups: [described] }) });
    const assigned = [{ topic: 't', partition: 1 }];
    const members = [{ memberId: 'm', clientId: 'c', host: '10.0.0.1', assigned }];
    const shown = state === 'Stable' ? 'stable' : 'rebalancing';
    const expected = { groupId: 'g', partitions: [], state: shown, members };
    expect(await other.groups([{ groupId: 'g', topics: [] }])).toEqual([expected]);
  }
  admin.close();
  await expect(admin.listTopics()).rejects.toMatchObject({ code: 'broker-unavailable', canRetry: false });
});

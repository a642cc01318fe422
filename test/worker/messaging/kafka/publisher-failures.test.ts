import { expect, onTestFinished, test } from 'vitest';
import { kafkajsClients } from '../../../../shared/messaging/kafka/kafkajs-client.ts';
import { kafkajsProducers } from '../../../../shared/messaging/kafka/kafkajs-producer.ts';
import { KafkaPublisher } from '../../../../shared/messaging/kafka/kafka-publisher.ts';
import { TopicPartitions } from '../../../../shared/messaging/topics/topic-partitions.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { silentLog, type Log } from '../../../../shared/platform/log.ts';
import { startFakeCluster, type FakeCluster } from '../../../support/fakes/kafka-cluster.ts';

const PARTITIONS = 9;
const LEADER_NOT_AVAILABLE = 5;
const NOT_LEADER = 6;
const TOPIC_AUTHORIZATION_FAILED = 29;
/** Far longer than a healthy broker needs, far shorter than the request timeout (5 s). */
const SOON_MS = 2_500;
const REQUEST_TIMEOUT_MS = 5_000;
const partitionCounts = async (names: readonly string[]) => new Map(names.map((name) => [name, PARTITIONS]));

function publisherOf({ brokers }: FakeCluster, deadlineMs: number, log: Log) {
  const topics = new TopicPartitions({ partitionCounts }, systemPorts);
  const connectProducer = kafkajsProducers(kafkajsClients({ brokers }));
  const parts = { connectProducer, topics, log, clock: systemPorts.clock, onStopped: () => undefined };
  const publisher = new KafkaPublisher({ clientId: 'test', deadlineMs }, parts);
  onTestFinished(() => publisher.stop(0));
  return { publisher, topics };
}

async function setUp(brokers: number, deadlineMs = 10_000) {
  const cluster = await startFakeCluster(brokers, PARTITIONS);
  onTestFinished(() => cluster.close());
  const { publisher, topics } = publisherOf(cluster, deadlineMs, silentLog);
  for (const topic of ['t', 'closed', 'other']) await topics.find(topic);
  await publisher.start();
  const publish = (value: string, partition = 0, topic = 't') =>
    publisher.publish([{ topic, key: null, partition, value: Buffer.from(`<${value}>`) }]);
  return { cluster, publisher, publish };
}

test('a publisher with failing brokers is named in the log when it cannot connect, once', async () => {
  const lines: string[] = [];
  const write = ({ clientId }: { clientId?: string }, text: string) => lines.push(`${clientId}: ${text}`);
  const log = { ...silentLog, debug: () => undefined, info: write, warn: write } as unknown as Log;
  const closed = await startFakeCluster(1, PARTITIONS);
  closed.close();
  const { publisher } = publisherOf(closed, 1_000, log);
  await expect(publisher.start()).rejects.toMatchObject({ code: 'broker-unavailable' });
  expect(lines).toEqual(['test: publisher cannot connect, retrying']);
});

test('a publisher with failing brokers stores all records when a broker closes its connection', async () => {
  const { cluster, publish } = await setUp(2);
  await Promise.all([publish('warm', 0), publish('warm', 1)]);
  cluster.stored.length = 0;
  cluster.answerMs = 50;
  let isDead = false;
  cluster.onProduce = (broker) => {
    if (broker === 0 || isDead) return {};
    isDead = true;
    cluster.leaderOf = () => 0;
    return 'reset';
  };
  await Promise.all([publish('a', 0), publish('b', 1), publish('c', 2)]);
  expect(isDead).toBe(true);
  expect(new Set(cluster.stored)).toEqual(new Set(['0: a', '1: b', '2: c']));
});

test('a publisher with failing brokers confirms records of healthy brokers while another one is silent', async () => {
  const { cluster, publish } = await setUp(3);
  await publish('warm');
  cluster.onProduce = (broker) => (broker === 1 ? 'silence' : {});
  const startedMs = performance.now();
  const healthy = [0, 2, 3, 5, 6, 8].map((partition) => publish('a', partition));
  const frozen = [1, 4, 7].map((partition) => publish('a', partition));
  frozen.forEach((sent) => void sent.catch(() => undefined));
  await Promise.all(healthy);
  expect(performance.now() - startedMs).toBeLessThan(REQUEST_TIMEOUT_MS + SOON_MS);
});

test('a publisher with failing brokers repeats the records that a leader refused', async () => {
  const { cluster, publish } = await setUp(2);
  let refusals = 3;
  cluster.onProduce = (broker) => {
    if (broker === 0 || refusals === 0) return {};
    refusals -= 1;
    return { 1: NOT_LEADER, 3: NOT_LEADER };
  };
  await Promise.all([0, 1, 2, 3, 5].map((partition) => publish('a', partition)));
  expect([...new Set(cluster.stored)].toSorted()).toEqual(['0: a', '1: a', '2: a', '3: a', '5: a']);
});

test('a publisher with failing brokers stores messages of other topics while a topic that it has used reports an error', async () => {
  const { cluster, publish } = await setUp(1);
  await publish('a', 0, 'closed');
  cluster.topicError = (topic) => (topic === 'closed' ? TOPIC_AUTHORIZATION_FAILED : 0);
  await Promise.all([publish('b', 1), publish('c', 2, 'other')]);
  await publish('d', 3, 'other');
  expect(cluster.stored).toEqual(expect.arrayContaining(['1: b', '2: c', '3: d']));
});

test('a publisher with failing brokers rejects with send-unknown when a leader died after it received the records', async () => {
  const { cluster, publish } = await setUp(2, 1_500);
  await publish('warm');
  const taken: string[] = [];
  cluster.onProduce = (broker, batches) => {
    if (broker === 0) return {};
    taken.push(...batches.flatMap(({ values }) => values));
    cluster.partitionError = (partition) => (partition === 1 ? LEADER_NOT_AVAILABLE : 0);
    return 'reset';
  };
  await expect(publish('a', 1)).rejects.toMatchObject({ code: 'send-unknown', canRetry: true });
  expect(taken).toEqual(['a']);
});

test('a publisher with failing brokers opens few connections for many partitions that their leader refuses', async () => {
  const { cluster, publish } = await setUp(1, 3_000);
  await publish('warm');
  const before = cluster.connections;
  const partitions = [1, 2, 3, 4, 5, 6, 7, 8];
  cluster.onProduce = () => Object.fromEntries(partitions.map((partition) => [partition, NOT_LEADER]));
  const refused = partitions.map((partition) => publish('a', partition));
  const results = await Promise.allSettled(refused);
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect(cluster.connections - before).toBeLessThan(40);
});

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KafkaBroker } from '../../shared/messaging/kafka/kafka-broker.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import type { GroupSink, Publisher } from '../../shared/messaging/ports.ts';
import { topicSpecs } from '../../shared/messaging/topics/topic-list.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { readTopics } from '../support/conformance/read-topics.ts';
import { eventually } from '../support/conformance/wait.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

const STEP_MS = 15_000;
const TOPICS_SCRIPT = path.join(import.meta.dirname, '../../scripts/topics.ts');
const run = promisify(execFile);
const { kafka, suite } = kafkaOrSkip();
/** Each test has topics and groups of its own, and mostly waits for the broker. */
const AT_A_TIME = { concurrent: true };

let scope: KafkaScope;
let broker: KafkaBroker;

beforeAll(async () => {
  if (kafka.brokers.length === 0) return;
  scope = await openKafkaScope(kafka.brokers);
  broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'adapter-test', log: silentLog });
});
afterAll(async () => {
  if (kafka.brokers.length === 0) return;
  await broker.close();
  await scope.close();
});

async function startedPublisher(): Promise<Publisher> {
  const publisher = broker.createPublisher({ clientId: `publisher-${randomUUID()}` });
  await publisher.start();
  return publisher;
}

async function topicWith(partitions: number, config: Record<string, string> = {}): Promise<string> {
  const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
  return scope.createTopic(randomUUID(), { numPartitions: partitions, configEntries });
}

const lacks = (topic: string) => async () => !(await broker.admin.listTopics()).includes(topic);

function member(groupId: string, topic: string) {
  const source = broker.createGroupSource({ groupId, clientId: 'member', topics: [topic] });
  const state = { epoch: 0, assigned: 0, messages: [] as LogMessage[], crashed: false };
  const sink: GroupSink = {
    onAssigned: (epoch, partitions) => Object.assign(state, { epoch, assigned: partitions.length }),
    onRevoking: () => undefined,
    onMessages: (_, messages) => state.messages.push(...messages),
    onCrash: () => Object.assign(state, { crashed: true }),
  };
  return { source, sink, state };
}

suite('publisher on Kafka', AT_A_TIME, () => {
  test('compresses large values, but not small ones', async () => {
    const topic = await topicWith(1);
    const publisher = await startedPublisher();
    const large = Buffer.from('schedule row '.repeat(10_000));
    await publisher.publish([{ topic, key: 'small', value: Buffer.from('small '.repeat(100)) }]);
    await publisher.publish([{ topic, key: 'large', value: large }]);
    expect((await readTopics(broker, [topic]))[1]?.value?.equals(large)).toBe(true);
    const bytes = await fetchedBytes(topic);
    expect(bytes).toBeGreaterThan(600);
    expect(bytes).toBeLessThan(large.length / 10);
    await publisher.stop();
  });

  test('writes to a request topic, on which the broker stores batches uncompressed', async () => {
    const [{ config = {} } = { config: {} }] = topicSpecs('', ['scheduleRequests']);
    const topic = await topicWith(1, config);
    const publisher = await startedPublisher();
    const packed = Buffer.from('request '.repeat(10_000));
    await publisher.publish([packed, null].map((value) => ({ topic, key: 'a', value })));
    expect(await fetchedBytes(topic)).toBeGreaterThan(packed.length);
    await publisher.stop();
  });

  test('continues after a topic is deleted, and rejects only messages for that topic', async () => {
    const gone = await topicWith(1);
    const stays = await topicWith(1);
    const publisher = await startedPublisher();
    await publisher.publish(
      [gone, stays].map((topic) => ({ topic, key: 'k', value: Buffer.from('before') })),
    );
    await scope.admin.deleteTopics({ topics: [gone] });
    await eventually('the deletion', STEP_MS, lacks(gone));
    const late = publisher.publish([{ topic: gone, key: 'k', value: Buffer.from('late') }]);
    const other = publisher.publish([{ topic: stays, key: 'k', value: Buffer.from('after') }]);
    await expect(late).rejects.toMatchObject({ code: 'topic-unknown' });
    await other;
    const values = (await readTopics(broker, [stays])).map(({ value }) => String(value));
    expect(new Set(values)).toEqual(new Set(['before', 'after']));
    await publisher.stop();
  });
});

/** Bytes of the largest response to a fetch of a topic with two messages: their size on the log, and framing. */
async function fetchedBytes(topic: string): Promise<number> {
  const client = scope.createClient();
  const consumer = client.consumer({ groupId: scope.nameOf(randomUUID()), maxWaitTimeInMs: 100 });
  let bytes = 0;
  consumer.on(consumer.events.REQUEST, ({ payload }) => {
    if (payload.apiName === 'Fetch') bytes = Math.max(bytes, payload.size);
  });
  let messages = 0;
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({ eachMessage: () => Promise.resolve(void (messages += 1)) });
  await eventually('both messages', STEP_MS, () => messages === 2);
  await consumer.disconnect();
  return bytes;
}

suite('group source on Kafka', AT_A_TIME, () => {
  test('starts at the first retained message if the committed offset has been deleted', async () => {
    const topic = await topicWith(1);
    const publisher = await startedPublisher();
    await publisher.publish(
      Array.from({ length: 20 }, (_, index) => ({ topic, key: 'k', value: Buffer.from(`v${index}`) })),
    );
    const group = scope.nameOf(randomUUID());
    const before = member(group, topic);
    await before.source.start(before.sink);
    await eventually('all messages', STEP_MS, () => before.state.messages.length === 20);
    expect(await before.source.commit(before.state.epoch, [{ topic, partition: 0, offset: 3 }])).toBe(true);
    await before.source.stop();
    await scope.admin.fetchTopicOffsets(topic);
    await scope.admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '10' }] });
    const after = member(group, topic);
    await after.source.start(after.sink);
    await eventually('the remaining messages', STEP_MS, () => after.state.messages.length === 10);
    expect(after.state.messages[0]?.offset).toBe(10);
    await Promise.all([after.source.stop(), publisher.stop()]);
  });

  test('crashes if the sink throws, and leaves its group', async () => {
    const topic = await topicWith(1);
    const publisher = await startedPublisher();
    const group = scope.nameOf(randomUUID());
    const broken = member(group, topic);
    await broken.source.start({
      ...broken.sink,
      onMessages: () => {
        throw new Error('a bug in the sink');
      },
    });
    await publisher.publish([{ topic, key: 'k', value: Buffer.from('one') }]);
    await eventually('the crash', STEP_MS, () => broken.state.crashed);
    await eventually('an empty group', STEP_MS, async () => {
      const { groups } = await scope.admin.describeGroups([group]);
      return groups[0]?.members.length === 0;
    });
    expect(await broken.source.commit(broken.state.epoch, [{ topic, partition: 0, offset: 1 }])).toBe(false);
    await publisher.stop();
  });
});

suite('tail on Kafka', AT_A_TIME, () => {
  test('continues when its topic is deleted and created again', async () => {
    const topic = await topicWith(1);
    const publisher = await startedPublisher();
    const send = (value: string) => publisher.publish([{ topic, key: 'k', value: Buffer.from(value) }]);
    for (const value of ['a', 'b', 'c']) await send(value);
    const seen: string[] = [];
    const tail = broker.createTail({ clientId: 'tail', topics: [topic], from: 'earliest' });
    await tail.start(({ value }) => seen.push(String(value)));
    await tail.caughtUp(STEP_MS);
    await scope.admin.deleteTopics({ topics: [topic] });
    await eventually('the deletion', STEP_MS, lacks(topic));
    await broker.admin.createTopics([{ topic, partitions: 1 }]);
    await eventually('a new message', STEP_MS, async () => {
      await send('new').catch(() => undefined);
      return seen.includes('new');
    });
    expect(seen.slice(0, 3)).toEqual(['a', 'b', 'c']);
    await Promise.all([tail.stop(), publisher.stop()]);
  });

  test('reads ranges that end with a transaction marker', async () => {
    const topic = await topicWith(1);
    const producer = scope
      .createClient()
      .producer({ transactionalId: topic, idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: [{ value: 'one' }, { value: 'two' }] });
    await transaction.commit();
    await producer.disconnect();
    const ends = async () => (await broker.admin.offsets(topic))[0]?.high;
    await eventually('the marker', STEP_MS, async () => (await ends()) === 3);
    const values: string[] = [];
    await broker.readRanges([{ topic, partition: 0, from: 0, to: 3 }], ({ value }) => {
      values.push(String(value));
      return 'more';
    });
    expect(values).toEqual(['one', 'two']);
  });
});

async function topics(...args: string[]): Promise<{ code: number; stdout: string }> {
  const env = {
    ...process.env,
    KAFKA_CLIENT,
    KAFKA_BROKERS: kafka.brokers.join(','),
    KAFKA_TOPIC_PREFIX: scope.prefix,
  };
  try {
    const { stdout } = await run(process.execPath, [TOPICS_SCRIPT, ...args], { env });
    return { code: 0, stdout };
  } catch (error) {
    return error as { code: number; stdout: string };
  }
}

suite('npm run topics', AT_A_TIME, () => {
  test('checks, creates and lists topics, and reports differences', async () => {
    const missing = await topics('check');
    expect(missing).toMatchObject({ code: 1, stdout: expect.stringContaining('npm run topics -- create') });
    const topic = `${scope.prefix}plat.ingress.results.v1`;
    const created = await topics('create', '--json');
    expect(created.code).toBe(0);
    const lists = { created: expect.arrayContaining([topic]) as unknown, missing: [] };
    expect(JSON.parse(created.stdout)).toMatchObject(lists);
    expect(JSON.parse((await topics('create', '--json')).stdout)).toMatchObject({ created: [] });
    expect((await topics('list')).stdout).toContain(`${topic}  exists  6 partitions`);
    await scope.admin.createPartitions({ topicPartitions: [{ topic, count: 7 }] });
    const count = async () => (await broker.admin.partitionCounts([topic])).get(topic);
    await eventually('the seventh partition', STEP_MS, async () => (await count()) === 7);
    const stdout: unknown = expect.stringContaining('7 partitions instead of 6');
    expect(await topics('check')).toMatchObject({ code: 1, stdout });
  });

  test('rejects an invalid command line with exit code 2', async () => {
    expect((await topics('destroy')).code).toBe(2);
    expect((await topics('check', '--force')).code).toBe(2);
  });
});

import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createEmbeddedBroker,
  type EmbeddedBrokerOptions,
} from '../../../../shared/messaging/embedded/embedded-broker.ts';
import type { Broker, TopicSpec } from '../../../../shared/messaging/ports.ts';
import { RecordingMember } from '../../../support/conformance/member.ts';
import { readTopics } from '../../../support/conformance/read-topics.ts';
import { pass, passUntil, stopTime } from '../../../support/fakes/passing-time.ts';

const STEP_MS = 2_000;
stopTime();

async function openBroker(options: EmbeddedBrokerOptions = {}, partitions = 1) {
  const broker = createEmbeddedBroker(options);
  onTestFinished(() => broker.close());
  await broker.admin.createTopics([{ topic: 't', partitions }]);
  const publisher = broker.createPublisher({ clientId: 'publisher', deadlineMs: STEP_MS });
  await publisher.start();
  return { broker, publisher };
}

function createMember(broker: Broker, clientId: string): Promise<RecordingMember> {
  const options = { groupId: 'g', clientId, topics: ['t'] };
  return new RecordingMember(broker, options, { commit: 'never' }).start();
}

const nothing = () => undefined;
const NO_SINK = { onAssigned: nothing, onRevoking: nothing, onCrash: nothing };
const throwBug = () => {
  throw new Error('a bug in the sink');
};
const textAt = (partition: number) => ({ ...text('x'), partition });
const text = (value: string) => ({ topic: 't', key: 'k', value: Buffer.from(value) });

const tombstone = (topic: string, key: number) => ({ topic, key: String(key), value: null });

function table(topic: string, deleteRetentionMs: number): TopicSpec {
  const config = { 'cleanup.policy': 'compact', 'delete.retention.ms': String(deleteRetentionMs) };
  return { topic, partitions: 1, config };
}

const valuesOf = async (broker: Broker): Promise<string[]> =>
  (await readTopics(broker, ['t'])).map(({ value }) => String(value));

describe('delivery', () => {
  test("happens outside the publisher's call, and ends with a stop of the reader", async () => {
    const { broker, publisher } = await openBroker();
    const values: string[] = [];
    const tail = broker.createTail({ clientId: 'tail', topics: ['t'], from: 'latest' });
    await tail.start(({ value }) => {
      if (values.push(String(value)) === 2) void tail.stop();
    });
    const published = publisher.publish([text('a')]);
    expect(values).toEqual([]);
    await published;
    expect(values).toEqual([]);
    await tail.caughtUp(STEP_MS);
    expect(values).toEqual(['a']);
    await publisher.publish([text('b'), text('after the stop')]);
    await pass(STEP_MS);
    expect(values).toEqual(['a', 'b']);
  });

  test('alternates between all partitions while one has a long backlog', async () => {
    const { broker, publisher } = await openBroker({}, 2);
    await publisher.publish([...Array.from({ length: 5_000 }, () => textAt(0)), textAt(1)]);
    const member = await createMember(broker, 'member');
    await passUntil(() => member.messages.some(({ partition }) => partition === 1));
    expect(member.messages.findIndex(({ partition }) => partition === 1)).toBeLessThan(1_000);
  });

  test('reports the position after offsets that compaction has removed', async () => {
    const { broker, publisher } = await openBroker({ sweepIntervalMs: 5 });
    await broker.admin.createTopics([table('table', 0)]);
    await publisher.publish([
      { topic: 'table', key: 'kept', value: Buffer.from('x') },
      { topic: 'table', key: 'gone', value: null },
    ]);
    await pass(50);
    const source = broker.createGroupSource({ groupId: 'g', clientId: 'c', topics: ['table'] });
    const read: unknown[] = [];
    await source.start({
      ...NO_SINK,
      onMessages: (_, messages) => read.push(...messages.map(({ offset }) => offset)),
      onPosition: (_, { partition }, position, highWatermark) =>
        read.push({ partition, position, highWatermark }),
    });
    await passUntil(() => read.length === 2);
    expect(read).toEqual([0, { partition: 0, position: 2, highWatermark: 2 }]);
  });

  test('of a second partition ends with a stop of the source in the first one', async () => {
    const { broker, publisher } = await openBroker({}, 2);
    await publisher.publish([textAt(0), textAt(1)]);
    const source = broker.createGroupSource({ groupId: 'g', clientId: 'stopping', topics: ['t'] });
    const read: unknown[] = [];
    const onMessages = (_: number, messages: readonly unknown[]) => {
      read.push(...messages);
      void source.stop();
    };
    await source.start({ ...NO_SINK, onMessages });
    await passUntil(() => read.length > 0);
    await pass(STEP_MS);
    expect(read).toHaveLength(1);
  });

  test('removes old records of each topic, also while those of another one expire without end', async () => {
    let nowMs = 0;
    const { broker, publisher } = await openBroker({
      sweepIntervalMs: 5,
      clock: { now: () => (nowMs += 1) },
    });
    await broker.admin.createTopics([table('busy', 1_000), table('other', 0)]);
    await publisher.publish([
      ...Array.from({ length: 2_000 }, (_, key) => tombstone('busy', key)),
      tombstone('other', 0),
    ]);
    await passUntil(async () => (await broker.admin.offsets('other'))[0]?.low === 1);
    expect((await broker.admin.offsets('busy'))[0]?.low).toBeLessThan(2_000);
  });

  test('stops a consumer whose sink throws, and assigns its partitions to another consumer', async () => {
    const { broker, publisher } = await openBroker();
    await publisher.publish([text('a')]);
    const source = broker.createGroupSource({ groupId: 'g', clientId: 'broken', topics: ['t'] });
    const crash = new Promise<Error>((resolve) => {
      void source.start({ ...NO_SINK, onMessages: throwBug, onCrash: resolve });
    });
    expect((await crash).message).toBe('a bug in the sink');
    const member = await createMember(broker, 'next');
    await passUntil(() => member.values().join('') === 'a');
  });
});

test('resolves caughtUp() of a tail after the last message was delivered', async () => {
  for (const count of [99, 100, 101, 201]) {
    const { broker, publisher } = await openBroker();
    await publisher.publish(Array.from({ length: count }, () => text('x')));
    expect(await valuesOf(broker)).toHaveLength(count);
  }
});

test('a record is kept for its retention time since its append, whatever its timestamp is', async () => {
  let nowMs = 10_000;
  const { broker, publisher } = await openBroker({ clock: { now: () => nowMs }, sweepIntervalMs: 5 });
  await broker.admin.createTopics([{ topic: 'short', partitions: 1, config: { 'retention.ms': '1000' } }]);
  await publisher.publish([{ ...text('x'), topic: 'short', timestampMs: 1 }]);
  const low = async () => (await broker.admin.offsets('short'))[0]?.low;
  await pass(50);
  expect(await low()).toBe(0);
  nowMs += 1_001;
  await passUntil(async () => (await low()) === 1);
});

test.each(['delete', 'compact,delete'])('a full log without a reader removes a tenth: %s', async (policy) => {
  for (const limits of [{ maxRecordsPerTopic: 50 }, { maxBytesPerTopic: 50 * 403 }]) {
    const { broker, publisher } = await openBroker({ limits });
    const topic = 'full';
    await broker.admin.createTopics([{ topic, partitions: 1, config: { 'cleanup.policy': policy } }]);
    for (let at = 10; at < 99; at += 1) await publisher.publish([{ ...text('x'), topic, key: String(at) }]);
    expect(await broker.admin.offsets(topic)).toMatchObject([{ low: 40, high: 89 }]);
  }
});

test('stops all clients on close(), which may be called twice', async () => {
  const { broker, publisher } = await openBroker();
  const member = await createMember(broker, 'member');
  const tail = broker.createTail({ clientId: 'tail', topics: ['t'], from: 'latest' });
  await tail.start(nothing);
  const stopped = { code: 'tail-stopped' };
  await Promise.all([expect(tail.caughtUp(STEP_MS)).rejects.toMatchObject(stopped), broker.close()]);
  await broker.close();
  await expect(publisher.publish([text('a')])).rejects.toMatchObject({ code: 'not-sent' });
  expect(await member.source.commit(member.epoch, [])).toBe(false);
});

test.each([
  [{ topic: 'a b', partitions: 1 }, 'name'],
  [{ topic: '..', partitions: 1 }, 'name'],
  [{ topic: 'new', partitions: 0 }, 'partition'],
  [{ topic: 'new', partitions: 1, config: { 'cleanup.policy': 'compress' } }, 'cleanup.policy'],
  [{ topic: 'new', partitions: 1, config: { 'retention.ms': 'soon' } }, 'retention.ms'],
  [{ topic: 'new', partitions: 1, config: { 'max.message.bytes': '' } }, 'max.message.bytes'],
])('refuses to create the topic %j', async (spec, named) => {
  const { broker } = await openBroker();
  const refusal = { code: 'invalid-topic', message: expect.stringContaining(named) as string };
  await expect(broker.admin.createTopics([spec])).rejects.toMatchObject(refusal);
});

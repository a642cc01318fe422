import { expect, it, onTestFinished } from 'vitest';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/embedded-broker.ts';
import { IndexedTail } from '../../../../shared/messaging/record-index/indexed-tail.ts';
import type { MemoryLimits } from '../../../../shared/messaging/embedded/topic-config.ts';
import type { Broker, BrokerAdmin, PartitionRange } from '../../../../shared/messaging/ports.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';
import { pass, passUntil, stopTime } from '../../../support/fakes/passing-time.ts';
import { openTestIndex, type TestIndexOptions } from '../../../support/record-index/test-index.ts';

const TOPIC = 'states';
stopTime();

const CONFIG = { 'cleanup.policy': 'compact,delete' };

async function topicWorld(limits: Partial<MemoryLimits> = {}) {
  const time = { nowMs: Date.now() };
  const broker = createEmbeddedBroker({ limits, sweepIntervalMs: 5, clock: { now: () => time.nowMs } });
  onTestFinished(() => broker.close());
  await broker.admin.createTopics([{ topic: TOPIC, partitions: 2, config: CONFIG }]);
  const publisher = broker.createPublisher({ clientId: 'test' });
  await publisher.start();
  const write = async (from: number, to: number, timestampMs = 10_000): Promise<void> => {
    for (let id = from; id < to; id += 1) {
      const key = `id ${id}`;
      await publisher.publish([{ topic: TOPIC, key, value: Buffer.from(key), timestampMs }]);
    }
  };
  return { broker, write, time };
}

async function follow(broker: Broker, options: TestIndexOptions = {}) {
  const world = openTestIndex({ retentionMs: Infinity, ...options });
  const { index } = world;
  let received = 0;
  const tailOptions = { ...systemPorts, clientId: 'test', topics: [TOPIC], index, log: silentLog };
  const tail = new IndexedTail(broker, tailOptions, (message) => {
    received += 1;
    const { key, value, timestampMs } = message;
    index.put(String(key), { value: value ?? Buffer.alloc(0), writtenAtMs: timestampMs, isOpen: false });
    index.passed({ ...message, offset: message.offset + 1 });
  });
  await tail.start();
  onTestFinished(() => tail.stop(0));
  return { ...world, tail, received: () => received };
}

/** The broker with a topic of these settings on Kafka, and changed ranges. */
function asKafka(
  broker: Broker,
  settings: object,
  change: (range: PartitionRange) => PartitionRange,
): Broker {
  const config = new Map(Object.entries({ ...CONFIG, ...settings }));
  const admin = Object.assign(Object.create(broker.admin) as BrokerAdmin, {
    topicStates: () => Promise.resolve(new Map([[TOPIC, { partitions: 2, config }]])),
    offsets: async (topic: string) => (await broker.admin.offsets(topic)).map(change),
  });
  return { ...broker, admin };
}

function withoutRecords(broker: Broker): Broker {
  return {
    ...broker,
    createTail: (options) => {
      const tail = broker.createTail(options);
      const start = tail.start.bind(tail);
      return Object.assign(tail, { start: () => start(() => undefined) });
    },
  };
}

it('a tail that reads into an index reads only new records after a restart', async () => {
  const { broker, write } = await topicWorld();
  const folder = scratchFolder();
  await write(0, 20);
  const first = await follow(broker, { folder });
  expect([first.received(), first.find('id 19')]).toEqual([20, 'id 19']);
  await first.tail.stop(0);
  await write(20, 25);
  const second = await follow(broker, { folder });
  expect([second.received(), second.find('id 0'), second.find('id 24')]).toEqual([5, 'id 0', 'id 24']);
  expect(second.index.completeFromMs).toBe(0);
});

it('a tail that reads into an index reads a topic from its beginning that was created again', async () => {
  const before = await topicWorld();
  const folder = scratchFolder();
  await before.write(0, 20);
  await (await follow(before.broker, { folder })).tail.stop(0);
  const { broker, write } = await topicWorld();
  await write(100, 103);
  const { received, find } = await follow(broker, { folder });
  expect([received(), find('id 0'), find('id 100')]).toEqual([3, undefined, 'id 100']);
});

it('a tail that reads into an index knows that records are missing which the embedded broker removed unread, but not by their age', async () => {
  const small = await topicWorld({ maxRecordsPerTopic: 20 });
  await small.write(0, 40, 10_000);
  await small.write(40, 80, 20_000);
  expect((await follow(small.broker)).index.completeFromMs).toBe(20_000);
  const { broker, write, time } = await topicWorld();
  await write(0, 40);
  time.nowMs += 8 * 24 * 3_600_000;
  const lows = async () => (await broker.admin.offsets(TOPIC)).map(({ low }) => low);
  await passUntil(async () => Math.min(...(await lows())) > 0);
  await write(40, 60);
  const { index } = await follow(broker);
  expect(index.completeFromMs).toBe(0);
});

it.each([
  ['for 23 hours', { 'retention.ms': String(23 * 3_600_000), 'retention.bytes': '-1' }, 10_000],
  ['up to a number of bytes', { 'retention.ms': '-1', 'retention.bytes': '1000000' }, 10_000],
  ['for 24 hours', { 'retention.ms': String(24 * 3_600_000), 'retention.bytes': '-1' }, 0],
])(
  'a tail that reads into an index knows whether records may be missing on a Kafka whose topic keeps them %s',
  async (_, config, expected) => {
    const { broker, write } = await topicWorld({ maxRecordsPerTopic: 20 });
    await write(0, 80);
    const kafka = asKafka(broker, config, ({ partition, low, high }) => ({ partition, low, high }));
    const { index } = await follow(kafka);
    expect(index.completeFromMs).toBe(expected);
  },
);

it('a tail that reads into an index knows that records may be missing of a topic that lost all of them early, and later ones not', async () => {
  const { broker, write } = await topicWorld();
  await write(0, 20);
  const lost = asKafka(broker, { 'retention.ms': '3600000' }, (range) => ({ ...range, low: range.high }));
  const folder = scratchFolder();
  const startMs = Date.now();
  const { index, tail } = await follow(withoutRecords(lost), { folder });
  expect(index.completeFromMs).toBeGreaterThanOrEqual(startMs);
  await tail.stop(0);
  const { completeFromMs } = index;
  await pass(5);
  const again = await follow(withoutRecords(lost), { folder });
  expect(again.index.completeFromMs).toBe(completeFromMs);
});

it('a tail that reads into an index stops at a full index, is not current meanwhile, and continues without a gap', async () => {
  const { broker, write } = await topicWorld();
  let nowMs = 0;
  const limits = { memoryBytes: 36_000, waitingBytes: 3_000 };
  const options = { limits, retentionMs: 1_000, clock: { now: () => nowMs } };
  const { tail, index, fire, write: flush, find } = await follow(broker, options);
  for (let id = 0; index.health().status === 'ready' && id < 500; id += 5) {
    await write(id, id + 5, 0);
    await tail.caughtUp(1_000);
    flush();
  }
  await write(500, 530, 5_000);
  await expect(tail.caughtUp(1_000)).rejects.toMatchObject({ code: 'tail-behind' });
  expect(tail.isCurrent()).toBe(false);
  expect(tail.health()).toMatchObject({ status: 'starting' });
  nowMs = 5_000;
  fire();
  flush();
  await passUntil(() => tail.isCurrent() && find('id 509') === 'id 509');
});

import { expect } from 'vitest';
import { QUEUE_LIMITS } from '../../../shared/platform/queue-limits.ts';
import { partitionOfKey } from '../../../shared/messaging/topics/key-partition.ts';
import { numbered, placed, type ScenarioTest } from '../../support/conformance/world.ts';

const SECOND = 1_000;

export function publishingScenarios(test: ScenarioTest): void {
  test('keeps the order of each key with concurrent publishers', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(4);
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const published: Promise<void>[] = [];
    for (let index = 0; index < 200; index += 1) {
      for (const key of keys) published.push(publisher.publish(numbered(topic, key, index, index + 1)));
      if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(published);
    const messages = await world.readAll(topic);
    for (const key of keys) {
      const own = messages.filter((message) => String(message.key) === key);
      expect(own.map(({ value }) => value)).toEqual(numbered(topic, key, 0, 200).map(({ value }) => value));
    }
  });

  test('chooses the same partition for a key as other Kafka clients do', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(7);
    const keys = Array.from({ length: 100 }, (_, index) => `key-${index * 7919}`);
    await publisher.publish(keys.map((key) => ({ topic, key, value: Buffer.from('x') })));
    const messages = await world.readAll(topic);
    const found = new Map(messages.map((message) => [message.key?.toString(), message.partition]));
    const expected = new Map(keys.map((key) => [key, partitionOfKey(Buffer.from(key), 7)]));
    expect(found).toEqual(expected);
  });

  test('queues messages until start(), and rejects those beyond the limits with not-sent', async ({
    world,
  }) => {
    const topic = await world.topic(1);
    const { messages: most, bytes: mostBytes } = QUEUE_LIMITS.publisher;
    const message = { topic, key: 'k', value: Buffer.from('x') };
    const full = { code: 'not-sent', canRetry: true };
    const waiting = world.broker.createPublisher({ clientId: 'waiting' });
    const first = waiting.publish([message]);
    const manyMessages = Array.from({ length: most }, () => message);
    await expect(waiting.publish(manyMessages)).rejects.toMatchObject(full);
    const value = Buffer.alloc(mostBytes / 128);
    const manyBytes = Array.from({ length: 128 }, () => ({ ...message, value }));
    await expect(waiting.publish(manyBytes)).rejects.toMatchObject(full);
    expect(await world.readAll(topic)).toHaveLength(0);
    await waiting.start();
    await first;
    expect(waiting.isHealthy()).toBe(true);
    await waiting.publish([message]);
    await waiting.stop();
    expect(await world.readAll(topic)).toHaveLength(2);
  });

  test('preserves bytes, headers, repeated headers, tombstones and timestamps', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(1);
    const timestampMs = Date.now() - 1_234;
    const bytes = Buffer.from([0, 1, 2, 255, 254, 0]);
    const headers = { raw: bytes, text: 'käse', twice: ['a', 'b'], gone: undefined };
    await publisher.publish([
      { topic, key: bytes, value: bytes, headers, timestampMs },
      { topic, key: 'k', value: null },
      { topic, key: null, value: Buffer.alloc(0) },
    ]);
    const [full, tombstone, empty] = await world.readAll(topic);
    const read = { raw: bytes, text: Buffer.from('käse'), twice: [Buffer.from('a'), Buffer.from('b')] };
    const place = { topic, partition: 0, offset: 0 };
    expect(full).toEqual({ ...place, key: bytes, value: bytes, timestampMs, headers: read });
    expect(tombstone).toMatchObject({ key: Buffer.from('k'), value: null, offset: 1, headers: {} });
    expect(empty).toMatchObject({ key: null, value: Buffer.alloc(0), offset: 2 });
    expect(Math.abs((empty?.timestampMs ?? 0) - Date.now())).toBeLessThan(10 * SECOND);
  });

  test('rejects only the message that is too large', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(1, { 'max.message.bytes': '10000' });
    const large = { topic, key: 'k', value: incompressible(20_000) };
    const results = await Promise.allSettled([
      publisher.publish(numbered(topic, 'k', 0, 5)),
      publisher.publish([large]),
      publisher.publish(numbered(topic, 'k', 5, 10)),
    ]);
    expect(results[1]).toMatchObject(rejected('message-too-large'));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const [before, after] = numbered(topic, 'k', 10, 12);
    const mixed = publisher.publish([before!, large, after!]);
    await expect(mixed).rejects.toMatchObject({ code: 'message-too-large' });
    const values = (await world.readAll(topic)).map(({ value }) => value);
    expect(values).toEqual(numbered(topic, 'k', 0, 12).map(({ value }) => value));
  });

  test('stores messages that are sent together with rejected ones', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(4, { 'max.message.bytes': '10000' });
    const message = (partition: number, value: Buffer) => ({ topic, key: null, partition, value });
    const results = await Promise.allSettled([
      publisher.publish([message(0, Buffer.from('a')), message(0, Buffer.from('b'))]),
      publisher.publish([message(1, incompressible(20_000))]),
      publisher.publish([message(2, Buffer.from('c'))]),
      publisher.publish([message(3, incompressible(20_000)), message(3, Buffer.from('d'))]),
    ]);
    const outcomes = ['fulfilled', 'rejected', 'fulfilled', 'rejected'];
    expect(results.map(({ status }) => status)).toEqual(outcomes);
    const stored = await world.readAll(topic);
    // A send that fails for one partition may be repeated as a whole.
    const values = new Set(stored.map(({ partition, value }) => `${partition}: ${String(value)}`));
    expect([...values].toSorted()).toEqual(['0: a', '0: b', '2: c', '3: d']);
  });

  test('rejects only the message for an unknown topic', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(1);
    const startedMs = performance.now();
    const results = await Promise.allSettled([
      publisher.publish(numbered(topic, 'k', 0, 5)),
      publisher.publish([{ topic: world.name('absent'), key: 'k', value: Buffer.from('x') }]),
      publisher.publish(numbered(topic, 'k', 5, 10)),
    ]);
    expect(results[1]).toMatchObject(rejected('topic-unknown'));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(performance.now() - startedMs).toBeLessThan(5 * SECOND);
    expect(await world.readAll(topic)).toHaveLength(10);
    await publisher.publish(numbered(topic, 'k', 10, 11));
  });

  test('sends queued messages on stop(), and rejects later ones', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(2);
    const last = publisher.publish(numbered(topic, 'k', 0, 100));
    await publisher.stop(5 * SECOND);
    await last;
    expect(await world.readAll(topic)).toHaveLength(100);
    const later = publisher.publish(numbered(topic, 'k', 100, 101));
    await expect(later).rejects.toMatchObject({ code: 'not-sent' });
  });

  test('reports the first retained and the next offset of each partition', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(2);
    await publisher.publish([0, 0, 0, 1].map((partition) => placed(topic, partition)));
    const offsets = await world.broker.admin.offsets(topic);
    const ranges = offsets.map(({ partition, low, high }) => [partition, low, high].join());
    expect(ranges.toSorted()).toEqual(['0,0,3', '1,0,1']);
    const absent = world.broker.admin.offsets(world.name('absent'));
    await expect(absent).rejects.toMatchObject({ code: 'topic-unknown' });
  });

  test('creates topics once and reports their partitions', async ({ world }) => {
    const topic = world.name('topic');
    const { admin } = world.broker;
    const spec = { topic, partitions: 3, replicationFactor: 1 };
    expect(await admin.createTopics([spec])).toEqual([topic]);
    expect(await admin.createTopics([{ ...spec, partitions: 5 }])).toEqual([]);
    expect(await admin.partitionCounts([topic, world.name('absent')])).toEqual(new Map([[topic, 3]]));
    expect(await admin.listTopics()).toContain(topic);
    world.after(async () => world.target.deleteTopics?.([topic]));
  });
}

const rejected = (code: string) => ({ status: 'rejected', reason: { code, canRetry: false } });

function incompressible(length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => Math.floor(Math.random() * 256)));
}

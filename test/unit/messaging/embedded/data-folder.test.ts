import { chmodSync, cpSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemDisk, type DiskCalls } from '../../../../shared/messaging/data-file.ts';
import {
  createEmbeddedBroker,
  type EmbeddedBrokerOptions,
} from '../../../../shared/messaging/embedded/embedded-broker.ts';
import type { LogMessage, OutgoingMessage, PartitionOffset } from '../../../../shared/messaging/message.ts';
import type { Broker, GroupSource, Publisher, TopicSpec } from '../../../../shared/messaging/ports.ts';
import { readTopics } from '../../../support/conformance/read-topics.ts';
import { pass, passUntil, stopTime } from '../../../support/fakes/passing-time.ts';
import { scratchFolder as newFolder } from '../../../support/scratch-folder.ts';

const STEP_MS = 10_000;
const T: TopicSpec = { topic: 't', partitions: 2 };
const FILE = 'broker.db';

stopTime();

/** Real syncs would take an unknown part of the stopped time. */
const DISK: DiskCalls = { ...systemDisk, sync: () => Promise.resolve() };

async function open(folder: string, options: EmbeddedBrokerOptions = {}, spec = T): Promise<Broker> {
  const broker = createEmbeddedBroker({ dataFolder: folder, disk: DISK, ...options });
  onTestFinished(() => broker.close());
  await broker.admin.createTopics([spec]);
  return broker;
}

const refusal = (code: string, text: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(text) as string });

async function publisherOf(broker: Broker, deadlineMs = STEP_MS): Promise<Publisher> {
  const publisher = broker.createPublisher({ clientId: 'publisher', deadlineMs });
  await publisher.start();
  return publisher;
}

async function openWithPublisher(...given: Parameters<typeof open>) {
  const broker = await open(...given);
  return { broker, publisher: await publisherOf(broker) };
}

const message = (value: string | null, key = 'k', topic = 't'): OutgoingMessage => ({
  topic,
  key,
  value: value === null ? null : Buffer.from(value),
});

async function valuesOf(broker: Broker, topic = 't'): Promise<string[]> {
  return (await readTopics(broker, [topic])).map(({ offset, value }) => `${offset}=${String(value)}`);
}

function faultyDisk() {
  const state: { write?: Error; sync?: Error; held?: Promise<void> } = {};
  const disk: DiskCalls = {
    ...systemDisk,
    commit: (database) => {
      if (state.write !== undefined) throw state.write;
      systemDisk.commit(database);
    },
    sync: async () => {
      await state.held;
      if (state.sync !== undefined) throw state.sync;
    },
  };
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    state.held = promise;
    return resolve;
  };
  return { state, disk, hold };
}

const nothing = (): void => undefined;

const diskError = (code: string): Error => Object.assign(new Error(`${code}: the disk says no`), { code });

async function readOnce(
  broker: Broker,
  commits: readonly PartitionOffset[],
  then: 'leave' | 'stay' = 'leave',
): Promise<GroupSource> {
  const source = broker.createGroupSource({ groupId: 'g', clientId: 'c', topics: ['t'] });
  const generation = await new Promise<number>((resolve, reject) => {
    const sink = { onAssigned: resolve, onRevoking: nothing, onCrash: reject, onMessages: nothing };
    source.start(sink).catch(reject);
  });
  expect(await source.commit(generation, commits)).toBe(true);
  if (then === 'leave') await source.stop();
  return source;
}

describe('a new start on the same folder', () => {
  test('has the topics, their settings, the messages and the committed offsets', async () => {
    const folder = newFolder();
    const spec = { ...T, config: { 'max.message.bytes': '300' } };
    const { broker: first, publisher } = await openWithPublisher(folder, {}, spec);
    const headers = { one: 'ä', two: ['a', 'b'], raw: Buffer.from([0, 255]) };
    await publisher.publish([
      { ...message('v'), headers, partition: 0, timestampMs: 5 },
      message('w', 'other'),
    ]);
    await first.createPublisher({ clientId: 'other' }).stop();
    await readOnce(first, [{ topic: 't', partition: 0, offset: 1 }], 'stay');
    await first.close();

    const second = await open(folder);
    expect(await second.admin.partitionCounts(['t'])).toEqual(new Map([['t', 2]]));
    expect(await second.admin.listTopics()).toEqual(['t']);
    expect(await second.admin.committed('g', ['t'])).toEqual([{ topic: 't', partition: 0, offset: 1 }]);
    const tooLarge = (await publisherOf(second)).publish([message('x'.repeat(300))]);
    await expect(tooLarge).rejects.toMatchObject({ code: 'message-too-large' });
    const read: unknown[] = [];
    await second.readRanges([{ topic: 't', partition: 0, from: 0, to: 1 }], (one) => {
      read.push(one);
      return 'more';
    });
    const asBytes = { one: Buffer.from('ä'), two: ['a', 'b'].map((text) => Buffer.from(text)) };
    const expected = { offset: 0, timestampMs: 5, value: Buffer.from('v') };
    expect(read).toMatchObject([{ ...expected, headers: { ...headers, ...asBytes } }]);
  });

  test.each([
    ['has committed', 4],
    ['has read without a commit', undefined],
  ])('keeps what a group without members has not read that %s', async (_, offset) => {
    const folder = newFolder();
    const options = { limits: { maxRecordsPerTopic: 10 } };
    const spec = { ...T, partitions: 1 };
    const first = await open(folder, options, spec);
    const commits = offset === undefined ? [] : [{ topic: 't', partition: 0, offset }];
    await readOnce(first, commits);
    const publisher = await publisherOf(first);
    for (let count = 0; count < 10; count += 1) await publisher.publish([message(String(count))]);
    await first.close();

    const second = await open(folder, options, spec);
    expect(await second.admin.committed('g', ['t'])).toEqual(commits);
    const next = await publisherOf(second);
    for (let count = 0; count < (offset ?? 0); count += 1) await next.publish([message('more')]);
    const late = (await publisherOf(second, 100)).publish([message('too much')]);
    await Promise.all([expect(late).rejects.toMatchObject({ code: 'not-sent' }), pass(100)]);
    expect(await second.admin.offsets('t')).toMatchObject([{ low: offset ?? 0 }]);
  });
});

describe('a group commit', () => {
  test('is on the disk before a publish is acknowledged or its message is delivered', async () => {
    const { hold, disk } = faultyDisk();
    const { broker, publisher } = await openWithPublisher(newFolder(), { disk });
    const delivered: string[] = [];
    const tail = broker.createTail({ clientId: 'tail', topics: ['t'], from: 'latest' });
    await tail.start(({ value }) => delivered.push(String(value)));
    const release = hold();
    let isAcknowledged = false;
    const published = publisher.publish([message('a')]).then(() => (isAcknowledged = true));
    await pass(50);
    expect([isAcknowledged, delivered]).toEqual([false, []]);
    await pass(5_500);
    expect(broker.health?.().reason).toContain('a write has not ended for 6 s');
    release();
    await published;
    await pass(5_500);
    expect(broker.health?.()).toEqual({ status: 'ready' });
    await tail.caughtUp(STEP_MS);
    expect(delivered).toEqual(['a']);
  });

  test('is not awaited by readers of requests, whose replies are durable after it', async () => {
    const { hold, disk } = faultyDisk();
    const broker = await open(newFolder(), { disk }, { ...T, partitions: 1, storage: 'as-reply' });
    await broker.admin.createTopics([{ topic: 'replies', partitions: 1 }]);
    const publisher = await publisherOf(broker);
    await publisher.publish([message('first'), message('first', 'k', 'replies')]);
    const source = broker.createGroupSource({ groupId: 'g', clientId: 'c', topics: ['t'] });
    const settled: string[] = [];
    const read: LogMessage[] = [];
    const onMessages = (_: number, messages: readonly LogMessage[]): void => {
      read.push(...messages);
      const replies = messages.map(({ value }) => message(`to ${String(value)}`, 'k', 'replies'));
      void publisher.publish(replies).then(() => settled.push('reply'));
    };
    await source.start({ onAssigned: nothing, onRevoking: nothing, onCrash: nothing, onMessages });
    await passUntil(() => settled.length === 1);
    const release = hold();
    const published = publisher.publish([message('second')]).then(() => settled.push('request'));
    await passUntil(() => read.length === 2);
    expect([settled, await valuesOf(broker, 'replies')]).toEqual([['reply'], ['0=first', '1=to first']]);
    release();
    await published;
    await passUntil(() => settled.length === 3);
    expect(await valuesOf(broker, 'replies')).toEqual(['0=first', '1=to first', '2=to second']);
  });

  test('rejects its publishes when the disk is full, and recovers', async () => {
    const { state, disk } = faultyDisk();
    const folder = newFolder();
    const { broker, publisher } = await openWithPublisher(folder, { disk }, { ...T, partitions: 1 });
    await publisher.publish([message('before')]);
    state.write = diskError('ENOSPC');
    const failure = { code: 'not-sent', canRetry: true };
    await expect(publisher.publish([message('lost')])).rejects.toMatchObject(failure);
    expect(publisher.isHealthy()).toBe(false);
    const reason = expect.stringMatching(/ENOSPC.*free some space/) as string;
    expect(broker.health?.()).toMatchObject({ status: 'starting', reason });
    delete state.write;
    await passUntil(() => publisher.isHealthy());
    await publisher.publish([message('after')]);
    // A reader that does not wait for the disk may have seen the lost message: its offset is not used again.
    expect(await valuesOf(broker)).toEqual(['0=before', '2=after']);
    await broker.close();
    expect(await valuesOf(await open(folder))).toEqual(['0=before', '2=after']);
  });

  test('accepts nothing after a failed fdatasync, whose effect is unknown, until a restart', async () => {
    const { state, disk } = faultyDisk();
    const { broker, publisher } = await openWithPublisher(newFolder(), { disk });
    await publisher.publish([message('before')]);
    state.sync = diskError('EIO');
    await expect(publisher.publish([message('a')])).rejects.toMatchObject({ code: 'send-unknown' });
    delete state.sync;
    const failure = { code: 'not-sent', canRetry: true };
    await expect(publisher.publish([message('b')])).rejects.toMatchObject(failure);
    const expected = { status: 'unhealthy', reason: expect.stringMatching(/EIO.*restart/) as string };
    expect(broker.health?.()).toMatchObject(expected);
  });

  test('rejects at once, and does not store, what came during an fdatasync that fails', async () => {
    const { state, disk, hold } = faultyDisk();
    const folder = newFolder();
    const { broker, publisher } = await openWithPublisher(folder, { disk });
    const release = hold();
    const first = publisher.publish([message('a')]);
    await pass(50);
    const second = publisher.publish([message('b')]);
    state.sync = diskError('EIO');
    release();
    await expect(first).rejects.toEqual(refusal('send-unknown', /disk says no/));
    await expect(second).rejects.toEqual(refusal('not-sent', /disk says no/));
    await broker.close();
    expect(await valuesOf(await open(folder))).not.toContain('1=b');
  });

  test('rejects a commit of offsets that cannot be stored', async () => {
    const { state, disk } = faultyDisk();
    const broker = await open(newFolder(), { disk });
    const source = await readOnce(broker, [], 'stay');
    state.write = diskError('ENOSPC');
    const failure = { code: 'broker-unavailable', canRetry: true };
    await expect(source.commit(1, [{ topic: 't', partition: 0, offset: 0 }])).rejects.toMatchObject(failure);
  });
});

/** A copy of the data folder of a broker that is running: what a kill would leave. */
async function killedFolder(values: readonly string[]): Promise<string> {
  const running = newFolder();
  const { publisher } = await openWithPublisher(running, {}, { ...T, partitions: 1 });
  for (const value of values) await publisher.publish([message(value)]);
  const folder = newFolder();
  cpSync(running, folder, { recursive: true });
  return folder;
}

test.each([1, 20, 60, 4_100])(
  'a start after a crash loses only the last group commit when it is torn by %i bytes',
  async (torn) => {
    const folder = await killedFolder(['one', 'two', 'three']);
    const log = path.join(folder, `${FILE}-wal`);
    truncateSync(log, statSync(log).size - torn);
    const broker = await open(folder);
    expect(await valuesOf(broker)).toEqual(['0=one', '1=two']);
    await (await publisherOf(broker)).publish([message('next')]);
    await broker.close();
    expect(await valuesOf(await open(folder))).toEqual(['0=one', '1=two', '2=next']);
  },
);

describe('a damaged file', () => {
  test('prevents the start, and is named', async () => {
    const folder = newFolder();
    await (await open(folder)).close();
    writeFileSync(path.join(folder, FILE), Buffer.alloc(20_000, 1));
    const text = /broker\.db is damaged.*restore the data folder from a copy/;
    expect(() => createEmbeddedBroker({ dataFolder: folder })).toThrow(refusal('data-damaged', text));
  });

  test('that is found when a record is read makes the process unhealthy', async () => {
    const folder = newFolder();
    const { broker: first, publisher } = await openWithPublisher(folder, {}, { ...T, partitions: 1 });
    for (let count = 0; count < 10; count += 1)
      await publisher.publish(Array.from({ length: 20 }, () => message('x'.repeat(1_000))));
    await first.close();
    const file = path.join(folder, FILE);
    const content = readFileSync(file);
    writeFileSync(file, content.fill(1, content.length / 2));
    // A start does not read the records, of which there may be many.
    const broker = await open(folder);
    const tail = broker.createTail({ clientId: 'tail', topics: ['t'], from: 'earliest' });
    await tail.start(nothing);
    await passUntil(() => broker.health?.().status === 'unhealthy');
    expect(broker.health?.().reason).toMatch(/restore the data folder from a copy/);
    expect(tail.isReady()).toBe(false);
    const reading = broker.readRanges([{ topic: 't', partition: 0, from: 0, to: 200 }], () => 'more');
    await expect(reading).rejects.toMatchObject({ code: 'data-damaged' });
  });
});

describe('an expired message', () => {
  test('stays removed after a restart with a clock that was set back', async () => {
    const folder = newFolder();
    const HOUR_MS = 3_600_000;
    const spec = { ...T, partitions: 1, config: { 'retention.ms': String(HOUR_MS) } };
    let nowMs = 10 * HOUR_MS;
    const clock = { now: () => nowMs };
    const first = await open(folder, { clock, sweepIntervalMs: 5 }, spec);
    await (await publisherOf(first)).publish([message('old'), message('older')]);
    nowMs += 2 * HOUR_MS;
    await passUntil(async () => (await first.admin.offsets('t'))[0]?.low === 2);
    // As after a kill: the first broker closes later.
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });
    nowMs -= 2 * HOUR_MS;
    const second = await open(copy, { clock }, spec);
    expect(await second.admin.offsets('t')).toMatchObject([{ partition: 0, low: 2, high: 2 }]);
    expect(await valuesOf(second)).toEqual([]);
    await (await publisherOf(second)).publish([message('next')]);
    expect((await second.admin.offsets('t'))[0]?.high).toBe(3);
  });

  test('is removed with many others in parts, which do not stay in the write-ahead log', async () => {
    const folder = newFolder();
    const config = { 'retention.ms': '1000' };
    let nowMs = 0;
    const disk: DiskCalls = { ...DISK, checkpointBytes: 100_000 };
    const options = { clock: { now: () => nowMs }, sweepIntervalMs: 5, disk };
    const { broker, publisher } = await openWithPublisher(folder, options, { ...T, partitions: 1, config });
    const many = Array.from({ length: 500 }, () => message('x'.repeat(1_000)));
    for (let count = 0; count < 6; count += 1) await publisher.publish(many);
    nowMs = 2_000;
    await passUntil(async () => (await broker.admin.offsets('t'))[0]?.low === 3_000);
    const log = path.join(folder, `${FILE}-wal`);
    await passUntil(() => statSync(log).size < 100_000);
    expect(await valuesOf(broker)).toEqual([]);
  });
});

const request = (value: string, replyTopic: string): OutgoingMessage => ({
  ...message(value),
  headers: { kafka_replyTopic: replyTopic },
});

describe('a record that is kept in memory', () => {
  const REQUESTS: TopicSpec = { topic: 't', partitions: 1, storage: 'as-reply' };
  const REPLIES: TopicSpec = { topic: 'replies', partitions: 1, storage: 'memory' };

  test('waits for no disk, and is gone after a restart; requests whose results are kept are not', async () => {
    const { hold, disk } = faultyDisk();
    const folder = newFolder();
    const first = await open(folder, { disk }, REQUESTS);
    await first.admin.createTopics([REPLIES, { topic: 'results', partitions: 1 }]);
    const publisher = await publisherOf(first);
    await publisher.publish([request('one', 'replies'), request('two', 'results')]);
    const release = hold();
    const pending = publisher.publish([request('three', 'results')]);
    await publisher.publish([request('four', 'replies'), message('reply', 'k', 'replies')]);
    expect(await valuesOf(first, 'replies')).toEqual(['0=reply']);
    expect(await valuesOf(first)).toEqual(['0=one', '1=two', '2=three', '3=four']);
    release();
    await pending;
    await readOnce(first, [{ topic: 't', partition: 0, offset: 4 }]);
    await first.close();
    const second = await open(folder);
    expect(await valuesOf(second)).toEqual(['1=two', '2=three']);
    expect(await second.admin.offsets('t')).toMatchObject([{ low: 1, high: 4 }]);
    await (await publisherOf(second)).publish([request('next', 'results')]);
    expect((await valuesOf(second)).at(-1)).toBe('4=next');
  });

  test('is one whose reply is, unless it was redriven', async () => {
    const folder = newFolder();
    const first = await open(folder, {}, REQUESTS);
    await first.admin.createTopics([REPLIES]);
    const redriven = request('redriven', 'replies');
    const publisher = await publisherOf(first);
    await publisher.publish([
      request('text', 'replies'),
      { ...message('bytes'), headers: { kafka_replyTopic: Buffer.from('replies') } },
      request('unknown', 'elsewhere'),
      { ...redriven, headers: { ...redriven.headers, 'plat-redrive-count': '1' } },
      message('none'),
    ]);
    await first.close();
    expect(await valuesOf(await open(folder))).toEqual(['2=unknown', '3=redriven', '4=none']);
  });

  test('does not have its offset committed on the disk', async () => {
    const { state, disk } = faultyDisk();
    const broker = await open(newFolder(), { disk }, REQUESTS);
    await broker.admin.createTopics([REPLIES]);
    const publisher = await publisherOf(broker);
    await publisher.publish([request('one', 'replies')]);
    const source = await readOnce(broker, [], 'stay');
    await pass(50);
    state.sync = diskError('EIO');
    expect(await source.commit(1, [{ topic: 't', partition: 0, offset: 1 }])).toBe(true);
    await pass(50);
    expect(broker.health?.()).toEqual({ status: 'ready' });
  });
});

describe('a data folder', () => {
  test('is open in one broker at a time', async () => {
    const folder = newFolder();
    const broker = await open(folder);
    const text = /another DATA_DIR/;
    expect(() => createEmbeddedBroker({ dataFolder: folder })).toThrow(refusal('data-in-use', text));
    await broker.close();
    await open(folder);
  });

  test('of another version is refused', async () => {
    const folder = newFolder();
    await (await open(folder)).close();
    const database = new DatabaseSync(path.join(folder, FILE));
    database.exec('PRAGMA user_version = 99');
    database.close();
    const text = /^the data folder cannot be used: \S+ has format 99, and this version reads format 1/;
    for (const _ of ['open', 'closed again'])
      expect(() => createEmbeddedBroker({ dataFolder: folder })).toThrow(refusal('data-unusable', text));
  });

  test('is readable by its user only, also in a folder that others may read', async () => {
    const folder = newFolder();
    chmodSync(folder, 0o755);
    await open(folder);
    for (const name of [FILE, `${FILE}-wal`])
      expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  });
});

test('compaction keeps exactly the latest value of each key over restarts, with random values', async () => {
  const config = { 'cleanup.policy': 'compact', 'delete.retention.ms': '0' };
  const table: TopicSpec = { topic: 't', partitions: 1, config };
  const folder = newFolder();
  const expected = new Map<string, string>();
  for (let round = 0; round < 5; round += 1) {
    const { broker, publisher } = await openWithPublisher(folder, { sweepIntervalMs: 2 }, table);
    for (let count = 0; count < 60; count += 1) {
      const key = `k${Math.floor(60 * Math.random() ** 3)}`;
      const value = Math.random() < 0.1 ? null : `${round}-${count} ${'x'.repeat(400 * Math.random())}`;
      await publisher.publish([message(value, key)]);
      if (value === null) expected.delete(key);
      else expected.set(key, value);
    }
    const isCompact = async () => (await valuesOf(broker)).length === expected.size;
    await passUntil(isCompact);
    await broker.close();
    const again = await open(folder);
    const found = (await valuesOf(again)).map((value) => value.slice(value.indexOf('=') + 1));
    expect(found.toSorted()).toEqual([...expected.values()].toSorted());
    await again.close();
  }
});

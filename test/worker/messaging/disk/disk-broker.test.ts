import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDiskBroker, type DiskBrokerOptions } from '../../../../shared/messaging/disk/disk-broker.ts';
import { systemIo, type DiskIo } from '../../../../shared/messaging/disk/disk-io.ts';
import type { LogMessage, OutgoingMessage, PartitionOffset } from '../../../../shared/messaging/message.ts';
import type { Broker, GroupSource, Publisher, TopicSpec } from '../../../../shared/messaging/ports.ts';
import { eventually, sleep } from '../../../support/conformance/wait.ts';

const STEP_MS = 10_000;
const T: TopicSpec = { topic: 't', partitions: 2 };
const SMALL_SEGMENTS = { 'segment.bytes': '2000' };

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'disk-broker-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(folder: string, options: Partial<DiskBrokerOptions> = {}, spec = T): Promise<Broker> {
  const broker = createDiskBroker({ folder, ...options });
  onTestFinished(() => broker.close());
  await broker.admin.createTopics([spec]);
  return broker;
}

async function publisherOf(broker: Broker, deadlineMs = STEP_MS): Promise<Publisher> {
  const publisher = broker.createPublisher({ clientId: 'publisher', deadlineMs });
  await publisher.start();
  return publisher;
}

const message = (value: string | null, key = 'k', topic = 't'): OutgoingMessage => ({
  topic,
  key,
  value: value === null ? null : Buffer.from(value),
});

async function valuesOf(broker: Broker, topic = 't'): Promise<string[]> {
  const values: string[] = [];
  const offsets = await broker.admin.offsets(topic);
  const ranges = offsets.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high }));
  await broker.readRanges(ranges, ({ offset, value }) => {
    values.push(`${offset}=${value?.toString() ?? 'null'}`);
    return 'more';
  });
  return values;
}

const filesOf = (folder: string, ending: string, topic = 't'): string[] =>
  readdirSync(path.join(folder, 'topics', topic))
    .filter((name) => name.endsWith(ending))
    .toSorted()
    .map((name) => path.join(folder, 'topics', topic, name));

/** Calls of the disk that fail, or wait, while a test says so. */
function faultyDisk() {
  const state: { write?: Error; sync?: Error; held?: Promise<void> } = {};
  const io: DiskIo = {
    ...systemIo,
    write: (fd, content, position) => {
      if (state.write === undefined) return systemIo.write(fd, content, position);
      systemIo.write(fd, content.subarray(0, content.length / 2), position);
      throw state.write;
    },
    sync: async (fd) => {
      await state.held;
      if (state.sync !== undefined) throw state.sync;
      await systemIo.sync(fd);
    },
  };
  return { state, io };
}

const nothing = (): void => undefined;

const diskError = (code: string): Error => Object.assign(new Error(`${code}: the disk says no`), { code });

/** A member of the group `g` gets the partitions of `t`, commits, and leaves. */
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
    const first = await open(folder, {}, spec);
    const publisher = await publisherOf(first);
    const headers = { one: 'ä', two: ['a', 'b'], raw: Buffer.from([0, 255]) };
    await publisher.publish([
      { ...message('v'), headers, partition: 0, timestampMs: 5 },
      message('w', 'other'),
    ]);
    await first.createPublisher({ clientId: 'other' }).stop();
    const source = first.createGroupSource({ groupId: 'g', clientId: 'c', topics: ['t'] });
    const committed = new Promise<boolean>((resolve, reject) => {
      const onMessages = (generation: number): void => {
        source.commit(generation, [{ topic: 't', partition: 0, offset: 1 }]).then(resolve, reject);
      };
      void source.start({ onAssigned: nothing, onRevoking: nothing, onCrash: reject, onMessages });
    });
    expect(await committed).toBe(true);
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
    expect(read).toMatchObject([
      {
        offset: 0,
        timestampMs: 5,
        value: Buffer.from('v'),
        headers: {
          one: Buffer.from('ä'),
          two: [Buffer.from('a'), Buffer.from('b')],
          raw: Buffer.from([0, 255]),
        },
      },
    ]);
  });

  test('continues the offsets of a log whose messages were all removed', async () => {
    const folder = newFolder();
    const spec = { ...T, partitions: 1, config: { ...SMALL_SEGMENTS, 'retention.ms': '0' } };
    const first = await open(folder, { sweepIntervalMs: 5 }, spec);
    const publisher = await publisherOf(first);
    for (let count = 0; count < 20; count += 1) await publisher.publish([message('x'.repeat(500))]);
    await eventually('removal', STEP_MS, async () => (await first.admin.offsets('t'))[0]?.low === 20);
    await eventually('free space', STEP_MS, () => filesOf(folder, '.log').length === 1);
    await first.close();
    const second = await open(folder, {}, spec);
    expect(await second.admin.offsets('t')).toMatchObject([
      { partition: 0, low: expect.any(Number) as number, high: 20 },
    ]);
    expect((await second.admin.offsets('t'))[0]?.low).toBeGreaterThan(14);
    await (await publisherOf(second)).publish([message('next')]);
    expect((await second.admin.offsets('t'))[0]?.high).toBe(21);
  });

  test('does not have a deleted topic or its commits, and accepts one of the same name', async () => {
    const folder = newFolder();
    const first = await open(folder);
    await (await publisherOf(first)).publish([message('old')]);
    await first.admin.deleteTopics(['t']);
    await first.admin.createTopics([{ ...T, partitions: 1 }]);
    await (await publisherOf(first)).publish([message('new')]);
    await first.close();
    const second = await open(folder);
    expect(await valuesOf(second)).toEqual(['0=new']);
    expect(readdirSync(path.join(folder, 'deleted'))).toEqual([]);
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
    const next = await publisherOf(second, 100);
    for (let count = 0; count < (offset ?? 0); count += 1) await next.publish([message('more')]);
    await expect(next.publish([message('too much')])).rejects.toMatchObject({ code: 'not-sent' });
    expect(await second.admin.offsets('t')).toMatchObject([{ low: offset ?? 0 }]);
  });

  test('keeps what a group has not read of a topic that was created again', async () => {
    const folder = newFolder();
    const options = { limits: { maxRecordsPerTopic: 10 } };
    const spec = { ...T, partitions: 1 };
    const first = await open(folder, options, spec);
    const source = await readOnce(first, [], 'stay');
    await first.admin.deleteTopics(['t']);
    await first.admin.createTopics([spec]);
    await source.stop();
    const publisher = await publisherOf(first);
    for (let count = 0; count < 10; count += 1) await publisher.publish([message(String(count))]);
    await first.close();
    const second = await open(folder, options, spec);
    const refused = (await publisherOf(second, 100)).publish([message('too much')]);
    await expect(refused).rejects.toMatchObject({ code: 'not-sent' });
  });

  test('needs no index files', async () => {
    const folder = newFolder();
    const first = await open(folder, {}, { ...T, config: SMALL_SEGMENTS });
    const publisher = await publisherOf(first);
    for (let count = 0; count < 30; count += 1)
      await publisher.publish([message(`${count} ${'x'.repeat(300)}`)]);
    const before = await valuesOf(first);
    await first.close();
    const indexes = filesOf(folder, '.index');
    expect(indexes.length).toBeGreaterThan(3);
    rmSync(indexes[0] ?? '');
    writeFileSync(indexes[1] ?? '', 'damaged');
    expect(await valuesOf(await open(folder))).toEqual(before);
  });
});

describe('a group commit', () => {
  test('is on the disk before a publish is acknowledged or its message is delivered', async () => {
    const { state, io } = faultyDisk();
    const broker = await open(newFolder(), { io });
    const publisher = await publisherOf(broker);
    const delivered: string[] = [];
    const tail = broker.createTail({ clientId: 'tail', topics: ['t'], from: 'latest' });
    await tail.start(({ value }) => delivered.push(String(value)));
    const hold = Promise.withResolvers<void>();
    state.held = hold.promise;
    let isAcknowledged = false;
    const published = publisher.publish([message('a')]).then(() => (isAcknowledged = true));
    await sleep(50);
    expect([isAcknowledged, delivered]).toEqual([false, []]);
    hold.resolve();
    await published;
    await tail.caughtUp(STEP_MS);
    expect(delivered).toEqual(['a']);
  });

  test('is not awaited by eager readers, whose replies are durable after it', async () => {
    const { state, io } = faultyDisk();
    const folder = newFolder();
    const broker = await open(folder, { io }, { ...T, partitions: 1 });
    await broker.admin.createTopics([{ topic: 'replies', partitions: 1 }]);
    const publisher = await publisherOf(broker);
    await publisher.publish([message('first'), message('first', 'k', 'replies')]);
    const source = broker.createGroupSource({ groupId: 'g', clientId: 'c', topics: ['t'], isEager: true });
    const settled: string[] = [];
    const onMessages = (_: number, messages: readonly LogMessage[]): void => {
      const replies = messages.map(({ value }) => message(`to ${String(value)}`, 'k', 'replies'));
      void publisher.publish(replies).then(() => settled.push('reply'));
    };
    await source.start({ onAssigned: nothing, onRevoking: nothing, onCrash: nothing, onMessages });
    const read: string[] = [];
    const tail = broker.createTail({ clientId: 'tail', topics: ['replies'], from: 'latest', isEager: true });
    await tail.start(({ value }) => read.push(String(value)));
    await eventually('the first reply', STEP_MS, () => settled.length === 1 && read.length === 1);
    const hold = Promise.withResolvers<void>();
    state.held = hold.promise;
    const published = publisher.publish([message('second')]).then(() => settled.push('request'));
    await eventually('the second reply', STEP_MS, () => read.length === 2);
    expect([settled, await valuesOf(broker)]).toEqual([['reply'], ['0=first']]);
    hold.resolve();
    await published;
    await eventually('the durable reply', STEP_MS, () => settled.length === 3);
    expect(await valuesOf(broker, 'replies')).toEqual(['0=first', '1=to first', '2=to second']);
  });

  test.each([
    ['write', 'not-sent'],
    ['sync', 'send-unknown'],
  ] as const)('rejects its publishes when the disk is full in %s, and recovers', async (call, code) => {
    const { state, io } = faultyDisk();
    const folder = newFolder();
    const broker = await open(folder, { io }, { ...T, partitions: 1 });
    const publisher = await publisherOf(broker);
    await publisher.publish([message('before')]);
    state[call] = diskError('ENOSPC');
    await expect(publisher.publish([message('lost')])).rejects.toMatchObject({ code, canRetry: true });
    expect(publisher.isHealthy()).toBe(false);
    expect(broker.health?.()).toMatchObject({
      status: 'starting',
      reason: expect.stringMatching(/ENOSPC.*free some space/) as string,
    });
    delete state[call];
    await eventually('recovery', STEP_MS, () => publisher.isHealthy());
    await publisher.publish([message('after')]);
    // A reader that does not wait for the disk may have seen the lost message: its offset is not used again.
    expect(await valuesOf(broker)).toEqual(['0=before', '2=after']);
    await broker.close();
    expect(await valuesOf(await open(folder))).toEqual(['0=before', '2=after']);
  });

  test('that needs more open files than the limit says so, and is repeated', async () => {
    const { state, io } = faultyDisk();
    const broker = await open(newFolder(), { io });
    const publisher = await publisherOf(broker);
    state.write = diskError('EMFILE');
    await expect(publisher.publish([message('lost')])).rejects.toMatchObject({ canRetry: true });
    expect(broker.health?.()).toMatchObject({
      status: 'starting',
      reason: expect.stringMatching(/EMFILE.*raise the limit of open files \(ulimit -n/) as string,
    });
    delete state.write;
    await eventually('recovery', STEP_MS, () => publisher.isHealthy());
  });

  test('accepts nothing after a failed fdatasync, whose effect is unknown, until a restart', async () => {
    const { state, io } = faultyDisk();
    const broker = await open(newFolder(), { io });
    const publisher = await publisherOf(broker);
    await publisher.publish([message('before')]);
    state.sync = diskError('EIO');
    await expect(publisher.publish([message('a')])).rejects.toMatchObject({ code: 'send-unknown' });
    delete state.sync;
    await expect(publisher.publish([message('b')])).rejects.toMatchObject({
      code: 'not-sent',
      canRetry: true,
    });
    expect(broker.health?.()).toMatchObject({
      status: 'unhealthy',
      reason: expect.stringMatching(/EIO.*restart/) as string,
    });
  });

  test('rejects a commit of offsets that cannot be stored', async () => {
    const { state, io } = faultyDisk();
    const broker = await open(newFolder(), { io });
    const source = broker.createGroupSource({ groupId: 'g', clientId: 'c', topics: ['t'] });
    const generation = new Promise<number>((resolve, reject) => {
      void source.start({ onAssigned: resolve, onRevoking: nothing, onCrash: reject, onMessages: nothing });
    });
    const current = await generation;
    state.write = diskError('ENOSPC');
    await expect(source.commit(current, [{ topic: 't', partition: 0, offset: 0 }])).rejects.toMatchObject({
      code: 'broker-unavailable',
      canRetry: true,
    });
  });
});

/** A copy of the data folder of a broker that is running: what a kill would leave. */
async function killedFolder(values: readonly string[]): Promise<{ folder: string; journal: string }> {
  const running = newFolder();
  const broker = await open(running, {}, { ...T, partitions: 1 });
  const publisher = await publisherOf(broker);
  for (const value of values) await publisher.publish([message(value)]);
  const folder = newFolder();
  cpSync(running, folder, { recursive: true });
  const [name = ''] = readdirSync(path.join(folder, 'journal'));
  return { folder, journal: path.join(folder, 'journal', name) };
}

describe('a start after a crash', () => {
  test.each([1, 20, 60, 100])(
    'loses only the last group commit when it is torn by %i bytes',
    async (torn) => {
      const { folder, journal } = await killedFolder(['one', 'two', 'three']);
      truncateSync(journal, statSync(journal).size - torn);
      const [segment = ''] = filesOf(folder, '.log');
      const content = readFileSync(segment);
      writeFileSync(
        segment,
        content.subarray(
          0,
          content.lastIndexOf(content.subarray(16 + content.readUInt32LE(8)).subarray(0, 8)),
        ),
      );
      const broker = await open(folder);
      expect(await valuesOf(broker)).toEqual(['0=one', '1=two']);
      await (await publisherOf(broker)).publish([message('next')]);
      await broker.close();
      expect(await valuesOf(await open(folder))).toEqual(['0=one', '1=two', '2=next']);
    },
  );

  test('has what was written to the journal and not yet to a segment', async () => {
    const { folder } = await killedFolder(['one', 'two']);
    const [segment = ''] = filesOf(folder, '.log');
    truncateSync(segment, 16 + readFileSync(segment).readUInt32LE(8));
    expect(await valuesOf(await open(folder))).toEqual(['0=one', '1=two']);
  });

  test('is refused when an entry of the journal is damaged and a later one is not', async () => {
    const { folder, journal } = await killedFolder(['one', 'two', 'three']);
    const content = readFileSync(journal);
    content.write('TWO', content.indexOf('two'));
    writeFileSync(journal, content);
    const text = new RegExp(`${path.basename(journal)} is damaged at byte \\d+.*restore the data folder`);
    expect(() => createDiskBroker({ folder })).toThrow(
      expect.objectContaining({
        code: 'data-damaged',
        canRetry: false,
        message: expect.stringMatching(text) as string,
      }),
    );
  });

  test('removes segments that were begun and never used', async () => {
    const { folder } = await killedFolder(['one']);
    const [file = ''] = filesOf(folder, '.log');
    const next = file.replace('1.log', '2.log');
    writeFileSync(next, readFileSync(file).subarray(0, 30));
    const broker = await open(folder);
    await (await publisherOf(broker)).publish([message('next')]);
    expect(await valuesOf(broker)).toEqual(['0=one', '1=next']);
    expect(existsSync(next)).toBe(false);
  });
});

describe('a damaged file', () => {
  test('prevents the start, and the place is named', async () => {
    const folder = newFolder();
    const broker = await open(folder, {}, { ...T, partitions: 1 });
    const publisher = await publisherOf(broker);
    for (const value of ['one', 'two', 'three']) await publisher.publish([message(value)]);
    await broker.close();
    for (const index of filesOf(folder, '.index')) rmSync(index);
    const [file = ''] = filesOf(folder, '.log');
    const content = readFileSync(file);
    content.write('THREE', content.indexOf('three'));
    writeFileSync(file, content);
    const text = new RegExp(`${path.basename(file)} is damaged at byte \\d+.*restore the data folder`);
    expect(() => createDiskBroker({ folder })).toThrow(
      expect.objectContaining({ code: 'data-damaged', message: expect.stringMatching(text) as string }),
    );
  });

  test('is found when a record is read', async () => {
    const folder = newFolder();
    const broker = await open(folder, {}, { ...T, partitions: 1 });
    await (await publisherOf(broker)).publish([message('value')]);
    const [file = ''] = filesOf(folder, '.log');
    const content = readFileSync(file);
    content.write('VALUE', content.indexOf('value'));
    writeFileSync(file, content);
    await expect(valuesOf(broker)).rejects.toMatchObject({ code: 'data-damaged' });
    expect(broker.health?.()).toMatchObject({
      status: 'degraded',
      reason: expect.stringContaining(file) as string,
    });
  });

  test('ends a tail, and the process is unhealthy until the owner of the tail stops it', async () => {
    const folder = newFolder();
    const broker = await open(folder, {}, { ...T, partitions: 1 });
    await (await publisherOf(broker)).publish([message('value')]);
    const [file = ''] = filesOf(folder, '.log');
    const content = readFileSync(file);
    content.write('VALUE', content.indexOf('value'));
    writeFileSync(file, content);
    const tail = broker.createTail({ clientId: 'tail', topics: ['t'], from: 'earliest' });
    await tail.start(nothing);
    await expect(tail.caughtUp(STEP_MS)).rejects.toMatchObject({ code: 'tail-stopped' });
    expect(broker.health?.()).toMatchObject({
      status: 'unhealthy',
      reason: expect.stringContaining(file) as string,
    });
    await tail.stop();
    expect(broker.health?.()).toMatchObject({ status: 'degraded' });
  });
});

describe('a tail', () => {
  test('reads on after a file could not be opened', async () => {
    let isFailing = false;
    const io: DiskIo = {
      ...systemIo,
      open: (file, mode) => {
        if (isFailing && mode === 'reading') throw diskError('EMFILE');
        return systemIo.open(file, mode);
      },
    };
    const broker = await open(newFolder(), { io }, { topic: 't', partitions: 1, config: SMALL_SEGMENTS });
    const publisher = await publisherOf(broker);
    const read: string[] = [];
    const tail = broker.createTail({ clientId: 'tail', topics: ['t'], from: 'earliest' });
    await tail.start(({ value }) => read.push(String(value)));
    const values = Array.from({ length: 40 }, (_, number) => `${number} ${'x'.repeat(100)}`);
    isFailing = true;
    for (const value of values) await publisher.publish([message(value)]);
    await eventually('the failure', STEP_MS, () => !tail.isReady());
    isFailing = false;
    await tail.caughtUp(STEP_MS);
    expect(read).toEqual(values);
    expect(tail.isReady()).toBe(true);
  });
});

describe('a segment that lost its end after a regular stop', () => {
  test.each([
    ['within a record', 1],
    ['between two records', 0],
  ])('prevents the start, %s', async (_, cut) => {
    const folder = newFolder();
    const first = await open(folder);
    const publisher = await publisherOf(first);
    await publisher.publish([message('one')]);
    const [file = ''] = filesOf(folder, '.log');
    const { size } = statSync(file);
    await publisher.publish([message('two')]);
    await first.close();
    truncateSync(file, size + cut);
    expect(() => createDiskBroker({ folder })).toThrow(
      expect.objectContaining({ code: 'data-damaged', message: expect.stringContaining(file) as string }),
    );
  });
});

describe('a segment', () => {
  test.each([
    ['the last one is removed', -1, (file: string) => rmSync(file)],
    ['an earlier one is removed', 1, (file: string) => rmSync(file)],
    ['it lost its head', 0, (file: string) => truncateSync(file, 30)],
  ])('that is damaged prevents the start, with and without its index: %s', async (_, which, damage) => {
    const folder = newFolder();
    const first = await open(folder, {}, { ...T, config: SMALL_SEGMENTS });
    const publisher = await publisherOf(first);
    for (let count = 0; count < 20; count += 1) await publisher.publish([message('x'.repeat(500))]);
    await first.close();
    const file = filesOf(folder, '.log').at(which) ?? '';
    damage(file);
    for (const attempt of ['with', 'without']) {
      if (attempt === 'without') rmSync(file.replace('.log', '.index'));
      expect(() => createDiskBroker({ folder }), `${attempt} its index`).toThrow(
        expect.objectContaining({ code: 'data-damaged', message: expect.stringContaining(file) as string }),
      );
    }
  });
});

describe('a later version', () => {
  test('has its own settings for stored topics, and their partitions', async () => {
    const folder = newFolder();
    await (await open(folder, {}, { ...T, config: { 'max.message.bytes': '300' } })).close();
    const specs = [{ ...T, partitions: 9, config: { 'max.message.bytes': '5000' } }];
    for (const options of [{ specs }, {}]) {
      const broker = await open(folder, options);
      expect(await broker.admin.partitionCounts(['t'])).toEqual(new Map([['t', 2]]));
      await (await publisherOf(broker)).publish([message('x'.repeat(1_000))]);
      await broker.close();
    }
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
    await eventually('removal', STEP_MS, async () => (await first.admin.offsets('t'))[0]?.low === 2);
    await eventually('its record', STEP_MS, () => {
      const state = JSON.parse(readFileSync(path.join(folder, 'topics', 't', 'topic.json'), 'utf8')) as {
        low: number[];
      };
      return state.low[0] === 2;
    });
    // As after a kill: the first broker closes later.
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });
    nowMs -= 2 * HOUR_MS;
    const second = await open(copy, { clock }, spec);
    expect(await second.admin.offsets('t')).toMatchObject([{ partition: 0, low: 2, high: 2 }]);
    expect(await valuesOf(second)).toEqual([]);
  });
});

describe('a data folder', () => {
  test('is open in one broker at a time', async () => {
    const folder = newFolder();
    const broker = await open(folder);
    expect(() => createDiskBroker({ folder })).toThrow(
      expect.objectContaining({
        code: 'data-in-use',
        message: expect.stringContaining('another DATA_DIR') as string,
      }),
    );
    await broker.close();
    await open(folder);
  });

  test('of another version is refused by both versions', async () => {
    const folder = newFolder();
    await (await open(folder)).close();
    writeFileSync(path.join(folder, 'format.json'), '{"format":99}');
    expect(() => createDiskBroker({ folder })).toThrow(
      expect.objectContaining({
        code: 'data-unusable',
        message: expect.stringMatching(/names format 99, and this version reads format 2/) as string,
      }),
    );
  });

  test('is refused, and stays as it is, when other files are in it', async () => {
    const folder = newFolder();
    const files = [path.join('topics', 'mine', 'a.txt'), path.join('deleted', 'mine', 'b.txt')];
    for (const file of files) {
      mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(folder, file), 'content');
    }
    expect(() => createDiskBroker({ folder })).toThrow(
      expect.objectContaining({
        code: 'data-unusable',
        message: expect.stringContaining('holds other files (deleted, topics)') as string,
      }),
    );
    expect(files.map((file) => existsSync(path.join(folder, file)))).toEqual([true, true]);
    expect(readdirSync(folder).toSorted()).toEqual(['deleted', 'topics']);
  });

  test('may be the root of a volume', async () => {
    const folder = newFolder();
    mkdirSync(path.join(folder, 'lost+found'));
    writeFileSync(path.join(folder, '.keep'), '');
    await (await open(folder)).close();
    const broker = await open(folder);
    expect(await broker.admin.listTopics()).toContain('t');
  });

  test('that cannot be read is named', async () => {
    const folder = newFolder();
    const first = await open(folder);
    await (await publisherOf(first)).publish([message('one')]);
    await first.close();
    const [file = ''] = filesOf(folder, '.log');
    rmSync(file);
    mkdirSync(file);
    expect(() => createDiskBroker({ folder })).toThrow(
      expect.objectContaining({
        code: 'data-unusable',
        message: expect.stringContaining(folder) as string,
      }),
    );
  });

  test('that cannot be created is named', () => {
    const file = path.join(newFolder(), 'file');
    writeFileSync(file, '');
    expect(() => createDiskBroker({ folder: path.join(file, 'data') })).toThrow(
      expect.objectContaining({
        code: 'data-unusable',
        message: expect.stringContaining('DATA_DIR') as string,
      }),
    );
  });
});

/** The latest value of each key of partition 0. */
async function tableOf(broker: Broker): Promise<Map<string, string>> {
  const table = new Map<string, string>();
  await broker.readRanges([{ topic: 't', partition: 0, from: 0, to: Infinity }], ({ key, value }) => {
    if (value === null) table.delete(String(key));
    else table.set(String(key), String(value));
    return 'more';
  });
  return table;
}

/** The latest of the values by their number modulo 5. */
const newest = (values: string[]): Map<string, string> =>
  new Map(values.map((value) => [String(Number.parseInt(value.split('=')[1] ?? '', 10) % 5), value]));

describe('compaction', () => {
  const TABLE: TopicSpec = {
    topic: 't',
    partitions: 1,
    config: { ...SMALL_SEGMENTS, 'cleanup.policy': 'compact', 'delete.retention.ms': '0' },
  };

  test('frees the space of superseded records, and keeps the newest of each key over a restart', async () => {
    const folder = newFolder();
    const first = await open(folder, { sweepIntervalMs: 5 }, TABLE);
    const publisher = await publisherOf(first);
    for (let count = 0; count < 300; count += 1) {
      await publisher.publish([message(`${count} ${'x'.repeat(100)}`, `k${count % 5}`)]);
    }
    const bytes = (): number => filesOf(folder, '.log').reduce((sum, file) => sum + statSync(file).size, 0);
    await eventually('free space', STEP_MS, () => bytes() < 15_000, bytes);
    await first.close();
    const found = newest(await valuesOf(await open(folder)));
    const offsets = [...found.values()].map((value) => Number.parseInt(value, 10));
    expect(new Set(offsets)).toEqual(new Set([295, 296, 297, 298, 299]));
  });

  test('keeps exactly the latest value of each key over restarts, with random values', async () => {
    const folder = newFolder();
    const expected = new Map<string, string>();
    for (let round = 0; round < 8; round += 1) {
      const broker = await open(folder, { sweepIntervalMs: 2 }, TABLE);
      const publisher = await publisherOf(broker);
      for (let count = 0; count < 60; count += 1) {
        const key = `k${Math.floor(60 * Math.random() ** 3)}`;
        const value = Math.random() < 0.1 ? null : `${round}-${count} ${'x'.repeat(400 * Math.random())}`;
        await publisher.publish([message(value, key)]);
        if (value === null) expected.delete(key);
        else expected.set(key, value);
      }
      await broker.close();
      const again = await open(folder, { sweepIntervalMs: STEP_MS });
      expect(await tableOf(again)).toEqual(expected);
      await again.close();
    }
  });

  test('never brings back a removed key over restarts', async () => {
    const folder = newFolder();
    for (let round = 0; round < 6; round += 1) {
      const broker = await open(folder, { sweepIntervalMs: 2 }, TABLE);
      const publisher = await publisherOf(broker);
      for (let count = 0; count < 12; count += 1)
        await publisher.publish([message('x'.repeat(90), `pad${count % 7}`)]);
      await publisher.publish([message('gone', `gone${round}`)]);
      for (let count = 0; count < 12; count += 1)
        await publisher.publish([message('x'.repeat(90), `pad${count % 3}`)]);
      await publisher.publish([message(null, `gone${round}`)]);
      if (round % 2 === 0) await sleep(20);
      await broker.close();
      for (const index of filesOf(folder, '.index')) if (round % 3 === 0) rmSync(index);
      const again = await open(folder, { sweepIntervalMs: STEP_MS });
      expect([...(await tableOf(again)).keys()].filter((key) => key.startsWith('gone'))).toEqual([]);
      await again.close();
    }
  });
});

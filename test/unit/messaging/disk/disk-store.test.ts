import { describe, expect, test } from 'vitest';
import { createDiskBroker } from '../../../../shared/messaging/disk/disk-broker.ts';
import type { DiskIo } from '../../../../shared/messaging/disk/disk-io.ts';
import type { Broker, TopicSpec } from '../../../../shared/messaging/ports.ts';
import { seededSystem, type SeededSystem } from '../../../simulation/seeded-system.ts';
import { SimulatedDisk } from '../../../support/disk/simulated-disk.ts';

const FOLDER = '/data';
const SWEEP_MS = 1_000;
const LIMIT_MS = 60_000;
const SMALL = { 'segment.bytes': '2000' };
const RETENTION_MS = 5_000;
const EVENTS: TopicSpec = {
  topic: 'events',
  partitions: 1,
  config: { ...SMALL, 'retention.ms': String(RETENTION_MS) },
};
const TABLE: TopicSpec = {
  topic: 'table',
  partitions: 1,
  config: { ...SMALL, 'cleanup.policy': 'compact', 'delete.retention.ms': '0' },
};
const TEXT = 'x'.repeat(100);
const ENTRIES_PER_SEGMENT = 15;

type Entry = readonly [key: string, value: string | null];

/** A disk and the time of the processes that use it, all simulated. */
class Machine {
  readonly system: SeededSystem;
  readonly disk: SimulatedDisk;

  constructor(seed = 1) {
    this.system = seededSystem(seed);
    this.disk = new SimulatedDisk(this.system.picks, this.system.timers);
  }

  /** Starts a broker on the disk; `changes` replace calls of it. */
  start(changes: (io: DiskIo, kill: () => void) => Partial<DiskIo> = () => ({})): Broker {
    const program = this.disk.start();
    const io = { ...program.io, ...changes(program.io, () => program.kill()) };
    return createDiskBroker({ ...this.system, folder: FOLDER, io, sweepIntervalMs: SWEEP_MS });
  }

  run<T>(work: Promise<T>): Promise<T> {
    return this.system.run(work, LIMIT_MS);
  }

  /** Publishes messages in group commits of as many as fill a segment. */
  async publish(broker: Broker, topic: string, entries: readonly Entry[]): Promise<void> {
    const publisher = broker.createPublisher({ clientId: 'publisher' });
    await publisher.start();
    for (let from = 0; from < entries.length; from += ENTRIES_PER_SEGMENT) {
      const some = entries.slice(from, from + ENTRIES_PER_SEGMENT);
      const messages = some.map(([key, value]) => ({
        topic,
        key,
        value: value === null ? null : Buffer.from(value),
      }));
      await this.run(publisher.publish(messages));
    }
  }

  /** Joins the group `group`, which reads the topic. Returns what commits an offset of it. */
  async join(
    broker: Broker,
    topic: string,
  ): Promise<(offset: number, partition?: number) => Promise<boolean>> {
    const source = broker.createGroupSource({ groupId: 'group', clientId: 'member', topics: [topic] });
    const joined = Promise.withResolvers<number>();
    await source.start({
      onAssigned: joined.resolve,
      onRevoking: () => undefined,
      onCrash: joined.reject,
      onMessages: () => undefined,
    });
    const generation = await this.run(joined.promise);
    return (offset, partition = 0) => source.commit(generation, [{ topic, partition, offset }]);
  }

  async read(broker: Broker, topic: string): Promise<Entry[]> {
    const found: Entry[] = [];
    const offsets = await broker.admin.offsets(topic);
    const ranges = offsets.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high }));
    await this.run(
      broker.readRanges(ranges, ({ key, value }) => {
        found.push([String(key), value?.toString() ?? null]);
        return 'more';
      }),
    );
    return found;
  }

  /** The numbers of the segments of a topic. */
  segments(topic: string): number[] {
    const names = this.disk.start().io.list(`${FOLDER}/topics/${topic}`);
    return names.filter((name) => name.endsWith('.log')).map((name) => Number.parseInt(name, 10));
  }
}

/** Messages with five keys in turn. */
const updates = (count: number): Entry[] =>
  Array.from({ length: count }, (_, number) => [`k${number % 5}`, `${number} ${TEXT}`]);

const keysOf = (entries: readonly Entry[]): ReadonlySet<string> => new Set(entries.map(([key]) => key));

test('a start succeeds after a kill during compaction, and another when a start had removed a segment', async () => {
  const machine = new Machine();
  let isReplaced = false;
  const compacting = machine.start((io, kill) => ({
    rename: (from, to) => {
      // The state still lists the segments that were replaced by one.
      if (isReplaced) kill();
      isReplaced ||= to.endsWith('.log');
      io.rename(from, to);
    },
  }));
  await machine.run(compacting.admin.createTopics([TABLE]));
  await machine.publish(compacting, 'table', updates(100));
  await machine.system.pass(2 * SWEEP_MS);
  const before = machine.segments('table');
  expect(before.length).toBeGreaterThan(5);
  const starting = (): Broker =>
    machine.start((io, kill) => ({
      remove: (target) => {
        io.remove(target);
        if (target.endsWith('.log')) kill();
      },
    }));
  expect(starting).toThrow('EBADF');
  expect(machine.segments('table')).toHaveLength(before.length - 1);
  const latest = await machine.read(machine.start(), 'table');
  expect(latest.slice(-5)).toEqual(updates(100).slice(-5));
});

test('a key that is removed while compaction copies its value stays removed after a restart', async () => {
  const machine = new Machine();
  const { system } = machine;
  const copied = Promise.withResolvers<void>();
  let isCopying = false;
  const broker = machine.start((io) => {
    let copy: number | undefined;
    return {
      open: (file, mode) => {
        const fd = io.open(file, mode);
        if (file.endsWith('.log.new')) copy = fd;
        return fd;
      },
      sync: async (fd) => {
        if (fd === copy) {
          isCopying = true;
          await copied.promise;
        }
        await io.sync(fd);
      },
    };
  });
  await machine.run(broker.admin.createTopics([TABLE]));
  // What stays of the first segment almost fills one.
  const stays = Array.from({ length: ENTRIES_PER_SEGMENT - 2 }, (_, number): Entry => [
    `stays ${number}`,
    TEXT,
  ]);
  await machine.publish(broker, 'table', [['gone', TEXT], ...stays, ['k0', TEXT]]);
  await machine.publish(broker, 'table', updates(100));
  await system.pass(2 * SWEEP_MS);
  expect(isCopying).toBe(true);
  await machine.publish(broker, 'table', [['gone', null]]);
  await system.pass(SWEEP_MS);
  copied.resolve();
  await machine.publish(broker, 'table', updates(100));
  await system.pass(5 * SWEEP_MS);
  await machine.run(broker.close());
  expect(keysOf(await machine.read(machine.start(), 'table'))).toEqual(keysOf([...stays, ...updates(5)]));
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'a start succeeds after a kill during a write, and a loss of power during the next start (seed %i)',
  async (seed) => {
    const machine = new Machine(seed);
    let isLast = false;
    const writing = machine.start((io, kill) => ({
      sync: async (fd) => {
        if (isLast) kill();
        await io.sync(fd);
      },
    }));
    await machine.run(writing.admin.createTopics([EVENTS]));
    await machine.publish(writing, 'events', updates(3));
    isLast = true;
    await expect(machine.publish(writing, 'events', updates(9))).rejects.toThrow('may have been stored');
    const starting = (): Broker =>
      machine.start((io, kill) => {
        let segment: number | undefined;
        return {
          open: (file, mode) => {
            const fd = io.open(file, mode);
            if (file.endsWith('.log')) segment = fd;
            return fd;
          },
          syncNow: (fd) => {
            if (fd === segment) kill();
            io.syncNow(fd);
          },
        };
      });
    expect(starting).toThrow('EBADF');
    machine.disk.losePower();
    expect((await machine.read(machine.start(), 'events')).slice(0, 3)).toEqual(updates(3));
  },
);

test('messages outlive a loss of power although the first start was killed when it had created the folder', async () => {
  const machine = new Machine();
  const starting = (): Broker =>
    machine.start((io, kill) => ({
      makeFolder: (folder) => {
        io.makeFolder(folder);
        if (folder === FOLDER) kill();
      },
    }));
  expect(starting).toThrow('EBADF');
  const broker = machine.start();
  await machine.run(broker.admin.createTopics([EVENTS]));
  await machine.publish(broker, 'events', updates(3));
  machine.disk.losePower();
  expect(await machine.read(machine.start(), 'events')).toEqual(updates(3));
});

test.for([16, 46, 47, 53])(
  'an index that a kill leaves unfinished does not pass for that of a rewritten segment (seed %i)',
  async (seed) => {
    const machine = new Machine(seed);
    let isKilled = false;
    const compacting = machine.start((io, kill) => {
      const indexes = new Set<number>();
      let written = 0;
      return {
        open: (file, mode) => {
          const fd = io.open(file, mode);
          if (file.endsWith('000000000001.index') && mode === 'new') indexes.add(fd);
          return fd;
        },
        write: (fd, content, position) => {
          if (!indexes.has(fd)) return io.write(fd, content, position);
          written += 1;
          // The first is that of a full segment, the second of the same one after compaction.
          if (written === 2) {
            io.write(fd, content.subarray(0, 9), position);
            isKilled = true;
            kill();
          } else io.write(fd, content, position);
        },
      };
    });
    await machine.run(compacting.admin.createTopics([TABLE]));
    await machine.publish(compacting, 'table', updates(60)).catch(() => undefined);
    await machine.system.pass(3 * SWEEP_MS);
    expect(isKilled).toBe(true);
    const { length } = await machine.read(machine.start(), 'table');
    machine.disk.losePower();
    const latest = await machine.read(machine.start(), 'table');
    expect(latest.slice(-5)).toEqual(updates(60).slice(-5));
    expect(latest).toHaveLength(length);
  },
);

describe('the files of segments whose messages have expired', () => {
  test('are removed when the disk, which was full then, has room again', async () => {
    const machine = new Machine();
    const broker = machine.start();
    await machine.run(broker.admin.createTopics([EVENTS]));
    await machine.publish(broker, 'events', updates(100));
    machine.disk.faults.isFull = true;
    await machine.system.pass(2 * RETENTION_MS);
    expect(machine.segments('events').length).toBeGreaterThan(5);
    machine.disk.faults.isFull = false;
    await machine.system.pass(2 * RETENTION_MS);
    expect(machine.segments('events')).toHaveLength(1);
  });
});

test('a topic keeps its messages when an earlier one of its name was deleted during the removal of segments', async () => {
  const machine = new Machine();
  const saved = Promise.withResolvers<void>();
  let isHeld = false;
  const broker = machine.start((io) => ({
    syncFolder: async (folder) => {
      if (isHeld) await saved.promise;
      await io.syncFolder(folder);
    },
  }));
  await machine.run(broker.admin.createTopics([EVENTS]));
  await machine.publish(broker, 'events', updates(100));
  // The next sweeps save the state without the segments of expired messages, before their files are removed.
  isHeld = true;
  await machine.system.pass(2 * RETENTION_MS);
  isHeld = false;
  await machine.run(broker.admin.deleteTopics(['events']));
  await machine.run(broker.admin.createTopics([EVENTS]));
  await machine.publish(broker, 'events', updates(3));
  saved.resolve();
  await machine.run(broker.close());
  expect(await machine.read(machine.start(), 'events')).toEqual(updates(3));
});

test('a deletion that fails, since committed offsets cannot be read, leaves the topic and its messages', async () => {
  const machine = new Machine();
  let isRefused = false;
  const broker = machine.start((io) => ({
    open: (file, mode) => {
      if (isRefused && file.includes('/commits/')) throw new Error('EMFILE: too many open files');
      return io.open(file, mode);
    },
  }));
  await machine.run(broker.admin.createTopics([EVENTS]));
  await machine.publish(broker, 'events', updates(1));
  const commit = await machine.join(broker, 'events');
  await machine.run(commit(1));
  isRefused = true;
  await expect(machine.run(broker.admin.deleteTopics(['events']))).rejects.toMatchObject({
    code: 'data-unusable',
  });
  isRefused = false;
  await machine.publish(broker, 'events', updates(2));
  await machine.run(broker.close());
  const again = machine.start();
  expect(await machine.read(again, 'events')).toEqual([...updates(1), ...updates(2)]);
  expect(await again.admin.committed('group', ['events'])).toMatchObject([{ offset: 1 }]);
});

test('a topic that is created again does not have the first offset of a partition, committed just before the deletion', async () => {
  const machine = new Machine();
  const broker = machine.start();
  const spec = { ...EVENTS, partitions: 2 };
  await machine.run(broker.admin.createTopics([spec]));
  const commit = await machine.join(broker, 'events');
  const committed = commit(1, 1);
  await machine.run(broker.admin.deleteTopics(['events']));
  await machine.run(broker.admin.createTopics([spec]));
  await machine.run(committed);
  await machine.run(broker.close());
  expect(await machine.start().admin.committed('group', ['events'])).toEqual([]);
});

/** A broker with a message whose group commit waits until `release` is called. */
async function stalled(machine: Machine) {
  let held: Promise<void> | undefined;
  const released = Promise.withResolvers<void>();
  const broker = machine.start((io) => ({
    sync: async (fd) => {
      await held;
      await io.sync(fd);
    },
  }));
  await machine.run(broker.admin.createTopics([EVENTS]));
  const publisher = broker.createPublisher({ clientId: 'publisher' });
  await publisher.start();
  held = released.promise;
  const published = publisher.publish([{ topic: 'events', key: 'k', value: null }]);
  published.catch(() => undefined);
  return { broker, publisher, published, release: () => released.resolve() };
}

describe('a disk that does not finish a write', () => {
  test('makes the store not ready after five seconds, until the write ends', async () => {
    const machine = new Machine();
    const { broker, publisher, published, release } = await stalled(machine);
    await machine.system.pass(4_900);
    expect(broker.health?.()).toEqual({ status: 'ready' });
    await machine.system.pass(200);
    const reason = '/data cannot be written (a write has not ended for 5 s): check the disk';
    expect(broker.health?.()).toEqual({ status: 'starting', reason });
    expect(publisher.isHealthy()).toBe(false);
    release();
    await machine.run(published);
    await machine.system.pass(0);
    expect(broker.health?.()).toEqual({ status: 'ready' });
  });

  test('delays the end of the broker by four seconds, and keeps the folder locked', async () => {
    const machine = new Machine();
    const { broker } = await stalled(machine);
    const startMs = machine.system.monotonic.elapsedMs();
    await machine.run(broker.close());
    expect(machine.system.monotonic.elapsedMs() - startMs).toBeCloseTo(4_000, -2);
    expect(() => machine.start()).toThrow('is open in another process');
  });
});

test('superseded messages that a start has loaded are removed by the next sweep, not by the first publish', async () => {
  const machine = new Machine();
  const spec = { ...TABLE, config: { ...TABLE.config, 'segment.bytes': '1000000' } };
  const first = machine.start();
  await machine.run(first.admin.createTopics([spec]));
  const keys = Array.from({ length: 300 }, (_, number): Entry => [`key ${number}`, TEXT]);
  await machine.publish(first, 'table', [...keys, ...keys.slice(0, 5)]);
  await machine.run(first.close());
  const second = machine.start();
  await machine.publish(second, 'table', keys.slice(0, 1));
  expect(await machine.read(second, 'table')).toHaveLength(306);
  await machine.system.pass(SWEEP_MS);
  expect(await machine.read(second, 'table')).toHaveLength(300);
});

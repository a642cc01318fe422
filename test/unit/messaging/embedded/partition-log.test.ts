import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PartitionLog, type LogParts } from '../../../../shared/messaging/embedded/partition-log.ts';
import { PartitionTable } from '../../../../shared/messaging/embedded/partition-table.ts';
import { parseTopicConfig, type MemoryLimits } from '../../../../shared/messaging/embedded/topic-config.ts';

const LIMITS = { maxRecordsPerTopic: 100, maxBytesPerTopic: 1_000_000 };
const AT = { topic: 't', partition: 0 };
const AT_ONCE: LogParts = {
  onReadable: () => undefined,
  run: (_, work) => {
    work();
    return true;
  },
  readFailed: (error) => error,
  isCongested: () => false,
};

/** A log with a table if it is compacted or `isStored`. */
function createLog(
  settings: Record<string, string> = {},
  limits: Partial<MemoryLimits> = {},
  how: { readonly isStored?: boolean; readonly isEager?: boolean; readonly parts?: LogParts } = {},
): PartitionLog {
  const { isStored = false, isEager = false, parts = AT_ONCE } = how;
  const config = parseTopicConfig({ ...AT, partitions: 1, config: settings }, { ...LIMITS, ...limits });
  if (!config.compact && !isStored) return new PartitionLog({ ...AT, config }, parts);
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  const table = new PartitionTable({ ...AT, database, name: 'records', isCompacted: config.compact });
  return new PartitionLog({ ...AT, config, table, isEager }, parts);
}

function append(log: PartitionLog, key: string, value: string | null, nowMs = 0): number {
  const offset = log.end;
  log.append({ topic: 't', key, value: value === null ? null : Buffer.from(value) }, Buffer.from(key), nowMs);
  return offset;
}

function contents(log: PartitionLog, from = 0): string[] {
  const found: string[] = [];
  for (let position = from; position < log.high;) {
    const { messages, next } = log.read(position, 1_000, 1e9);
    found.push(...messages.map(({ offset, value }) => `${offset}=${value?.toString() ?? 'null'}`));
    position = next;
  }
  return found;
}

describe('read()', () => {
  test('returns messages from a position on, up to the limit, and the next position', () => {
    const log = createLog();
    for (let index = 0; index < 10; index += 1) append(log, 'k', `v${index}`);
    const batch = log.read(4, 3, 1e9);
    expect(batch.messages.map(({ offset }) => offset)).toEqual([4, 5, 6]);
    expect(batch.next).toBe(7);
    expect(log.read(10, 3, 1e9)).toEqual({ messages: [], next: 10 });
  });

  test('returns at least one message with any byte limit', () => {
    const log = createLog();
    append(log, 'k', 'a long value');
    append(log, 'k', 'another');
    expect(log.read(0, 10, 1).messages).toHaveLength(1);
  });
});

test('a log returns headers with any name', () => {
  const log = createLog();
  log.append({ topic: 't', key: null, value: null, headers: { ['__proto__']: ['x', 'y'] } }, null, 0);
  const [message] = log.read(0, 1, 1).messages;
  expect(Object.entries(message?.headers ?? {})).toEqual([
    ['__proto__', [Buffer.from('x'), Buffer.from('y')]],
  ]);
});

describe('a log with limits', () => {
  test('is full at the byte limit', () => {
    const probe = createLog();
    append(probe, 'k', 'value');
    const full = createLog({}, { maxBytesPerTopic: probe.bytes });
    append(full, 'k', 'value');
    expect(full.isFull()).toBe(true);
    const notFull = createLog({}, { maxBytesPerTopic: probe.bytes + 1 });
    append(notFull, 'k', 'value');
    expect(notFull.isFull()).toBe(false);
  });

  test('makes room by compaction with cleanup.policy=compact', () => {
    const log = createLog({ 'cleanup.policy': 'compact' });
    for (let index = 0; index < 100; index += 1) append(log, `k${index % 10}`, `v${index}`);
    log.makeRoom(0, 0);
    expect(log.isFull()).toBe(false);
    expect(contents(log)).toHaveLength(10);
  });

  test('makes room by removing the oldest records, and never reuses an offset', () => {
    const log = createLog();
    for (let index = 0; index < 100; index += 1) append(log, 'k', `v${index}`);
    expect(log.isFull()).toBe(true);
    log.makeRoom(Infinity, 0);
    expect(log.isFull()).toBe(false);
    expect(log.low).toBe(10);
    expect(log.high).toBe(100);
    expect(append(log, 'k', 'next')).toBe(100);
    expect(contents(log)[0]).toBe('10=v10');
    expect(contents(log, 3)[0]).toBe('10=v10');
  });

  test('keeps unread records, even when full', () => {
    const log = createLog();
    for (let index = 0; index < 100; index += 1) append(log, 'k', `v${index}`);
    log.makeRoom(5, 0);
    expect(log.low).toBe(5);
    log.makeRoom(5, 0);
    expect(contents(log)[0]).toBe('5=v5');
  });

  test('counts bytes, headers and overhead, and subtracts all of them on removal', () => {
    const log = createLog({}, { maxBytesPerTopic: 10_000 });
    const headers = { a: 'x'.repeat(1_000) };
    while (!log.isFull()) log.append({ topic: 't', key: null, value: Buffer.alloc(1_000), headers }, null, 0);
    expect(log.high).toBeLessThanOrEqual(5);
    log.sweep(Infinity);
    expect(log.bytes).toBe(0);
    expect(log.low).toBe(log.high);
  });

  test('removes records older than the retention time since their append', () => {
    const log = createLog({ 'retention.ms': '1000' });
    append(log, 'k', 'old', 0);
    log.append(
      { topic: 't', key: 'k', value: Buffer.from('redriven'), timestampMs: 1 },
      Buffer.from('k'),
      900,
    );
    log.sweep(1_500);
    expect(contents(log)).toEqual(['1=redriven']);
  });
});

describe('append()', () => {
  test('keeps the timestamp of the message, or sets the current time', () => {
    const log = createLog();
    const message = { topic: 't', key: null, value: null };
    log.append({ ...message, timestampMs: 5 }, null, 9);
    log.append(message, null, 9);
    expect(log.read(0, 10, 1e9).messages.map(({ timestampMs }) => timestampMs)).toEqual([5, 9]);
  });
});

describe('a log under compaction', () => {
  test('does not remove old records with cleanup.policy=compact', () => {
    const log = createLog({ 'cleanup.policy': 'compact', 'retention.ms': '10' });
    append(log, 'k', 'v', 0);
    log.sweep(1_000);
    expect(contents(log)).toEqual(['0=v']);
  });

  test('keeps the newest record of each key, at its own offset', () => {
    const log = createLog({ 'cleanup.policy': 'compact' });
    for (const [key, value] of [
      ['a', '1'],
      ['b', '1'],
      ['a', '2'],
      ['c', '1'],
      ['b', '2'],
    ] as const)
      append(log, key, value);
    log.sweep(0);
    expect(contents(log)).toEqual(['2=2', '3=1', '4=2']);
    expect(contents(log, 1)).toEqual(['2=2', '3=1', '4=2']);
    expect(contents(log, 3)).toEqual(['3=1', '4=2']);
  });

  test('removes a tombstone and its key after its retention time', () => {
    const log = createLog({ 'cleanup.policy': 'compact', 'delete.retention.ms': '100' });
    append(log, 'a', '1', 0);
    append(log, 'a', null, 10);
    log.sweep(50);
    expect(contents(log)).toEqual(['1=null']);
    log.sweep(110);
    expect(contents(log)).toEqual([]);
    expect(log.read(0, 10, 1e9)).toEqual({ messages: [], next: 2 });
    expect(append(log, 'a', '2', 120)).toBe(2);
    expect(contents(log)).toEqual(['2=2']);
  });

  test('does not drop the newest record of a key to make room', () => {
    const log = createLog({ 'cleanup.policy': 'compact' });
    for (let index = 0; index < 100; index += 1) append(log, `k${index}`, 'v');
    log.makeRoom(Infinity, 0);
    expect(log.isFull()).toBe(true);
    expect(contents(log)).toHaveLength(100);
  });

  test('needs constant space for a key that is overwritten repeatedly', () => {
    const log = createLog({ 'cleanup.policy': 'compact' }, { maxRecordsPerTopic: 1_000 });
    for (let index = 0; index < 3_000; index += 1) {
      append(log, `k${index % 10}`, `v${index}`);
      if (log.isFull()) log.makeRoom(0, 0);
      if (log.isFull()) throw new Error(`the log is full after ${index} records`);
    }
    log.sweep(0);
    expect(contents(log)).toHaveLength(10);
  });

  test('removes the oldest keys with cleanup.policy=compact,delete', () => {
    const log = createLog({ 'cleanup.policy': 'compact,delete' });
    for (let index = 0; index < 100; index += 1) append(log, `k${index}`, 'v');
    log.makeRoom(Infinity, 0);
    expect(log.low).toBe(10);
    append(log, 'k0', 'again');
    log.sweep(0);
    expect(contents(log).at(-1)).toBe('100=again');
  });
});

function storedLog(isEager = false) {
  const works: (() => void)[] = [];
  const woken: number[] = [];
  const parts: LogParts = {
    ...AT_ONCE,
    onReadable: ({ high }) => woken.push(high),
    enqueue: (_, work) => works.push(work),
  };
  const log = createLog({}, { keptRecordsPerTopic: 4 }, { isStored: true, isEager, parts });
  const commit = (): void => {
    for (const work of works.splice(0)) work();
    log.written();
  };
  return { log, woken, commit };
}

describe('a log whose records are stored by a group commit', () => {
  test('shows them when they are durable', () => {
    const { log, woken, commit } = storedLog();
    append(log, 'k', 'a');
    expect([log.high, log.end, contents(log)]).toEqual([0, 1, []]);
    commit();
    append(log, 'k', 'b');
    expect(log.high).toBe(0);
    log.settled();
    expect([log.high, contents(log)]).toEqual([1, ['0=a']]);
    commit();
    log.settled();
    expect([woken, contents(log)]).toEqual([
      [1, 2],
      ['0=a', '1=b'],
    ]);
  });

  test('shows them at once if it has requests', () => {
    const { log, woken, commit } = storedLog(true);
    append(log, 'k', 'a');
    expect([woken, contents(log)]).toEqual([[1], ['0=a']]);
    commit();
    append(log, 'k', 'b');
    log.forgetRead(2);
    expect(contents(log)).toEqual(['0=a', '1=b']);
  });

  test('does not have those that were lost, and never reuses their offsets', () => {
    const { log, commit } = storedLog();
    append(log, 'k', 'a');
    commit();
    log.settled();
    append(log, 'k', 'lost');
    log.lost();
    expect([log.high, contents(log)]).toEqual([2, ['0=a']]);
    expect(append(log, 'k', 'b')).toBe(2);
  });

  test('keeps records in memory until they are read, and in the order of all', () => {
    const { log, woken, commit } = storedLog();
    const inMemory = (value: string) =>
      log.append({ topic: 't', key: 'k', value: Buffer.from(value) }, null, 0, true);
    expect(inMemory('one')).toBe('done');
    append(log, 'k', 'two');
    expect(inMemory('three')).toBe('done');
    expect([woken, log.high]).toEqual([[1], 1]);
    commit();
    log.settled();
    for (let more = 0; more < 10; more += 1) append(log, 'k', 'more');
    commit();
    log.settled();
    log.forgetRead(0);
    expect(contents(log).slice(0, 4)).toEqual(['0=one', '1=two', '2=three', '3=more']);
    log.forgetRead(1);
    expect(contents(log).slice(0, 3)).toEqual(['1=two', '2=three', '3=more']);
    log.forgetRead(3);
    expect(contents(log).slice(0, 3)).toEqual(['1=two', '3=more', '4=more']);
    expect([log.low, log.lastStored, contents(log, 2)[0]]).toEqual([1, 12, '3=more']);
  });
});

describe('topic settings', () => {
  test.each([
    [{ topic: 'a b', partitions: 1 }, 'name'],
    [{ topic: '..', partitions: 1 }, 'name'],
    [{ topic: 't', partitions: 0 }, 'partition'],
    [{ topic: 't', partitions: 1, config: { 'cleanup.policy': 'compress' } }, 'cleanup.policy'],
    [{ topic: 't', partitions: 1, config: { 'retention.ms': 'soon' } }, 'retention.ms'],
    [{ topic: 't', partitions: 1, config: { 'max.message.bytes': '' } }, 'max.message.bytes'],
  ])('refuses %j', (spec, named) => {
    expect(() => parseTopicConfig(spec, LIMITS)).toThrow(
      expect.objectContaining({ code: 'invalid-topic', message: expect.stringContaining(named) }),
    );
  });

  test('divides the limits of a topic among its partitions', () => {
    expect(parseTopicConfig({ topic: 't', partitions: 4 }, LIMITS)).toMatchObject({
      maxRecords: 25,
      maxBytes: 250_000,
    });
  });
});

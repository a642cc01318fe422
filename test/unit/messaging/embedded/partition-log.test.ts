import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PartitionLog, type LogParts } from '../../../../shared/messaging/embedded/partition-log.ts';
import { PartitionTable } from '../../../../shared/messaging/embedded/partition-table.ts';
import { parseTopicConfig, type MemoryLimits } from '../../../../shared/messaging/embedded/topic-config.ts';

const LIMITS = { maxRecordsPerTopic: 100, maxBytesPerTopic: 1_000_000 };
const AT = { topic: 't', partition: 0 };
const AT_ONCE: LogParts = {
  onReadable: () => undefined,
  enqueue: (_, work) => {
    work();
    return false;
  },
  runNow: (_, work) => {
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

describe('a log with limits', () => {
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

describe('a log under compaction', () => {
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

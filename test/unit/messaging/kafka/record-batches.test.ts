import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import type { LogMessage } from '../../../../shared/messaging/message.ts';
import type { PartitionBytes } from '../../../../shared/messaging/kafka/kafkajs-internals.ts';
import {
  committedBatches,
  openBatches,
  readMessages,
  type UnreadableBatch,
} from '../../../../shared/messaging/kafka/record-batches.ts';
import { NO_HEADER_VALUE } from '../../../../shared/messaging/headers.ts';
import type { BatchOptions, BuiltRecord } from '../../../support/builders/record-batches.ts';
import { recordBatch } from '../../../support/builders/record-batches.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;
const LOG_APPEND_TIME = 0x08;

async function decode(bytes: Buffer, from = 0, aborted: PartitionBytes['abortedTransactions'] = []) {
  const batches = await openBatches(bytes);
  const messages: LogMessage[] = [];
  const unreadable: UnreadableBatch[] = [];
  for (const one of committedBatches(batches, aborted)) {
    const read = readMessages({ topic: 'payments', partition: 3, from }, one);
    if ('reason' in read) unreadable.push(read);
    else messages.push(...read);
  }
  const last = batches.at(-1);
  return { messages, unreadable, position: last === undefined ? from : last.lastOffset + 1 };
}

function batch(first: number, count: number, options?: BatchOptions): Promise<Buffer> {
  const records = Array.from({ length: count }, (_, index) => ({ value: String(first + index) }));
  return recordBatch(first, records, options);
}

async function valuesOf(...given: Parameters<typeof decode>): Promise<string[]> {
  return (await decode(...given)).messages.map(({ value }) => String(value));
}

function marker(offset: number, producerId: bigint, type: 'abort' | 'commit'): Promise<Buffer> {
  const key = Buffer.from([0, 0, 0, type === 'abort' ? 0 : 1]);
  const options = { producerId, attributes: TRANSACTIONAL | CONTROL };
  return recordBatch(offset, [{ key, value: Buffer.alloc(6) }], options);
}

const gzipped = (offset: number, bytes = 17 * MIB): Promise<Buffer> =>
  recordBatch(offset, [{ value: Buffer.alloc(bytes) }], { attributes: 1, compress: gzipSync });
const utf8 = (text: string) => Buffer.from(text);

describe('record batches', () => {
  it('returns the fields of each message as they were written', async () => {
    const first = 2 ** 40;
    const records: BuiltRecord[] = [
      { key: 'k', value: 'v', headers: { one: 'a', two: ['b', 'c', 'd'] } },
      { key: null, value: null, timestampDelta: -1_000 },
      { key: '', value: Buffer.alloc(300, 7), headers: { ['__proto__']: ['x', 'y'], empty: '' } },
    ];
    const bytes = await recordBatch(first, records, { firstTimestampMs: 1_764e9 });
    const { messages, position } = await decode(bytes);
    expect(position).toBe(first + 3);
    const expected = [
      { key: utf8('k'), value: utf8('v'), headers: { one: utf8('a'), two: ['b', 'c', 'd'].map(utf8) } },
      { key: null, value: null, headers: {} },
      { ...records[2], key: utf8(''), headers: { ['__proto__']: ['x', 'y'].map(utf8), empty: utf8('') } },
    ];
    const place = (at: number) => ({ topic: 'payments', partition: 3, offset: first + at });
    expect(messages).toEqual(
      expected.map((one, at) => ({ ...place(at), ...one, timestampMs: 1_764e9 + (at === 1 ? -1_000 : at) })),
    );
  });

  it('returns headers without a value as such', async () => {
    const record = { value: 'x', headers: { name: 'v' } };
    const bytes = await recordBatch(0, [record], { damage: withoutHeaderValue });
    expect((await decode(bytes)).messages[0]?.headers['name']).toBe(NO_HEADER_VALUE);
  });

  it('reads any number of headers, with equal and different names', async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => String(index));
    const different = Object.fromEntries(many.map((name) => [name, '']));
    const [one] = (await decode(await recordBatch(0, [{ value: 'x', headers: { same: many } }]))).messages;
    expect(one?.headers['same']).toHaveLength(many.length);
    const [other] = (await decode(await recordBatch(0, [{ value: 'x', headers: different }]))).messages;
    expect(Object.keys(other?.headers ?? {})).toHaveLength(many.length);
  });

  it('takes the time of the broker on topics with LogAppendTime', async () => {
    const bytes = await batch(0, 2, { attributes: LOG_APPEND_TIME, maxTimestampMs: 5_000 });
    expect((await decode(bytes)).messages.map(({ timestampMs }) => timestampMs)).toEqual([5_000, 5_000]);
  });

  it('omits messages before the requested offset, and a batch that was cut off', async () => {
    const whole = Buffer.concat([await batch(0, 4), await batch(4, 2)]);
    expect(await valuesOf(whole, 2)).toEqual(['2', '3', '4', '5']);
    const { messages, position } = await decode(whole.subarray(0, -1));
    expect([messages.length, position]).toEqual([4, 4]);
    expect((await decode(whole.subarray(0, 5))).position).toBe(0);
  });

  it('skips a batch that would expand to more than 32 MiB', async () => {
    const bytes = Buffer.concat([await gzipped(0, 32 * MIB), await batch(1, 1)]);
    const { messages, unreadable, position } = await decode(bytes);
    expect([messages.map(({ offset }) => offset), position]).toEqual([[1], 2]);
    expect(unreadable).toMatchObject([{ firstOffset: 0, lastOffset: 0 }]);
  });

  it('ends when the batches of a response have become too large, so that the others are fetched again', async () => {
    const bytes = Buffer.concat([await batch(0, 1), await gzipped(1), await gzipped(2), await gzipped(3)]);
    const { messages, position, unreadable } = await decode(bytes);
    expect([messages.length, position, unreadable]).toEqual([3, 3, []]);
  });

  it('continues after a batch whose records, or whose marker, were removed by compaction', async () => {
    expect(await decode(await batch(7, 0), 7)).toEqual({ messages: [], position: 8, unreadable: [] });
    const bytes = await recordBatch(4, [], { producerId: 1n, attributes: TRANSACTIONAL | CONTROL });
    expect(await decode(bytes)).toEqual({ messages: [], position: 5, unreadable: [] });
  });

  test.each([
    ['gzip', 1, gzipSync],
    ['zstd', 4, zstdCompressSync],
  ])('reads %s, in small and large batches', async (_, attributes, compress) => {
    for (const bytes of [10, 256 * KIB]) {
      const value = Buffer.alloc(bytes, Array.from({ length: 999 }, () => Math.random()).join());
      const read = await decode(await recordBatch(5, [{ value }], { attributes, compress }));
      expect(read.unreadable).toEqual([]);
      expect(read.messages[0]?.value?.equals(value)).toBe(true);
    }
  });

  test.each([
    ['snappy', { attributes: 2 }],
    ['lz4', { attributes: 3 }],
    ['an unknown compression', { attributes: 5 }],
    ['bytes that are not gzip', { attributes: 1, compress: () => Buffer.from('not gzip') }],
    ['bytes that are not zstd', { attributes: 4, compress: () => Buffer.from('not zstd') }],
    ['a record that is longer than its batch', { damage: (all: Buffer) => all.fill(0x7e, 0, 1) }],
    ['a record that is shorter than its length', { damage: (all: Buffer) => all.fill(all[0]! + 2, 0, 1) }],
    ['an integer of eleven bytes', { damage: withLongOffset }],
    ['missing records', { damage: () => Buffer.alloc(0) }],
    ['bytes after the last record', { damage: (all: Buffer) => Buffer.concat([all, Buffer.alloc(1)]) }],
  ])('skips and lists a batch with %s', async (_, options: BatchOptions) => {
    const bytes = Buffer.concat([await batch(0, 2), await batch(2, 3, options), await batch(5, 1)]);
    const { messages, position, unreadable } = await decode(bytes);
    expect(messages.map(({ offset }) => offset)).toEqual([0, 1, 5]);
    expect(position).toBe(6);
    expect(unreadable).toEqual([{ firstOffset: 2, lastOffset: 4, reason: expect.any(String) }]);
  });

  it('delivers committed transactions, and no aborted ones or markers', async () => {
    const [one, other] = [1n, 2n].map((producerId) => ({ producerId, attributes: TRANSACTIONAL }));
    const bytes = Buffer.concat([
      await batch(0, 1, one),
      await batch(1, 1, other),
      await batch(2, 1),
      await batch(3, 1, one),
      await marker(4, 1n, 'abort'),
      await marker(5, 2n, 'commit'),
      await batch(6, 1, one),
      await marker(7, 1n, 'commit'),
      await batch(8, 1, one),
      await marker(9, 1n, 'abort'),
    ]);
    const aborted = [
      { producerId: '1', firstOffset: '8' },
      { producerId: '1', firstOffset: '0' },
    ];
    expect(await valuesOf(bytes, 0, aborted)).toEqual(['1', '2', '6']);
    expect((await decode(bytes, 0, aborted)).position).toBe(10);
  });
});

/** Writes the offset of the first record, 0, in eleven bytes instead of one. */
function withLongOffset(records: Buffer): Buffer {
  const start = [(records[0] as number) + 20, 0, 0, ...Array.from({ length: 10 }, () => 0x80), 0];
  return Buffer.concat([Buffer.from(start), records.subarray(4)]);
}

/** Replaces the length of the header's value, 1, by -1 and removes its byte, which makes the record a byte shorter. */
function withoutHeaderValue(records: Buffer): Buffer {
  const at = records.lastIndexOf(Buffer.from([2, 'v'.charCodeAt(0)]));
  const changed = Buffer.concat([records.subarray(0, at), Buffer.from([1])]);
  changed[0] = (changed[0] as number) - 2;
  return changed;
}

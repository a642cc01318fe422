import { createRequire } from 'node:module';
import { deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { installCodecs } from '../../../../../shared/messaging/kafka/kafkajs/compression.ts';
import { reportFetchAnswers } from '../../../../../shared/messaging/kafka/kafkajs/unreadable-batches.ts';
import { lz4Frame } from '../../../../support/foreign-batches.ts';

const require = createRequire(import.meta.url);
const crc32C = require('kafkajs/src/protocol/recordBatch/crc32C') as (bytes: Buffer) => number;
const Decoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => object;

interface Read {
  readonly offset: string;
  readonly isControlRecord: boolean;
  readonly unreadable?: {
    readonly firstOffset: number;
    readonly lastOffset: number;
    readonly reason: string;
  };
}

const NONE = 0;
const GZIP = 1;
const LZ4 = 3;

beforeAll(() => {
  installCodecs();
  reportFetchAnswers();
});

/** The record sets of one partition as kafkajs decodes them. */
function decode(...batches: readonly Buffer[]): Promise<readonly Read[]> {
  const decodeMessages = require('kafkajs/src/protocol/requests/fetch/v4/decodeMessages') as (
    decoder: object,
  ) => Promise<readonly Read[]>;
  const set = Buffer.concat(batches);
  const size = Buffer.alloc(4);
  size.writeInt32BE(set.length);
  return decodeMessages(new Decoder(Buffer.concat([size, set])));
}

/** Records without key, value and headers; offsets below 64. */
const record = (offsetDelta: number): Buffer => Buffer.from([6 * 2, 0, 0, offsetDelta * 2, 1, 1, 0]);

interface BatchOptions {
  readonly first: number;
  readonly last: number;
  readonly records?: readonly number[];
  readonly compression?: number;
  readonly body?: Buffer;
}

/** A record batch (version 2) with these records, given by their distance from the first offset. */
function batch({ first, last, records = [], compression = NONE, body }: BatchOptions): Buffer {
  const head = Buffer.alloc(61);
  const content = body ?? Buffer.concat(records.map(record));
  head.writeBigInt64BE(BigInt(first), 0);
  head.writeInt32BE(head.length - 12 + content.length, 8);
  head.writeInt8(2, 16);
  head.writeInt16BE(compression, 21);
  head.writeInt32BE(last - first, 23);
  head.writeBigInt64BE(-1n, 43);
  head.writeInt32BE(records.length, 57);
  const whole = Buffer.concat([head, content]);
  whole.writeUInt32BE(crc32C(whole.subarray(21)), 17);
  return whole;
}

const places = (read: readonly Read[]) =>
  read.map(({ offset, isControlRecord }) => (isControlRecord ? `(${offset})` : offset));

describe('the records of a fetched partition', () => {
  test('are those of its batches', async () => {
    const packed = batch({
      first: 2,
      last: 3,
      records: [0, 1],
      compression: GZIP,
      body: gzipSync(Buffer.concat([record(0), record(1)])),
    });
    expect(places(await decode(batch({ first: 0, last: 1, records: [0, 1] }), packed))).toEqual([
      '0',
      '1',
      '2',
      '3',
    ]);
  });

  test('lack those of a batch in lz4 only, whose end is passed over', async () => {
    const foreign = batch({
      first: 1,
      last: 4,
      records: [0, 1, 2, 3],
      compression: LZ4,
      body: lz4Frame({ buffer: Buffer.concat([0, 1, 2, 3].map(record)) }),
    });
    const read = await decode(
      batch({ first: 0, last: 0, records: [0] }),
      foreign,
      batch({ first: 5, last: 5, records: [0] }),
    );
    expect(places(read)).toEqual(['0', '(4)', '5']);
    expect(read[1]?.unreadable).toEqual({
      firstOffset: 1,
      lastOffset: 4,
      reason: expect.stringContaining('lz4'),
    });
  });

  test('lack those of a batch that would grow beyond all bounds', async () => {
    const bomb = batch({
      first: 0,
      last: 0,
      records: [0],
      compression: GZIP,
      body: gzipSync(Buffer.alloc(129 * 2 ** 20), { level: 1 }),
    });
    expect(places(await decode(bomb, batch({ first: 1, last: 1, records: [0] })))).toEqual(['(0)', '1']);
  });

  test('lack those of a batch that is stored damaged', async () => {
    const damaged = batch({
      first: 0,
      last: 2,
      records: [0],
      compression: GZIP,
      body: deflateSync('no gzip at all'),
    });
    expect(places(await decode(damaged, batch({ first: 3, last: 3, records: [0] })))).toEqual(['(2)', '3']);
  });

  test('end at the last offset of a batch, also where compaction has removed the last records or all', async () => {
    expect(
      places(await decode(batch({ first: 0, last: 4, records: [1] }), batch({ first: 5, last: 9 }))),
    ).toEqual(['1', '(4)', '(9)']);
  });

  test('leave out a batch that does not fit, which kafkajs fetches next', async () => {
    const whole = batch({ first: 0, last: 0, records: [0] });
    expect(places(await decode(whole, whole.subarray(0, -1)))).toEqual(['0']);
  });
});

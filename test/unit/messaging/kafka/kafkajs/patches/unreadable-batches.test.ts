import { createRequire } from 'node:module';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { installCodecs } from '../../../../../../shared/messaging/kafka/kafkajs/patches/compression.ts';
import {
  fetchListeners,
  reportFetchAnswers,
  type FetchAnswer,
} from '../../../../../../shared/messaging/kafka/kafkajs/patches/fetch-listeners.ts';
import { skipUnreadableBatches } from '../../../../../../shared/messaging/kafka/kafkajs/patches/unreadable-batches.ts';
import { MessagingError } from '../../../../../../shared/platform/errors.ts';
import { kafkajsBroker } from '../../../../../support/fakes/kafkajs-broker.ts';
import { settleMicrotasks } from '../../../../../support/fakes/work.ts';
import { lz4Frame } from '../../../../../support/foreign-batches.ts';

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
const ZSTD = 4;

beforeAll(() => {
  installCodecs();
  reportFetchAnswers();
  skipUnreadableBatches();
});

/** Decodes the record batches of one partition with kafkajs. */
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

/** A record batch (version 2) with records at these distances from the first offset. */
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

describe('decoding of fetched record batches', () => {
  test('returns the records of all batches', async () => {
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

  test('returns the records of a batch in zstd', async () => {
    const body = zstdCompressSync(record(0));
    const packed = batch({ first: 0, last: 0, records: [0], compression: ZSTD, body });
    expect(places(await decode(packed))).toEqual(['0']);
  });

  test('skips a batch in lz4 and reports it as unreadable', async () => {
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

  test('skips a batch whose decompressed size exceeds the limit', async () => {
    const tooLarge = batch({
      first: 0,
      last: 0,
      records: [0],
      compression: ZSTD,
      body: zstdCompressSync(Buffer.alloc(129 * 2 ** 20)),
    });
    expect(places(await decode(tooLarge, batch({ first: 1, last: 1, records: [0] })))).toEqual(['(0)', '1']);
  });

  test('rejects with other errors of a codec', async () => {
    const { CompressionCodecs } = require('kafkajs') as { CompressionCodecs: Record<number, () => object> };
    const original = CompressionCodecs[LZ4];
    const lz4 = batch({ first: 0, last: 0, records: [0], compression: LZ4, body: Buffer.from('x') });
    const errors = [
      Object.assign(new Error('out of memory'), { code: 'batch-unreadable' }),
      new MessagingError('broker-unavailable', 'no connection', { canRetry: true }),
    ];
    for (const error of errors) {
      CompressionCodecs[LZ4] = () => ({ decompress: () => Promise.reject(error) });
      await expect(decode(lz4)).rejects.toBe(error);
    }
    if (original !== undefined) CompressionCodecs[LZ4] = original;
  });

  test('skips a corrupt batch', async () => {
    const damaged = batch({
      first: 0,
      last: 2,
      records: [0],
      compression: GZIP,
      body: deflateSync('not gzip'),
    });
    expect(places(await decode(damaged, batch({ first: 3, last: 3, records: [0] })))).toEqual(['(2)', '3']);
  });

  test('advances to the last offset of a batch if compaction has removed its last record or all records', async () => {
    expect(
      places(await decode(batch({ first: 0, last: 4, records: [1] }), batch({ first: 5, last: 9 }))),
    ).toEqual(['1', '(4)', '(9)']);
  });

  test('omits a truncated batch, which kafkajs fetches next', async () => {
    const whole = batch({ first: 0, last: 0, records: [0] });
    expect(places(await decode(whole, whole.subarray(0, -1)))).toEqual(['0']);
  });
});

/** A partition of a fetch response of kafkajs. */
const fetched = (number: number, messages: readonly object[], lastStableOffset?: string) => ({
  topicName: 'a',
  partitions: [
    { partition: number, messages, ...(lastStableOffset === undefined ? {} : { lastStableOffset }) },
  ],
});

describe('a fetch', () => {
  const unreadable = { firstOffset: 1, lastOffset: 4, reason: 'lz4 compression is not read' };
  const request = {
    topics: [
      { topic: 'a', partitions: [0, 1].map((partition) => ({ partition, fetchOffset: `${partition + 5}` })) },
    ],
  };
  const answerTo = async (...responses: readonly object[]) => {
    const answers: FetchAnswer[] = [];
    const response = { responses };
    const broker = kafkajsBroker(async () => response);
    const listener = {
      answered: (answer: FetchAnswer) => answers.push(answer),
      maxWaitMs: () => 700,
      pending: new Map(),
    };
    const result = await fetchListeners.run(listener, () => broker.fetch(request));
    expect(result).toBe(response);
    expect(listener.pending.size).toBe(0);
    return answers;
  };

  test('reports offsets and unreadable batches of each partition to its listener', async () => {
    const none = { topic: 'a', unreadable: [], isEmpty: true };
    expect(await answerTo(fetched(1, [], '9'), fetched(0, []), fetched(2, [], '3'))).toEqual([
      {
        isEmpty: true,
        partitions: [
          { ...none, partition: 1, from: 6, stableEnd: 9 },
          { ...none, partition: 0, from: 5, stableEnd: -1 },
          { ...none, partition: 2, from: 0, stableEnd: 3 },
        ],
      },
    ]);
    const records = [{ offset: '0' }, { offset: '4', unreadable }];
    expect(await answerTo(fetched(0, records, '9'), fetched(1, [], '9'))).toMatchObject([
      { isEmpty: false, partitions: [{ isEmpty: false, unreadable: [unreadable] }, { isEmpty: true }] },
    ]);
  });

  test('succeeds without a listener', async () => {
    const broker = kafkajsBroker(async () => ({ responses: [] }));
    expect(await broker.fetch(request)).toEqual({ responses: [] });
  });

  test('waits as long as its listener says, and returns nothing when the listener ends it', async () => {
    const sent = Promise.withResolvers<object>();
    const asked: object[] = [];
    const broker = kafkajsBroker((protocol) => {
      asked.push(protocol);
      return sent.promise;
    });
    const pool = [{}, { requestQueue: { rejectAll: (error: Error) => sent.reject(error) } }];
    Object.assign(broker, { connectionPool: { ...broker.connectionPool, pool } });
    const listener = {
      answered: () => undefined,
      maxWaitMs: () => 700,
      pending: new Map<object, () => void>(),
    };
    const response = fetchListeners.run(listener, () => broker.fetch({ ...request, maxWaitTime: 250 }));
    await settleMicrotasks();
    for (const end of listener.pending.values()) end();
    expect(await response).toEqual({ responses: [] });
    expect(asked).toMatchObject([{ maxWaitTime: 700 }]);
    expect(listener.pending.size).toBe(0);
  });
});

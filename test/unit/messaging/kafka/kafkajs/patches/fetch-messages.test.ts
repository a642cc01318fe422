import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import {
  decodeFetch,
  encodeFetch,
} from '../../../../../../shared/messaging/kafka/kafkajs/patches/fetch-messages.ts';
import type { RequestedTopic } from '../../../../../../shared/messaging/kafka/common/batches/fetch-request.ts';
import { KafkaEncoder, recordBatch } from '../../../../../support/builders/record-batches.ts';
import { lz4Frame } from '../../../../../support/foreign-batches.ts';

const require = createRequire(import.meta.url);

const TOPIC = 'payments';
const REQUESTED: readonly RequestedTopic[] = [
  {
    topic: TOPIC,
    partitions: [
      { partition: 3, fetchOffset: '100' },
      { partition: 4, fetchOffset: '7' },
    ],
  },
];

/** A batch with `count` records, starting at offset `first`. */
const batch = (first: number, count: number): Promise<Buffer> =>
  recordBatch(
    first,
    Array.from({ length: count }, (_, delta) => ({ key: `key ${delta}`, value: `value ${first + delta}` })),
  );

const inLz4 = (buffer: Buffer): Buffer => lz4Frame({ buffer });

/** A batch whose records have all been removed by compaction. */
const emptyBatch = (first: number): Promise<Buffer> => recordBatch(first, []);

const THROTTLE_MS = 20;
const LZ4 = 3;
const CONTROL = 0x20;

type Parts = readonly (readonly [partition: number, records: Buffer, error?: number])[];

/** A response of this version with the record batches of these partitions. */
function response(version: number, parts: Parts): Buffer {
  const head = new KafkaEncoder().writeInt32(THROTTLE_MS);
  if (version >= 7) head.writeInt16(0).writeInt32(0);
  const partitions = parts.map(([partition, records, error = 0]) => {
    const part = new KafkaEncoder().writeInt32(partition).writeInt16(error).writeInt64(900).writeInt64(900);
    if (version >= 5) part.writeInt64(0);
    part.writeArray([new KafkaEncoder().writeInt64(5).writeInt64(6)]);
    if (version >= 11) part.writeInt32(-1);
    return part.writeBytes(records);
  });
  return head.writeArray([new KafkaEncoder().writeString(TOPIC).writeArray(partitions)]).buffer;
}

const check = (parts: Parts) => decodeFetch(11, response(11, parts), REQUESTED);

describe('decodeFetch()', () => {
  test.each([4, 5, 6, 7, 8, 9, 10, 11])(
    'reads a complete response of version %i, and rejects missing or additional bytes',
    async (version) => {
      const records = Buffer.concat([await batch(98, 5), await batch(103, 2)]);
      const raw = response(version, [
        [3, records],
        [4, Buffer.alloc(0)],
      ]);
      const { responses, clientSideThrottleTime } = await decodeFetch(version, raw, REQUESTED);
      expect(clientSideThrottleTime).toBe(version < 8 ? 0 : THROTTLE_MS);
      expect(responses.map(({ partitions }) => partitions[0]?.messages[0]?.offset)).toEqual(['104']);
      await expect(decodeFetch(version, raw.subarray(0, -1), REQUESTED)).rejects.toThrow(
        /exceeds the response/,
      );
      await expect(decodeFetch(version, Buffer.concat([raw, Buffer.alloc(1)]), REQUESTED)).rejects.toThrow(
        /end/,
      );
    },
  );

  test('returns the messages of a partition as one record at the last fetched offset', async () => {
    const { responses, answer } = await check([
      [4, Buffer.alloc(0)],
      [3, Buffer.concat([await batch(98, 5), await recordBatch(103, [{}], { attributes: CONTROL })])],
    ]);
    const messages = [100, 101, 102].map((offset) => ({ offset, value: Buffer.from(`value ${offset}`) }));
    const record = { offset: '103', messages };
    expect(responses).toHaveLength(1);
    expect(responses).toMatchObject([
      {
        topicName: TOPIC,
        partitions: [{ partition: 3, errorCode: 0, highWatermark: '900', messages: [record] }],
      },
    ]);
    const place = { topic: TOPIC, stableEnd: 900, unreadable: [] };
    expect(answer).toEqual({
      isEmpty: false,
      partitions: [
        { ...place, partition: 4, from: 7, isEmpty: true },
        { ...place, partition: 3, from: 100, isEmpty: false },
      ],
    });
  });

  test('moves behind batches without messages: unreadable ones, markers, and those left by compaction', async () => {
    const foreign = await recordBatch(100, [{}, {}], { attributes: LZ4, compress: inLz4 });
    const { responses, answer } = await check([
      [3, Buffer.concat([foreign, await emptyBatch(102)])],
      [4, await recordBatch(7, [{ key: Buffer.alloc(4) }], { attributes: CONTROL })],
    ]);
    expect(responses.flatMap(({ partitions }) => partitions.flatMap(({ messages }) => messages))).toEqual([
      { offset: '102', messages: [] },
      { offset: '7', messages: [] },
    ]);
    const unreadable = { firstOffset: 100, lastOffset: 101, reason: 'lz4 compression is not read' };
    expect(answer.partitions.map((one) => one.unreadable)).toEqual([[unreadable], []]);
  });

  test('returns the error of a partition', async () => {
    const { responses } = await check([[3, Buffer.alloc(0), 6]]);
    expect(responses).toMatchObject([{ partitions: [{ partition: 3, errorCode: 6, messages: [] }] }]);
  });

  test('accepts a truncated last batch, but not a truncated first one', async () => {
    const first = await batch(100, 2);
    await check([[3, Buffer.concat([first, first.subarray(0, 70)])]]);
    await check([[3, Buffer.concat([first, first.subarray(0, 20)])]]);
    await expect(check([[3, first.subarray(0, -1)]])).rejects.toThrow('the first record batch is truncated');
    await expect(check([[3, first.subarray(0, 30)]])).rejects.toThrow('without its header');
  });

  test('rejects a batch whose length is shorter than its header', async () => {
    const whole = await batch(100, 2);
    const short = Buffer.from(whole);
    short.writeInt32BE(48, 8);
    await expect(check([[3, short]])).rejects.toThrow('without its header');
    await expect(check([[3, Buffer.concat([whole, short])]])).rejects.toThrow('without its header');
    // The shortest batch is one with only a header, as compaction leaves it.
    const empty = await emptyBatch(102);
    expect(empty).toHaveLength(61);
    await check([[3, Buffer.concat([whole, empty])]]);
    await check([[3, empty]]);
  });

  test('rejects the batch format of Kafka versions before 0.11', async () => {
    const old = await batch(100, 1);
    old[16] = 1;
    await expect(check([[3, old]])).rejects.toThrow('an unknown format');
  });

  test('rejects versions of Kafka before 0.11', async () => {
    await expect(decodeFetch(3, response(4, []), REQUESTED)).rejects.toThrow('before 0.11');
  });

  test('rejects a batch in which any single bit has changed', async () => {
    const whole = await batch(100, 3);
    const undetected: string[] = [];
    for (let bit = 16 * 8; bit < whole.length * 8; bit += 1) {
      const copy = Buffer.from(whole);
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      try {
        await check([[3, copy]]);
        undetected.push(`byte ${bit >> 3}`);
      } catch {
        // The change was detected.
      }
    }
    expect(undetected).toEqual([]);
  });

  test('rejects a partition that was not requested or is repeated', async () => {
    const records = await batch(100, 1);
    await expect(check([[5, records]])).rejects.toThrow('not requested');
    await expect(
      check([
        [3, records],
        [3, records],
      ]),
    ).rejects.toThrow('not requested');
  });

  test('rejects batches before the requested offset or out of order', async () => {
    await expect(check([[3, await batch(97, 3)]])).rejects.toThrow('out of order');
    await expect(check([[3, Buffer.concat([await batch(100, 3), await batch(102, 3)])]])).rejects.toThrow(
      'out of order',
    );
  });
});

/** A partition in a request of kafkajs. */
const part = (partition: number) => ({ partition, fetchOffset: `${partition + 2 ** 40}`, maxBytes: 1_000 });

describe('encodeFetch()', () => {
  const request = {
    maxWaitTime: 250,
    maxBytes: 5_000,
    topics: [
      { topic: 'a', partitions: [part(1), part(0)] },
      { topic: 'b', partitions: [part(7)] },
      { topic: 'a', partitions: [part(2)] },
    ],
  };

  test('writes a request of version 11 as kafkajs does, with each topic once', async () => {
    const { protocol } = require('kafkajs/src/protocol/requests/fetch') as {
      protocol: (choice: object) => (request: object) => {
        readonly request: { readonly encode: () => Promise<{ readonly buffer: Buffer }> };
      };
    };
    const topics = [
      { topic: 'a', partitions: [part(1), part(0), part(2)] },
      { topic: 'b', partitions: [part(7)] },
    ];
    const theirs = protocol({ version: 11 })({ ...request, minBytes: 1, topics }).request;
    expect(encodeFetch(11, request)?.buffer).toEqual((await theirs.encode()).buffer);
  });

  test('leaves requests of older versions to kafkajs', () => {
    expect(encodeFetch(10, request)).toBeUndefined();
  });
});

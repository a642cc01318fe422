import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import {
  checkFetchResponse,
  type FetchTopics,
} from '../../../../../shared/messaging/kafka/kafkajs/fetch-checksums.ts';

const require = createRequire(import.meta.url);

interface Encoder {
  readonly buffer: Buffer;
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeInt64(value: number): Encoder;
  writeString(value: string): Encoder;
  writeBytes(value: Buffer): Encoder;
  writeArray(values: readonly Encoder[]): Encoder;
}

const EncoderClass = require('kafkajs/src/protocol/encoder') as new () => Encoder;
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0') as {
  RecordBatch: (options: object) => Promise<Encoder>;
};
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0') as (record: object) => Encoder;

const TOPIC = 'payments';
const ASKED: FetchTopics = [
  {
    topic: TOPIC,
    partitions: [
      { partition: 3, fetchOffset: '100' },
      { partition: 4, fetchOffset: '7' },
    ],
  },
];

/** A batch of `count` records from `first` on. */
async function batch(first: number, count: number): Promise<Buffer> {
  const records = Array.from({ length: count }, (_, offsetDelta) =>
    encodeRecord({
      offsetDelta,
      timestampDelta: 0,
      key: `key ${offsetDelta}`,
      value: `value ${first + offsetDelta}`,
    }),
  );
  const { buffer } = await RecordBatch({ firstOffset: first, lastOffsetDelta: count - 1, records });
  return buffer;
}

/** What compaction leaves of a batch without records. */
async function emptyBatch(first: number): Promise<Buffer> {
  const { buffer } = await RecordBatch({ firstOffset: first, lastOffsetDelta: 0, records: [] });
  return buffer;
}

/** A response of that version with records for these partitions. */
function response(version: number, parts: readonly (readonly [number, Buffer])[]): Buffer {
  const head = new EncoderClass().writeInt32(0);
  if (version >= 7) head.writeInt16(0).writeInt32(0);
  const partitions = parts.map(([partition, records]) => {
    const part = new EncoderClass().writeInt32(partition).writeInt16(0).writeInt64(900).writeInt64(900);
    if (version >= 5) part.writeInt64(0);
    part.writeArray([new EncoderClass().writeInt64(5).writeInt64(6)]);
    if (version >= 11) part.writeInt32(-1);
    return part.writeBytes(records);
  });
  return head.writeArray([new EncoderClass().writeString(TOPIC).writeArray(partitions)]).buffer;
}

const check = (parts: readonly (readonly [number, Buffer])[]) => () =>
  checkFetchResponse(11, response(11, parts), ASKED);

describe('a fetch response', () => {
  test.each([4, 5, 6, 7, 8, 9, 10, 11])('of version %i is taken when it is whole', async (version) => {
    const records = Buffer.concat([await batch(98, 5), await batch(103, 2)]);
    const raw = response(version, [
      [3, records],
      [4, Buffer.alloc(0)],
    ]);
    expect(() => checkFetchResponse(version, raw, ASKED)).not.toThrow();
    expect(() => checkFetchResponse(version, raw.subarray(0, -1), ASKED)).toThrow(/exceeds the response/);
    expect(() => checkFetchResponse(version, Buffer.concat([raw, Buffer.alloc(1)]), ASKED)).toThrow(/end/);
  });

  test('may be cut in its last batch, not in its first', async () => {
    const first = await batch(100, 2);
    expect(check([[3, Buffer.concat([first, first.subarray(0, 70)])]])).not.toThrow();
    expect(check([[3, Buffer.concat([first, first.subarray(0, 20)])]])).not.toThrow();
    expect(check([[3, first.subarray(0, -1)]])).toThrow('the first record batch is truncated');
    expect(check([[3, first.subarray(0, 30)]])).toThrow('without its header');
  });

  test('is refused when a batch has a length shorter than its header, at any place', async () => {
    const whole = await batch(100, 2);
    const short = Buffer.from(whole);
    short.writeInt32BE(48, 8);
    expect(check([[3, short]])).toThrow('without its header');
    expect(check([[3, Buffer.concat([whole, short])]])).toThrow('without its header');
    // A batch of the header alone, as compaction leaves it, has the shortest length.
    const empty = await emptyBatch(102);
    expect(empty).toHaveLength(61);
    expect(check([[3, Buffer.concat([whole, empty])]])).not.toThrow();
    expect(check([[3, empty]])).not.toThrow();
  });

  test('is refused when a batch has the format before Kafka 0.11', async () => {
    const old = await batch(100, 1);
    old[16] = 1;
    expect(check([[3, old]])).toThrow('an unknown format');
  });

  test('is not checked in a version that Kafka 4 does not accept', () => {
    expect(() => checkFetchResponse(3, Buffer.alloc(0), ASKED)).not.toThrow();
  });

  test('is refused with any one bit of a record changed', async () => {
    const whole = await batch(100, 3);
    const unnoticed: string[] = [];
    for (let bit = 16 * 8; bit < whole.length * 8; bit += 1) {
      const copy = Buffer.from(whole);
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      try {
        check([[3, copy]])();
        unnoticed.push(`byte ${bit >> 3}`);
      } catch {
        // As it should be.
      }
    }
    expect(unnoticed).toEqual([]);
  });

  test('is refused with a partition that was not asked for, or with one twice', async () => {
    const records = await batch(100, 1);
    expect(check([[5, records]])).toThrow('not requested');
    expect(
      check([
        [3, records],
        [3, records],
      ]),
    ).toThrow('not requested');
  });

  test('is refused when its batches lie before the offset that was asked for, or go back', async () => {
    expect(check([[3, await batch(97, 3)]])).toThrow('out of order');
    expect(check([[3, Buffer.concat([await batch(100, 3), await batch(102, 3)])]])).toThrow('out of order');
  });
});

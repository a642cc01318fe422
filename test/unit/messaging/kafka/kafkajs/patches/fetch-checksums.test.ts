import { describe, expect, test } from 'vitest';
import {
  checkFetchResponse,
  type FetchTopics,
} from '../../../../../../shared/messaging/kafka/kafkajs/patches/fetch-checksums.ts';
import { KafkaEncoder, recordBatch } from '../../../../../support/builders/record-batches.ts';

const TOPIC = 'payments';
const REQUESTED: FetchTopics = [
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

/** A batch whose records have all been removed by compaction. */
const emptyBatch = (first: number): Promise<Buffer> => recordBatch(first, []);

/** A response of this version with the record batches of these partitions. */
function response(version: number, parts: readonly (readonly [number, Buffer])[]): Buffer {
  const head = new KafkaEncoder().writeInt32(0);
  if (version >= 7) head.writeInt16(0).writeInt32(0);
  const partitions = parts.map(([partition, records]) => {
    const part = new KafkaEncoder().writeInt32(partition).writeInt16(0).writeInt64(900).writeInt64(900);
    if (version >= 5) part.writeInt64(0);
    part.writeArray([new KafkaEncoder().writeInt64(5).writeInt64(6)]);
    if (version >= 11) part.writeInt32(-1);
    return part.writeBytes(records);
  });
  return head.writeArray([new KafkaEncoder().writeString(TOPIC).writeArray(partitions)]).buffer;
}

const check = (parts: readonly (readonly [number, Buffer])[]) => () =>
  checkFetchResponse(11, response(11, parts), REQUESTED);

describe('checkFetchResponse()', () => {
  test.each([4, 5, 6, 7, 8, 9, 10, 11])(
    'accepts a complete response of version %i, and rejects missing or additional bytes',
    async (version) => {
      const records = Buffer.concat([await batch(98, 5), await batch(103, 2)]);
      const raw = response(version, [
        [3, records],
        [4, Buffer.alloc(0)],
      ]);
      expect(() => checkFetchResponse(version, raw, REQUESTED)).not.toThrow();
      expect(() => checkFetchResponse(version, raw.subarray(0, -1), REQUESTED)).toThrow(
        /exceeds the response/,
      );
      expect(() => checkFetchResponse(version, Buffer.concat([raw, Buffer.alloc(1)]), REQUESTED)).toThrow(
        /end/,
      );
    },
  );

  test('accepts a truncated last batch, but not a truncated first one', async () => {
    const first = await batch(100, 2);
    expect(check([[3, Buffer.concat([first, first.subarray(0, 70)])]])).not.toThrow();
    expect(check([[3, Buffer.concat([first, first.subarray(0, 20)])]])).not.toThrow();
    expect(check([[3, first.subarray(0, -1)]])).toThrow('the first record batch is truncated');
    expect(check([[3, first.subarray(0, 30)]])).toThrow('without its header');
  });

  test('rejects a batch whose length is shorter than its header', async () => {
    const whole = await batch(100, 2);
    const short = Buffer.from(whole);
    short.writeInt32BE(48, 8);
    expect(check([[3, short]])).toThrow('without its header');
    expect(check([[3, Buffer.concat([whole, short])]])).toThrow('without its header');
    // The shortest batch is one with only a header, as compaction leaves it.
    const empty = await emptyBatch(102);
    expect(empty).toHaveLength(61);
    expect(check([[3, Buffer.concat([whole, empty])]])).not.toThrow();
    expect(check([[3, empty]])).not.toThrow();
  });

  test('rejects the batch format of Kafka versions before 0.11', async () => {
    const old = await batch(100, 1);
    old[16] = 1;
    expect(check([[3, old]])).toThrow('an unknown format');
  });

  test('does not check versions that Kafka 4 does not accept', () => {
    expect(() => checkFetchResponse(3, Buffer.alloc(0), REQUESTED)).not.toThrow();
  });

  test('rejects a batch in which any single bit has changed', async () => {
    const whole = await batch(100, 3);
    const undetected: string[] = [];
    for (let bit = 16 * 8; bit < whole.length * 8; bit += 1) {
      const copy = Buffer.from(whole);
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      try {
        check([[3, copy]])();
        undetected.push(`byte ${bit >> 3}`);
      } catch {
        // The change was detected.
      }
    }
    expect(undetected).toEqual([]);
  });

  test('rejects a partition that was not requested or is repeated', async () => {
    const records = await batch(100, 1);
    expect(check([[5, records]])).toThrow('not requested');
    expect(
      check([
        [3, records],
        [3, records],
      ]),
    ).toThrow('not requested');
  });

  test('rejects batches before the requested offset or out of order', async () => {
    expect(check([[3, await batch(97, 3)]])).toThrow('out of order');
    expect(check([[3, Buffer.concat([await batch(100, 3), await batch(102, 3)])]])).toThrow('out of order');
  });
});

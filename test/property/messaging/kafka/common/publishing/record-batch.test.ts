import { Reader, readRecordsBatch } from '@platformatic/kafka';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toRecord } from '../../../../../../shared/messaging/kafka/common/publishing/record.ts';
import { crc32c } from '../../../../../../shared/messaging/kafka/common/publishing/record-batch.ts';
import { encodeBatch } from '../../../../../../shared/messaging/kafka/common/publishing/record-batch.ts';
import type { HeaderValue, OutgoingMessage } from '../../../../../../shared/messaging/message.ts';

const CHECKSUM_AT = 17;
const ATTRIBUTES_AT = 21;

/** The batch of these messages, and what the library reads from it. */
function encodeAndRead(messages: readonly OutgoingMessage[]) {
  const bytes = encodeBatch(messages.map((message) => toRecord(message, 0).record));
  return { bytes, batch: readRecordsBatch(Reader.from(bytes)) };
}

function headersOf(message: OutgoingMessage): [Buffer, Buffer][] {
  return Object.entries(message.headers ?? {}).flatMap(([name, given]) =>
    [given].flat().map((value): [Buffer, Buffer] => [Buffer.from(name), toBuffer(value as HeaderValue)]),
  );
}

function toBuffer(content: HeaderValue): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : content;
}

const content = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
const message = fc.record({
  topic: fc.constant('t'),
  key: fc.option(content),
  value: fc.option(fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes))),
  headers: fc.dictionary(
    fc.oneof(
      { weight: 9, arbitrary: fc.string({ unit: 'grapheme', maxLength: 80 }) },
      fc.constantFrom('__proto__', 'constructor'),
    ),
    fc.oneof(content, fc.array(content, { maxLength: 3 })),
  ),
  timestampMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
});

describe('encodeBatch()', () => {
  test('writes batches that the library reads, for any messages', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 20 }), (messages) => {
        const { bytes, batch } = encodeAndRead(messages);
        expect(bytes.readUInt32BE(CHECKSUM_AT)).toBe(crc32c(bytes.subarray(ATTRIBUTES_AT)));
        const times = messages.map(({ timestampMs }) => BigInt(timestampMs));
        expect(batch).toMatchObject({
          firstOffset: 0n,
          length: bytes.length - 12,
          magic: 2,
          lastOffsetDelta: messages.length - 1,
          firstTimestamp: times[0],
          maxTimestamp: times.reduce((one, other) => (one > other ? one : other)),
          producerId: -1n,
          producerEpoch: -1,
          firstSequence: -1,
        });
        const records = batch.records.map(({ key, value, headers, timestampDelta, offsetDelta }) => ({
          key,
          value,
          headers,
          time: timestampDelta + batch.firstTimestamp,
          offsetDelta,
        }));
        expect(records).toEqual(
          messages.map((one, index) => ({
            key: one.key === null ? null : toBuffer(one.key),
            value: one.value,
            headers: headersOf(one),
            time: times[index],
            offsetDelta: index,
          })),
        );
      }),
      { numRuns: 200 },
    );
  });
});

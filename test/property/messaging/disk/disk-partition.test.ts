import {
  array,
  assert,
  boolean,
  constant,
  integer,
  nat,
  oneof,
  option,
  property,
  record,
  tuple,
  uint8Array,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DiskLog, type LogFiles } from '../../../../shared/messaging/disk/disk-partition.ts';
import { readFrame, writeFrame, type FramedRecord } from '../../../../shared/messaging/disk/record-frame.ts';
import { keyDigest } from '../../../../shared/messaging/disk/segment.ts';
import { MemoryLog } from '../../../../shared/messaging/embedded/memory-log.ts';
import type { PartitionLog } from '../../../../shared/messaging/embedded/log-store.ts';
import { parseTopicConfig } from '../../../../shared/messaging/embedded/topic-config.ts';

const LIMITS = { maxRecordsPerTopic: 20, maxBytesPerTopic: 1_000_000 };
const SEGMENT_BYTES = 600;

/** Segments in memory, to which each record is written at once. */
class WrittenSegments implements LogFiles {
  readonly segments: Buffer[] = [Buffer.alloc(0)];

  enqueue(log: DiskLog, framed: FramedRecord): void {
    if ((this.segments.at(-1)?.length ?? 0) > SEGMENT_BYTES) this.segments.push(Buffer.alloc(0));
    const before = this.segments.at(-1) ?? Buffer.alloc(0);
    const frame = Buffer.alloc(framed.bytes);
    writeFrame(frame, 0, framed);
    this.segments[this.segments.length - 1] = Buffer.concat([before, frame]);
    log.settled(1);
    log.add({
      offset: framed.offset,
      storedAtMs: framed.storedAtMs,
      segment: this.segments.length - 1,
      position: before.length,
      bytes: framed.bytes,
      isTombstone: framed.value === null,
      digest: keyDigest(framed.key),
    });
  }

  isCongested(): boolean {
    return false;
  }

  read(segment: number, position: number, bytes: number): Buffer {
    return this.segments[segment]?.subarray(position, position + bytes) ?? Buffer.alloc(0);
  }

  release(): void {
    // No test looks at the space of the segments.
  }

  damagedAt(): never {
    throw new Error('a record cannot be read back');
  }
}

const offsets = integer({ min: 0, max: 60 });
// Few keys are compacted to few records, many fill the log.
const keys = oneof(integer({ min: 0, max: 4 }), integer({ min: 5, max: 200 }));
const operations = oneof(
  { weight: 6, arbitrary: tuple(constant('append'), keys, boolean()) },
  { weight: 1, arbitrary: tuple(constant('makeRoom'), offsets, boolean()) },
  { weight: 1, arbitrary: tuple(constant('expire'), offsets, boolean()) },
  { weight: 1, arbitrary: tuple(constant('compact'), offsets, boolean()) },
);

function apply(
  log: PartitionLog,
  [kind, number, flag]: readonly [string, number, boolean],
  nowMs: number,
): void {
  if (kind === 'makeRoom') {
    if (log.isFull()) log.makeRoom(number, nowMs);
  } else if (kind === 'expire') log.expire(nowMs);
  else if (kind === 'compact') log.compact(nowMs);
  else {
    const key = Buffer.from(`k${number}`);
    log.append(
      {
        topic: 't',
        key,
        value: flag ? null : Buffer.from(`${nowMs}`),
        headers: { h: 'ä', ['__proto__']: ['x', 'y'] },
      },
      key,
      nowMs,
    );
  }
}

describe('the log on disk', () => {
  test.each(['delete', 'compact', 'compact,delete'])(
    'holds and returns what the log in memory does with cleanup.policy=%s',
    (policy) => {
      const config = { 'cleanup.policy': policy, 'retention.ms': '50', 'delete.retention.ms': '20' };
      const parsed = parseTopicConfig({ topic: 't', partitions: 1, config }, LIMITS);
      assert(
        property(
          array(operations, { maxLength: 120, size: 'max' }),
          offsets,
          integer({ min: 1, max: 9 }),
          (all, at, count) => {
            const files = new WrittenSegments();
            const disk = new DiskLog('t', 0, parsed, files);
            const memory = new MemoryLog('t', 0, parsed);
            for (const [nowMs, operation] of all.entries()) {
              apply(disk, operation, nowMs);
              apply(memory, operation, nowMs);
              expect([disk.low, disk.high, disk.isFull()]).toEqual([
                memory.low,
                memory.high,
                memory.isFull(),
              ]);
            }
            expect(disk.read(0, 1_000, 1e9)).toEqual(memory.read(0, 1_000, 1e9));
            expect(disk.read(at, count, 1e9).messages).toEqual(memory.read(at, count, 1e9).messages);
          },
        ),
        { numRuns: 300 },
      );
    },
  );
});

describe('a frame', () => {
  test('with any changed byte is not read', () => {
    const bytes = uint8Array({ maxLength: 40 });
    const records = record({
      key: option(bytes),
      value: option(bytes),
      at: nat(),
      change: integer({ min: 1, max: 255 }),
    });
    assert(
      property(records, ({ key, value, at, change }) => {
        const framed: FramedRecord = {
          partition: 3,
          offset: 7,
          key: key === null ? null : Buffer.from(key),
          value: value === null ? null : Buffer.from(value),
          headers: [['name', Buffer.from('value')]],
          timestampMs: 5,
          storedAtMs: 6,
          bytes: 48 + (key?.length ?? 0) + (value?.length ?? 0) + 17,
        };
        const frame = Buffer.alloc(framed.bytes);
        writeFrame(frame, 0, framed);
        expect(readFrame(frame, 0, 't')).toMatchObject({
          offset: 7,
          partition: 3,
          key: framed.key,
          value: framed.value,
        });
        const place = at % frame.length;
        frame[place] = (frame[place] ?? 0) ^ change;
        expect(readFrame(frame, 0, 't')).toBeUndefined();
      }),
    );
  });
});

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import {
  encodedRecordBytes,
  RejectedSizes,
} from '../../../../../../shared/messaging/kafka/common/publishing/rejected-sizes.ts';

const encodeRecord = createRequire(import.meta.url)(
  'kafkajs/src/protocol/recordBatch/record/v0/index.js',
) as (record: object) => { readonly buffer: Buffer };

const record = (length: number) => ({ key: 'k', value: Buffer.alloc(length), headers: { a: 'b' } });

describe('encodedRecordBytes()', () => {
  it.each([
    [{ key: null, value: null }],
    [{ key: 'ă', value: Buffer.alloc(62) }],
    [{ key: Buffer.alloc(63), value: Buffer.alloc(64), headers: {} }],
    [{ key: 'k', value: Buffer.alloc(8_191), headers: { one: 'é', two: Buffer.alloc(100) } }],
    [{ key: 'k', value: Buffer.alloc(8_192), headers: { many: ['a', 'b', Buffer.alloc(300)] } }],
    [{ key: 'k', value: Buffer.alloc(1_048_575), headers: {} }],
  ])('is the length that kafkajs encodes (%#)', (message) => {
    const encoded = encodeRecord({ offsetDelta: 0, timestampDelta: 0, headers: {}, ...message });
    expect(encodedRecordBytes(message)).toBe(encoded.buffer.length);
  });
});

describe('RejectedSizes', () => {
  it('includes records of the same topic that are as large as the smallest rejected one', () => {
    const sizes = new RejectedSizes();
    sizes.add('t', record(1_000), 0);
    sizes.add('t', record(2_000), 1);
    expect([999, 1_000, 5_000].map((length) => sizes.includes('t', record(length), 2))).toEqual([
      false,
      true,
      true,
    ]);
    expect(sizes.includes('other', record(5_000), 2)).toBe(false);
  });

  it('leaves out records that are compressed, whose limit is that of their compressed size', () => {
    const sizes = new RejectedSizes();
    sizes.add('t', record(65_537), 0);
    expect([65_536, 65_537].map((length) => sizes.includes('t', record(length), 1))).toEqual([false, false]);
    sizes.add('t', record(1_000), 2);
    expect([65_536, 65_537].map((length) => sizes.includes('t', record(length), 3))).toEqual([true, false]);
  });

  it('forgets a rejection after ten seconds, since the limit may have been raised', () => {
    const sizes = new RejectedSizes();
    sizes.add('t', record(10), 0);
    expect(sizes.includes('t', record(10), 9_999)).toBe(true);
    expect(sizes.includes('t', record(10), 10_000)).toBe(false);
    sizes.add('t', record(20), 10_001);
    expect(sizes.includes('t', record(10), 10_002)).toBe(false);
  });

  it('remembers the last 1,000 topics', () => {
    const sizes = new RejectedSizes();
    for (let topic = 0; topic <= 1_000; topic += 1) sizes.add(`t${topic}`, record(1), 0);
    expect([0, 1, 1_000].map((topic) => sizes.includes(`t${topic}`, record(1), 1))).toEqual([
      false,
      true,
      true,
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import {
  MAX_RESPONSE_BYTES,
  ResponseFrames,
} from '../../../../../../shared/messaging/kafka/kafkajs/patches/broken-responses.ts';

const framed = (body: Uint8Array): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
};
const lengthOf = (length: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(length);
  return bytes;
};

describe('ResponseFrames', () => {
  test('holds a partial response until its last byte has arrived', () => {
    const frames = new ResponseFrames();
    frames.push(framed(Buffer.alloc(3)).subarray(0, 6));
    expect(frames.isPartial).toBe(true);
    frames.push(Buffer.alloc(1));
    expect(frames.isPartial).toBe(false);
  });

  test.each([-1, -2_147_483_648, MAX_RESPONSE_BYTES + 1, 2_147_483_647])(
    'rejects a length of %i bytes',
    (length) => {
      expect(() => new ResponseFrames().push(lengthOf(length))).toThrow(`a length of ${length} bytes`);
    },
  );

  test('accepts the largest length', () => {
    expect(new ResponseFrames().push(lengthOf(MAX_RESPONSE_BYTES))).toEqual([]);
  });
});

import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from '../../../../shared/messaging/kafka/common/batches/crc32c.ts';
import { ResponseFrames } from '../../../../shared/messaging/kafka/kafkajs/patches/broken-responses.ts';

const require = createRequire(import.meta.url);
const slowCrc32c = require('kafkajs/src/protocol/recordBatch/crc32C') as (bytes: Uint8Array) => number;

function framed(body: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

test('computes the same CRC-32C as kafkajs for any length and alignment', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(8), (bytes, start) => {
      const part = bytes.subarray(Math.min(start, bytes.length));
      expect(crc32c(part)).toBe(slowCrc32c(part));
    }),
  );
});

test('splits the bytes of a connection into complete responses in order for any chunks', () => {
  const bodies = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 });
  const cuts = fc.array(fc.nat(400), { maxLength: 20 });
  fc.assert(
    fc.property(bodies, cuts, (some, places) => {
      const all = Buffer.concat(some.map(framed));
      const edges = [
        0,
        ...places.filter((place) => place < all.length).toSorted((a, b) => a - b),
        all.length,
      ];
      const frames = new ResponseFrames();
      const out = edges.slice(1).flatMap((edge, index) => frames.push(all.subarray(edges[index], edge)));
      expect(out.map((frame) => [...frame])).toEqual(some.map((body) => [...framed(body)]));
      expect(frames.isPartial).toBe(false);
    }),
  );
});

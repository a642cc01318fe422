import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from '../../../../shared/messaging/kafka/common/publishing/record-batch.ts';

const require = createRequire(import.meta.url);
const slowCrc32c = require('kafkajs/src/protocol/recordBatch/crc32C') as (bytes: Uint8Array) => number;

test('computes the same CRC-32C as kafkajs for any length and alignment', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(8), (bytes, start) => {
      const part = bytes.subarray(Math.min(start, bytes.length));
      expect(crc32c(part)).toBe(slowCrc32c(part));
    }),
  );
});

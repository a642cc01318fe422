import { expect, test } from 'vitest';
import { crc32c } from '../../../../../../shared/messaging/kafka/common/batches/crc32c.ts';

test.each([
  ['123456789', 0xe3_06_92_83],
  ['', 0],
])('matches the published CRC-32C of "%s"', (text, sum) => {
  expect(crc32c(Buffer.from(text))).toBe(sum);
});

/** RFC 3720, B.4. */
test.each([
  ['zeros', Buffer.alloc(32), 0x8a_91_36_aa],
  ['ones', Buffer.alloc(32, 0xff), 0x62_a8_ab_43],
  ['ascending bytes', Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46_dd_79_4e],
])('matches RFC 3720 for 32 %s', (_, bytes, sum) => {
  expect(crc32c(bytes)).toBe(sum);
});

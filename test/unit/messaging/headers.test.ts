import { expect, test } from 'vitest';
import { headerNumber, headerText, headerValue } from '../../../shared/messaging/headers.ts';

test('a header is read as its bytes, of a repeated one the last', () => {
  const bytes = Buffer.from([0xff, 0xfe]);
  expect(headerValue({ id: bytes }, 'id')).toBe(bytes);
  expect(headerValue({ id: ['first', bytes] }, 'id')).toBe(bytes);
  expect(headerValue({ id: [] }, 'id')).toBeUndefined();
  expect(headerValue({}, 'id')).toBeUndefined();
});

test('a header is read as UTF-8 text', () => {
  expect(headerText({ name: Buffer.from('grüße') }, 'name')).toBe('grüße');
});

test.each(['', '-1', '1.5', '1e3', ' 1', '9'.repeat(16), 'NaN'])('%j is no number', (text) => {
  expect(headerNumber({ at: text }, 'at')).toBeUndefined();
});

test('epoch milliseconds are read as a number', () => {
  expect(headerNumber({ at: Buffer.from('1700000000000') }, 'at')).toBe(1_700_000_000_000);
});

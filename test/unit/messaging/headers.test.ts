import { expect, test } from 'vitest';
import {
  contentBytes,
  copyContent,
  headerNumber,
  headerText,
  headerValue,
  NO_HEADER_VALUE,
} from '../../../shared/messaging/headers.ts';

test('reads the bytes of a header, and the last value of a repeated one', () => {
  const bytes = Buffer.from([0xff, 0xfe]);
  expect(headerValue({ id: bytes }, 'id')).toBe(bytes);
  expect(headerValue({ id: ['first', bytes] }, 'id')).toBe(bytes);
  expect(headerValue({ id: [] }, 'id')).toBeUndefined();
});

test('a header without a value counts as absent', () => {
  expect(headerValue({ id: NO_HEADER_VALUE }, 'id')).toBeUndefined();
  expect(headerText({ id: NO_HEADER_VALUE }, 'id')).toBeUndefined();
  expect(headerText({ id: ['first', NO_HEADER_VALUE] }, 'id')).toBe('first');
});

test('counts names and values in bytes, each value of a repeated header, and copies them into memory of its own', () => {
  const headers = { ab: 'ü', c: ['x', Buffer.from('yz')], none: NO_HEADER_VALUE, one: [Buffer.from('1')] };
  const content = { value: Buffer.from('value'), headers: { ...headers, gone: undefined } };
  expect(contentBytes(content)).toBe(5 + 4 + 2 + 3 + 4 + 4);
  expect(copyContent(content)).toEqual({ ...content, headers: { ...headers, one: Buffer.from('1') } });
  expect(copyContent(content).value.buffer.byteLength).toBe(8);
});

test.each(['', '-1', '1.5', '1e3', ' 1', '9'.repeat(16), 'NaN'])('does not read %j as a number', (text) => {
  expect(headerNumber({ at: text }, 'at')).toBeUndefined();
  expect(headerNumber({ at: Buffer.from(text) }, 'at')).toBeUndefined();
});

test('reads a header as a UTF-8 string, and epoch milliseconds as a number', () => {
  expect(headerText({ name: Buffer.from('grüße') }, 'name')).toBe('grüße');
  expect(headerNumber({ at: Buffer.from('1700000000000') }, 'at')).toBe(1_700_000_000_000);
});

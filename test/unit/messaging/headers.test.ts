import { expect, test } from 'vitest';
import {
  headerBytes,
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
  expect(headerValue({}, 'id')).toBeUndefined();
});

test('a header without a value counts as absent', () => {
  expect(headerValue({ id: NO_HEADER_VALUE }, 'id')).toBeUndefined();
  expect(headerText({ id: NO_HEADER_VALUE }, 'id')).toBeUndefined();
  expect(headerText({ id: ['first', NO_HEADER_VALUE] }, 'id')).toBe('first');
});

test('reads a header as a UTF-8 string', () => {
  expect(headerText({ name: Buffer.from('grüße') }, 'name')).toBe('grüße');
});

test.each(['', '-1', '1.5', '1e3', ' 1', '9'.repeat(16), 'NaN'])('does not read %j as a number', (text) => {
  expect(headerNumber({ at: text }, 'at')).toBeUndefined();
  expect(headerNumber({ at: Buffer.from(text) }, 'at')).toBeUndefined();
});

test('reads epoch milliseconds as a number', () => {
  expect(headerNumber({ at: Buffer.from('1700000000000') }, 'at')).toBe(1_700_000_000_000);
});

test('shares the bytes of a value that repeats, and reads each value as its own text', () => {
  const values = ['a', 'a', 'grüße', 'b', 'b', 'x'.repeat(200), 'x'.repeat(200), 'a', ''];
  const stored = values.map((text) => headerBytes('shared', text));
  expect(stored.map(String)).toEqual(values);
  expect(stored.map((bytes) => headerText({ shared: bytes }, 'shared'))).toEqual(values);
  expect(stored[1]).toBe(stored[0]);
  expect(headerText({ shared: Buffer.from('other') }, 'shared')).toBe('other');
});

test('reads half of a surrogate pair as its bytes are read anywhere else', () => {
  const bytes = headerBytes('half', 'half of \ud83d');
  expect(headerText({ half: bytes }, 'half')).toBe(bytes.toString());
});

test('stores values under any number of names', () => {
  const names = Array.from({ length: 200 }, (_, index) => `name-${index}`);
  for (const name of names) expect(headerBytes(name, name).toString()).toBe(name);
  for (const name of names) expect(headerText({ [name]: headerBytes(name, 'next') }, name)).toBe('next');
});

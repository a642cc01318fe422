import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { createJsonWriter } from '../../../../shared/api/json/json-writer.ts';

const TEXTS = ['', 'Personal loan', '"', '\\', 'a\nb', 'line\n', '\u007f', 'ș', '\u2028', '\ud800', '[~!#]'];

it.each([...TEXTS, true, false, 0, -1.5, Number.NaN, null])('writes %j as JSON.stringify does', (value) => {
  expect(createJsonWriter({})(value)).toBe(JSON.stringify(value));
});

it('writes all digits of a decimal', () => {
  expect(createJsonWriter({})(new Decimal('12345678901234567890.1'))).toBe('12345678901234567890.1');
});

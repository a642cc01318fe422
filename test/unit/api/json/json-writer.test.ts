import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { createJsonWriter } from '../../../../shared/api/json/json-writer.ts';

const write = createJsonWriter({});

it.each(['', 'Personal loan', '"', '\\', 'a\nb', 'line\n', '\u007f', 'ș', '\u2028', '\ud800', '[~!#]'])(
  'writes the text %j as JSON.stringify does',
  (text) => {
    expect(write(text)).toBe(JSON.stringify(text));
  },
);

it.each([true, false, 0, -1.5, Number.NaN, null])('writes %s as JSON.stringify does', (value) => {
  expect(write(value)).toBe(JSON.stringify(value));
});

it('writes all digits of a decimal', () => {
  expect(write(new Decimal('12345678901234567890.1'))).toBe('12345678901234567890.1');
});

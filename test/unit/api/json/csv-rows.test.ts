import { expect, test } from 'vitest';
import { asWritten, csvText } from '../../../../shared/api/json/csv-rows.ts';

test('rows have a head, CRLF, and quotes where a cell has a comma, a quote or a line break (RFC 4180, T6)', () => {
  const rows = [
    { a: '1.10', 'b,c': 'x"y' },
    { a: 'line\nbreak', d: null },
    { 'b,c': true, e: [1] },
  ];
  expect(csvText(rows)).toBe('a,"b,c",d\r\n1.10,"x""y",\r\n"line\nbreak",,\r\n,true,\r\n');
  expect(csvText([{ a: undefined }])).toBe('a\r\n\r\n');
  expect(csvText([])).toBe('\r\n');
});

test('numbers keep the digits with which they are written (M1)', () => {
  const text = '[{"amount":17.00,"large":90071992547409.93}]';
  expect(csvText(JSON.parse(text, asWritten) as object[])).toBe(
    'amount,large\r\n17.00,90071992547409.93\r\n',
  );
});

import { expect, test } from 'vitest';
import { chooseFormat } from '../../../../workers/ingress/actions/accepted-format.ts';

const JSON_TYPE = 'application/json';
const [HTML, PDF, CSV] = ['text/html', 'application/pdf', 'text/csv'];

test.each([
  [undefined, JSON_TYPE],
  ['', JSON_TYPE],
  ['*/*', JSON_TYPE],
  ['application/json, text/plain, */*', JSON_TYPE],
  ['application/json, application/problem+json', JSON_TYPE],
  ['text/html', HTML],
  ['Application/PDF', PDF],
  ['application/pdf, */*', PDF],
  ['text/*', HTML],
  ['text/*;q=0.5, application/json;q=0.4', HTML],
  ['text/html;q=0.5, application/json', JSON_TYPE],
  ['text/html;q=0, application/pdf;q=0.001', PDF],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', HTML],
  ['application/pdf;q=2, text/html;q=0.9', PDF],
  ['text/html;q=1.000;level=1, application/pdf;q=0.999', HTML],
  ['text/html;level=1;q=0.5, application/pdf;q=0.75', PDF],
  ['text/html;q=0.25, application/pdf;q=x0.1', PDF],
  ['text/html;q=0.25, application/pdf;q=0.1x', PDF],
  ['application/pdf, text/html;q=0.999', PDF],
  ['*/*;q=0.5, text/html;q=0.4', JSON_TYPE],
  ['image/png', JSON_TYPE],
  ['text/html;q=0', JSON_TYPE],
  ['application/pdf;q=0.000, image/png', JSON_TYPE],
  ['application/json;q=0, */*;q=0.1, text/html;q=0', PDF],
  ['text/csv', JSON_TYPE],
  [`${'text/x,'.repeat(40)}text/html`, JSON_TYPE],
])('Accept %s is answered as %s (T6)', (accept, chosen) => {
  expect(chooseFormat(accept, [HTML, PDF])).toBe(chosen);
});

test('an action without other formats answers JSON', () => {
  expect(chooseFormat(CSV, [])).toBe(JSON_TYPE);
  expect(chooseFormat(CSV, [CSV])).toBe(CSV);
});

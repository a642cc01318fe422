import { expect, test } from 'vitest';
import { z } from 'zod';
import { readEitherForm } from '../../../../shared/api/json/generic-form.ts';

const INPUT = { jsonParam: { Amount: 100 } };
const SHAPE = z.object({ jsonParam: z.unknown() });
const read = readEitherForm<unknown>({
  body: SHAPE,
  read: (payload) => ({ kind: 'valid', payload, warnings: [] }),
});

const ACCESS = { access_token: 'a.b.c', user_name: 'officer' };
test.each<[string, unknown, unknown]>([
  ['the direct body', INPUT, INPUT],
  ...[null, 7, 'text', [INPUT]].map((body): [string, unknown, unknown] => [
    'a body that is no object',
    body,
    body,
  ]),
  ['an object in the generic form (E2)', { ...ACCESS, Data: INPUT }, INPUT],
  ['a JSON string in the generic form (E2)', { ...ACCESS, Data: JSON.stringify(INPUT) }, INPUT],
  ['a text with a byte order mark', { Data: `\ufeff${JSON.stringify(INPUT)}` }, INPUT],
  ['the direct body with access parameters', { ...ACCESS, ...INPUT }, INPUT],
  ['the direct body with null (M6)', { access_token: null, user_name: null, Data: null, ...INPUT }, INPUT],
])('the input is %s: %j', (_, body, payload) => {
  expect(read(body)).toEqual({ kind: 'valid', payload, warnings: [] });
});

test.each([
  ['{"jsonParam":{"Amount":1,"Amount":2}}', 'jsonParam.Amount', 'repeated-member'],
  ['['.repeat(33), 'Data', 'too-deep'],
  [`[${'0,'.repeat(20_000)}0]`, 'Data', 'too-many-values'],
  ['{', 'Data', 'invalid-json'],
])('the text of Data is refused as a body is: %.40s', (text, path, code) => {
  expect(read({ Data: text })).toMatchObject({ problem: 'invalid-request', faults: [{ path, code }] });
});

test('the text of Data keeps digits (M1), and an input both in Data and next to it is refused', () => {
  const text = '{"jsonParam":{"Amount":9999999.9999999999}}';
  expect(JSON.stringify(read({ Data: text }))).toContain(text);
  expect(read({ Data: INPUT, ...INPUT })).toMatchObject({
    kind: 'invalid',
    problem: 'invalid-request',
    faults: [{ path: 'jsonParam', code: 'mutually-exclusive' }],
  });
});

test.each([
  ['{"jsonParam":', 'invalid-json'],
  ['', 'invalid-json'],
  ['[1]', 'wrong-type'],
  ['null', 'wrong-type'],
  [5, 'wrong-type'],
  [[INPUT], 'wrong-type'],
])('Data %j is refused with %s', (data, code) => {
  expect(read({ Data: data })).toMatchObject({ kind: 'invalid', faults: [{ path: 'Data', code }] });
});

test('fields next to Data are unknown (E3), faults reported without tokens, and deep text refused', () => {
  const result = read({ access_token: ['secret-token'], user_name: 7, Data: '{"secret-token' });
  expect(result).toMatchObject({
    kind: 'invalid',
    faults: [{ path: 'access_token' }, { path: 'user_name' }, { path: 'Data' }],
  });
  expect(JSON.stringify(result)).not.toContain('secret-token');
  const warnings = [{ code: 'unknown-member', path: 'data' }];
  expect(read({ Data: INPUT, data: 1 })).toMatchObject({ kind: 'valid', warnings });
  const text = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(read({ Data: text })).toMatchObject({ kind: 'invalid' });
});

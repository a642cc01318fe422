import { expect, test } from 'vitest';
import { z } from 'zod';
import { readEitherForm } from '../../../../shared/contract/json/generic-form.ts';

const INPUT = { jsonParam: { Amount: 100 } };
const SHAPE = z.object({ jsonParam: z.unknown() });
/** Reads any input as it is. */
const read = readEitherForm<unknown>({
  body: SHAPE,
  read: (payload) => ({ kind: 'valid', payload, warnings: [] }),
});

test('a direct body is the input as it is', () => {
  expect(read(INPUT)).toEqual({ kind: 'valid', payload: INPUT, warnings: [] });
});

test.each([null, 7, 'text', [INPUT]])('what is no object (%j) is left to the reader of the input', (body) => {
  expect(read(body)).toEqual({ kind: 'valid', payload: body, warnings: [] });
});

test('the generic form holds the input as an object or as its JSON text (E2)', () => {
  const access = { access_token: 'a.b.c', user_name: 'officer' };
  const expected = { kind: 'valid', payload: INPUT, warnings: [] };
  expect(read({ ...access, Data: INPUT })).toEqual(expected);
  expect(read({ ...access, Data: JSON.stringify(INPUT) })).toEqual(expected);
});

test('the access parameters may be sent next to the direct input', () => {
  expect(read({ access_token: 'a.b.c', user_name: 'officer', ...INPUT })).toEqual({
    kind: 'valid',
    payload: INPUT,
    warnings: [],
  });
});

test('null parameters are absent (M6)', () => {
  expect(read({ access_token: null, user_name: null, Data: null, ...INPUT })).toEqual({
    kind: 'valid',
    payload: INPUT,
    warnings: [],
  });
});

test('an input both in Data and next to it is refused rather than one of them dropped', () => {
  expect(read({ Data: INPUT, ...INPUT })).toMatchObject({
    kind: 'invalid',
    problem: 'invalid-request',
    faults: [{ path: 'jsonParam', code: 'mutually-exclusive' }],
  });
});

test('other fields next to Data are reported as unknown (E3)', () => {
  expect(read({ Data: INPUT, data: 1 })).toMatchObject({
    kind: 'valid',
    warnings: [{ code: 'unknown-member', path: 'data' }],
  });
});

test.each([
  ['{"jsonParam":', 'invalid-json'],
  ['', 'invalid-json'],
  ['[1]', 'wrong-type'],
  ['null', 'wrong-type'],
  [5, 'wrong-type'],
  [[INPUT], 'wrong-type'],
])('Data %j is no input', (data, code) => {
  expect(read({ Data: data })).toMatchObject({ kind: 'invalid', faults: [{ path: 'Data', code }] });
});

test('all faults of the form are reported at once, and no token or text is repeated', () => {
  const result = read({ access_token: ['secret-token'], user_name: 7, Data: '{"secret-token' });
  expect(result).toMatchObject({
    kind: 'invalid',
    faults: [{ path: 'access_token' }, { path: 'user_name' }, { path: 'Data' }],
  });
  expect(JSON.stringify(result)).not.toContain('secret-token');
});

test('text nested a hundred thousand levels deep is survived', () => {
  const text = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(read({ Data: text })).toMatchObject({ kind: 'invalid' });
});

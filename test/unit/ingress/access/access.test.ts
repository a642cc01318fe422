import { describe, expect, it } from 'vitest';
import { hashSubject, readBearerToken, readCredentials } from '../../../../workers/ingress/access/access.ts';

it.each([
  ['Bearer abc.def', 'abc.def'],
  ['bearer   abc ', 'abc'],
  [undefined, undefined],
  ['', undefined],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Basic abc', undefined],
  ['Bearer a b', undefined],
  ['XBearer a', undefined],
])('reads the bearer token of Authorization: %j', (header, token) => {
  expect(readBearerToken(header)).toBe(token);
});

describe('readCredentials (E2)', () => {
  it('prefers the token of the header to that of the body', () => {
    const body = { access_token: 'body', user_name: 'ana' };
    expect(readCredentials('Bearer header', body)).toEqual({ token: 'header', userName: 'ana' });
    expect(readCredentials(undefined, body)).toEqual({ token: 'body', userName: 'ana' });
  });

  it('ignores the token of a body without a user name', () => {
    const without = { token: undefined, userName: undefined, lacksUserName: true };
    expect(readCredentials(undefined, { access_token: 'body' })).toEqual(without);
    expect(readCredentials(undefined, { access_token: 'body', user_name: '' })).toEqual(without);
    expect(readCredentials(undefined, { access_token: 'body', user_name: 1 })).toEqual(without);
  });

  it.each([[undefined], [null], ['access_token'], [[]], [{}], [{ access_token: '' }]])(
    'finds no credentials in the body %j',
    (body) => {
      expect(readCredentials(undefined, body)).toEqual({
        token: undefined,
        userName: undefined,
        lacksUserName: false,
      });
    },
  );

  it('ignores inherited properties', () => {
    const body = Object.create({ access_token: 'body', user_name: 'ana' }) as object;
    expect(readCredentials(undefined, body).token).toBeUndefined();
  });
});

it('hashes a subject deterministically to 16 characters', () => {
  expect(hashSubject('ana')).toMatch(/^[\w-]{16}$/);
  expect(hashSubject('ana')).toBe(hashSubject('ana'));
  expect(hashSubject('ana')).not.toBe(hashSubject('anb'));
});

import { describe, expect, it } from 'vitest';
import { hashSubject, readBearerToken, readCredentials } from '../../../../workers/ingress/access/access.ts';

describe('the bearer token', () => {
  it('is taken from its own scheme only', () => {
    expect(readBearerToken('Bearer abc.def')).toBe('abc.def');
    expect(readBearerToken('bearer   abc ')).toBe('abc');
    for (const other of [undefined, '', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'XBearer a']) {
      expect(readBearerToken(other)).toBeUndefined();
    }
  });
});

describe('the credentials of a request (E2)', () => {
  it('are the header’s token before that of the body', () => {
    const body = { access_token: 'body', user_name: 'ana' };
    expect(readCredentials('Bearer header', body)).toEqual({ token: 'header', userName: 'ana' });
    expect(readCredentials(undefined, body)).toEqual({ token: 'body', userName: 'ana' });
  });

  it('count the token of a body only beside a user name', () => {
    const without = { token: undefined, userName: undefined, lacksUserName: true };
    expect(readCredentials(undefined, { access_token: 'body' })).toEqual(without);
    expect(readCredentials(undefined, { access_token: 'body', user_name: '' })).toEqual(without);
    expect(readCredentials(undefined, { access_token: 'body', user_name: 1 })).toEqual(without);
  });

  it.each([[undefined], [null], ['access_token'], [[]], [{}], [{ access_token: '' }]])(
    'are none in %j',
    (body) => {
      expect(readCredentials(undefined, body)).toEqual({
        token: undefined,
        userName: undefined,
        lacksUserName: false,
      });
    },
  );

  it('are own fields only', () => {
    const body = Object.create({ access_token: 'body', user_name: 'ana' }) as object;
    expect(readCredentials(undefined, body).token).toBeUndefined();
  });
});

it('the hash of a subject distinguishes subjects and does not show them', () => {
  expect(hashSubject('ana')).toMatch(/^[\w-]{16}$/);
  expect(hashSubject('ana')).toBe(hashSubject('ana'));
  expect(hashSubject('ana')).not.toBe(hashSubject('anb'));
});

import fastify from 'fastify';
import { SignJWT, type JWTPayload } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../../shared/platform/log.ts';
import { openAccess, type Access, type OperationsScope } from '../../../../workers/ingress/access/access.ts';
import { createJwtAccess } from '../../../../workers/ingress/access/jwt-access.ts';
import { authorizeOperator } from '../../../../workers/ingress/server/authentication.ts';

const SECRET = 'a shared secret for the tests of at least 32 characters';
const NOW = Date.UTC(2026, 4, 1);
const guarded = createJwtAccess(
  {
    jwtSecret: SECRET,
    jwksUrl: undefined,
    issuer: undefined,
    audience: 'engine',
  },
  { clock: { now: () => NOW }, log: silentLog },
);

/** Calls an address that needs a scope. */
async function call(scope: OperationsScope, access: Access, headers: Record<string, string> = {}) {
  const app = fastify();
  onTestFinished(() => app.close());
  const admission = { countRequest: async () => true, spend: () => undefined };
  app.decorateRequest('subject', '').decorateRequest('caller', '').decorateRequest('scopes', undefined);
  app.get('/', { preHandler: [authorizeOperator({ access, admission }, scope)] }, ({ subject }) => ({
    subject,
  }));
  return app.inject({ url: '/', headers });
}

async function bearer(claims: JWTPayload): Promise<Record<string, string>> {
  const token = new SignJWT({ sub: 'ana', aud: 'engine', exp: NOW / 1_000 + 60, ...claims });
  const signed = await token.setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(SECRET));
  return { authorization: `Bearer ${signed}` };
}

it.each<[string, JWTPayload]>([
  ['scope as one string', { scope: 'openid operations:read' }],
  ['scope as a list', { scope: ['openid', 'operations:read'] }],
  ['scp as one string', { scp: 'operations:read operations:write' }],
  ['scp as a list', { scp: ['operations:read'] }],
])('admits a token that has the scope in %s', async (_form, claims) => {
  const response = await call('operations:read', guarded, await bearer(claims));
  expect(response.statusCode).toBe(200);
  expect(response.json()).toEqual({ subject: 'ana' });
});

it.each<[string, JWTPayload]>([
  ['without scopes', {}],
  ['with the other scope', { scope: 'operations:read' }],
  ['with a longer name', { scope: 'operations:write:all' }],
  ['with scopes of another type', { scope: { 'operations:write': true }, scp: [7, null] }],
])('refuses a token %s and names the missing scope', async (_form, claims) => {
  const response = await call('operations:write', guarded, await bearer(claims));
  expect(response.statusCode).toBe(403);
  expect(response.headers['www-authenticate']).toBe(
    'Bearer realm="platapi", error="insufficient_scope", scope="operations:write"',
  );
  expect(response.json()).toMatchObject({
    code: 'forbidden',
    detail: 'The access token does not have the scope operations:write.',
  });
});

it('refuses a caller without a token as elsewhere', async () => {
  const response = await call('operations:read', guarded);
  expect(response.statusCode).toBe(401);
  expect(response.json()).toMatchObject({ code: 'unauthenticated' });
});

it('without access control admits callers of a loopback name only', async () => {
  for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080']) {
    expect((await call('operations:write', openAccess, { host })).statusCode).toBe(200);
  }
  const proxied = await call('operations:read', openAccess, { host: 'bank.example' });
  expect(proxied.statusCode).toBe(403);
  expect(proxied.json()).toMatchObject({ code: 'forbidden' });
});

import fastify from 'fastify';
import { SignJWT, type JWTPayload } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../../shared/platform/log.ts';
import { openAccess, type Access, type OperationsScope } from '../../../../workers/ingress/access/access.ts';
import { createJwtAccess } from '../../../../workers/ingress/access/jwt-access.ts';
import { JWT_SECRET } from '../../../support/builders/access-token.ts';
import { authorizeOperator } from '../../../../workers/ingress/server/authentication.ts';

const NOW = Date.UTC(2026, 4, 1);
const guarded = createJwtAccess(
  { jwtSecret: JWT_SECRET, jwksUrl: undefined, issuer: undefined, audience: 'engine' },
  { clock: { now: () => NOW }, log: silentLog },
);

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
  const signed = await token.setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(JWT_SECRET));
  return { authorization: `Bearer ${signed}` };
}

it('admits a token that has the scope in scope or scp, as one string or a list', async () => {
  const forms: JWTPayload[] = [
    { scope: 'openid operations:read' },
    { scope: ['openid', 'operations:read'] },
    { scp: 'operations:read operations:write' },
    { scp: ['operations:read'] },
  ];
  for (const claims of forms) {
    const response = await call('operations:read', guarded, await bearer(claims));
    expect([response.statusCode, response.json()]).toEqual([200, { subject: 'ana' }]);
  }
});

it('refuses a token without the scope and names it, and a caller without a token as elsewhere', async () => {
  const forms: JWTPayload[] = [
    {},
    { scope: 'operations:read' },
    { scope: 'operations:write:all' },
    { scope: { 'operations:write': true }, scp: [7, null] },
  ];
  for (const claims of forms) {
    const response = await call('operations:write', guarded, await bearer(claims));
    expect(response.statusCode).toBe(403);
    expect(response.headers['www-authenticate']).toBe(
      'Bearer realm="platapi", error="insufficient_scope", scope="operations:write"',
    );
    expect(response.json()).toMatchObject({
      code: 'forbidden',
      detail: 'The access token does not have the scope operations:write.',
    });
  }
  const response = await call('operations:read', guarded);
  expect([response.statusCode, response.json()]).toMatchObject([401, { code: 'unauthenticated' }]);
});

it('without access control admits callers of a loopback name only', async () => {
  for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080']) {
    expect((await call('operations:write', openAccess, { host })).statusCode).toBe(200);
  }
  const proxied = await call('operations:read', openAccess, { host: 'bank.example' });
  expect([proxied.statusCode, proxied.json()]).toMatchObject([403, { code: 'forbidden' }]);
});

import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from '../../../shared/platform/host-names.ts';
import type { OperationsScope } from '../access/access.ts';
import { authenticate } from './authentication.ts';
import { addressOf } from './caller.ts';
import type { IngressContext } from './context.ts';
import { refuseRateLimited } from './rate-limit.ts';
import { refuse } from './send-answer.ts';

/**
 * Hook: admits a caller to an operations address, or responds with 401, 403, 429 or 503 (E2, E6). With access control the
 * token needs the scope, if one is given. Without it only callers on this machine are admitted: the instance listens on loopback, and a
 * request for another allowed host came through a proxy.
 */
export function authorizeOperator(
  deps: Pick<IngressContext, 'access' | 'rateLimiter'>,
  scope?: OperationsScope,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const authenticateNow = authenticate(deps);
  return async (request, reply) => {
    await authenticateNow(request, reply);
    if (reply.sent) return;
    refuseForeignHost(deps, request, reply);
    if (reply.sent) return;
    if (scope === undefined || request.scopes?.has(scope) === true) return;
    refuseScope(reply, scope);
  };
}

/**
 * Hook for an address with a ticket in place of a token, which a browser opens by itself: counts the request by its remote
 * address (E6), and admits only callers on this machine if there is no access control.
 */
export function authorizeTicket(
  deps: Pick<IngressContext, 'access' | 'rateLimiter'>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    request.caller = addressOf(request);
    const waitSeconds = await deps.rateLimiter.take(request.caller);
    if (waitSeconds > 0) return refuseRateLimited(reply, waitSeconds);
    refuseForeignHost(deps, request, reply);
  };
}

function refuseForeignHost(
  { access }: Pick<IngressContext, 'access'>,
  { hostname, headers }: FastifyRequest,
  reply: FastifyReply,
): void {
  if (access.required) return;
  if (!isLoopback(hostname)) return refuse(reply, 'forbidden', { detail: NO_KEYS });
  // A page of another site cannot read the answer, but could keep streams open and readings busy. Following a link is no harm.
  if (headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-dest'] !== 'document')
    refuse(reply, 'forbidden', { detail: OTHER_SITE });
}

/** Responds that the token lacks a scope: 403 (RFC 6750 section 3.1). */
export function refuseScope(reply: FastifyReply, scope: OperationsScope): void {
  reply.header('www-authenticate', `Bearer realm="platapi", error="insufficient_scope", scope="${scope}"`);
  refuse(reply, 'forbidden', { detail: `The access token does not have the scope ${scope}.` });
}

const NO_KEYS =
  'Without access control the operations addresses are available only as localhost, 127.0.0.1 or [::1]: ' +
  'set AUTH_JWKS_URL or AUTH_JWT_SECRET.';
const OTHER_SITE = 'Pages of other sites may not use the operations addresses.';

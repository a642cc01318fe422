import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertNever } from '../../../shared/platform/errors.ts';
import {
  readBearerToken,
  readCredentials,
  type AccessDecision,
  type CallerCredentials,
} from '../access/access.ts';
import { addressOf, callerOf } from './caller.ts';
import type { IngressContext } from './context.ts';
import { readJsonBody, type BodyRoom } from './json-body.ts';
import { estimateBodyCost, refuseRateLimited } from './rate-limit.ts';
import { refuse } from './send-answer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Stable identity of the caller; empty until it is admitted. */
    subject: string;
    /** The scopes of the caller's token; undefined until it is admitted. */
    scopes: ReadonlySet<string> | undefined;
    /** The cost of the body in addition to the request itself. */
    bodyCost: number;
  }
}

type AuthenticationDeps = Pick<IngressContext, 'access' | 'rateLimiter'>;

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Hook: admits a caller by its bearer token, or responds with 401, 403, 429 or 503 (E1, E2, E6). Requests are counted by
 * subject, or by remote address if there is no valid token or no access control.
 */
export function authenticate(deps: AuthenticationDeps): Hook {
  return (request, reply) =>
    admit(deps, request, reply, {
      token: readBearerToken(request.headers.authorization),
      userName: undefined,
    });
}

/** Hook: like `authenticate`, but leaves a request without a bearer token to `authenticateBody` (E2). */
export function authenticateBearer(deps: AuthenticationDeps): Hook {
  return async (request, reply) => {
    const token = readBearerToken(request.headers.authorization);
    if (deps.access.required && token === undefined) return;
    await admit(deps, request, reply, { token, userName: undefined });
  };
}

/**
 * Hook after `authenticateBearer` and `readBody`: admits a caller by the credentials of the generic form. A request that was
 * admitted by its bearer token is not counted again, but a user_name in its body must match the token.
 */
export function authenticateBody(deps: AuthenticationDeps): Hook {
  return async (request, reply) => {
    const credentials = readCredentials(request.headers.authorization, request.body);
    if (request.caller === '') {
      await admit(deps, request, reply, credentials);
      // The body of a refused request is charged to its address, so that it does not use up the subject's allowance.
      if (reply.sent) request.caller = addressOf(request);
    } else decide(request, reply, await deps.access.check(credentials), credentials);
    countBody(deps, request);
  };
}

/** Hook: reads the body into `request.body`. Counts a body that cannot be read; `authenticateBody` counts the others. */
export function readBody(deps: AuthenticationDeps, room: BodyRoom): Hook {
  return async (request, reply) => {
    await readJsonBody(request, reply, room);
    if (reply.sent) countBody(deps, request);
  };
}

/** Charges the caller for a body that was read, by its length and its members and elements. */
export function countBody(
  { rateLimiter }: Pick<AuthenticationDeps, 'rateLimiter'>,
  request: FastifyRequest,
): void {
  request.bodyCost = estimateBodyCost(request.bodyBytes, request.bodyValues);
  if (request.bodyCost === 0) return;
  rateLimiter.spend(callerOf(request), request.bodyCost);
}

async function admit(
  { access, rateLimiter }: AuthenticationDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  credentials: CallerCredentials,
): Promise<void> {
  const decision = await access.check(credentials);
  const isKnown = access.required && decision.kind === 'granted';
  request.caller = isKnown ? `subject ${decision.subject}` : addressOf(request);
  const waitSeconds = await rateLimiter.take(request.caller);
  if (waitSeconds > 0) refuseRateLimited(reply, waitSeconds);
  else decide(request, reply, decision, credentials);
}

function decide(
  request: FastifyRequest,
  reply: FastifyReply,
  decision: AccessDecision,
  credentials: CallerCredentials,
): void {
  if (decision.kind === 'granted') recordCaller(request, decision);
  else refuseCaller(reply, decision, credentials);
}

function recordCaller(
  request: FastifyRequest,
  { subject, scopes }: Extract<AccessDecision, { kind: 'granted' }>,
): void {
  request.subject = subject;
  request.scopes = scopes;
}

function refuseCaller(
  reply: FastifyReply,
  decision: Exclude<AccessDecision, { kind: 'granted' }>,
  { token }: CallerCredentials,
): void {
  switch (decision.kind) {
    case 'unauthenticated': {
      // RFC 6750 section 3: a request without a token gets no error code.
      const reason = token === undefined ? '' : ', error="invalid_token"';
      reply.header('www-authenticate', `Bearer realm="platapi"${reason}`);
      return refuse(reply, 'unauthenticated', { detail: decision.reason });
    }
    case 'forbidden':
      return refuse(reply, 'forbidden', { detail: decision.reason });
    case 'undecided':
      return refuse(reply, 'keys-unavailable', { detail: 'Try again shortly.' });
    default:
      return assertNever(decision);
  }
}

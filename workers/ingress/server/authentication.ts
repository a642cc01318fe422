import type { FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { isLoopback } from '../../../shared/platform/host-names.ts';
import {
  readBearerToken,
  readCredentials,
  type AccessDecision,
  type CallerCredentials,
  type OperationsScope,
} from '../access/access.ts';
import { addressOf } from './admission.ts';
import type { IngressContext } from './context.ts';
import { refuse } from './send-answer.ts';
import { labelMetrics, requireOpen } from './traffic.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Stable identity of the caller; empty until it is admitted. */
    subject: string;
    scopes: ReadonlySet<string> | undefined;
  }
}

interface AuthenticationDeps extends Pick<IngressContext, 'access'> {
  readonly admission: Pick<IngressContext['admission'], 'countRequest' | 'spend'>;
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Hook: admits a caller by its bearer token, or responds with 401, 429 or 503 (E1, E2, E6). */
export function authenticate(deps: AuthenticationDeps): Hook {
  return (request, reply) => admit(deps, reply, bearerOf(request));
}

/** Hook: like `authenticate`, but leaves a request without a bearer token to `authenticateBody` (E2). */
export function authenticateBearer(deps: AuthenticationDeps): Hook {
  return async (request, reply) => {
    const credentials = bearerOf(request);
    if (deps.access.required && credentials.token === undefined) return;
    await admit(deps, reply, credentials);
  };
}

/** Hook after readJsonBody(): admits a caller by the generic form, or compares user_name with the bearer token (E2). */
export function authenticateBody(deps: AuthenticationDeps): Hook {
  return async (request, reply) => {
    const credentials = readCredentials(request.headers.authorization, request.body);
    if (request.caller === '') {
      await admit(deps, reply, credentials);
      // The body of a refused request is charged to its address, so that it does not use up the subject's allowance.
      if (reply.sent) request.caller = addressOf(request);
    } else decide(reply, await deps.access.check(credentials), credentials);
    deps.admission.spend(request, request.bodyCost);
  };
}

/** Hook: admits a caller with `scope` to an operations address (E2, E6); without access control, by a loopback name. */
export function authorizeOperator(deps: AuthenticationDeps, scope?: OperationsScope): Hook {
  return async (request, reply) => {
    await admit(deps, reply, bearerOf(request));
    if (!reply.sent) refuseForeignHost(deps, reply);
    if (reply.sent || scope === undefined || request.scopes?.has(scope) === true) return;
    refuseScope(reply, scope);
  };
}

/** The hooks of an operations address that is served once the instance is open. `others` follow these two. */
export function operatorHooks(
  deps: AuthenticationDeps & Pick<IngressContext, 'traffic'>,
  label: string,
  scope?: OperationsScope,
  ...others: preHandlerHookHandler[]
): preHandlerHookHandler[] {
  return [labelMetrics(label), requireOpen(deps.traffic), ...others, authorizeOperator(deps, scope)];
}

/** Hook for an address that a browser opens with a ticket instead of a token. The route checks the ticket. */
export function authorizeTicket(deps: AuthenticationDeps): Hook {
  return async (request, reply) => {
    request.caller = addressOf(request);
    if (await deps.admission.countRequest(request, reply)) refuseForeignHost(deps, reply);
  };
}

/** Responds with 403 `insufficient_scope` (RFC 6750 section 3.1). */
export function refuseScope(reply: FastifyReply, scope: OperationsScope): void {
  reply.header('www-authenticate', `Bearer realm="platapi", error="insufficient_scope", scope="${scope}"`);
  refuse(reply, 'forbidden', { detail: `The access token does not have the scope ${scope}.` });
}

const NO_KEYS =
  'Without access control the operations addresses are available only as localhost, 127.0.0.1 or [::1]: ' +
  'set AUTH_JWKS_URL or AUTH_JWT_SECRET.';
const OTHER_SITE = 'Pages of other sites may not use the operations addresses.';

function bearerOf({ headers }: FastifyRequest): CallerCredentials {
  return { token: readBearerToken(headers.authorization), userName: undefined };
}

async function admit(
  { access, admission }: AuthenticationDeps,
  reply: FastifyReply,
  credentials: CallerCredentials,
): Promise<void> {
  const { request } = reply;
  const decision = await access.check(credentials);
  const isKnown = access.required && decision.kind === 'granted';
  request.caller = isKnown ? `subject ${decision.subject}` : addressOf(request);
  if (await admission.countRequest(request, reply)) decide(reply, decision, credentials);
}

function decide(reply: FastifyReply, decision: AccessDecision, { token }: CallerCredentials): void {
  if (decision.kind === 'granted') {
    reply.request.subject = decision.subject;
    reply.request.scopes = decision.scopes;
    return;
  }
  if (decision.kind === 'undecided')
    return refuse(reply, 'keys-unavailable', { detail: 'Try again shortly.' });
  if (decision.kind === 'unauthenticated') {
    // RFC 6750 section 3: a request without a token gets no error code.
    const reason = token === undefined ? '' : ', error="invalid_token"';
    reply.header('www-authenticate', `Bearer realm="platapi"${reason}`);
  }
  refuse(reply, decision.kind, { detail: decision.reason });
}

function refuseForeignHost({ access }: AuthenticationDeps, reply: FastifyReply): void {
  const { hostname, headers } = reply.request;
  if (access.required) return;
  if (!isLoopback(hostname)) return refuse(reply, 'forbidden', { detail: NO_KEYS });
  // A page of another site cannot read the response, but could cause many readings. Following a link does no harm.
  if (headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-dest'] !== 'document')
    refuse(reply, 'forbidden', { detail: OTHER_SITE });
}

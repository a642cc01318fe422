import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertNever } from '../../../shared/platform/errors.ts';
import type { Access, AccessDecision, Credentials } from '../access/access.ts';
import type { RateLimit } from './rate-limit.ts';
import { refuse } from './send-answer.ts';

export interface AdmissionDeps {
  readonly access: Access;
  readonly rateLimit: RateLimit;
}

/** Who a request comes from and where its answer goes. */
export interface Applicant {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly credentials: Credentials;
}

type Admitted = (subject: string, caller: string) => void;

/**
 * Lets a request in or answers it with 401, 403, 429 or 503 (E1, E2, E6). `admitted` is called with the
 * caller's subject, and its name for the rate limit, in the same turn whenever the token was checked before. Callers count by subject; those without a valid
 * token, and everybody where access control is off, by remote address.
 */
export function admit(deps: AdmissionDeps, applicant: Applicant, admitted: Admitted): void {
  const decision = deps.access.check(applicant.credentials);
  if (!(decision instanceof Promise)) {
    settle(deps, applicant, decision, admitted);
    return;
  }
  decision
    .then((known) => settle(deps, applicant, known, admitted))
    .catch((error: unknown) => applicant.reply.send(error));
}

/** Who a request without a valid token is counted for. */
export function addressOf(request: FastifyRequest): string {
  return `address ${request.ip}`;
}

/** Answers a caller whose allowance is used up: 429 with the seconds to wait (E6). */
export function refuseRateLimited(reply: FastifyReply, waitSeconds: number): void {
  reply.header('retry-after', waitSeconds);
  refuse(reply, 'rate-limited', { detail: `Send fewer requests; try again in ${waitSeconds} s.` });
}

/** Bytes of a body that are read, parsed and checked in the processor time of one request of the allowance, 10 ms. */
const BODY_BYTES_PER_REQUEST = 262_144;

/** Counts a body by its length for its caller, once it is read and whatever became of it. */
export function countBody(
  { rateLimit }: Pick<AdmissionDeps, 'rateLimit'>,
  caller: string,
  bytes: number,
): void {
  const further = Math.round(bytes / BODY_BYTES_PER_REQUEST);
  if (further > 0) rateLimit.spend(caller, further);
}

/** RFC 6750 section 3: a token that was sent and does not hold is named as the reason. */
function challenge({ token }: Credentials): string {
  return `Bearer realm="platapi"${token === undefined ? '' : ', error="invalid_token"'}`;
}

function settle(
  deps: AdmissionDeps,
  applicant: Applicant,
  decision: AccessDecision,
  admitted: Admitted,
): void {
  const { request, reply } = applicant;
  const known = deps.access.required && decision.kind === 'granted';
  const caller = known ? `subject ${decision.subject}` : addressOf(request);
  const waitSeconds = deps.rateLimit.take(caller);
  if (waitSeconds > 0) return refuseRateLimited(reply, waitSeconds);
  switch (decision.kind) {
    case 'granted':
      return admitted(decision.subject, caller);
    case 'unauthenticated':
      reply.header('www-authenticate', challenge(applicant.credentials));
      return refuse(reply, 'unauthenticated', { detail: decision.reason });
    case 'forbidden':
      return refuse(reply, 'forbidden', { detail: decision.reason });
    case 'undecided':
      return refuse(reply, 'keys-unavailable', { detail: 'Try again in a moment.' });
    default:
      return assertNever(decision);
  }
}

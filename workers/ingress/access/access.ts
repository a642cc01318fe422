import type { Health } from '../../../shared/platform/health.ts';

export { hashSubject } from '../../../shared/notification/party-hashes.ts';

export interface CallerCredentials {
  readonly token: string | undefined;
  readonly userName: string | undefined;
  /** True if the body has an `access_token` without the user_name that it requires. */
  readonly lacksUserName?: boolean;
}

/** A scope (OAuth 2, RFC 6749 section 3.3) that an operations address requires of a token. */
export type OperationsScope = 'operations:read' | 'operations:write';

export type AccessDecision =
  | { readonly kind: 'granted'; readonly subject: string; readonly scopes: ReadonlySet<string> }
  /** No token, or an invalid one: 401. */
  | { readonly kind: 'unauthenticated'; readonly reason: string }
  /** The token was issued to another user: 403. */
  | { readonly kind: 'forbidden'; readonly reason: string }
  /** The key set cannot be fetched, so the token cannot be verified: 503. */
  | { readonly kind: 'undecided' };

/** Decides whether a caller is admitted. Synchronous for cached tokens, so that the hot path needs no promise. */
export interface Access {
  readonly required: boolean;
  check(credentials: CallerCredentials): AccessDecision | Promise<AccessDecision>;
  /** Whether tokens can be checked. Absent if they always can. */
  health?(): Health;
}

const ANONYMOUS = '';

const EVERY_SCOPE: ReadonlySet<string> = new Set<OperationsScope>(['operations:read', 'operations:write']);

/** Admits every caller, for instances that only their own machine can reach (E2). */
export const openAccess: Access = {
  required: false,
  check: () => ({ kind: 'granted', subject: ANONYMOUS, scopes: EVERY_SCOPE }),
};

/** The token of `Authorization: Bearer <token>` (RFC 6750); undefined for any other header. */
export function readBearerToken(authorization: string | undefined): string | undefined {
  const found = authorization === undefined ? null : /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization);
  return found?.[1];
}

/** The credentials of a request (E2): the bearer token, else `access_token` of the body, which requires `user_name`. */
export function readCredentials(authorization: string | undefined, body: unknown): CallerCredentials {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const userName = nonEmptyText(fields, 'user_name');
  const bearer = readBearerToken(authorization);
  if (bearer !== undefined) return { token: bearer, userName };
  const token = nonEmptyText(fields, 'access_token');
  if (userName === undefined) return { token: undefined, userName, lacksUserName: token !== undefined };
  return { token, userName };
}

/** The value of an own property if it is a non-empty string, otherwise undefined. */
export function nonEmptyText(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

import { createHash } from 'node:crypto';

/** The credentials of a request. */
export interface CallerCredentials {
  readonly token: string | undefined;
  /** `user_name` of the generic form. */
  readonly userName: string | undefined;
  /** Set when the generic form has a token that is ignored because `user_name` is absent. */
  readonly lacksUserName?: boolean;
}

export type AccessDecision =
  | { readonly kind: 'granted'; readonly subject: string }
  /** No token, or an invalid one: 401. */
  | { readonly kind: 'unauthenticated'; readonly reason: string }
  /** The token belongs to another user: 403. */
  | { readonly kind: 'forbidden'; readonly reason: string }
  /** The keys cannot be fetched: no token can be verified, 503. */
  | { readonly kind: 'undecided' };

/** Decides who may call. Synchronous for cached tokens, so that the hot path needs no promise. */
export interface Access {
  readonly required: boolean;
  check(credentials: CallerCredentials): AccessDecision | Promise<AccessDecision>;
}

/** The subject of all callers where no access control is configured. */
const ANONYMOUS = '';

/** Admits every caller; only for an instance that is reachable only from its own machine (E2). */
export const openAccess: Access = {
  required: false,
  check: () => ({ kind: 'granted', subject: ANONYMOUS }),
};

/** The token of `Authorization: Bearer <token>` (RFC 6750); undefined for any other header. */
export function readBearerToken(authorization: string | undefined): string | undefined {
  const found = authorization === undefined ? null : /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization);
  return found?.[1];
}

/**
 * The credentials of a request (E2): the bearer header's token, else `access_token` of the generic form, which is
 * accepted only together with `user_name`. A user name is always compared if sent.
 */
export function readCredentials(authorization: string | undefined, body: unknown): CallerCredentials {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const userName = nonEmptyText(fields, 'user_name');
  const bearer = readBearerToken(authorization);
  if (bearer !== undefined) return { token: bearer, userName };
  const token = nonEmptyText(fields, 'access_token');
  if (userName === undefined) return { token: undefined, userName, lacksUserName: token !== undefined };
  return { token, userName };
}

/** An own property, if it is text and not empty. */
export function nonEmptyText(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The pseudonym of a caller in ids and records: stable, not readable. 96 bits distinguish all callers. */
export function hashSubject(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url').slice(0, 16);
}

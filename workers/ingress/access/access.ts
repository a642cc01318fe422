/** What a token that holds says. */
export interface VerifiedToken {
  /** Stable identity of the caller: `sub`, else the user name. */
  readonly subject: string;
  /** What `user_name` has to equal: the configured claim, else `sub` (E2). */
  readonly userName: string;
  readonly expiresAtMs: number;
}

/** What a request brings to prove who sends it. */
export interface Credentials {
  readonly token: string | undefined;
  /** `user_name` of the generic form. */
  readonly userName: string | undefined;
  /** Set when the generic form has a token that does not count, since it has no `user_name`. */
  readonly lacksUserName?: boolean;
}

export type AccessDecision =
  | { readonly kind: 'granted'; readonly subject: string }
  /** No token, or one that does not hold: 401. */
  | { readonly kind: 'unauthenticated'; readonly reason: string }
  /** The token holds for somebody else: 403. */
  | { readonly kind: 'forbidden'; readonly reason: string }
  /** The keys cannot be fetched: nobody can be judged, 503. */
  | { readonly kind: 'undecided' };

/** Who may call. Answers at once when the token was checked before, so that the hot path pays for no promise. */
export interface Access {
  readonly required: boolean;
  check(credentials: Credentials): AccessDecision | Promise<AccessDecision>;
}

/** The subject of everybody where no access control is configured. */
export const ANONYMOUS = '';

/** Lets everybody in; only for an instance that is reachable from its own machine alone (E2). */
export const openAccess: Access = {
  required: false,
  check: () => ({ kind: 'granted', subject: ANONYMOUS }),
};

/** The token of `Authorization: Bearer <token>` (RFC 6750); undefined for any other header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const found = authorization === undefined ? null : /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization);
  return found?.[1];
}

import { hash } from 'node:crypto';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type FetchImplementation,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../../shared/platform/queue-limits.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import { readJsonAnswer } from '../../../shared/platform/bounded-answer.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { Health } from '../../../shared/platform/health.ts';
import type { Config } from '../../../shared/platform/load-config.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { nonEmptyText, type Access, type AccessDecision } from './access.ts';

export type JwtSettings = Config['auth'];

interface VerifiedToken {
  /** Stable identity of the caller: `sub` or, without one, `preferred_username=` and the user name. */
  readonly subject: string;
  /** The expected value of `user_name`: `preferred_username`, or `sub` if it is absent (E2). */
  readonly userName: string;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAtMs: number;
}

const MAX_TOKEN_LIFETIME_HOURS = 24;
/** Tokens that are valid for longer are refused (E2), since a stolen token is accepted until it expires. */
export const MAX_TOKEN_LIFETIME_MS: number = MAX_TOKEN_LIFETIME_HOURS * 3_600_000;
const CLOCK_TOLERANCE_SECONDS = 5;
/** Minimum age of the key set before a token that names an unknown key causes another request for it. */
const KEY_SET_COOLDOWN_MS = 30_000;
/** Minimum interval between any two requests for the key set: the cooldown begins only with a successful one. */
const KEY_SET_PAUSE_MS = 1_000;
/** Maximum age of the key set. An older one is fetched again, so that a revoked key is no longer accepted. */
const KEY_SET_MAX_AGE_MS = 600_000;
const KEY_SET_TIMEOUT_MS = 5_000;
/** A token is verified again after this long. Verifying takes 100 times as long as finding it in the cache. */
const MAX_CACHE_AGE_MS = 60_000;
const MAX_CACHED_TOKENS = 10_000;
const MAX_TOKEN_LENGTH = 8_192;
const MILLIS_PER_SECOND = 1_000;
const USER_CLAIM = 'preferred_username';
const NO_TOKEN = 'The request has no access token.';
const UNNAMED = 'access_token requires user_name, which must be a non-empty string.';
const INVALID = 'The access token is not valid.';
const CLAIM_FAULTS: Readonly<Record<string, string>> = {
  aud: 'The access token is not for this service (aud).',
  exp: 'The access token has expired or has no expiry (exp).',
  iss: 'The access token was issued by another issuer (iss).',
};

const SYMMETRIC = ['HS256', 'HS384', 'HS512'];
/** Without HS256 and the like: a public key of a key set must never be used as a shared secret. */
const ASYMMETRIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

class KeySetPause extends Error {}

/** Access by JSON Web Token (E2). A token needs a subject or user name, the audience, and an expiry within 24 h. */
export function createJwtAccess(
  settings: JwtSettings,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Access {
  const { jwtSecret, jwksUrl = '', issuer, audience } = settings;
  const secret = new TextEncoder().encode(jwtSecret);
  const { keys, health }: { keys: JWTVerifyGetKey; health?: () => Health } =
    jwtSecret === undefined ? createRemoteKeySet(new URL(jwksUrl), clock, log) : { keys: () => secret };
  // Keyed by hash, so that the tokens themselves are not kept in memory.
  const cache = new LRUCache<string, { readonly verified: VerifiedToken; readonly validUntilMs: number }>(
    atMost(MAX_CACHED_TOKENS),
  );
  const checkNewToken = async (token: string, userName: string | undefined): Promise<AccessDecision> => {
    let claims: JWTPayload;
    try {
      claims = await verify(token, keys, {
        algorithms: jwtSecret === undefined ? ASYMMETRIC : SYMMETRIC,
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(clock.now()),
        ...(issuer === undefined ? {} : { issuer }),
        audience,
      });
    } catch (error) {
      return isTokenFault(error) ? refuseToken(describeFault(error)) : { kind: 'undecided' };
    }
    const toleranceMs = CLOCK_TOLERANCE_SECONDS * MILLIS_PER_SECOND;
    if (lifetimeMs(claims, clock.now()) > MAX_TOKEN_LIFETIME_MS + toleranceMs)
      return refuseToken(`The access token is valid for longer than ${MAX_TOKEN_LIFETIME_HOURS} h (exp).`);
    const verified = readClaims(claims);
    if (verified === undefined) return refuseToken('The access token has neither a subject nor a user name.');
    const validUntilMs = Math.min(verified.expiresAtMs, clock.now() + MAX_CACHE_AGE_MS);
    cache.set(hash('sha256', token, 'base64'), { verified, validUntilMs });
    return compareUser(verified, userName);
  };
  return {
    required: true,
    check: ({ token, userName, lacksUserName = false }) => {
      if (token === undefined) return refuseToken(lacksUserName ? UNNAMED : NO_TOKEN);
      if (token.length > MAX_TOKEN_LENGTH) return refuseToken(INVALID);
      const known = cache.get(hash('sha256', token, 'base64'));
      const isValid = known !== undefined && known.validUntilMs > clock.now();
      return isValid ? compareUser(known.verified, userName) : checkNewToken(token, userName);
    },
    ...(health === undefined ? {} : { health }),
  };
}

async function verify(token: string, keys: JWTVerifyGetKey, checks: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, checks)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    return verifyByAny(token, error, checks);
  }
}

/** During key rotation a token without a key id may be signed with any of several keys. */
async function verifyByAny(
  token: string,
  candidates: errors.JWKSMultipleMatchingKeys,
  checks: JWTVerifyOptions,
): Promise<JWTPayload> {
  for await (const key of candidates) {
    try {
      return (await jwtVerify(token, key, checks)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function refuseToken(reason: string): AccessDecision {
  return { kind: 'unauthenticated', reason };
}

function compareUser(token: VerifiedToken, userName: string | undefined): AccessDecision {
  return userName === undefined || userName === token.userName
    ? { kind: 'granted', subject: token.subject, scopes: token.scopes }
    : { kind: 'forbidden', reason: 'The access token was issued to a user other than user_name.' };
}

function readClaims(claims: JWTPayload): VerifiedToken | undefined {
  const sub = nonEmptyText(claims, 'sub');
  const userName = nonEmptyText(claims, USER_CLAIM) ?? sub;
  // A subject and a user of the same name may be different people.
  const ofUser = `${USER_CLAIM}=`;
  if (userName === undefined || sub?.startsWith(ofUser) === true) return undefined;
  const subject = sub ?? `${ofUser}${userName}`;
  const scopes = new Set([claims['scope'], claims['scp']].flatMap(readScopes));
  return { subject, userName, scopes, expiresAtMs: (claims.exp ?? 0) * MILLIS_PER_SECOND };
}

function readScopes(claim: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return texts.flatMap((text) => (typeof text === 'string' ? text.split(' ') : []));
}

/** The lifetime of a token, counted from its issue, or from now if that is earlier. */
function lifetimeMs({ exp = 0, iat }: JWTPayload, nowMs: number): number {
  return exp * MILLIS_PER_SECOND - Math.min(nowMs, (iat ?? nowMs / MILLIS_PER_SECOND) * MILLIS_PER_SECOND);
}

/** jose verifies the signature before the claims, so a forged token never gets a reason that names a claim. */
function describeFault(error: unknown): string {
  const isClaim = error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired;
  return isClaim ? (CLAIM_FAULTS[error.claim] ?? INVALID) : INVALID;
}

function isTokenFault(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  // jose reports an unexpected response from the key set URL as an error of its base class.
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}

/** Fetches the key set at once, not with the first token. health() fetches it again if it is missing or old. */
function createRemoteKeySet(url: URL, clock: Clock, log: Log) {
  let failure: string | undefined;
  const remote = createRemoteJWKSet(url, {
    timeoutDuration: KEY_SET_TIMEOUT_MS,
    cooldownDuration: KEY_SET_COOLDOWN_MS,
    cacheMaxAge: KEY_SET_MAX_AGE_MS,
    [customFetch]: fetchWithPauses(clock),
  });
  const observe = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      const result = await work;
      failure = undefined;
      return result;
    } catch (error) {
      if (isTokenFault(error)) failure = undefined;
      else if (!(error instanceof KeySetPause)) {
        const cause = errorText(error);
        if (cause !== failure) log.error({ error: cause }, 'the key set cannot be fetched');
        failure = cause;
      }
      throw error;
    }
  };
  const load = (): void => void observe(remote.reload()).catch(() => undefined);
  load();
  const keys: JWTVerifyGetKey = (header, token) => observe(remote(header, token));
  const health = (): Health => {
    const hasKeys = (remote.jwks()?.keys.length ?? 0) > 0;
    if (!hasKeys || !remote.fresh) load();
    if (hasKeys && (remote.fresh || failure === undefined)) return { status: 'ready' };
    return { status: 'starting', reason: 'no access token can be checked: there is no key set' };
  };
  return { keys, health };
}

function fetchWithPauses(clock: Clock): FetchImplementation {
  let requestedAtMs = -Infinity;
  return async (url, init) => {
    const elapsedMs = clock.now() - requestedAtMs;
    // A clock that was set back does not prolong the pause.
    if (elapsedMs >= 0 && elapsedMs < KEY_SET_PAUSE_MS) throw new KeySetPause();
    requestedAtMs = clock.now();
    const response = await fetch(url, init);
    return response.status === 200 ? Response.json(await readJsonAnswer(response)) : response;
  };
}

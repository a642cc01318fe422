import { readFileSync } from 'node:fs';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';
import type { Clock } from '../../../shared/platform/clock.ts';
import { ConfigError } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Access, AccessDecision, Credentials, VerifiedToken } from './access.ts';
import { createTokenCache } from './token-cache.ts';

export interface JwtSettings {
  readonly jwtSecret: string | undefined;
  readonly jwksUrl: string | undefined;
  readonly jwksFile: string | undefined;
  readonly issuer: string | undefined;
  /** Has to be among those that the token is for (`aud`). */
  readonly audience: string;
  /** The longest time that a token may be valid, from its `iat` and from now. */
  readonly maxLifetimeMs: number;
  /** Claim that `user_name` has to equal; default `preferred_username`, else `sub`. */
  readonly userClaim: string | undefined;
}

/** Clocks of token issuer and gateway differ by no more than this. */
const CLOCK_TOLERANCE_SECONDS = 5;
/** The key set is asked for once in so long at most, when a token names a key that is not in it. */
const KEY_SET_COOLDOWN_MS = 30_000;
/** A key that the issuer withdrew is honoured at most this long. */
const KEY_SET_MAX_AGE_MS = 600_000;
const KEY_SET_TIMEOUT_MS = 5_000;
/** Characters of a token that are looked at; the ones in use have some 1,000. */
const MAX_TOKEN_LENGTH = 8_192;
const MILLIS_PER_SECOND = 1_000;
const MILLIS_PER_HOUR = 3_600_000;
const NO_TOKEN = 'The request carries no access token.';
const UNNAMED = 'access_token counts only beside user_name, which must be text and not empty.';
const INVALID = 'The access token is not valid.';
/** What to look at in a token whose signature holds, by the claim that is missing or wrong. */
const CLAIM_FAULTS: Readonly<Record<string, string>> = {
  aud: 'The access token is not for this service (aud).',
  exp: 'The access token has expired or does not say when it does (exp).',
  iss: 'The access token comes from another issuer (iss).',
};

const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512'];
/** Signatures only: a key set must never let a public key be taken for a shared secret. */
const KEY_SET_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

type Verify = (token: string) => Promise<JWTPayload>;

/**
 * Access by JSON Web Token (E2), checked against a shared secret or a key set. Tokens must name a subject or user, the
 * audience, and an expiry within the longest lifetime. Throws ConfigError when the key set file cannot be used.
 */
export function createJwtAccess(settings: JwtSettings, deps: { clock: Clock; log: Log }): Access {
  const verify = createVerify(settings, deps.clock);
  const cache = createTokenCache(deps.clock);
  const parts = { verify, log: deps.log, cache, nowMs: () => deps.clock.now() };
  return {
    required: true,
    check: ({ token, userName, lacksUserName = false }) => {
      if (token === undefined) return { kind: 'unauthenticated', reason: lacksUserName ? UNNAMED : NO_TOKEN };
      if (token.length > MAX_TOKEN_LENGTH) return { kind: 'unauthenticated', reason: INVALID };
      const known = cache.find(token);
      if (known !== undefined) return decide(known, userName);
      return checkUnknown({ token, userName }, settings, parts);
    },
  };
}

async function checkUnknown(
  { token = '', userName }: Credentials,
  settings: JwtSettings,
  parts: { verify: Verify; log: Log; cache: ReturnType<typeof createTokenCache>; nowMs: () => number },
): Promise<AccessDecision> {
  let claims: JWTPayload;
  try {
    claims = await parts.verify(token);
  } catch (error) {
    if (isTokenFault(error)) return { kind: 'unauthenticated', reason: reasonOf(error) };
    parts.log.error(
      { error: error instanceof Error ? error.name : 'unknown' },
      'the key set cannot be fetched',
    );
    return { kind: 'undecided' };
  }
  const { maxLifetimeMs } = settings;
  if (lifetimeMs(claims, parts.nowMs()) > maxLifetimeMs + CLOCK_TOLERANCE_SECONDS * MILLIS_PER_SECOND) {
    const hours = maxLifetimeMs / MILLIS_PER_HOUR;
    return { kind: 'unauthenticated', reason: `The access token is valid for longer than ${hours} h (exp).` };
  }
  const verified = readClaims(claims, settings.userClaim ?? 'preferred_username');
  if (verified === undefined) {
    return { kind: 'unauthenticated', reason: 'The access token names neither a subject nor a user.' };
  }
  parts.cache.add(token, verified);
  return decide(verified, userName);
}

function decide(token: VerifiedToken, userName: string | undefined): AccessDecision {
  return userName === undefined || userName === token.userName
    ? { kind: 'granted', subject: token.subject }
    : { kind: 'forbidden', reason: 'The access token belongs to another user than user_name.' };
}

function readClaims(claims: JWTPayload, userClaim: string): VerifiedToken | undefined {
  const sub = textClaim(claims, 'sub');
  const userName = textClaim(claims, userClaim) ?? sub;
  const subject = sub ?? userName;
  if (subject === undefined || userName === undefined) return undefined;
  return { subject, userName, expiresAtMs: (claims.exp ?? 0) * MILLIS_PER_SECOND };
}

/** How long a token is valid from when it was issued and from now on, whichever is longer. */
function lifetimeMs({ exp = 0, iat }: JWTPayload, nowMs: number): number {
  return exp * MILLIS_PER_SECOND - Math.min(nowMs, (iat ?? nowMs / MILLIS_PER_SECOND) * MILLIS_PER_SECOND);
}

/** A claim is named only once the signature holds, so that nothing is told of tokens that others made. */
function reasonOf(error: unknown): string {
  const isClaim = error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired;
  return isClaim ? (CLAIM_FAULTS[error.claim] ?? INVALID) : INVALID;
}

/** The library checks the types of the times only. */
function textClaim(claims: JWTPayload, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Faults of the token itself; all else is the key set's. */
function isTokenFault(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  // jose reports an unexpected answer of the key set's address by its plain base class.
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}

function createVerify(settings: JwtSettings, clock: Clock): Verify {
  const options = (algorithms: string[]): JWTVerifyOptions => ({
    algorithms,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: new Date(clock.now()),
    ...(settings.issuer === undefined ? {} : { issuer: settings.issuer }),
    audience: settings.audience,
  });
  if (settings.jwtSecret !== undefined) {
    const secret = new TextEncoder().encode(settings.jwtSecret);
    return async (token) => (await jwtVerify(token, secret, options(SECRET_ALGORITHMS))).payload;
  }
  const keys = keySet(settings);
  return async (token) => {
    const checks = options(KEY_SET_ALGORITHMS);
    try {
      return (await jwtVerify(token, keys, checks)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return verifyByAny(token, error, checks);
    }
  };
}

/** While an issuer changes its keys, a token that names none may be signed by any of them. */
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

function keySet(settings: JwtSettings): JWTVerifyGetKey {
  if (settings.jwksUrl !== undefined) {
    return createRemoteJWKSet(new URL(settings.jwksUrl), {
      timeoutDuration: KEY_SET_TIMEOUT_MS,
      cooldownDuration: KEY_SET_COOLDOWN_MS,
      cacheMaxAge: KEY_SET_MAX_AGE_MS,
    });
  }
  try {
    return createLocalJWKSet(JSON.parse(readFileSync(settings.jwksFile ?? '', 'utf8')) as JSONWebKeySet);
  } catch {
    throw new ConfigError('AUTH_JWKS_FILE cannot be read as a JSON Web Key Set');
  }
}

import { hash } from 'node:crypto';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { VerifiedToken } from './access.ts';

/** A withdrawn key or token is honoured at most this long; a check costs 100 times a look-up. */
const MAX_AGE_MS = 60_000;
/** Tokens remembered; the oldest go first. */
const MAX_TOKENS = 10_000;

interface CachedToken {
  readonly token: VerifiedToken;
  readonly validUntilMs: number;
}

export interface TokenCache {
  find(token: string): VerifiedToken | undefined;
  add(token: string, verified: VerifiedToken): void;
}

/** Remembers checked tokens by their hash, so that none stays in memory. */
export function createTokenCache(clock: Clock): TokenCache {
  const cached = new Map<string, CachedToken>();
  return {
    find: (token) => {
      const found = cached.get(keyOf(token));
      return found !== undefined && found.validUntilMs > clock.now() ? found.token : undefined;
    },
    add: (token, verified) => {
      const key = keyOf(token);
      cached.delete(key);
      const [oldest] = cached.size >= MAX_TOKENS ? cached.keys() : [];
      if (oldest !== undefined) cached.delete(oldest);
      cached.set(key, {
        token: verified,
        validUntilMs: Math.min(verified.expiresAtMs, clock.now() + MAX_AGE_MS),
      });
    },
  };
}

const keyOf = (token: string): string => hash('sha256', token, 'base64');

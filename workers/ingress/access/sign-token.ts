import { SignJWT } from 'jose';
import type { Config } from '../../../shared/platform/load-config.ts';

interface TokenClaims {
  readonly subject: string;
  readonly scope: string;
  readonly issuedAtMs: number;
  readonly lifetimeMs: number;
}

const MS_PER_SECOND = 1_000;

/** Signs a token with `secret` for the audience and issuer of the settings. `scope`: names separated by blanks. */
export function signToken(
  { audience, issuer }: Pick<Config['auth'], 'audience' | 'issuer'>,
  secret: string,
  { subject, scope, issuedAtMs, lifetimeMs }: TokenClaims,
): Promise<string> {
  const issuedAt = Math.floor(issuedAtMs / MS_PER_SECOND);
  const claims = {
    sub: subject,
    aud: audience,
    ...(issuer === undefined ? {} : { iss: issuer }),
    ...(scope === '' ? {} : { scope }),
    iat: issuedAt,
    exp: issuedAt + Math.floor(lifetimeMs / MS_PER_SECOND),
  };
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
}

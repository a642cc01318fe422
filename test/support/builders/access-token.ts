import { SignJWT } from 'jose';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { createJwtAccess } from '../../../workers/ingress/access/jwt-access.ts';

export const JWT_SECRET = 'a shared secret for the tests of at least 32 characters';

/** The Authorization header of a caller with these scopes (separated by spaces), valid for nine hours. */
export async function authorize(subject: string, scope = ''): Promise<{ readonly authorization: string }> {
  const token = new SignJWT({ sub: subject, aud: 'banking-product-engine', scope })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('9h');
  return { authorization: `Bearer ${await token.sign(new TextEncoder().encode(JWT_SECRET))}` };
}

/** Access control by the tokens of `authorize`. */
export const guardedAccess = () =>
  createJwtAccess(
    { jwtSecret: JWT_SECRET, jwksUrl: undefined, issuer: undefined, audience: 'banking-product-engine' },
    { clock: systemClock, log: silentLog },
  );

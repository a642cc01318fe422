import { SignJWT } from 'jose';

export const JWT_SECRET = 'a shared secret for the tests of at least 32 characters';

/** The Authorization header of a caller with these scopes (separated by spaces), valid for nine hours. */
export async function authorize(subject: string, scope = ''): Promise<{ readonly authorization: string }> {
  const token = new SignJWT({ sub: subject, aud: 'banking-product-engine', scope })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('9h');
  return { authorization: `Bearer ${await token.sign(new TextEncoder().encode(JWT_SECRET))}` };
}

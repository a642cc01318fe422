import type { Access } from '../../../workers/ingress/access/access.ts';

/** Every token is its own subject. It is known once it has been verified, as in the cache of JSON Web Tokens. */
export function tokenAccess(): Access {
  const known = new Set<string>();
  return {
    required: true,
    check: async ({ token }) => {
      if (token === undefined) return { kind: 'unauthenticated', reason: 'no token' };
      known.add(token);
      return { kind: 'granted', subject: token, scopes: new Set() };
    },
    findSubject: (token) => (known.has(token) ? token : undefined),
  };
}

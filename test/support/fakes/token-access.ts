import type { Access } from '../../../workers/ingress/access/access.ts';

/** Every token is its own subject. */
export const tokenAccess = (): Access => ({
  required: true,
  check: async ({ token }) =>
    token === undefined
      ? { kind: 'unauthenticated', reason: 'no token' }
      : { kind: 'granted', subject: token, scopes: new Set() },
});

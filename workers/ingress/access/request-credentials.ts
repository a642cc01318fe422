import { bearerToken, type Credentials } from './access.ts';

/**
 * The credentials of a request (E2): the bearer header's token, else `access_token` of the generic form, which counts
 * only together with `user_name`. A user name that was sent is compared in either case.
 */
export function credentialsOf(authorization: string | undefined, body: unknown): Credentials {
  const members = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const userName = textMember(members, 'user_name');
  const bearer = bearerToken(authorization);
  if (bearer !== undefined) return { token: bearer, userName };
  const token = textMember(members, 'access_token');
  if (userName === undefined) return { token: undefined, userName, lacksUserName: token !== undefined };
  return { token, userName };
}

function textMember(members: Record<string, unknown>, name: string): string | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

import type {
  ConnectorAuthentication,
  Credentials,
} from '../../../../shared/notification/provider-configuration-shape.ts';
import { assertNever } from '../../../../shared/platform/errors.ts';

/** What a request carries of the credentials. */
export interface RequestAuthentication {
  readonly headers: Readonly<Record<string, string>>;
  /** Members of the body. */
  readonly members: Readonly<Record<string, string>>;
}

const NONE: RequestAuthentication = { headers: {}, members: {} };

/** Without a kind: basic where there are username and password, bearer where there is a key alone (N1). */
export function authenticationOf(
  settings: ConnectorAuthentication | undefined,
  credentials: Credentials,
): RequestAuthentication {
  const { username = '', password = '', key = '' } = credentials;
  const kind = settings?.kind ?? impliedKind(credentials);
  switch (kind) {
    case 'none':
      return NONE;
    case 'basic':
      return authorization(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
    case 'bearer':
      return authorization(`Bearer ${key}`);
    case 'prefix':
      return authorization(`${settings?.prefix ?? ''} ${key}`);
    case 'header': {
      const value = settings?.prefix === undefined ? key : `${settings.prefix} ${key}`;
      return { headers: { [(settings?.header ?? '').toLowerCase()]: value }, members: {} };
    }
    case 'body': {
      const members = Object.entries(settings?.members ?? {}).map(([name, which]) => [
        name,
        credentials[which] ?? '',
      ]);
      return { headers: {}, members: Object.fromEntries(members) };
    }
    default:
      return assertNever(kind);
  }
}

function authorization(value: string): RequestAuthentication {
  return { headers: { authorization: value }, members: {} };
}

function impliedKind({ username, password, key }: Credentials): ConnectorAuthentication['kind'] {
  if (username !== undefined && password !== undefined) return 'basic';
  return key === undefined ? 'none' : 'bearer';
}

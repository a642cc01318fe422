/** What the credentials of a provider must be to each other and to where they stand (N1). */

import type { Members, Report } from './provider-configuration-rules.ts';
import { HEADER_TEXT, isVisibleAscii } from './written-in-headers.ts';
import type { ConnectorSettings } from './provider-configuration-shape.ts';
import { urlPlaceholders } from './url-template.ts';

/** Reports those of the credentials that a provider needs and that are missing. */
export function needCredentials(
  members: Members,
  names: readonly ('username' | 'password' | 'key')[],
  report: Report,
): void {
  if (members.authentication === undefined) return;
  for (const name of names) {
    if (members.authentication[name] === undefined)
      report(['authentication', name], 'is missing; must be text');
  }
}

/** Reports what is wrong with the credentials of an HTTP provider. */
export function checkAuthentication(members: Members, connector: ConnectorSettings, report: Report): void {
  const { authentication } = connector;
  checkHalves(members, connector, report);
  checkKey(members, connector, report);
  if (authentication === undefined) return;
  const at = ['connector', 'authentication'];
  const { kind, prefix, header, members: taking } = authentication;
  if ((kind === 'prefix') !== (prefix !== undefined) && kind !== 'header') {
    report(
      [...at, 'prefix'],
      'must be given where kind is prefix, may be where it is header, and else be left out',
    );
  }
  if ((kind === 'header') !== (header !== undefined)) {
    report([...at, 'header'], 'must be given where kind is header, and else be left out');
  }
  if ((kind === 'body') !== (taking !== undefined)) {
    report([...at, 'members'], 'must be given where kind is body, and else be left out');
  }
  if (kind === 'basic') needCredentials(members, ['username', 'password'], report);
  if (kind === 'bearer' || kind === 'prefix' || kind === 'header') needCredentials(members, ['key'], report);
  if (kind === 'body') needCredentials(members, [...new Set(Object.values(taking ?? {}))], report);
}

/** Half of a pair would send requests without credentials, or with others than were meant. */
function checkHalves(members: Members, connector: ConnectorSettings, report: Report): void {
  const { username, password } = members.authentication ?? {};
  if ((username === undefined) === (password === undefined)) return;
  const inBody = Object.values(connector.authentication?.members ?? {});
  const given = username === undefined ? 'password' : 'username';
  const isUsed = inBody.includes(given) || (given === 'username' && namesUser(members.url));
  if (isUsed) return;
  const other = given === 'username' ? 'password' : 'username';
  report(['authentication', other], `is missing; must be text where ${given} is given`);
}

function namesUser(url = ''): boolean {
  return urlPlaceholders(url).includes('username');
}

/** Where the key goes into a header, it has to be written in one. */
function checkKey(members: Members, { authentication }: ConnectorSettings, report: Report): void {
  const { key, username, password } = members.authentication ?? {};
  const implied = username !== undefined && password !== undefined ? 'basic' : 'bearer';
  const kind = authentication?.kind ?? implied;
  const isInHeader = kind === 'bearer' || kind === 'prefix' || kind === 'header';
  if (key !== undefined && isInHeader && !isVisibleAscii(key)) {
    report(['authentication', 'key'], HEADER_TEXT);
  }
}

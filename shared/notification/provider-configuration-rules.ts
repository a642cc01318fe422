/** What the members of a provider must be to each other (N1), beside the shape of each. */

import type { Channel } from './command.ts';
import { kindOfProvider } from './provider-kind.ts';
import { compileTemplate, compileText, placesOf, placesOfParts } from './payload-template.ts';
import type { Placeholder, TemplateFault } from './payload-template.ts';
import { checkAuthentication, needCredentials } from './provider-credential-rules.ts';
import { DEFAULT_CONNECTOR } from './provider-configuration-shape.ts';
import type { ConnectorSettings, ProviderMembers } from './provider-configuration-shape.ts';
import { isSenderOf } from './sender.ts';
import { isLoopback } from '../platform/host-names.ts';
import { URL_VALUES, hasFixedOrigin, sampleUrl, urlPlaceholders } from './url-template.ts';

/** The members that could be read. */
export interface Members extends Partial<ProviderMembers> {
  /** Names of those that could not, which has been reported already. */
  readonly unread: ReadonlySet<string>;
}
export type Report = (path: readonly PropertyKey[], message: string) => void;

const SENDER_WANTED = {
  email: 'must be an e-mail address, alone or as name <address>',
  sms: 'must be a telephone number, a short code, or a name of at most 11 letters and digits',
} as const;
/** As Twilio writes it. */
const ACCOUNT_SID = /^AC[0-9a-zA-Z]{32}$/;

const PROTOCOLS = {
  http: ['https:', 'http:'],
  twilio: ['https:', 'http:'],
  smtp: ['smtp:', 'smtps:'],
} as const;

/** Reports what is wrong with one provider, by paths below it. */
export function checkProvider(members: Members, report: Report): void {
  checkSenders(members, report);
  if (members.provider === undefined) return;
  const kind = kindOfProvider(members.provider);
  for (const other of ['connector', 'smtp', 'twilio'] as const) {
    const isOwn = other === kind || (other === 'connector' && kind === 'http');
    if (members[other] !== undefined && !isOwn) report([other], `has no effect with provider ${kind}`);
  }
  if (kind === 'twilio' && members['communication-channel'] === 'email') {
    report(['communication-channel'], 'must be sms with provider twilio');
  }
  if (kind === 'smtp' && members['communication-channel'] === 'sms') {
    report(['communication-channel'], 'must be email with provider SMTP');
  }
  checkUrl(members, kind, report);
  checkOwnClient(members, kind, report);
  if (kind === 'http') checkConnector(members, report);
}

function checkSenders(members: Members, report: Report): void {
  const { defaultSender, 'default-sender': alias } = members;
  if (defaultSender !== undefined && alias !== undefined && defaultSender !== alias) {
    report(['default-sender'], 'must be left out where defaultSender is given');
  }
  for (const name of ['defaultSender', 'default-sender'] as const) {
    const sender = members[name];
    const channel = channelOf(members);
    if (sender !== undefined && channel !== undefined && !isSenderOf(channel, sender)) {
      report([name], SENDER_WANTED[channel]);
    }
  }
}

/** Of a client for one channel, that one, whatever the entry says. */
function channelOf({ provider, 'communication-channel': given }: Members): Channel | undefined {
  const kind = provider === undefined ? 'http' : kindOfProvider(provider);
  return kind === 'http' ? given : ({ smtp: 'email', twilio: 'sms' } as const)[kind];
}

function checkUrl(members: Members, kind: keyof typeof PROTOCOLS, report: Report): void {
  const { url } = members;
  if (url === undefined) {
    if (kind !== 'twilio' && !members.unread.has('url')) report(['url'], 'is missing; must be an address');
    return;
  }
  const sample = sampleUrl(url);
  const protocols: readonly string[] = PROTOCOLS[kind];
  if (sample === undefined || !protocols.includes(sample.protocol) || sample.hostname === '') {
    report(
      ['url'],
      `must be an address that begins with ${protocols.map((name) => `${name}//`).join(' or ')}`,
    );
    return;
  }
  if (sample.username !== '' || sample.password !== '') {
    report(['url'], 'must not hold credentials; they belong into authentication');
  }
  if (sample.hash !== '') report(['url'], 'must not hold a fragment');
  if (sample.protocol === 'http:' && !mayBeOpen(members, sample)) {
    report(['url'], 'must begin with https:// unless the host is this machine or allowInsecure is true');
  }
  if (kind === 'http') checkPlaceholders(url, members, report);
  else if (urlPlaceholders(url).length > 0)
    report(['url'], 'must not hold {placeholders} with this provider');
}

function mayBeOpen(members: Members, url: URL): boolean {
  return members.allowInsecure === true || isLoopback(url.hostname);
}

function checkPlaceholders(url: string, members: Members, report: Report): void {
  if (!hasFixedOrigin(url)) report(['url'], 'must hold {placeholders} behind the host only');
  if (members.unread.has('connector')) return;
  const names = Object.keys(members.connector?.parameters ?? {});
  const known = new Set<string>([...URL_VALUES, ...names]);
  if (urlPlaceholders(url).some((name) => !known.has(name))) {
    report(['url'], `may hold in braces ${URL_VALUES.join(', ')} and the names of connector.parameters`);
  }
  for (const name of names) {
    if ((URL_VALUES as readonly string[]).includes(name)) {
      report(['connector', 'parameters', name], `must have another name than ${URL_VALUES.join(', ')}`);
    }
  }
}

function checkOwnClient(members: Members, kind: keyof typeof PROTOCOLS, report: Report): void {
  const { authentication, smtp } = members;
  if (kind === 'twilio' && authentication !== undefined) {
    needCredentials(members, ['username', 'password'], report);
    const sid = members.twilio?.accountSid ?? authentication.username;
    if (sid !== undefined && !ACCOUNT_SID.test(sid)) {
      report(
        ['twilio', 'accountSid'],
        'must be the account SID, AC and 32 letters or digits, unless username is that',
      );
    }
  }
  if (kind !== 'smtp') return;
  if (authentication?.key !== undefined && authentication.username === undefined) {
    report(['authentication', 'key'], 'has no effect with provider smtp; username and password have');
  }
  if (authentication !== undefined && (authentication.username ?? authentication.password) !== undefined) {
    needCredentials(members, ['username', 'password'], report);
  }
  const url = members.url === undefined ? undefined : sampleUrl(members.url);
  if (url === undefined || mayBeOpen(members, url)) return;
  const must = 'must be true unless the host is this machine or allowInsecure is true';
  if (smtp?.requireTls === false && url.protocol === 'smtp:') report(['smtp', 'requireTls'], must);
  if (smtp?.tls?.rejectUnauthorized === false) report(['smtp', 'tls', 'rejectUnauthorized'], must);
}

function checkConnector(members: Members, report: Report): void {
  const { connector = DEFAULT_CONNECTOR } = members;
  if (members.unread.has('connector')) return;
  checkAuthentication(members, connector, report);
  if (connector.method === 'GET' && connector.encoding !== 'query') {
    report(['connector', 'encoding'], 'must be query where method is GET');
  }
  const faults: TemplateFault[] = [];
  const places = new Set<Placeholder>();
  for (const [name, text] of Object.entries(connector.headers)) {
    const parts = compileText(text, ['connector', 'headers', name], faults);
    for (const place of placesOfParts(parts)) places.add(place);
  }
  const template = members['payload-template'];
  if (template === undefined || template === null) {
    if (!members.unread.has('payload-template')) {
      faults.push({
        path: ['payload-template'],
        message: 'is missing; must be text or an object with placeholders',
      });
    }
  } else {
    const below: TemplateFault[] = [];
    const node = compileTemplate(template, connector.encoding, below);
    faults.push(...below.map(({ path, message }) => ({ path: ['payload-template', ...path], message })));
    if (node !== undefined) {
      for (const place of placesOf(node)) places.add(place);
      faults.push(...missingPlaces(members, connector, places));
    }
  }
  for (const { path, message } of faults) report(path, message);
}

/** A template without a place for the receiver or the message would send nothing to anybody. */
function missingPlaces(
  members: Members,
  connector: ConnectorSettings,
  places: ReadonlySet<Placeholder>,
): TemplateFault[] {
  const inUrl = urlPlaceholders(members.url ?? '');
  const has = (...names: readonly Placeholder[]): boolean => names.some((name) => places.has(name));
  const path = ['payload-template'];
  const faults: TemplateFault[] = [];
  if (!has('RECEIVER') && !inUrl.includes('receiver')) {
    faults.push({ path, message: 'must hold RECEIVER_PLACEHOLDER' });
  }
  if (!has('MESSAGE', 'TEXT', 'HTML') && !connector.textByProvider) {
    faults.push({ path, message: 'must hold MESSAGE_PLACEHOLDER, or TEXT_PLACEHOLDER and HTML_PLACEHOLDER' });
  }
  return faults;
}

/** The rules between the settings of a provider (N1), in addition to the schema of each setting. */

import { compileTemplate, compileText, placesOf, placesOfParts } from './payload-template.ts';
import type { FaultReporter, Placeholder } from './payload-template.ts';
import {
  authenticationKind,
  DEFAULT_CONNECTOR,
  isVisibleAscii,
  kindOfProvider,
  VISIBLE_ASCII_REQUIRED,
  type ConnectorSettings,
  type ProviderSettings,
} from './provider-configuration-shape.ts';
import { isSenderOf } from './sender-address.ts';
import { isLoopback } from '../platform/host-names.ts';
import { URL_VALUES, hasFixedOrigin, sampleUrl, urlPlaceholders } from './url-template.ts';

const SENDER_WANTED = {
  email: 'must be an e-mail address, alone or as name <address>',
  sms: 'must be a telephone number, a short code, or a name of at most 11 letters and digits',
} as const;
const ACCOUNT_SID = /^AC[0-9a-zA-Z]{32}$/;

const PROTOCOLS = {
  http: ['https:', 'http:'],
  twilio: ['https:', 'http:'],
  smtp: ['smtp:', 'smtps:'],
} as const;

/** Reports the faults of one provider, by paths below it. */
export function checkProvider(settings: ProviderSettings, report: FaultReporter): void {
  checkSenders(settings, report);
  const kind = kindOfProvider(settings.provider);
  for (const other of ['connector', 'smtp', 'twilio'] as const) {
    const isOwn = other === kind || (other === 'connector' && kind === 'http');
    if (settings[other] !== undefined && !isOwn) report([other], `has no effect with provider ${kind}`);
  }
  if (kind === 'twilio' && settings['communication-channel'] === 'email') {
    report(['communication-channel'], 'must be sms with provider twilio');
  }
  if (kind === 'smtp' && settings['communication-channel'] === 'sms') {
    report(['communication-channel'], 'must be email with provider SMTP');
  }
  checkUrl(settings, kind, report);
  checkOwnClient(settings, kind, report);
  if (kind === 'http') checkConnector(settings, report);
}

function checkSenders(settings: ProviderSettings, report: FaultReporter): void {
  const { defaultSender, 'default-sender': alias } = settings;
  if (defaultSender !== undefined && alias !== undefined && defaultSender !== alias) {
    report(['default-sender'], 'must not differ from defaultSender');
  }
  for (const name of ['defaultSender', 'default-sender'] as const) {
    const sender = settings[name];
    const channel = settings['communication-channel'];
    if (sender !== undefined && !isSenderOf(channel, sender)) report([name], SENDER_WANTED[channel]);
  }
}

function checkUrl(settings: ProviderSettings, kind: keyof typeof PROTOCOLS, report: FaultReporter): void {
  const { url } = settings;
  if (url === undefined) {
    if (kind !== 'twilio') report(['url'], 'is missing; must be a URL');
    return;
  }
  const sample = sampleUrl(url);
  const protocols: readonly string[] = PROTOCOLS[kind];
  if (sample === undefined || !protocols.includes(sample.protocol) || sample.hostname === '') {
    report(['url'], `must be a URL that begins with ${protocols.map((name) => `${name}//`).join(' or ')}`);
    return;
  }
  if (sample.username !== '' || sample.password !== '') {
    report(['url'], 'must not contain credentials; they belong in authentication');
  }
  if (sample.hash !== '') report(['url'], 'must not have a fragment');
  if (sample.protocol === 'http:' && !mayBeUnencrypted(settings, sample)) {
    report(['url'], 'must begin with https:// unless the host is this machine or allowInsecure is true');
  }
  if (kind === 'http') checkPlaceholders(url, settings, report);
  else if (urlPlaceholders(url).length > 0)
    report(['url'], 'must not contain {placeholders} with this provider');
}

function mayBeUnencrypted(settings: ProviderSettings, url: URL): boolean {
  return settings.allowInsecure || isLoopback(url.hostname);
}

function checkPlaceholders(url: string, settings: ProviderSettings, report: FaultReporter): void {
  if (!hasFixedOrigin(url)) report(['url'], 'must not contain {placeholders} in the host');
  const names = Object.keys(settings.connector?.parameters ?? {});
  const known = new Set<string>([...URL_VALUES, ...names]);
  if (urlPlaceholders(url).some((name) => !known.has(name))) {
    report(
      ['url'],
      `may contain in braces only ${URL_VALUES.join(', ')} and the names of connector.parameters`,
    );
  }
  for (const name of names) {
    if ((URL_VALUES as readonly string[]).includes(name)) {
      report(['connector', 'parameters', name], `must not be named ${URL_VALUES.join(', ')}`);
    }
  }
}

function checkOwnClient(
  settings: ProviderSettings,
  kind: keyof typeof PROTOCOLS,
  report: FaultReporter,
): void {
  const { authentication, smtp } = settings;
  if (kind === 'twilio') {
    needCredentials(settings, ['username', 'password'], report);
    const sid = settings.twilio?.accountSid ?? authentication.username;
    if (sid !== undefined && !ACCOUNT_SID.test(sid)) {
      report(
        ['twilio', 'accountSid'],
        'must be the account SID (AC and 32 letters or digits), unless username is the account SID',
      );
    }
  }
  if (kind !== 'smtp') return;
  if (authentication.key !== undefined && authentication.username === undefined) {
    report(['authentication', 'key'], 'has no effect with provider smtp, which uses username and password');
  }
  if ((authentication.username ?? authentication.password) !== undefined) {
    needCredentials(settings, ['username', 'password'], report);
  }
  const url = settings.url === undefined ? undefined : sampleUrl(settings.url);
  if (url === undefined || mayBeUnencrypted(settings, url)) return;
  const must = 'must be true unless the host is this machine or allowInsecure is true';
  if (smtp?.requireTls === false && url.protocol === 'smtp:') report(['smtp', 'requireTls'], must);
  if (smtp?.tls?.rejectUnauthorized === false) report(['smtp', 'tls', 'rejectUnauthorized'], must);
}

function checkConnector(settings: ProviderSettings, report: FaultReporter): void {
  const { connector = DEFAULT_CONNECTOR } = settings;
  checkAuthentication(settings, connector, report);
  if (connector.method === 'GET' && connector.encoding !== 'query') {
    report(['connector', 'encoding'], 'must be query where method is GET');
  }
  const places = new Set<Placeholder>();
  for (const [name, text] of Object.entries(connector.headers)) {
    const parts = compileText(text, ['connector', 'headers', name], report);
    for (const place of placesOfParts(parts)) places.add(place);
  }
  const path = ['payload-template'];
  const template = settings['payload-template'];
  if (template === undefined || template === null) {
    report(path, 'is missing; must be text or an object with placeholders');
    return;
  }
  const node = compileTemplate(template, connector.encoding, (below, message) =>
    report([...path, ...below], message),
  );
  if (node === undefined) return;
  for (const place of placesOf(node)) places.add(place);
  const has = (...names: readonly Placeholder[]): boolean => names.some((name) => places.has(name));
  if (!has('RECEIVER') && !urlPlaceholders(settings.url ?? '').includes('receiver')) {
    report(path, 'must contain RECEIVER_PLACEHOLDER');
  }
  if (!has('MESSAGE', 'TEXT', 'HTML') && !connector.textByProvider) {
    report(path, 'must contain MESSAGE_PLACEHOLDER, or TEXT_PLACEHOLDER and HTML_PLACEHOLDER');
  }
}

/** Reports missing credentials. */
function needCredentials(
  settings: ProviderSettings,
  names: readonly ('username' | 'password' | 'key')[],
  report: FaultReporter,
): void {
  for (const name of names) {
    if (settings.authentication[name] === undefined)
      report(['authentication', name], 'is missing; must be text');
  }
}

/** Reports the faults of an HTTP provider's credentials. */
function checkAuthentication(
  settings: ProviderSettings,
  connector: ConnectorSettings,
  report: FaultReporter,
): void {
  const { authentication } = connector;
  checkHalves(settings, connector, report);
  checkKey(settings, connector, report);
  if (authentication === undefined) return;
  const at = ['connector', 'authentication'];
  const { kind, prefix, header, members: taking } = authentication;
  if ((kind === 'prefix') !== (prefix !== undefined) && kind !== 'header') {
    report(
      [...at, 'prefix'],
      'is required with kind prefix, optional with kind header, and not allowed otherwise',
    );
  }
  if ((kind === 'header') !== (header !== undefined)) {
    report([...at, 'header'], 'is required with kind header and not allowed otherwise');
  }
  if ((kind === 'body') !== (taking !== undefined)) {
    report([...at, 'members'], 'is required with kind body and not allowed otherwise');
  }
  if (kind === 'basic') needCredentials(settings, ['username', 'password'], report);
  if (kind === 'bearer' || kind === 'prefix' || kind === 'header') needCredentials(settings, ['key'], report);
  if (kind === 'body') needCredentials(settings, [...new Set(Object.values(taking ?? {}))], report);
}

/** With only one of username and password, requests would be sent without credentials or with the wrong ones. */
function checkHalves(settings: ProviderSettings, connector: ConnectorSettings, report: FaultReporter): void {
  const { username, password } = settings.authentication;
  if ((username === undefined) === (password === undefined)) return;
  const inBody = Object.values(connector.authentication?.members ?? {});
  const given = username === undefined ? 'password' : 'username';
  const isInUrl = given === 'username' && urlPlaceholders(settings.url ?? '').includes('username');
  if (isInUrl || inBody.includes(given)) return;
  const other = given === 'username' ? 'password' : 'username';
  report(['authentication', other], `is missing; must be text if ${given} is given`);
}

function checkKey(settings: ProviderSettings, connector: ConnectorSettings, report: FaultReporter): void {
  const { authentication } = settings;
  if (authentication.key === undefined) return;
  const kind = authenticationKind(connector, authentication);
  const isInHeader = kind === 'bearer' || kind === 'prefix' || kind === 'header';
  if (isInHeader && !isVisibleAscii(authentication.key)) {
    report(['authentication', 'key'], VISIBLE_ASCII_REQUIRED);
  }
}

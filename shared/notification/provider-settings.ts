/**
 * The settings of a provider (interface 4.8, N1). An unknown setting is a fault, because a misspelt one would otherwise
 * have no effect. Messages state the rule and never repeat a value, which may be a secret.
 */

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { z } from 'zod';
import { isLoopback } from '../platform/host-names.ts';
import { RECEIPT_STATUSES } from './notification-state.ts';
import {
  hasFixedOrigin,
  placeholdersOf,
  placeholdersOfText,
  readTemplate,
  sampleUrl,
  URL_VALUES,
  urlPlaceholders,
  type FaultReporter,
  type Placeholder,
  type TemplateObject,
} from './payload-template.ts';
import { isSenderOf } from './sender-address.ts';

/** Longest URL or credential, in UTF-16 code units. The tokens of some providers are long JWTs. */
const MAX_TEXT = 8_192;
const MAX_TEMPLATE = 65_536;
const MAX_NAME = 64;
const MAX_ITEMS = 100;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Header names are tokens (RFC 9110, 5.6.2). */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Headers of the connection and of the body, which the connector or the HTTP client sets. */
const OWN_HEADER =
  /^(?:host|connection|content-length|content-type|transfer-encoding|expect|upgrade|keep-alive|te|trailer)$/i;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

const expected =
  (what: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined || input === null ? `is missing; must be ${what}` : `must be ${what}`;

const isSingleLine = (text: string): boolean => !CONTROL.test(text);

const isVisibleAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
const VISIBLE_ASCII_REQUIRED = 'must consist of visible ASCII characters, as it is sent in a header';

function isKey(read: () => boolean): boolean {
  try {
    return read();
  } catch {
    return false;
  }
}

/** Reads the verification key of SendGrid's event webhook. Throws if the text is no public key in base64. */
export function readPublicKey(base64: string) {
  return createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
}

const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, { error: expected('an object') });
const text = (longest = MAX_TEXT) =>
  z.string({ error: expected('text') }).max(longest, { error: `must have at most ${longest} characters` });
const line = (longest = MAX_TEXT) =>
  text(longest).refine(isSingleLine, { error: 'must not contain line breaks or other control characters' });
/** An empty string counts as absent, because interface 4.8 shows all fields of authentication together. */
const maybeLine = () =>
  line()
    .nullish()
    .transform((value) => (value === '' || value === null ? undefined : value));
const headerText = (longest = MAX_TEXT) =>
  line(longest).refine(isVisibleAscii, { error: VISIBLE_ASCII_REQUIRED });
const flag = () => z.boolean({ error: expected('true or false') });
const count = (least: number, most: number) => {
  const error = expected(`a whole number from ${least} to ${most}`);
  return z.number({ error }).refine((value) => Number.isInteger(value) && value >= least && value <= most, {
    error: `must be a whole number from ${least} to ${most}`,
  });
};
const oneOf = <const Name extends string>(names: readonly Name[]) =>
  z.enum(names, { error: expected(`one of ${names.join(', ')}`) });
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item, { error: expected('a list') })
    .max(MAX_ITEMS, { error: `must have at most ${MAX_ITEMS} items` });
const headerName = () => text().regex(HEADER_NAME, { error: 'must be the name of an HTTP header' });
const addedHeader = () =>
  headerName().refine((name) => !OWN_HEADER.test(name), {
    error: 'must not be a header of the connection or of the body',
  });
const pointer = () =>
  text(500).regex(POINTER, { error: 'must be a JSON pointer such as /messages/0/status' });
const certificates = () =>
  text(MAX_TEMPLATE).includes('-----BEGIN CERTIFICATE-----', { error: 'must be certificates in PEM' });

const scalar = () =>
  z.union([z.string(), z.number(), z.boolean()], { error: expected('text, a number, true or false') });

const STATUS_ALLOWED = 'a status from 200 to 599 or a class such as "4xx"';

const status = () =>
  z
    .union([z.number(), z.string()], { error: expected(STATUS_ALLOWED) })
    .refine((value) => /^(?:[2345]xx|[2345]\d\d)$/.test(String(value)), { error: expected(STATUS_ALLOWED) });

const CREDENTIALS = ['username', 'password', 'key'] as const;

const connectorAuthentication = object({
  kind: oneOf(['none', 'basic', 'bearer', 'prefix', 'header', 'body']),
  /** Precedes the key: `App <key>`. */
  prefix: headerText(MAX_NAME).optional(),
  header: addedHeader().optional(),
  members: z.record(line(MAX_NAME), oneOf(CREDENTIALS), { error: expected('an object') }).optional(),
});

const matches = () =>
  object({
    status: list(status()).optional(),
    /** Values of `errorCode` in answers below status 500. `*` stands for every value in a 2xx that no list names. */
    code: list(scalar()).optional(),
    values: list(scalar()).optional(),
  }).optional();

const success = object({
  status: list(status()).min(1, { error: 'must name at least one' }).default(['2xx']),
  pointer: pointer().optional(),
  values: list(scalar()).optional(),
}).refine((value) => value.values === undefined || value.pointer !== undefined, {
  error: 'must have a pointer if it has values',
});

/** What an unsuccessful response means: the first match of its codes, then of `values`, then of its status. */
const failures = object({
  sent: matches(),
  unknown: matches(),
  misconfigured: matches(),
  transient: matches(),
  /** Transient for this receiver only, so it does not count as a failure of the provider. */
  receiver: matches(),
  permanent: matches(),
});

const CONNECTOR = object({
  method: oneOf(['POST', 'PUT', 'PATCH', 'GET', 'DELETE']).default('POST'),
  parameters: z
    .record(
      z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, { error: 'must be a name of letters and digits' }),
      line(1_000).min(1, { error: 'must not be empty' }),
      {
        error: expected('an object of names and strings'),
      },
    )
    .default({}),
  headers: z.record(addedHeader(), headerText(), { error: expected('an object of headers') }).default({}),
  authentication: connectorAuthentication.optional(),
  encoding: oneOf(['json', 'form', 'multipart', 'query']).default('json'),
  phoneFormat: oneOf(['plus', 'digits']).default('plus'),
  listSeparator: line(4).min(1, { error: 'must not be empty' }).default(','),
  success: success.prefault({}),
  id: z
    .union([z.strictObject({ pointer: pointer() }), z.strictObject({ header: headerName() })], {
      error: expected('{"pointer": "/…"} or {"header": "…"}'),
    })
    .optional(),
  errorCode: list(pointer()).default([]),
  failures: failures.prefault({}),
  retryAfter: object({
    header: headerName(),
    unit: oneOf(['seconds', 'epoch-seconds']).default('seconds'),
  }).optional(),
  idempotency: object({ header: addedHeader().optional(), member: line(MAX_NAME).optional() })
    .refine((value) => (value.header === undefined) !== (value.member === undefined), {
      error: 'must have either header or member',
    })
    .optional(),
  textByProvider: flag().default(false),
  connections: count(1, 1_000).default(64),
  tls: object({ ca: certificates().optional() }).optional(),
});

const SMTP = object({
  requireTls: flag().optional(),
  maxConnections: count(1, 100).optional(),
  maxMessages: count(1, 1_000_000).optional(),
  dkim: object({
    domainName: line(255),
    keySelector: line(MAX_NAME),
    privateKey: text(MAX_TEMPLATE).refine((pem) => isKey(() => createPrivateKey(pem).type === 'private'), {
      error: 'must be a private key in PEM',
    }),
  }).optional(),
  tls: object({ ca: certificates().optional(), rejectUnauthorized: flag().optional() }).optional(),
});

const REPORTED = [...RECEIPT_STATUSES, 'unsubscribed', 'stopped', 'started'] as const;

/** How the provider reports deliveries (N7): by a signature, or at an address that has a secret. */
const receipts = z.discriminatedUnion(
  'kind',
  [
    object({
      kind: z.literal('sendgrid'),
      key: line().refine((key) => isKey(() => readPublicKey(key).asymmetricKeyType === 'ec'), {
        error: 'must be the verification key of the event webhook',
      }),
    }),
    object({
      kind: z.literal(['twilio', 'mailgun', 'vonage']),
      key: line(1_000).min(8, { error: 'must have at least 8 characters' }),
    }),
    object({
      kind: z.literal('path'),
      key: text().regex(/^[A-Za-z0-9_-]{24,200}$/, {
        error: 'must have 24 to 200 letters, digits, dashes and underscores',
      }),
      /** Where the list of events is, if a request has several. The other pointers begin at an event. */
      events: pointer().optional(),
      id: pointer(),
      status: list(pointer()).min(1, { error: 'must name at least one' }),
      messageId: pointer().optional(),
      receiver: pointer().optional(),
      at: pointer().optional(),
      code: pointer().optional(),
      states: z.record(text(MAX_NAME).toLowerCase(), oneOf(REPORTED), { error: expected('an object') }),
    }),
  ],
  { error: expected('an object with the kind sendgrid, twilio, mailgun, vonage or path') },
);

const limits = object({
  ratePerSecond: z
    .number({ error: expected('a number above 0') })
    .positive({ error: 'must be above 0' })
    .max(100_000, { error: 'must not be above 100000' })
    .optional(),
  timeoutMs: count(100, 10 * MINUTE).optional(),
  breaker: object({ failures: count(1, 10_000).optional(), openMs: count(1, HOUR).optional() }).optional(),
});

/** Names are labels of metrics and are stored in the states of notifications. */
const PROVIDER_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,38}[A-Za-z0-9])?$/;

/** Settings of a call that differ from those of its provider. */
const call = () => z.record(z.string(), z.unknown(), { error: expected('an object of settings') });

export const PROVIDER_SHAPE = object({
  description: text().optional(),
  url: line().optional(),
  provider: z.string({ error: expected('text') }).regex(PROVIDER_NAME, {
    error: 'must consist of 1 to 40 letters, digits, blanks, dots, hyphens or underscores',
  }),
  'payload-template': z
    .union([text(MAX_TEMPLATE), z.record(z.string(), z.unknown())], {
      error: expected('text or an object'),
    })
    .nullish(),
  'communication-channel': oneOf(['email', 'sms']),
  defaultSender: maybeLine(),
  'default-sender': maybeLine(),
  authentication: object({ username: maybeLine(), password: maybeLine(), key: maybeLine() }).prefault({}),
  connector: CONNECTOR.optional(),
  /** The provider makes codes (N10), and sends nothing else: calls that check and cancel one, or end it before the next. */
  codes: object({ check: call(), cancel: call().optional(), replace: call().optional() }).optional(),
  smtp: SMTP.optional(),
  twilio: object({ accountSid: line(100).optional() }).optional(),
  receipts: receipts.optional(),
  limits: limits.prefault({}),
  allowInsecure: flag().default(false),
});

export const FILE_SHAPE = object({
  notificationConfigurations: z.array(
    object({
      realmId: z.literal('platrealm', { error: 'must be platrealm' }),
      'provider-configurations': z.array(z.unknown(), { error: expected('a list') }),
    }),
    { error: expected('a list') },
  ),
});

export const DEFAULT_CONNECTOR: ConnectorSettings = CONNECTOR.parse({});

export type ProviderSettings = z.infer<typeof PROVIDER_SHAPE>;
export type ConnectorSettings = z.infer<typeof CONNECTOR>;
export type ReceiptSettings = z.infer<typeof receipts>;
/** Where a report has its values, and what those of `status` mean, joined by slashes, in any case. */
export type ReceiptFormat = Omit<Extract<ReceiptSettings, { readonly kind: 'path' }>, 'kind' | 'key'>;
export type FailureKind = keyof z.infer<typeof failures>;
export type ProviderCredentials = ProviderSettings['authentication'];

/** The client of a provider. `SMTP` and `twilio` have their own; any other name means templated HTTP calls (N1). */
export type ProviderKind = 'smtp' | 'twilio' | 'http';

/** Returns the configured kind, else `basic` with username and password, `bearer` with a key, or `none` (N1). */
export function authenticationKind(
  { authentication }: ConnectorSettings,
  { username, password, key }: ProviderCredentials,
): z.infer<typeof connectorAuthentication>['kind'] {
  if (authentication !== undefined) return authentication.kind;
  if (username !== undefined && password !== undefined) return 'basic';
  return key === undefined ? 'none' : 'bearer';
}

export function kindOfProvider(name: string): ProviderKind {
  const lower = name.toLowerCase();
  return lower === 'smtp' || lower === 'twilio' ? lower : 'http';
}

const SENDER_WANTED = {
  email: 'must be an e-mail address, alone or as name <address>',
  sms: 'must be a telephone number, a short code, or a name of at most 11 letters and digits',
} as const;
const ACCOUNT_SID = /^AC[0-9a-zA-Z]{32}$/;

type Check = (isKept: boolean, path: string, rule: string) => void;

/** Reports faults by their paths below the provider. Returns the template of an HTTP provider if it is valid. */
export function checkProvider(settings: ProviderSettings, report: FaultReporter): TemplateObject | undefined {
  const check: Check = (isKept, path, rule) => {
    if (!isKept) report(path.split('.'), rule);
  };
  const kind = kindOfProvider(settings.provider);
  const { 'communication-channel': channel, defaultSender: own, 'default-sender': alias = own } = settings;
  check((own ?? alias) === alias, 'default-sender', 'must not differ from defaultSender');
  for (const name of ['defaultSender', 'default-sender'] as const) {
    const sender = settings[name];
    check(sender === undefined || isSenderOf(channel, sender), name, SENDER_WANTED[channel]);
  }
  for (const [name, owner] of [
    ['connector', 'http'] as const,
    ['codes', 'http'],
    ['smtp', 'smtp'],
    ['twilio', 'twilio'],
  ] as const)
    check(
      settings[name] === undefined || owner === kind,
      name,
      `must be left out: it has no effect with provider ${kind}`,
    );
  const isTwilio = settings.receipts?.kind === 'twilio';
  check(!isTwilio || kind === 'twilio', 'receipts.kind', 'may be twilio only with provider twilio');
  check(kind !== 'twilio' || channel === 'sms', 'communication-channel', 'must be sms with provider twilio');
  check(kind !== 'smtp' || channel === 'email', 'communication-channel', 'must be email with provider SMTP');
  checkUrl(settings, kind, check);
  if (kind === 'twilio') {
    const { authentication, twilio } = settings;
    needCredentials(authentication, ['username', 'password'], check);
    const sid = twilio?.accountSid ?? authentication.username;
    const rule = 'must be the account SID (AC and 32 letters or digits), unless username is the account SID';
    check(sid === undefined || ACCOUNT_SID.test(sid), 'twilio.accountSid', rule);
  }
  if (kind === 'smtp') checkMailServer(settings, check);
  return kind === 'http' ? checkConnector(settings, check, report) : undefined;
}

function checkUrl(settings: ProviderSettings, kind: ProviderKind, check: Check): void {
  const { url } = settings;
  if (url === undefined) return check(kind === 'twilio', 'url', 'is missing; must be a URL');
  const sample = sampleUrl(url);
  const protocols = kind === 'smtp' ? ['smtp:', 'smtps:'] : ['https:', 'http:'];
  if (sample === undefined || !protocols.includes(sample.protocol) || sample.hostname === '') {
    const forms = protocols.map((name) => `${name}//`).join(' or ');
    return check(false, 'url', `must be a URL that begins with ${forms}`);
  }
  const hasNoCredentials = sample.username === '' && sample.password === '';
  check(hasNoCredentials, 'url', 'must not contain credentials; they belong in authentication');
  check(sample.hash === '', 'url', 'must not have a fragment');
  const mayBeHttp = sample.protocol !== 'http:' || settings.allowInsecure || isLoopback(sample.hostname);
  check(
    mayBeHttp,
    'url',
    'must begin with https:// unless the host is this machine or allowInsecure is true',
  );
  const names = urlPlaceholders(url);
  if (kind !== 'http')
    return check(names.length === 0, 'url', 'must not contain {placeholders} with this provider');
  check(hasFixedOrigin(url), 'url', 'must not contain {placeholders} in the host');
  const ours: readonly string[] = URL_VALUES;
  const parameters = Object.keys(settings.connector?.parameters ?? {});
  const isKnown = names.every((name) => ours.includes(name) || parameters.includes(name));
  const oursText = ours.join(', ');
  check(isKnown, 'url', `may contain in braces only ${oursText} and the names of connector.parameters`);
  for (const name of parameters)
    check(!ours.includes(name), `connector.parameters.${name}`, `must not be named ${oursText}`);
  return undefined;
}

function checkMailServer(settings: ProviderSettings, check: Check): void {
  const { authentication, smtp } = settings;
  const { username, password, key } = authentication;
  const unused = 'must be left out: provider smtp uses username and password';
  check(key === undefined || username !== undefined, 'authentication.key', unused);
  if ((username ?? password) !== undefined) needCredentials(authentication, ['username', 'password'], check);
  const url = settings.url === undefined ? undefined : sampleUrl(settings.url);
  if (url === undefined || settings.allowInsecure || isLoopback(url.hostname)) return;
  const must = 'must be true unless the host is this machine or allowInsecure is true';
  check(smtp?.requireTls !== false || url.protocol !== 'smtp:', 'smtp.requireTls', must);
  check(smtp?.tls?.rejectUnauthorized !== false, 'smtp.tls.rejectUnauthorized', must);
}

function checkConnector(
  settings: ProviderSettings,
  check: Check,
  report: FaultReporter,
): TemplateObject | undefined {
  const { connector = DEFAULT_CONNECTOR, 'payload-template': template } = settings;
  checkAuthentication(settings, connector, check);
  const hasValues = Object.values(connector.failures).some((lists) => lists?.values !== undefined);
  const needsPointer = 'is missing; must be a JSON pointer if failures have values';
  check(!hasValues || connector.success.pointer !== undefined, 'connector.success.pointer', needsPointer);
  const isKnown = settings.codes === undefined || connector.id !== undefined;
  check(isKnown, 'connector.id', 'is missing; must be given with codes, which are known by it');
  const isQuery = connector.method !== 'GET' || connector.encoding === 'query';
  check(isQuery, 'connector.encoding', 'must be query where method is GET');
  const inHeaders = Object.entries(connector.headers).flatMap(([name, value]) =>
    placeholdersOfText(value, ['connector', 'headers', name], report),
  );
  const path = 'payload-template';
  if (template === undefined || template === null) {
    report([path], 'is missing; must be text or an object with placeholders');
    return undefined;
  }
  const read = readTemplate(template, connector.encoding, (below, rule) => report([path, ...below], rule));
  if (read === undefined) return undefined;
  const placeholders = new Set([...inHeaders, ...placeholdersOf(read)]);
  const has = (...names: readonly Placeholder[]): boolean => names.some((name) => placeholders.has(name));
  const inUrl = urlPlaceholders(settings.url ?? '');
  // A call about a code names the code instead (N10).
  const isAboutId = connector.textByProvider && (has('ID') || inUrl.includes('id'));
  check(
    has('RECEIVER') || inUrl.includes('receiver') || isAboutId,
    path,
    'must contain RECEIVER_PLACEHOLDER',
  );
  const hasText = has('MESSAGE', 'TEXT', 'HTML') || connector.textByProvider;
  check(hasText, path, 'must contain MESSAGE_PLACEHOLDER, or TEXT_PLACEHOLDER and HTML_PLACEHOLDER');
  return read;
}

function needCredentials(
  credentials: ProviderCredentials,
  names: readonly (keyof ProviderCredentials)[],
  check: Check,
): void {
  for (const name of names)
    check(credentials[name] !== undefined, `authentication.${name}`, 'is missing; must be text');
}

function checkAuthentication(settings: ProviderSettings, connector: ConnectorSettings, check: Check): void {
  const { authentication } = settings;
  const { username, password, key } = authentication;
  const { kind, prefix, header, members } = connector.authentication ?? {};
  const inBody = Object.values(members ?? {});
  // With only one of username and password, requests would have no credentials or wrong ones.
  const isInUrl = urlPlaceholders(settings.url ?? '').includes('username');
  const hasPassword = (password ?? username) === password || isInUrl || inBody.includes('username');
  check(hasPassword, 'authentication.password', 'is missing; must be text if username is given');
  const hasUsername = (username ?? password) === username || inBody.includes('password');
  check(hasUsername, 'authentication.username', 'is missing; must be text if password is given');
  const inHeader = ['bearer', 'prefix', 'header'].includes(authenticationKind(connector, authentication));
  check(!inHeader || isVisibleAscii(key ?? ''), 'authentication.key', VISIBLE_ASCII_REQUIRED);
  if (kind === undefined) return;
  const at = 'connector.authentication';
  const ofPrefix = 'is required with kind prefix, optional with kind header, and not allowed otherwise';
  check((kind === 'prefix') === (prefix !== undefined) || kind === 'header', `${at}.prefix`, ofPrefix);
  const ofHeader = 'is required with kind header and not allowed otherwise';
  check((kind === 'header') === (header !== undefined), `${at}.header`, ofHeader);
  const ofBody = 'is required with kind body and not allowed otherwise';
  check((kind === 'body') === (members !== undefined), `${at}.members`, ofBody);
  if (kind === 'basic') needCredentials(authentication, ['username', 'password'], check);
  else if (kind === 'body') needCredentials(authentication, [...new Set(inBody)], check);
  else if (kind !== 'none') needCredentials(authentication, ['key'], check);
}

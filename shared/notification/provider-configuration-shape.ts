/**
 * The shape of one provider of the configuration (interface 4.8, N1) and of the members that go beyond it: connector,
 * smtp, twilio, limits, allowInsecure and description. Members that are not named are a fault: a misspelt setting would
 * otherwise have no effect. Messages say what is allowed and never repeat a value.
 */

import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { HEADER_TEXT, isUnsubscribeUrl, isVisibleAscii } from './written-in-headers.ts';
import { isSingleAddress } from './sender.ts';

/** Longest address, name or credential, in UTF-16 code units; tokens of some providers are JWTs. */
const LONGEST_TEXT = 8_192;
const LONGEST_TEMPLATE = 65_536;
const LONGEST_NAME = 64;
const MOST_ITEMS = 100;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Header names are tokens (RFC 9110, 5.6.2). */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Of the connection or of the body, hence ours to set. */
const OWN_HEADER =
  /^(?:host|connection|content-length|content-type|transfer-encoding|expect|upgrade|keep-alive|te|trailer)$/i;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The message of a value that is missing or is not `what` is wanted. */
const wanted =
  (what: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined || input === null ? `is missing; must be ${what}` : `must be ${what}`;

/** Whether a text stays within its line. */
export const isEnclosed = (text: string): boolean => !CONTROL.test(text);

function isPrivateKey(pem: string): boolean {
  try {
    createPrivateKey(pem);
    return true;
  } catch {
    return false;
  }
}

const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, { error: wanted('an object') });
const text = (longest = LONGEST_TEXT) =>
  z.string({ error: wanted('text') }).max(longest, { error: `must have at most ${longest} characters` });
const line = (longest = LONGEST_TEXT) =>
  text(longest).refine(isEnclosed, { error: 'must not hold line breaks or other control characters' });
/** Empty texts stand for nothing: 4.8 shows all members of authentication together. */
const maybeLine = () =>
  line()
    .nullish()
    .transform((value) => (value === '' || value === null ? undefined : value));
const headerText = (longest = LONGEST_TEXT) => line(longest).refine(isVisibleAscii, { error: HEADER_TEXT });
const flag = () => z.boolean({ error: wanted('true or false') });
const count = (least: number, most: number) => {
  const error = wanted(`a whole number from ${least} to ${most}`);
  return z.number({ error }).refine((value) => Number.isInteger(value) && value >= least && value <= most, {
    error: `must be a whole number from ${least} to ${most}`,
  });
};
const oneOf = <const Name extends string>(names: readonly Name[]) =>
  z.enum(names, { error: wanted(`one of ${names.join(', ')}`) });
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item, { error: wanted('a list') })
    .max(MOST_ITEMS, { error: `must have at most ${MOST_ITEMS} items` });
const headerName = () => text().regex(HEADER_NAME, { error: 'must be the name of an HTTP header' });
const addedHeader = () =>
  headerName().refine((name) => !OWN_HEADER.test(name), {
    error: 'must not be a header of the connection or of the body',
  });
const pointer = () =>
  text(500).regex(POINTER, { error: 'must be a JSON pointer such as /messages/0/status' });
const certificates = () =>
  text(LONGEST_TEMPLATE).includes('-----BEGIN CERTIFICATE-----', { error: 'must be certificates in PEM' });

const scalar = () =>
  z.union([z.string(), z.number(), z.boolean()], { error: wanted('text, a number, true or false') });

/** Looks at one value of a JSON answer; numbers and texts are compared as texts. */
const test = object({
  pointer: pointer(),
  equals: scalar().optional(),
  oneOf: list(scalar()).optional(),
  exists: flag().optional(),
}).refine(
  (value) => [value.equals, value.oneOf, value.exists].filter((given) => given !== undefined).length === 1,
  { error: 'must have one of equals, oneOf and exists' },
);

const STATUS_ALLOWED = 'a status from 200 to 599 or a class such as "4xx"';

/** 429, or a whole class such as 4xx. */
const status = () =>
  z
    .union([z.number(), z.string()], { error: wanted(STATUS_ALLOWED) })
    .refine((value) => /^(?:[2345]xx|[2345]\d\d)$/.test(String(value)), { error: wanted(STATUS_ALLOWED) });

const CREDENTIALS = ['username', 'password', 'key'] as const;

const connectorAuthentication = object({
  kind: oneOf(['none', 'basic', 'bearer', 'prefix', 'header', 'body']),
  /** Stands before the key: `App <key>`. */
  prefix: headerText(LONGEST_NAME).optional(),
  /** Header that takes the key. */
  header: addedHeader().optional(),
  /** Members of the body and the credential that each takes. */
  members: z.record(line(LONGEST_NAME), oneOf(CREDENTIALS), { error: wanted('an object') }).optional(),
});

const failure = object({
  status: list(status()).optional(),
  /** Texts found by `errorCode`. */
  code: list(scalar()).optional(),
  tests: list(test).optional(),
  /** `sent`: it says that it has this id already. */
  result: oneOf(['transient', 'permanent', 'misconfigured', 'unknown', 'sent']),
  /** Of a transient result: only this receiver cannot be served now, so that it does not count against the provider. */
  aboutReceiver: flag().optional(),
}).refine((value) => value.status !== undefined || value.code !== undefined || value.tests !== undefined, {
  error: 'must have one or more of status, code and tests',
});

const connector = object({
  method: oneOf(['POST', 'PUT', 'PATCH', 'GET']).default('POST'),
  /** What stands in the address as {name}, besides sender, receiver, id and username. */
  parameters: z
    .record(
      z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, { error: 'must be a name of letters and digits' }),
      line(1_000).min(1, { error: 'must not be empty' }),
      {
        error: wanted('an object of names and texts'),
      },
    )
    .default({}),
  headers: z.record(addedHeader(), headerText(), { error: wanted('an object of headers') }).default({}),
  authentication: connectorAuthentication.optional(),
  encoding: oneOf(['json', 'form', 'multipart', 'query']).default('json'),
  /** Telephone numbers with their + or without. */
  phoneFormat: oneOf(['plus', 'digits']).default('plus'),
  /** Between addresses where CC or BCC stand outside a list. */
  listSeparator: line(4).min(1, { error: 'must not be empty' }).default(','),
  success: object({
    status: list(status()).min(1, { error: 'must name at least one' }).default(['2xx']),
    tests: list(test).default([]),
  }).prefault({}),
  id: z
    .union([z.strictObject({ pointer: pointer() }), z.strictObject({ header: headerName() })], {
      error: wanted('{"pointer": "/…"} or {"header": "…"}'),
    })
    .optional(),
  /** Where the provider's own code of a failure is; the first that is there counts. */
  errorCode: list(pointer()).default([]),
  /** The first row that fits an answer tells what came of it. */
  failures: list(failure).default([]),
  retryAfter: object({
    header: headerName(),
    unit: oneOf(['seconds', 'epoch-seconds']).default('seconds'),
  }).optional(),
  /** Takes the notificationId, and the provider delivers an id once only. */
  idempotency: object({ header: addedHeader().optional(), member: line(LONGEST_NAME).optional() })
    .refine((value) => (value.header === undefined) !== (value.member === undefined), {
      error: 'must have either header or member',
    })
    .optional(),
  /** The provider has the text: MESSAGE, TEXT and HTML may be missing from the template. */
  textByProvider: flag().default(false),
  connections: count(1, 1_000).default(64),
  tls: object({ ca: certificates().optional() }).optional(),
});

const smtp = object({
  requireTls: flag().optional(),
  maxConnections: count(1, 100).optional(),
  maxMessages: count(1, 1_000_000).optional(),
  dkim: object({
    domainName: line(255),
    keySelector: line(LONGEST_NAME),
    privateKey: text(LONGEST_TEMPLATE).refine(isPrivateKey, { error: 'must be a private key in PEM' }),
  }).optional(),
  listUnsubscribe: object({
    url: line(2_000).refine(isUnsubscribeUrl, {
      error: 'must be an https address in ASCII without blanks, < and >; {id} stands for the notification',
    }),
    mailto: line(320)
      .refine((address) => isSingleAddress(address) && isVisibleAscii(address), {
        error: 'must be one e-mail address in ASCII',
      })
      .optional(),
  }).optional(),
  tls: object({ ca: certificates().optional(), rejectUnauthorized: flag().optional() }).optional(),
});

const limits = object({
  ratePerSecond: z
    .number({ error: wanted('a number above 0') })
    .positive({ error: 'must be above 0' })
    .max(100_000, { error: 'must not be above 100000' })
    .optional(),
  timeoutMs: count(100, 10 * MINUTE).optional(),
  breaker: object({ failures: count(1, 10_000).optional(), openMs: count(1, HOUR).optional() }).optional(),
});

/** Names are labels of metrics and stand in the states of notifications. */
const PROVIDER_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,38}[A-Za-z0-9])?$/;

/** One of `provider-configurations`. */
export const PROVIDER_SHAPE = object({
  description: text().optional(),
  url: line().optional(),
  provider: z.string({ error: wanted('text') }).regex(PROVIDER_NAME, {
    error: 'must have 1 to 40 letters, digits, blanks, dots, hyphens or underscores',
  }),
  'payload-template': z
    .union([text(LONGEST_TEMPLATE), z.record(z.string(), z.unknown())], {
      error: wanted('text or an object'),
    })
    .nullish(),
  'communication-channel': oneOf(['email', 'sms']),
  defaultSender: maybeLine(),
  'default-sender': maybeLine(),
  authentication: object({ username: maybeLine(), password: maybeLine(), key: maybeLine() }).prefault({}),
  connector: connector.optional(),
  smtp: smtp.optional(),
  twilio: object({ accountSid: line(100).optional() }).optional(),
  limits: limits.prefault({}),
  allowInsecure: flag().default(false),
});

/** All that a connector has when the configuration does not speak of it (N1). */
export const DEFAULT_CONNECTOR: ConnectorSettings = connector.parse({});

export type ProviderMembers = z.infer<typeof PROVIDER_SHAPE>;
export type ConnectorSettings = z.infer<typeof connector>;
export type ConnectorAuthentication = z.infer<typeof connectorAuthentication>;
export type AnswerTest = z.infer<typeof test>;
export type FailureRow = z.infer<typeof failure>;
export type StatusPattern = z.infer<ReturnType<typeof status>>;
export type ProviderCredentials = ProviderMembers['authentication'];

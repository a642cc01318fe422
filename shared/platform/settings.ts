import { z } from 'zod';
import { callbackSettings } from './callback-settings.ts';
import { LOG_LEVELS } from './log.ts';
import {
  COMMAND_RETENTION_MS,
  MAX_RETRY_TIER_MS,
  MAX_TIME_LIMIT_MS,
  OUTCOME_RETENTION_MS,
} from './retention.ts';

const KIB = 1_024;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const MAX_RETRY_TIERS = 8;
const MAX_PROCESS_URLS = 32;
const COMMANDS_KEPT = `commands are kept for ${COMMAND_RETENTION_MS / HOUR}h`;
const OUTCOMES_KEPT = `outcomes are kept for ${OUTCOME_RETENTION_MS / HOUR}h`;

const HOST_NAME = /^(?:[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?|\[[\da-f:.]+\])$/;
const DURATION = /^([1-9]\d{0,5})([smh])$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR };

const flag = z.stringbool({ error: 'must be one of true, false, 1, 0, yes, no, on and off' });
const count = (max: number, min = 0) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce
    .number({ error })
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, error);
};
const port = count(65_535);
const oneOf = <const Name extends string>(names: readonly Name[]) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });
const secret = (minLength: number) => z.string().min(minLength, `must have at least ${minLength} characters`);
/** An address without credentials, because addresses appear in logs and errors. */
const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .refine(
    (text) => !hasCredentials(text),
    'must not contain a user or password, which have their own settings',
  );
const list = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
  .refine((items) => items.length > 0, 'must have at least one entry');
const webAddresses = list.pipe(
  z
    .array(webAddress)
    .max(MAX_PROCESS_URLS, `must hold at most ${MAX_PROCESS_URLS} addresses`)
    .refine((items) => new Set(items).size === items.length, 'must not contain an address twice'),
);
const hosts = list
  .transform((items) => items.map((item) => item.toLowerCase()))
  .refine(
    (items) => items.every((item) => HOST_NAME.test(item)),
    'must hold host names or addresses without scheme and port, such as bank.example or [fd00::1]',
  );
/** A duration such as `10s`, `5m` or `1h` in milliseconds, up to `maxMs`. `why` is the reason for the limit. */
export const durationUpTo = (maxMs: number, why: string) =>
  z
    .string()
    .regex(DURATION, 'must be a duration such as 10s, 5m or 1h')
    .transform((text) => durationMs(text))
    .refine((ms) => ms <= maxMs, `must be ${maxMs / HOUR}h at most: ${why}`);
const durations = list
  .refine((items) => items.every((item) => DURATION.test(item)), 'must hold durations such as 10s,1m,10m,1h')
  .transform((items) => items.map((item) => durationMs(item)))
  .refine(
    (items) =>
      items.length <= MAX_RETRY_TIERS && items.every((item, at) => at === 0 || item > (items[at - 1] ?? 0)),
    `must contain at most ${MAX_RETRY_TIERS} durations, each longer than the previous one`,
  );

const MAX_LENDER_TEXT = 500;
const lenderText = z.string().max(MAX_LENDER_TEXT, `must have at most ${MAX_LENDER_TEXT} characters`);
const COUNTRY = '[A-Z]{2}';
const table = (name: RegExp, value: RegExp, example: string) => {
  const error = `must hold entries such as ${example}, each name once`;
  return list
    .transform((items) =>
      items.map((item): [string, string] => {
        const [key = '', text = ''] = item.split('=');
        return [key, text];
      }),
    )
    .refine((entries) => entries.every(([key, text]) => name.test(key) && value.test(text)), error)
    .refine((entries) => new Set(entries.map(([key]) => key)).size === entries.length, error);
};
const MESSAGES_PER_DAY = 1_000_000_000;
/** Marks settings whose values operators see. Secrets, users, paths and service addresses would help attackers. */
const SHOWN = { isShown: true } as const;

export const environment = z.object({
  HOST: z.string().default('127.0.0.1').meta(SHOWN),
  PORT: port.default(8_080).meta(SHOWN),
  ALLOWED_HOSTS: hosts.default([]),
  /** Base address of the ingress as providers and receivers reach it, without a slash at its end (N7, N8). */
  PUBLIC_URL: webAddress
    .refine((text) => !/[?#]/.test(text), 'must not have a query or fragment')
    .transform((text) => text.replace(/\/+$/, ''))
    .optional()
    .meta(SHOWN),
  HEALTH_PORT: port.optional().meta(SHOWN),
  LOG_LEVEL: oneOf(LOG_LEVELS).default('info').meta(SHOWN),
  KAFKA_BROKERS: list.optional(),
  KAFKA_CLIENT: oneOf(['kafkajs', 'platformatic']).default('kafkajs').meta(SHOWN),
  KAFKA_TOPIC_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9._-]{0,64}$/, 'may hold letters, digits, dot, dash and underscore, 64 at most')
    .default('')
    .meta(SHOWN),
  REPLY_TOPICS: list
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^[a-zA-Z0-9._*?-]{1,249}$/,
            'must hold topic names, in which * stands for any characters and ? for one',
          ),
      ),
    )
    .default(['*.replies', '*.replies.v?', '*.reply']),
  KAFKA_SSL: flag.default(false).meta(SHOWN),
  KAFKA_SSL_CA_FILE: z.string().optional(),
  KAFKA_SSL_CERT_FILE: z.string().optional(),
  KAFKA_SSL_KEY_FILE: z.string().optional(),
  KAFKA_SASL_MECHANISM: oneOf(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'])
    .optional()
    .meta(SHOWN),
  KAFKA_SASL_USERNAME: z.string().optional(),
  KAFKA_SASL_PASSWORD: z.string().optional(),
  KAFKA_SASL_OAUTH_TOKEN_URL: webAddress.optional(),
  SCHEMA_REGISTRY_URL: webAddress.optional(),
  SCHEMA_REGISTRY_USERNAME: z.string().optional(),
  SCHEMA_REGISTRY_PASSWORD: z.string().optional(),
  BODY_LIMIT_BYTES: count(64 * KIB * KIB, KIB)
    .default(256 * KIB)
    .meta(SHOWN),
  RATE_LIMIT_PER_SECOND: count(1_000_000).default(100).meta(SHOWN),
  REPLY_TIMEOUT_MS: count(10 * MINUTE, 1)
    .default(10 * SECOND)
    .meta(SHOWN),
  /** Key of result ids and notification proofs; the same for all ingress and notification processes of a cluster. */
  RESULT_ID_SECRET: secret(16).optional(),
  AUTH_JWT_SECRET: secret(32).optional(),
  AUTH_JWKS_URL: webAddress.optional(),
  AUTH_ISSUER: z.string().optional(),
  /** Tokens must have this value in `aud`: tokens for another service are rejected. */
  AUTH_AUDIENCE: z.string().default('banking-product-engine'),
  DEFAULT_HOLIDAY_CALENDAR: z.string().optional().meta(SHOWN),
  CATALOGUE_FOLDER: z.string().optional(),
  NOTIFICATION_CONFIG_FILE: z.string().optional(),
  NOTIFICATION_CALLBACKS: callbackSettings.optional(),
  NOTIFICATION_DEFAULT_COUNTRY: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be an ISO 3166 code such as RO')
    .optional()
    .meta(SHOWN),
  /** Delays of the retry tiers in their order. The last is repeated until the time limit. */
  NOTIFICATION_RETRY_TIERS: durations
    .refine(
      (tiersMs) => tiersMs.every((delayMs) => delayMs <= MAX_RETRY_TIER_MS),
      `must hold durations of ${MAX_RETRY_TIER_MS / HOUR}h at most: ${OUTCOMES_KEPT}`,
    )
    .prefault('10s,1m,10m,1h')
    .meta(SHOWN),
  NOTIFICATION_TIME_LIMIT: durationUpTo(MAX_TIME_LIMIT_MS, COMMANDS_KEPT).prefault('24h').meta(SHOWN),
  NOTIFICATION_UNKNOWN: oneOf(['park', 'resend']).default('park').meta(SHOWN),
  NOTIFICATION_SEND_TIMEOUT_MS: count(10 * MINUTE, 100)
    .default(30 * SECOND)
    .meta(SHOWN),
  /** Allowed countries; the quotas below count the notifications of one UTC day. Default: no limit (N6). */
  NOTIFICATION_COUNTRIES: list
    .refine(
      (items) => items.every((item) => new RegExp(`^${COUNTRY}$`).test(item)),
      'must hold ISO 3166 codes such as RO,MD',
    )
    .optional()
    .meta(SHOWN),
  NOTIFICATION_QUOTA_CALLER: count(MESSAGES_PER_DAY, 1).optional().meta(SHOWN),
  NOTIFICATION_QUOTA_RECEIVER: count(MESSAGES_PER_DAY, 1).optional().meta(SHOWN),
  NOTIFICATION_QUOTA_COUNTRY: table(new RegExp(`^(?:${COUNTRY}|\\*)$`), /^\d{1,9}$/, 'RO=100000,*=500')
    .transform((entries) => new Map(entries.map(([key, text]) => [key, Number(text)])))
    .optional()
    .meta(SHOWN),
  /** The lender of offer documents (T3). */
  LENDER_NAME: lenderText.optional().meta(SHOWN),
  LENDER_ADDRESS: lenderText.optional().meta(SHOWN),
  LENDER_CONTACT: lenderText.optional().meta(SHOWN),
  LENDER_LOGO_FILE: z.string().optional(),
  DATA_DIR: z.string().default('var/data'),
  SYSTEM_PROCESS_URLS: webAddresses.default([]),
});

export type Environment = z.infer<typeof environment>;

/** Settings that may come from a file, such as a mounted secret, that `<NAME>_FILE` names. */
export const SECRETS = [
  'KAFKA_SASL_PASSWORD',
  'SCHEMA_REGISTRY_PASSWORD',
  'RESULT_ID_SECRET',
  'AUTH_JWT_SECRET',
  'NOTIFICATION_CALLBACKS',
] as const;

function durationMs(text: string): number {
  const [, amount = '0', unit = ''] = DURATION.exec(text) ?? [];
  return Number(amount) * (UNIT_MS[unit] ?? 0);
}

function hasCredentials(text: string): boolean {
  const { username, password } = URL.parse(text) ?? { username: '', password: '' };
  return username !== '' || password !== '';
}

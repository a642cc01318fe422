import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { ConfigError } from '../../../shared/platform/errors.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

type Env = Readonly<Record<string, string>>;

function faultsOf(env: Env): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [, ...faults] = error.message.split('\n');
    return faults.map((line) => line.trim());
  }
  throw new Error('the configuration was accepted');
}

const COUNTRIES = new Map(Object.entries({ RO: 100_000, '*': 0 }));
const KAFKA = { KAFKA_BROKERS: 'localhost:1' };
const PROVIDERS = { NOTIFICATION_CONFIG_FILE: 'providers.json' };
const TLS_FILES = { KAFKA_SSL_CA_FILE: 'ca', KAFKA_SSL_CERT_FILE: 'cert', KAFKA_SSL_KEY_FILE: 'key' };
const SASL = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' };
const REMOTE = {
  KAFKA_BROKERS: '127.0.0.1:1,kafka:9092',
  ...SASL,
  KAFKA_SASL_OAUTH_TOKEN_URL: 'http://issuer.example/token',
  SCHEMA_REGISTRY_URL: 'http://registry:8080',
  SCHEMA_REGISTRY_PASSWORD: 'p',
  AUTH_JWKS_URL: 'http://issuer.example/keys',
};

const ACCEPTED: readonly [title: string, env: Env, config: object][] = [
  [
    'no setting, with the embedded broker, loopback and the limits of E6',
    {},
    {
      kafka: undefined,
      http: { host: '127.0.0.1', port: 8_080, bodyLimitBytes: 262_144, rateLimitPerSecond: 100 },
      replyTimeoutMs: 10_000,
      dataFolder: 'var/data',
      notification: { outboxFolder: 'var/data/outbox', configFile: undefined, quotas: undefined },
      auth: { audience: 'banking-product-engine' },
    },
  ],
  [
    'empty variables and those of others as absent ones',
    { KAFKA_BROKERS: '', KAFKA_BROKER: '', PORT: '', HOME: '/home/u', AUTHOR: 'u' },
    { kafka: undefined, http: { port: 8_080 } },
  ],
  [
    'a list of brokers with blanks around them, for kafkajs',
    { KAFKA_BROKERS: 'a:1, b:2 ,' },
    { kafka: { brokers: ['a:1', 'b:2'], client: 'kafkajs' } },
  ],
  ['the other client', { ...KAFKA, KAFKA_CLIENT: 'platformatic' }, { kafka: { client: 'platformatic' } }],
  ['the least limit', { BODY_LIMIT_BYTES: '1024' }, { http: { bodyLimitBytes: 1_024 } }],
  [
    'the longest time limit and retry tier',
    { NOTIFICATION_TIME_LIMIT: '144h', NOTIFICATION_RETRY_TIERS: '10s,48h' },
    { notification: { retryTiersMs: [10_000, 48 * 3_600_000], timeLimitMs: 144 * 3_600_000 } },
  ],
  ['a data folder', { DATA_DIR: '/srv/one' }, { notification: { outboxFolder: '/srv/one/outbox' } }],
  [
    'no data folder',
    { DATA_DIR: 'memory' },
    { dataFolder: undefined, notification: { outboxFolder: 'var/outbox' } },
  ],
  ['providers with a data folder', PROVIDERS, { notification: { configFile: 'providers.json' } }],
  [
    'providers on Kafka without a data folder',
    { ...PROVIDERS, ...KAFKA, DATA_DIR: 'memory' },
    { notification: { configFile: 'providers.json' } },
  ],
  [
    'the quotas of notifications',
    {
      NOTIFICATION_COUNTRIES: 'RO, MD',
      NOTIFICATION_QUOTA_COUNTRY: 'RO=100000,*=0',
      NOTIFICATION_QUOTA_CALLER: '5',
      NOTIFICATION_QUOTA_RECEIVER: '7',
    },
    {
      notification: {
        quotas: { countries: ['RO', 'MD'], perCaller: 5, perReceiver: 7, perCountry: COUNTRIES },
      },
    },
  ],
  [
    'secrets over TLS',
    {
      ...REMOTE,
      KAFKA_SSL: 'true',
      KAFKA_SASL_OAUTH_TOKEN_URL: 'https://issuer.example/token',
      SCHEMA_REGISTRY_URL: 'https://registry:8080',
      AUTH_JWKS_URL: 'https://issuer.example/keys',
    },
    { kafka: { sasl: { mechanism: 'plain' } }, auth: { jwksUrl: 'https://issuer.example/keys' } },
  ],
  [
    'secrets on loopback',
    {
      ...SASL,
      KAFKA_BROKERS: 'localhost:1,[::1]:2,127.0.0.1:3',
      SCHEMA_REGISTRY_URL: 'http://[::1]:8080',
      SCHEMA_REGISTRY_PASSWORD: 'p',
      AUTH_JWKS_URL: 'http://localhost/keys',
    },
    { kafka: { ssl: undefined } },
  ],
  [
    'SCRAM without TLS, which sends no secret',
    { ...SASL, KAFKA_BROKERS: 'kafka:9092', KAFKA_SASL_MECHANISM: 'scram-sha-512' },
    { kafka: { sasl: { mechanism: 'scram-sha-512' } } },
  ],
  ['TLS files', { ...KAFKA, KAFKA_SSL: 'on', ...TLS_FILES }, { kafka: { ssl: { caFile: 'ca' } } }],
  [
    'allowed hosts in lower case',
    { ALLOWED_HOSTS: 'Bank.example, [FD00::1],10.0.0.1' },
    { http: { allowedHosts: ['bank.example', '[fd00::1]', '10.0.0.1'] } },
  ],
  [
    'a public address',
    { PUBLIC_URL: 'https://bank.example:8443/engine/' },
    { notification: { publicUrl: 'https://bank.example:8443/engine' } },
  ],
];

const REFUSED: readonly [title: string, env: Env, faults: readonly string[]][] = [
  [
    'settings that have been removed, with what takes their place',
    { BLOCKED_LOOP_LIMIT_MS: '30000', NOTIFICATION_LANES: 'urgent' },
    [
      'NOTIFICATION_LANES: this setting has been removed: a notification worker serves normal and urgent notifications',
      'BLOCKED_LOOP_LIMIT_MS: this setting has been removed: let the supervisor restart a process that does not answer /health/live',
    ],
  ],
  [
    'all invalid settings together, each once with the allowed values',
    {
      BODY_LIMIT_BYTES: '0',
      REPLY_TIMEOUT_MS: '-1.5',
      PORT: 'http',
      LOG_LEVEL: 'loud',
      KAFKA_SSL: 'perhaps',
      KAFKA_CLIENT: 'librdkafka',
      RESULT_ID_SECRET: 'short',
      SCHEMA_REGISTRY_URL: 'nowhere',
    },
    [
      'PORT: must be a whole number from 0 to 65535',
      'LOG_LEVEL: must be one of debug, info, warn, error, silent',
      'KAFKA_CLIENT: must be one of kafkajs, platformatic',
      'KAFKA_SSL: must be one of true, false, 1, 0, yes, no, on and off',
      'SCHEMA_REGISTRY_URL: must be an http or https address',
      'BODY_LIMIT_BYTES: must be a whole number from 1024 to 67108864',
      'REPLY_TIMEOUT_MS: must be a whole number from 1 to 600000',
      'RESULT_ID_SECRET: must have at least 16 characters',
    ],
  ],
  [
    'time limits and retry tiers beyond the retention of their topics',
    { NOTIFICATION_TIME_LIMIT: '145h', NOTIFICATION_RETRY_TIERS: '10s,49h' },
    [
      'NOTIFICATION_RETRY_TIERS: must hold durations of 48h at most: outcomes are kept for 72h',
      'NOTIFICATION_TIME_LIMIT: must be 144h at most: commands are kept for 168h',
    ],
  ],
  [
    'providers without a data folder',
    { ...PROVIDERS, DATA_DIR: 'memory' },
    [
      'NOTIFICATION_CONFIG_FILE needs a DATA_DIR or KAFKA_BROKERS: with DATA_DIR=memory a restart or crash loses notifications that were accepted but not sent, and repeated Idempotency-Keys may send notifications again',
    ],
  ],
  [
    'a receiver quota on Kafka without the key of the hashes',
    { ...KAFKA, NOTIFICATION_QUOTA_RECEIVER: '5' },
    [
      'NOTIFICATION_QUOTA_RECEIVER on Kafka needs RESULT_ID_SECRET, the same for all ingress and notification processes: it is the key for the hashes of receivers',
    ],
  ],
  [
    'SASL without a user',
    { ...KAFKA, KAFKA_SASL_MECHANISM: 'plain' },
    ['KAFKA_SASL_MECHANISM plain needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD'],
  ],
  [
    'OAUTHBEARER without a token endpoint',
    { ...KAFKA, ...SASL, KAFKA_SASL_MECHANISM: 'oauthbearer' },
    ['KAFKA_SASL_MECHANISM oauthbearer needs KAFKA_SASL_OAUTH_TOKEN_URL'],
  ],
  [
    'a TLS certificate without its key',
    { ...KAFKA, KAFKA_SSL: 'true', KAFKA_SSL_CERT_FILE: 'cert' },
    ['KAFKA_SSL_CERT_FILE and KAFKA_SSL_KEY_FILE must be set together'],
  ],
  [
    'two kinds of keys',
    { AUTH_JWT_SECRET: 'x'.repeat(32), AUTH_JWKS_URL: 'https://issuer.example/keys' },
    ['set only one of AUTH_JWT_SECRET and AUTH_JWKS_URL'],
  ],
  [
    'TLS files while TLS is off',
    { ...KAFKA, ...TLS_FILES },
    Object.keys(TLS_FILES).map((name) => `${name} has no effect without KAFKA_SSL=true`),
  ],
  [
    'contradictions together with invalid and unknown settings',
    { PORT: '70000', KAFKA_SSL_CA_FILE: 'ca', AUTH_AUDIENZ: 'x' },
    [
      'AUTH_AUDIENZ: there is no such setting; did you mean AUTH_AUDIENCE?',
      'PORT: must be a whole number from 0 to 65535',
      'KAFKA_SSL_CA_FILE has no effect without KAFKA_SSL=true',
    ],
  ],
  [
    'unknown names with a known prefix, and suggests the most similar setting',
    {
      KAFKA_BROKER: 'x',
      AUTH_JWKS_URI: 'x',
      AUTH_JWT_SECRETFILE: 'x',
      NOTIFICATION_PROVIDERS_AND_OTHERS: 'x',
    },
    [
      'KAFKA_BROKER: there is no such setting; did you mean KAFKA_BROKERS?',
      'AUTH_JWKS_URI: there is no such setting; did you mean AUTH_JWKS_URL?',
      'AUTH_JWT_SECRETFILE: there is no such setting; did you mean AUTH_JWT_SECRET_FILE?',
      'NOTIFICATION_PROVIDERS_AND_OTHERS: there is no such setting',
    ],
  ],
];

function fileWith(text: string): string {
  const file = path.join(scratchFolder(), 'planted-file');
  writeFileSync(file, text);
  return file;
}

it.each(ACCEPTED)('reads %s', (_, env, config) => {
  expect(loadConfig(env)).toMatchObject(config);
});

it.each(REFUSED)('refuses %s', (_, env, faults) => {
  expect(faultsOf(env)).toEqual(faults);
});

it('refuses secrets and keys in plain text over a network, and ignores variables of others', () => {
  const names = 'KAFKA_SASL_MECHANISM SCHEMA_REGISTRY_PASSWORD KAFKA_SASL_OAUTH_TOKEN_URL AUTH_JWKS_URL';
  expect(faultsOf(REMOTE).map((fault) => fault.split(' ', 1)[0])).toEqual(names.split(' '));
  const foreign = `KAFKA_HOME KAFKA_OPTS KAFKA_HEAP_OPTS KAFKA_JVM_PERFORMANCE_OPTS KAFKA_CACHE_DIR KAFKA_PORT
      KAFKA_SERVICE_HOST KAFKA_SERVICE_PORT KAFKA_UI_SERVICE_PORT_HTTP KAFKA_PORT_9092_TCP_ADDR AUTH_SERVICE_HOST
      NOTIFICATION_PORT_8081_TCP NOTIFICATION_SERVICE_PORT`;
  const env = Object.fromEntries(foreign.split(/\s+/).map((name) => [name, 'x']));
  expect(loadConfig(env).kafka).toBeUndefined();
});

it.each([
  ['NOTIFICATION_COUNTRIES', ['Romania']],
  ['NOTIFICATION_QUOTA_COUNTRY', ['RO=1,RO=2', 'ro=1']],
  ['NOTIFICATION_QUOTA_CALLER', ['0']],
  ['ALLOWED_HOSTS', ['https://bank.example', 'bank.example:443', '*', 'a b', '.bank.example']],
  ['PUBLIC_URL', ['bank.example', 'https://bank.example/?a=1', 'https://bank.example/#a']],
  ['AUTH_JWKS_URL', ['ftp://issuer/keys', 'javascript:alert(1)', 'issuer:443', 'file:///keys']],
])('refuses other values of %s', (name, values) => {
  for (const value of values)
    expect(faultsOf({ [name]: value })).toEqual([expect.stringMatching(`^${name}: must `) as string]);
});

it('refuses a public address in plain text, except on this machine', () => {
  expect(faultsOf({ PUBLIC_URL: 'http://bank.example' })).toEqual([
    'PUBLIC_URL must be https or on loopback: receipts and unsubscriptions arrive there',
  ]);
  expect(loadConfig({ PUBLIC_URL: 'http://127.0.0.1:80' }).notification.publicUrl).toBe(
    'http://127.0.0.1:80',
  );
});

it('refuses credentials in an address without repeating them', () => {
  for (const name of ['SCHEMA_REGISTRY_URL', 'KAFKA_SASL_OAUTH_TOKEN_URL', 'AUTH_JWKS_URL'])
    for (const user of ['joe:onyx8842', 'joe'])
      expect(faultsOf({ [name]: `https://${user}@registry.example/path` })).toEqual([
        `${name}: must not contain a user or password, which have their own settings`,
      ]);
});

it('reads a secret from a file and does not repeat a secret in an error', () => {
  const file = fileWith(`${'s'.repeat(40)}\n`);
  expect(loadConfig({ AUTH_JWT_SECRET_FILE: file }).auth.jwtSecret).toBe('s'.repeat(40));
  expect(faultsOf({ AUTH_JWT_SECRET: 'short-secret' }).join('')).not.toContain('short-secret');
  expect(faultsOf({ AUTH_JWT_SECRET_FILE: `${file}.absent` })).toEqual([
    'AUTH_JWT_SECRET_FILE: the file cannot be read',
  ]);
});

it('settings are shown as they would be set, with their defaults', () => {
  const { settings } = loadConfig({});
  const source = 'default';
  const defaults = {
    PORT: '8080',
    NOTIFICATION_RETRY_TIERS: '10s,1m,10m,1h',
    NOTIFICATION_TIME_LIMIT: '24h',
  };
  for (const [name, value] of Object.entries({ ...defaults, KAFKA_SSL: 'false' })) {
    expect(settings).toContainEqual({ name, source, value });
  }
  expect(settings).toContainEqual({ name: 'DEFAULT_HOLIDAY_CALENDAR', source });
  const name = 'NOTIFICATION_RETRY_TIERS';
  expect(loadConfig({ [name]: '5s,1m' }).settings).toContainEqual({ name, source: 'set', value: '5s,1m' });
});

it('no shown setting has the value of a secret, user, address or path, wherever it comes from', () => {
  const { settings } = loadConfig({
    KAFKA_BROKERS: 'planted-broker:9092',
    KAFKA_SSL: 'true',
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: 'planted-user',
    KAFKA_SASL_PASSWORD_FILE: fileWith('planted-password'),
    SCHEMA_REGISTRY_URL: 'https://planted-registry',
    SCHEMA_REGISTRY_USERNAME: 'planted-user',
    SCHEMA_REGISTRY_PASSWORD: 'planted-password',
    AUTH_JWT_SECRET: 'planted-secret-of-more-than-32-characters',
    AUTH_ISSUER: 'planted-issuer',
    RESULT_ID_SECRET: 'planted-secret-of-results',
    NOTIFICATION_CONFIG_FILE: '/planted/file',
    SYSTEM_PROCESS_URLS: 'http://planted-process:9000',
    CATALOGUE_FOLDER: '/planted/folder',
  });
  expect(JSON.stringify(settings)).not.toContain('planted');
  const sourceOf = (name: string) => settings.find((setting) => setting.name === name)?.source;
  const names = ['KAFKA_SASL_PASSWORD', 'AUTH_JWT_SECRET', 'KAFKA_BROKERS', 'AUTH_JWKS_URL'];
  expect(names.map(sourceOf)).toEqual(['file', 'set', 'set', 'default']);
});

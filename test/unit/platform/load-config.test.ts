import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { ConfigError } from '../../../shared/platform/errors.ts';

function faultOf(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

/** The faults as a list, without the headline. */
function faultsOf(env: Record<string, string>): string[] {
  return faultOf(env)
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
}

const paths = (env: Record<string, string>) => {
  const { notification } = loadConfig(env);
  return notification.outboxFolder;
};

describe('loadConfig', () => {
  it('defaults to the embedded broker, loopback and the limits of E6', () => {
    const config = loadConfig({});
    expect(config.kafka).toBeUndefined();
    expect(config.http).toMatchObject({
      host: '127.0.0.1',
      port: 8_080,
      bodyLimitBytes: 262_144,
      rateLimitPerSecond: 100,
    });
    expect(config.replyTimeoutMs).toBe(10_000);
  });

  it('reads a list of brokers and ignores blanks around them', () => {
    expect(loadConfig({ KAFKA_BROKERS: 'a:1, b:2 ,' }).kafka?.brokers).toEqual(['a:1', 'b:2']);
  });

  it('connects to Kafka with kafkajs unless KAFKA_CLIENT names the other client', () => {
    const env = { KAFKA_BROKERS: 'a:1' };
    expect(loadConfig(env).kafka?.client).toBe('kafkajs');
    expect(loadConfig({ ...env, KAFKA_CLIENT: 'platformatic' }).kafka?.client).toBe('platformatic');
    expect(() => loadConfig({ ...env, KAFKA_CLIENT: 'librdkafka' })).toThrow(/KAFKA_CLIENT/);
  });

  it('refuses settings that have been removed, with what takes their place', () => {
    expect(faultsOf({ BLOCKED_LOOP_LIMIT_MS: '30000', NOTIFICATION_LANES: 'urgent' })).toEqual([
      'NOTIFICATION_LANES: this setting has been removed: a notification worker serves normal and urgent notifications',
      'BLOCKED_LOOP_LIMIT_MS: this setting has been removed: let the supervisor restart a process that does not answer /health/live',
    ]);
  });

  it('treats an empty variable as absent', () => {
    expect(loadConfig({ KAFKA_BROKERS: '', PORT: '' }).http.port).toBe(8_080);
  });

  it('reports all invalid settings together', () => {
    const message = faultOf({ PORT: '70000', LOG_LEVEL: 'loud', SCHEMA_REGISTRY_URL: 'nowhere' });
    expect(message).toContain('PORT');
    expect(message).toContain('LOG_LEVEL');
    expect(message).toContain('SCHEMA_REGISTRY_URL');
  });

  it('reports each invalid setting once, with the allowed values', () => {
    const wrong = {
      BODY_LIMIT_BYTES: '0',
      REPLY_TIMEOUT_MS: '-1.5',
      PORT: 'http',
      LOG_LEVEL: 'loud',
      KAFKA_SSL: 'perhaps',
      RESULT_ID_SECRET: 'short',
    };
    expect(faultOf(wrong).split('\n').slice(1).toSorted()).toEqual([
      '  BODY_LIMIT_BYTES: must be a whole number from 1024 to 67108864',
      '  KAFKA_SSL: must be one of true, false, 1, 0, yes, no, on and off',
      '  LOG_LEVEL: must be one of debug, info, warn, error, silent',
      '  PORT: must be a whole number from 0 to 65535',
      '  REPLY_TIMEOUT_MS: must be a whole number from 1 to 600000',
      '  RESULT_ID_SECRET: must have at least 16 characters',
    ]);
    expect(loadConfig({ BODY_LIMIT_BYTES: '1024' }).http.bodyLimitBytes).toBe(1_024);
  });

  it('rejects time limits and retry tiers beyond the retention of their topics', () => {
    const wrong = {
      NOTIFICATION_TIME_LIMIT: '145h',
      NOTIFICATION_RETRY_TIERS: '10s,49h',
    };
    expect(faultOf(wrong).split('\n').slice(1).toSorted()).toEqual([
      '  NOTIFICATION_RETRY_TIERS: must hold durations of 48h at most: outcomes are kept for 72h',
      '  NOTIFICATION_TIME_LIMIT: must be 144h at most: commands are kept for 168h',
    ]);
    const longest = { NOTIFICATION_TIME_LIMIT: '144h', NOTIFICATION_RETRY_TIERS: '10s,48h' };
    expect(loadConfig(longest).notification).toMatchObject({
      retryTiersMs: [10_000, 48 * 3_600_000],
      timeLimitMs: 144 * 3_600_000,
    });
  });

  it('keeps the outbox in the data folder', () => {
    expect(paths({})).toBe('var/data/outbox');
    expect(paths({ DATA_DIR: '/srv/one' })).toBe('/srv/one/outbox');
    expect(paths({ DATA_DIR: 'memory' })).toBe('var/outbox');
  });

  it('rejects a provider configuration with DATA_DIR=memory', () => {
    const onDisk = { NOTIFICATION_CONFIG_FILE: 'providers.json' };
    const file = { ...onDisk, DATA_DIR: 'memory' };
    expect(loadConfig(onDisk)).toMatchObject({
      dataFolder: 'var/data',
      notification: { configFile: 'providers.json' },
    });
    expect(loadConfig({ DATA_DIR: 'memory' }).dataFolder).toBeUndefined();
    expect(faultOf(file)).toMatch(
      /NOTIFICATION_CONFIG_FILE needs a DATA_DIR or KAFKA_BROKERS: .*loses those that were accepted/,
    );
    expect(loadConfig({ ...file, KAFKA_BROKERS: 'a:1' }).notification.configFile).toBe('providers.json');
    expect(loadConfig({}).notification.configFile).toBeUndefined();
  });

  it.each(['SCHEMA_REGISTRY_URL', 'KAFKA_SASL_OAUTH_TOKEN_URL', 'AUTH_JWKS_URL'])(
    'rejects credentials in the address %s without repeating them',
    (name) => {
      const fault = faultOf({ [name]: 'https://joe:onyx8842@registry.example/path' });
      expect(fault).toMatch(new RegExp(`${name}: must not contain a user or password`));
      expect(fault).not.toContain('onyx8842');
      expect(faultOf({ [name]: 'https://joe@registry.example' })).toContain(name);
    },
  );

  it('reads the quotas of notifications, and has none by default', () => {
    expect(loadConfig({}).notification.quotas).toBeUndefined();
    const { quotas } = loadConfig({
      NOTIFICATION_COUNTRIES: 'RO, MD',
      NOTIFICATION_QUOTA_COUNTRY: 'RO=100000,*=0',
      NOTIFICATION_QUOTA_CALLER: '5',
    }).notification;
    expect(quotas).toMatchObject({ countries: ['RO', 'MD'], perCaller: 5 });
    expect([...(quotas?.perCountry ?? [])]).toEqual([
      ['RO', 100_000],
      ['*', 0],
    ]);
  });

  it.each([
    ['NOTIFICATION_COUNTRIES', 'Romania'],
    ['NOTIFICATION_QUOTA_COUNTRY', 'RO=1,RO=2'],
    ['NOTIFICATION_QUOTA_COUNTRY', 'ro=1'],
    ['NOTIFICATION_QUOTA_CALLER', '0'],
  ])('rejects %s=%s', (name, value) => {
    expect(faultOf({ [name]: value })).toContain(name);
  });

  it('rejects a receiver quota on Kafka without the key of the hashes', () => {
    const receiver = { NOTIFICATION_QUOTA_RECEIVER: '5' };
    expect(faultOf({ ...receiver, KAFKA_BROKERS: 'a:1' })).toContain('RESULT_ID_SECRET');
    expect(loadConfig(receiver).notification.quotas?.perReceiver).toBe(5);
  });

  it('rejects contradictory settings by name', () => {
    expect(faultOf({ KAFKA_BROKERS: 'a:1', KAFKA_SASL_MECHANISM: 'plain' })).toContain('KAFKA_SASL_USERNAME');
    const keys = { AUTH_JWT_SECRET: 'x'.repeat(32), AUTH_JWKS_URL: 'https://issuer.example/keys' };
    expect(faultOf(keys)).toContain('set only one of AUTH_JWT_SECRET and AUTH_JWKS_URL');
  });

  it('rejects secrets and keys that would cross a network in plain text', () => {
    const sasl = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' };
    const remote = {
      KAFKA_BROKERS: '127.0.0.1:1,kafka:9092',
      ...sasl,
      KAFKA_SASL_OAUTH_TOKEN_URL: 'http://issuer.example/token',
      SCHEMA_REGISTRY_URL: 'http://registry:8080',
      SCHEMA_REGISTRY_PASSWORD: 'p',
      AUTH_JWKS_URL: 'http://issuer.example/keys',
    };
    const named = faultsOf(remote).map((fault) => fault.split(' ', 1)[0]);
    expect(named).toEqual([
      'KAFKA_SASL_MECHANISM',
      'SCHEMA_REGISTRY_PASSWORD',
      'KAFKA_SASL_OAUTH_TOKEN_URL',
      'AUTH_JWKS_URL',
    ]);
    const secured = {
      ...remote,
      KAFKA_SSL: 'true',
      KAFKA_SASL_OAUTH_TOKEN_URL: 'https://issuer.example/token',
      SCHEMA_REGISTRY_URL: 'https://registry:8080',
      AUTH_JWKS_URL: 'https://issuer.example/keys',
    };
    expect(loadConfig(secured).kafka?.sasl?.mechanism).toBe('plain');
    const local = {
      ...sasl,
      KAFKA_BROKERS: 'localhost:1,[::1]:2,127.0.0.1:3',
      SCHEMA_REGISTRY_URL: 'http://[::1]:8080',
      SCHEMA_REGISTRY_PASSWORD: 'p',
      AUTH_JWKS_URL: 'http://localhost/keys',
    };
    expect(loadConfig(local).kafka?.ssl).toBeUndefined();
    const scram = { ...sasl, KAFKA_BROKERS: 'kafka:9092', KAFKA_SASL_MECHANISM: 'scram-sha-512' };
    expect(loadConfig(scram).kafka?.sasl?.mechanism).toBe('scram-sha-512');
  });

  it('rejects TLS files while TLS is off', () => {
    const files = { KAFKA_SSL_CA_FILE: 'ca', KAFKA_SSL_CERT_FILE: 'cert', KAFKA_SSL_KEY_FILE: 'key' };
    expect(faultsOf({ KAFKA_BROKERS: 'a:1', ...files })).toEqual([
      'KAFKA_SSL_CA_FILE has no effect without KAFKA_SSL=true',
      'KAFKA_SSL_CERT_FILE has no effect without KAFKA_SSL=true',
      'KAFKA_SSL_KEY_FILE has no effect without KAFKA_SSL=true',
    ]);
    expect(loadConfig({ KAFKA_BROKERS: 'a:1', KAFKA_SSL: 'on', ...files }).kafka?.ssl?.caFile).toBe('ca');
  });

  it('reports contradictions together with invalid settings', () => {
    const faults = faultsOf({ PORT: 'http', KAFKA_SSL_CA_FILE: 'ca', AUTH_AUDIENZ: 'x' });
    expect(faults).toEqual([
      'AUTH_AUDIENZ: there is no such setting; did you mean AUTH_AUDIENCE?',
      'PORT: must be a whole number from 0 to 65535',
      'KAFKA_SSL_CA_FILE has no effect without KAFKA_SSL=true',
    ]);
  });

  it('rejects unknown names with a known prefix and suggests the most similar setting', () => {
    expect(
      faultsOf({
        KAFKA_BROKER: 'secret-value',
        AUTH_JWKS_URI: 'secret-value',
        AUTH_JWT_SECRETFILE: 'secret-value',
        NOTIFICATION_PROVIDERS_AND_OTHERS: 'secret-value',
      }),
    ).toEqual([
      'KAFKA_BROKER: there is no such setting; did you mean KAFKA_BROKERS?',
      'AUTH_JWKS_URI: there is no such setting; did you mean AUTH_JWKS_URL?',
      'AUTH_JWT_SECRETFILE: there is no such setting; did you mean AUTH_JWT_SECRET_FILE?',
      'NOTIFICATION_PROVIDERS_AND_OTHERS: there is no such setting',
    ]);
    expect(loadConfig({ KAFKA_BROKER: '', HOME: '/home/u', AUTHOR: 'u' }).kafka).toBeUndefined();
  });

  it('ignores variables of Kafka scripts and Kubernetes services', () => {
    const foreign = [
      'KAFKA_HOME',
      'KAFKA_OPTS',
      'KAFKA_HEAP_OPTS',
      'KAFKA_JVM_PERFORMANCE_OPTS',
      'KAFKA_CACHE_DIR',
      'KAFKA_PORT',
      'KAFKA_SERVICE_HOST',
      'KAFKA_SERVICE_PORT',
      'KAFKA_UI_SERVICE_PORT_HTTP',
      'KAFKA_PORT_9092_TCP_ADDR',
      'AUTH_SERVICE_HOST',
      'NOTIFICATION_PORT_8081_TCP',
      'NOTIFICATION_SERVICE_PORT',
    ];
    expect(loadConfig(Object.fromEntries(foreign.map((name) => [name, 'x']))).kafka).toBeUndefined();
  });

  it('requires an audience of tokens by default', () => {
    expect(loadConfig({}).auth.audience).toBe('banking-product-engine');
  });

  it('reads allowed hosts in lower case and rejects schemes and ports', () => {
    expect(loadConfig({ ALLOWED_HOSTS: 'Bank.example, [FD00::1],10.0.0.1' }).http.allowedHosts).toEqual([
      'bank.example',
      '[fd00::1]',
      '10.0.0.1',
    ]);
    for (const wrong of ['https://bank.example', 'bank.example:443', '*', 'a b', '.bank.example']) {
      expect(faultOf({ ALLOWED_HOSTS: wrong })).toContain('ALLOWED_HOSTS: must hold host names or addresses');
    }
  });

  it('accepts http and https addresses only', () => {
    const url = 'https://issuer.example/keys';
    expect(loadConfig({ AUTH_JWKS_URL: url }).auth.jwksUrl).toBe(url);
    for (const other of [
      'ftp://issuer.example/keys',
      'javascript:alert(1)',
      'issuer.example:443',
      'file:///keys',
    ]) {
      expect(faultOf({ AUTH_JWKS_URL: other })).toContain('AUTH_JWKS_URL: must be an http or https address');
    }
  });

  it('reads a secret from a file and does not repeat a secret in an error', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'config-'));
    try {
      const file = path.join(folder, 'secret');
      writeFileSync(file, `${'s'.repeat(40)}\n`);
      expect(loadConfig({ AUTH_JWT_SECRET_FILE: file }).auth.jwtSecret).toBe('s'.repeat(40));
      expect(faultOf({ AUTH_JWT_SECRET: 'short-secret' })).not.toContain('short-secret');
      expect(faultOf({ AUTH_JWT_SECRET_FILE: path.join(folder, 'absent') })).toContain(
        'AUTH_JWT_SECRET_FILE',
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

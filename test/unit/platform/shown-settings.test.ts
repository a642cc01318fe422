import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../shared/platform/load-config.ts';

const stateOf = (env: Record<string, string>, name: string) =>
  loadConfig(env).settings.find((setting) => setting.name === name);

it('settings that were not set have their defaults, written as they would be set', () => {
  expect(stateOf({}, 'PORT')).toEqual({ name: 'PORT', source: 'default', value: '8080' });
  expect(stateOf({}, 'NOTIFICATION_RETRY_TIERS')?.value).toBe('10s,1m,10m,1h');
  expect(stateOf({}, 'NOTIFICATION_TIME_LIMIT')?.value).toBe('24h');
  expect(stateOf({}, 'KAFKA_SSL')?.value).toBe('false');
  expect(stateOf({}, 'DEFAULT_HOLIDAY_CALENDAR')).toEqual({
    name: 'DEFAULT_HOLIDAY_CALENDAR',
    source: 'default',
  });
});

it('settings that were set have their text', () => {
  expect(stateOf({ NOTIFICATION_RETRY_TIERS: '5s,1m' }, 'NOTIFICATION_RETRY_TIERS')).toEqual({
    name: 'NOTIFICATION_RETRY_TIERS',
    source: 'set',
    value: '5s,1m',
  });
});

it('no value of a secret, user, address or path is contained, wherever it comes from', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'planted-file');
  writeFileSync(file, 'planted-password-of-a-file');
  const { settings } = loadConfig({
    KAFKA_BROKERS: 'planted-broker:9092',
    KAFKA_SSL: 'true',
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: 'planted-user',
    KAFKA_SASL_PASSWORD_FILE: file,
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
  const sources = new Map(settings.map(({ name, source }) => [name, source]));
  expect(sources.get('KAFKA_SASL_PASSWORD')).toBe('file');
  expect(sources.get('AUTH_JWT_SECRET')).toBe('set');
  expect(sources.get('KAFKA_BROKERS')).toBe('set');
  expect(sources.get('AUTH_JWKS_URL')).toBe('default');
});

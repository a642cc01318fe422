import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../shared/platform/config.ts';
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

describe('configuration', () => {
  it('needs no setting at all: embedded broker, loopback, the limits of E6', () => {
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

  it('reads the countries and calendars of due dates, none by default (H2)', () => {
    expect(loadConfig({}).lending).toEqual({ holidayCountries: [] });
    const env = {
      DEFAULT_HOLIDAY_CALENDAR: 'RO+TARGET',
      HOLIDAY_COUNTRIES: 'SE, Norway',
      CATALOGUE_FOLDER: '/c',
    };
    expect(loadConfig(env).lending).toEqual({
      defaultHolidayCalendar: 'RO+TARGET',
      holidayCountries: ['SE', 'Norway'],
      catalogueFolder: '/c',
    });
    expect(faultOf({ HOLIDAY_COUNTRIES: ' , ' })).toContain('HOLIDAY_COUNTRIES');
  });

  it('reads the lanes of a schedule worker, both by default, and names those that there are', () => {
    expect(loadConfig({}).scheduleLanes).toEqual(['interactive', 'bulk']);
    expect(loadConfig({ SCHEDULE_LANES: 'bulk' }).scheduleLanes).toEqual(['bulk']);
    expect(faultOf({ SCHEDULE_LANES: 'bulk,night' })).toContain('must be one of interactive, bulk');
    expect(faultOf({ SCHEDULE_LANES: 'bulk,bulk' })).toContain('SCHEDULE_LANES: must not name one twice');
    expect(faultOf({ SCHEDULE_LANES: ' , ' })).toContain('SCHEDULE_LANES: must name at least one');
  });

  it('treats an empty variable as absent, as containers pass them', () => {
    expect(loadConfig({ KAFKA_BROKERS: '', PORT: '' }).http.port).toBe(8_080);
  });

  it('names every wrong setting at once', () => {
    const message = faultOf({ PORT: '70000', LOG_LEVEL: 'loud', SCHEMA_REGISTRY_URL: 'nowhere' });
    expect(message).toContain('PORT');
    expect(message).toContain('LOG_LEVEL');
    expect(message).toContain('SCHEMA_REGISTRY_URL');
  });

  it('tells a wrong setting once, in words that say what is allowed', () => {
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

  it('refuses time limits and retry tiers that outlast what is kept, and says how long they may be', () => {
    const wrong = {
      NOTIFICATION_TIME_LIMIT_SMS: '145h',
      NOTIFICATION_TIME_LIMIT_EMAIL: '999999h',
      NOTIFICATION_RETRY_TIERS: '10s,49h',
    };
    expect(faultOf(wrong).split('\n').slice(1).toSorted()).toEqual([
      '  NOTIFICATION_RETRY_TIERS: must hold durations of 48h at most: outcomes are kept for 72h',
      '  NOTIFICATION_TIME_LIMIT_EMAIL: must be 144h at most: commands are kept for 168h',
      '  NOTIFICATION_TIME_LIMIT_SMS: must be 144h at most: commands are kept for 168h',
    ]);
    const longest = { NOTIFICATION_TIME_LIMIT_SMS: '144h', NOTIFICATION_RETRY_TIERS: '10s,48h' };
    expect(loadConfig(longest).notification).toMatchObject({
      retryTiersMs: [10_000, 48 * 3_600_000],
      timeLimitMs: { sms: 144 * 3_600_000 },
    });
  });

  it('refuses contradictions by name', () => {
    expect(faultOf({ KAFKA_BROKERS: 'a:1', KAFKA_SASL_MECHANISM: 'plain' })).toContain('KAFKA_SASL_USERNAME');
    expect(faultOf({ AUTH_JWT_SECRET: 'x'.repeat(32), AUTH_JWKS_FILE: 'keys.json' })).toContain(
      'AUTH_JWKS_FILE',
    );
  });

  it('takes addresses that can be fetched only', () => {
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

  it('reads a secret from a file and never repeats a secret in an error', () => {
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

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  asContainerEnvironment,
  brokerSettings,
} from '../../../../scripts/dev/local-kafka/broker-settings.ts';
import {
  KAFKA_IMAGE,
  REGISTRY_CONFLUENT_PATH,
  REGISTRY_IMAGE,
} from '../../../../scripts/dev/local-kafka/versions.ts';
import { START_TIMEOUT_MS } from '../../../../shared/messaging/start-wait.ts';
import { WORKER_NAMES } from '../../../../workers/worker-list.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const compose = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');
const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');

/** A duration of a health check in the syntax of either file. */
function secondsOf(check: string, name: string): number {
  return Number(new RegExp(`(?:^ +|--)${name}(?:: |=)(\\d+)s`, 'm').exec(check)?.[1]);
}

describe('docker-compose.yml', () => {
  it('uses the versions with which the tests run', () => {
    expect(compose).toContain(`image: ${KAFKA_IMAGE}\n`);
    expect(compose).toContain(`image: ${REGISTRY_IMAGE}\n`);
    expect(compose).toContain(`http://registry:8080${REGISTRY_CONFLUENT_PATH}\n`);
  });

  it('gives its broker the same values as the test broker', () => {
    const expected = asContainerEnvironment(brokerSettings(1));
    const given = [...compose.matchAll(/^ {6}(KAFKA_[A-Z_]+): '([^']*)'$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    const shared = given.filter(([name]) => name !== undefined && name in expected);
    expect(shared.length).toBeGreaterThan(5);
    expect(Object.fromEntries(shared)).toEqual(
      Object.fromEntries(shared.map(([name]) => [name, expected[name ?? '']])),
    );
  });

  it('has a service for every worker', () => {
    for (const worker of WORKER_NAMES) expect(compose).toContain(`[workers/main.ts, ${worker}]`);
  });

  it('builds the image once and never pulls it', () => {
    expect(compose.match(/^ +build: /gm)).toHaveLength(1);
    expect(compose).toMatch(/^ {2}topics:\n {4}<<: \*job\n {4}build: \.\n {4}pull_policy: build$/m);
    expect(compose.match(/image: banking-product-engine:local\n {2}pull_policy: never$/gm)).toHaveLength(1);
  });

  it('allows slow starts on a busy machine and checks healthy containers rarely', () => {
    const checks = [...compose.matchAll(/^ {4}healthcheck:\n((?: {6,}.*\n)+)/gm)].map(
      ([, body = '']) => body,
    );
    expect(checks).toHaveLength(3);
    for (const check of [...checks, dockerfile]) {
      expect(secondsOf(check, 'timeout')).toBeGreaterThanOrEqual(10);
      expect(secondsOf(check, 'interval')).toBeGreaterThanOrEqual(15);
      expect(secondsOf(check, 'start.interval')).toBeLessThanOrEqual(3);
      expect(secondsOf(check, 'start.period')).toBeGreaterThanOrEqual(60);
    }
    const waitSeconds = START_TIMEOUT_MS / 1_000;
    expect(secondsOf(dockerfile, 'start.period')).toBeGreaterThan(waitSeconds);
  });

  it('has providers for the SMS and the e-mail in the README', () => {
    const file = path.join(root, 'docs/providers/mail-catcher.json');
    expect(compose.match(/\$\{PROVIDERS:-\.\/docs\/providers\/mail-catcher\.json\}/g)).toHaveLength(2);
    const channels = [...readFileSync(file, 'utf8').matchAll(/"communication-channel": "(\w+)"/g)];
    expect(channels.map(([, channel]) => channel)).toEqual(['email', 'sms']);
  });

  it('publishes its ports only on this machine', () => {
    const published = [...compose.matchAll(/^ +ports: \['([^']+)'\]$/gm)].map((match) => match[1]);
    expect(published.length).toBeGreaterThan(3);
    expect(compose.match(/^ +ports:/gm)).toHaveLength(published.length);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
  });
});

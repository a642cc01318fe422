import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asContainerEnvironment, brokerSettings } from '../../../scripts/local-kafka/broker-settings.ts';
import {
  KAFKA_IMAGE,
  REGISTRY_CONFLUENT_PATH,
  REGISTRY_IMAGE,
} from '../../../scripts/local-kafka/versions.ts';
import { WORKER_NAMES } from '../../../workers/catalogue.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const compose = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');

describe('docker-compose.yml', () => {
  it('uses the versions that the tests run against', () => {
    expect(compose).toContain(`image: ${KAFKA_IMAGE}\n`);
    expect(compose).toContain(`image: ${REGISTRY_IMAGE}\n`);
    expect(compose).toContain(`http://registry:8080${REGISTRY_CONFLUENT_PATH}\n`);
  });

  it('runs its broker with the settings of the test broker where it has any', () => {
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

  it('publishes its ports on this machine only', () => {
    const published = [...compose.matchAll(/^ +ports: \['([^']+)'\]$/gm)].map((match) => match[1]);
    expect(published.length).toBeGreaterThan(3);
    expect(compose.match(/^ +ports:/gm)).toHaveLength(published.length);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
  });
});

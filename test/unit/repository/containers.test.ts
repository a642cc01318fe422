import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import {
  KAFKA_IMAGE,
  REGISTRY_CONFLUENT_PATH,
  REGISTRY_IMAGE,
} from '../../../scripts/dev/local-kafka/fetch-artifacts.ts';
import { WORKER_NAMES } from '../../../workers/worker-list.ts';

const compose = readFileSync(path.resolve(import.meta.dirname, '../../../docker-compose.yml'), 'utf8');

it('docker-compose.yml uses the versions of the tests, and has a service for every worker', () => {
  expect(compose).toContain(`image: ${KAFKA_IMAGE}\n`);
  expect(compose).toContain(`image: ${REGISTRY_IMAGE}\n`);
  expect(compose).toContain(`http://registry:8080${REGISTRY_CONFLUENT_PATH}\n`);
  for (const worker of WORKER_NAMES) expect(compose).toContain(`[workers/main.ts, ${worker}]`);
});

it('docker-compose.yml publishes its ports only on this machine', () => {
  const published = [...compose.matchAll(/^ +ports: \['([^']+)'\]$/gm)].map((match) => match[1]);
  expect(published.length).toBeGreaterThan(3);
  expect(compose.match(/^ +ports:/gm)).toHaveLength(published.length);
  for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
});

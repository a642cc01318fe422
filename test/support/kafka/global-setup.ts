import type { TestProject } from 'vitest/node';
import { type KafkaAddress, type KafkaUnavailable, type StartedKafka, provideKafka } from './provider.ts';

/**
 * Global set-up of the test levels with Kafka: each run has one Kafka, which starts before the first level and stops
 * after the last. Vitest loads this file once per project, so the shared state is stored on the process object.
 */
declare module 'vitest' {
  export interface ProvidedContext {
    kafka: KafkaAddress | KafkaUnavailable;
  }
}

interface Shared {
  kafka?: Promise<StartedKafka | KafkaUnavailable>;
  users: number;
}

const KEY = Symbol.for('banking-product-engine.test-kafka');
const holder = globalThis as typeof globalThis & { [KEY]?: Shared };

export async function setup(project: TestProject): Promise<void> {
  const shared = (holder[KEY] ??= { users: 0 });
  shared.users += 1;
  shared.kafka ??= start();
  const kafka = await shared.kafka;
  project.provide('kafka', 'address' in kafka ? kafka.address : kafka);
}

export async function teardown(): Promise<void> {
  const shared = holder[KEY];
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  delete holder[KEY];
  const kafka = await shared.kafka;
  if (kafka !== undefined && 'stop' in kafka) await kafka.stop();
}

async function start(): Promise<StartedKafka | KafkaUnavailable> {
  const startedAt = performance.now();
  const kafka = await provideKafka(process.env);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const fate =
    'address' in kafka || !(kafka.isFault || process.env['CI'] === 'true') ? 'are skipped' : 'fail';
  process.stderr.write(
    'address' in kafka
      ? `Kafka for the tests: ${kafka.address.brokers.join(',')} (${kafka.address.source}, ${seconds} s)\n`
      : `!!! NO KAFKA: the suites that need it ${fate}: ${kafka.unavailable}\n`,
  );
  return kafka;
}

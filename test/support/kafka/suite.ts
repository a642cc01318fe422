import { describe, inject } from 'vitest';
import type { KafkaAddress } from './provider.ts';

type KafkaWithRegistry = KafkaAddress & { readonly registryUrl: string };

/** For a test file that needs Kafka: its address, and the `describe` for its tests. */
export interface KafkaSuite<Address> {
  readonly kafka: Address;
  /** Skips its tests on a machine without Kafka; `npm test` lists them. */
  readonly suite: typeof describe | typeof describe.skip;
}

/** Registers the tests of a skipped suite without running them. */
const NOWHERE: KafkaWithRegistry = { brokers: [], registryUrl: '', source: 'environment' };

/**
 * Call at the top of a test file of a level with Kafka (conformance, integration, system). Throws, which fails the
 * file, if Kafka is unavailable but required: with CI=true, or after a failure.
 */
export function kafkaOrSkip(): KafkaSuite<KafkaAddress> {
  const kafka = inject('kafka');
  if ('brokers' in kafka) return { kafka, suite: describe };
  return leaveOut(kafka.unavailable, kafka.isFault);
}

/** The same for a file that also needs the schema registry. */
export function registryOrSkip(): KafkaSuite<KafkaWithRegistry> {
  const kafka = inject('kafka');
  if (!('brokers' in kafka)) return leaveOut(kafka.unavailable, kafka.isFault);
  const { registryUrl } = kafka;
  if (registryUrl === undefined) {
    return leaveOut('KAFKA_BROKERS is set but SCHEMA_REGISTRY_URL is not', false);
  }
  return { kafka: { ...kafka, registryUrl }, suite: describe };
}

function leaveOut(reason: string, isFault: boolean): KafkaSuite<KafkaWithRegistry> {
  if (isFault || process.env['CI'] === 'true') throw new Error(`no Kafka: ${reason} (docs/real-kafka.md)`);
  return { kafka: NOWHERE, suite: describe.skip };
}

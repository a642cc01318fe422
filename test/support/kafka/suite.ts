import { describe, inject } from 'vitest';
import type { KafkaAddress } from './provider.ts';

type KafkaWithRegistry = KafkaAddress & { readonly registryUrl: string };

/** For a test file that needs Kafka: where it is, and the `describe` to put the tests into. */
export interface KafkaSuite<Address> {
  readonly kafka: Address;
  /** Leaves its tests out, by name (`npm test` lists them), on a machine that has no Kafka. */
  readonly suite: typeof describe | typeof describe.skip;
}

/** Lets the tests of a suite that is left out be named; none of them runs. */
const NOWHERE: KafkaWithRegistry = { brokers: [], registryUrl: '', source: 'environment' };

/**
 * Call at the top of a test file of a level with Kafka (conformance, integration, system). Throws, and so fails the file,
 * when Kafka is not there although it should be: with CI=true, or because something broke.
 */
export function kafkaOrSkip(): KafkaSuite<KafkaAddress> {
  const kafka = inject('kafka');
  if ('brokers' in kafka) return { kafka, suite: describe };
  return leaveOut(kafka.unavailable, kafka.isFault);
}

/** The same for a file that needs the schema registry too. */
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

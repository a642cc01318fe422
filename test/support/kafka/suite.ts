import { describe, inject } from 'vitest';
import type { KafkaAddress } from './provider.ts';

type KafkaWithRegistry = KafkaAddress & { readonly registryUrl: string };

type KafkaSuite<Address> = Readonly<{ kafka: Address; suite: typeof describe | typeof describe.skip }>;

const NOWHERE: KafkaWithRegistry = { brokers: [], registryUrl: '', source: 'environment' };

/** Throws, which fails the file, if Kafka is unavailable but required: with CI=true, or after a failure. */
export function kafkaOrSkip(): KafkaSuite<KafkaAddress> {
  const kafka = inject('kafka');
  if ('brokers' in kafka) return { kafka, suite: describe };
  return leaveOut(kafka.unavailable, kafka.isFault);
}

export function registryOrSkip(): KafkaSuite<KafkaWithRegistry> {
  const kafka = inject('kafka');
  if (!('brokers' in kafka)) return leaveOut(kafka.unavailable, kafka.isFault);
  const { registryUrl } = kafka;
  if (registryUrl === undefined)
    return leaveOut('KAFKA_BROKERS is set but SCHEMA_REGISTRY_URL is not', false);
  return { kafka: { ...kafka, registryUrl }, suite: describe };
}

function leaveOut(reason: string, isFault: boolean): KafkaSuite<KafkaWithRegistry> {
  if (isFault || process.env['CI'] === 'true') throw new Error(`no Kafka: ${reason} (docs/real-kafka.md)`);
  return { kafka: NOWHERE, suite: describe.skip };
}

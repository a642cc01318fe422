import type { KafkaBroker, KafkaBrokerOptions } from './common/kafka-broker.ts';

/** The client libraries for Kafka (setting KAFKA_CLIENT). */
export type KafkaClientName = 'kafkajs' | 'platformatic';

/**
 * Creates the broker port on Apache Kafka with the adapter of this client, whose code alone is loaded. Rejects with ConfigError
 * on an invalid address or an unreadable certificate.
 */
export async function openKafkaBroker(
  options: KafkaBrokerOptions & { readonly client: KafkaClientName },
): Promise<KafkaBroker> {
  if (options.client === 'platformatic') {
    const { createPlatformaticBroker } = await import('./platformatic/broker.ts');
    return createPlatformaticBroker(options);
  }
  const { createKafkajsBroker } = await import('./kafkajs/broker.ts');
  return createKafkajsBroker(options);
}

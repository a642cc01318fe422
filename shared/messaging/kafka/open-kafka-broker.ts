import { createKafkaBroker, type KafkaBroker, type KafkaBrokerOptions } from './common/kafka-broker.ts';

/** The client libraries for Kafka (setting KAFKA_CLIENT). */
export type KafkaClientName = 'kafkajs' | 'platformatic';

/**
 * Creates the broker port on Apache Kafka. kafkajs reads, joins groups and administers for both clients; the producer is that of this
 * client, and @platformatic/kafka is loaded only where it is used. Rejects with ConfigError on an invalid address or an unreadable
 * certificate.
 */
export async function openKafkaBroker(
  options: KafkaBrokerOptions & { readonly client: KafkaClientName },
): Promise<KafkaBroker> {
  if (options.client === 'kafkajs') return createKafkaBroker(options);
  const { platformaticProducers } = await import('./platformatic/producer.ts');
  return createKafkaBroker(options, platformaticProducers(options));
}

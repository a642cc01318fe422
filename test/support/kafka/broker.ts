import { createKafkajsBroker } from '../../../shared/messaging/kafka/broker.ts';
import type { KafkaBroker, KafkaBrokerOptions } from '../../../shared/messaging/kafka/kafka-broker.ts';
import { createPlatformaticBroker } from '../../../shared/messaging/kafka-platformatic/broker.ts';

/** The Kafka client under test: that of the environment variable KAFKA_CLIENT, which is also passed to processes. */
export const KAFKA_CLIENT = process.env['KAFKA_CLIENT'] ?? 'kafkajs';

/** A broker with the client under test. */
export function createKafkaBroker(options: KafkaBrokerOptions): KafkaBroker {
  return KAFKA_CLIENT === 'platformatic' ? createPlatformaticBroker(options) : createKafkajsBroker(options);
}

import {
  createKafkaBroker as createBroker,
  type KafkaBroker,
  type KafkaBrokerOptions,
  type KafkaClientName,
} from '../../../shared/messaging/kafka/kafka-broker.ts';
import { platformaticProducers } from '../../../shared/messaging/kafka/platformatic-producer.ts';

/** The Kafka client under test: that of the environment variable KAFKA_CLIENT, which is also passed to processes. */
export const KAFKA_CLIENT: KafkaClientName =
  process.env['KAFKA_CLIENT'] === 'platformatic' ? 'platformatic' : 'kafkajs';

/** The clients on which the suites run that test the adapters themselves: both, unless the variable selects one. */
export const TESTED_CLIENTS: readonly KafkaClientName[] =
  process.env['KAFKA_CLIENT'] === undefined ? ['kafkajs', 'platformatic'] : [KAFKA_CLIENT];

export function createKafkaBroker(options: KafkaBrokerOptions, client = KAFKA_CLIENT): KafkaBroker {
  return createBroker(options, client === 'platformatic' ? platformaticProducers(options) : undefined);
}

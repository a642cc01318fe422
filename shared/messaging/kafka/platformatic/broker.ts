import { createKafkaBroker, type KafkaBroker, type KafkaBrokerOptions } from '../common/kafka-broker.ts';
import { KafkaAdmin } from '../kafkajs/admin.ts';
import { kafkajsClients } from '../kafkajs/connection/client.ts';
import { kafkajsMemberships } from '../kafkajs/consuming/membership.ts';
import { platformaticClients } from './connection/client.ts';
import { platformaticFetches } from './consuming/fetch.ts';
import { platformaticProducers } from './publishing/producer.ts';

/**
 * Implements the broker port on Apache Kafka with @platformatic/kafka, which sends and fetches all messages, and kafkajs. Throws ConfigError on an invalid address or an unreadable
 * certificate.
 */
export function createPlatformaticBroker(options: KafkaBrokerOptions): KafkaBroker {
  const { createClient, libraryOptions } = platformaticClients(options);
  const createKafkajsClient = kafkajsClients(options);
  return createKafkaBroker(options, {
    admin: new KafkaAdmin(createKafkajsClient, `${options.clientId}.admin`),
    connectProducer: platformaticProducers(libraryOptions),
    createFetchClient: platformaticFetches(createClient),
    createMembership: kafkajsMemberships(createKafkajsClient),
  });
}

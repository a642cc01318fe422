import { createKafkaBroker, type KafkaBroker, type KafkaBrokerOptions } from '../common/kafka-broker.ts';
import { KafkaAdmin } from '../kafkajs/admin.ts';
import { kafkajsClients } from '../kafkajs/connection/client.ts';
import { platformaticClients } from './connection/client.ts';
import { platformaticFetches } from './consuming/fetch.ts';
import { platformaticMemberships } from './consuming/membership.ts';
import { platformaticProducers } from './publishing/producer.ts';

/**
 * Implements the broker port on Apache Kafka with @platformatic/kafka. Throws ConfigError on an invalid address or an unreadable
 * certificate.
 */
export function createPlatformaticBroker(options: KafkaBrokerOptions): KafkaBroker {
  const { createClient, libraryOptions } = platformaticClients(options);
  const admin = new KafkaAdmin(kafkajsClients(options), `${options.clientId}.admin`);
  return createKafkaBroker(options, {
    admin,
    connectProducer: platformaticProducers(libraryOptions),
    createFetchClient: platformaticFetches(createClient),
    createMembership: platformaticMemberships(libraryOptions),
  });
}

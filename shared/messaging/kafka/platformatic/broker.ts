import { KafkaAdmin } from '../common/admin.ts';
import { createKafkaBroker, type KafkaBroker, type KafkaBrokerOptions } from '../common/kafka-broker.ts';
import { platformaticAdmin } from './admin.ts';
import { platformaticClients } from './connection/client.ts';
import { platformaticFetches } from './consuming/fetch.ts';
import { platformaticMemberships } from './consuming/membership.ts';
import { platformaticProducers } from './publishing/producer.ts';

/**
 * Implements the broker port on Apache Kafka with @platformatic/kafka. Throws ConfigError on an invalid address or an unreadable
 * certificate.
 */
export function createPlatformaticBroker(options: KafkaBrokerOptions): KafkaBroker {
  const { clientId, log } = options;
  const clients = platformaticClients(options, log);
  const { createClient, libraryOptions } = clients;
  const admin = new KafkaAdmin(platformaticAdmin(clients, `${clientId}.admin`));
  return createKafkaBroker(options, {
    admin,
    connectProducer: platformaticProducers(libraryOptions),
    createFetchClient: platformaticFetches(createClient),
    createMembership: platformaticMemberships(libraryOptions),
  });
}

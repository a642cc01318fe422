import { createKafkaBroker, type KafkaBroker, type KafkaBrokerOptions } from '../common/kafka-broker.ts';
import { KafkaAdmin } from './admin.ts';
import { kafkajsClients } from './connection/client.ts';
import { kafkajsFetches } from './consuming/fetch.ts';
import { kafkajsMemberships } from './consuming/membership.ts';
import { kafkajsProducers } from './publishing/producer.ts';

/**
 * Implements the broker port on Apache Kafka with kafkajs. Throws ConfigError on an invalid address or an unreadable
 * certificate.
 */
export function createKafkajsBroker(options: KafkaBrokerOptions): KafkaBroker {
  const createClient = kafkajsClients(options);
  const admin = new KafkaAdmin(createClient, `${options.clientId}.admin`);
  return createKafkaBroker(options, {
    admin,
    connectProducer: kafkajsProducers(createClient),
    createFetchClient: kafkajsFetches(createClient),
    createMembership: kafkajsMemberships(createClient),
  });
}

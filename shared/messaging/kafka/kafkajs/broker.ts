import { KafkaAdmin } from '../common/admin.ts';
import { createKafkaBroker, type KafkaBroker, type KafkaBrokerOptions } from '../common/kafka-broker.ts';
import { kafkajsAdmin } from './admin.ts';
import { kafkajsClients } from './connection/client.ts';
import { kafkajsFetches } from './consuming/fetch.ts';
import { kafkajsMemberships } from './consuming/membership.ts';
import { kafkajsProducers } from './publishing/producer.ts';

/**
 * Implements the broker port on Apache Kafka with kafkajs. Throws ConfigError on an invalid address or an unreadable
 * certificate.
 */
export function createKafkajsBroker(options: KafkaBrokerOptions): KafkaBroker {
  const { clientId, log } = options;
  const createClient = kafkajsClients(options, log);
  const admin = new KafkaAdmin(kafkajsAdmin(createClient, `${clientId}.admin`));
  return createKafkaBroker(options, {
    admin,
    connectProducer: kafkajsProducers(createClient),
    createFetchClient: kafkajsFetches(createClient),
    createMembership: kafkajsMemberships(createClient),
  });
}

import { systemClock } from '../../../platform/clock.ts';
import { KafkajsAdmin } from './admin.ts';
import { kafkajsClients } from './connection/client.ts';
import type { KafkaBroker, KafkaBrokerOptions } from '../common/kafka-broker.ts';
import { KafkajsGroupSource } from './consuming/group-source.ts';
import { ProducerConnection } from './publishing/producer-connection.ts';
import { KafkaPublisher } from '../common/publishing/publisher.ts';
import type { ConnectSender } from '../common/publishing/record-sender.ts';
import { readKafkajsRanges } from './consuming/range-reader.ts';
import { KafkajsTail } from './consuming/tail.ts';
import { TopicPartitions } from '../common/publishing/topic-partitions.ts';

/**
 * Implements the broker port on Apache Kafka with kafkajs. Throws ConfigError on an invalid address or an unreadable
 * certificate.
 */
export function createKafkajsBroker(options: KafkaBrokerOptions): KafkaBroker {
  const { clientId, log, clock = systemClock } = options;
  const createClient = kafkajsClients(options, log);
  const admin = new KafkajsAdmin(createClient, `${clientId}.admin`);
  const topics = new TopicPartitions(admin);
  const connectSender: ConnectSender = (sender) => new ProducerConnection({ ...sender, createClient });
  const open = new Set<{ stop(): Promise<void> }>();
  const onStopped = (stopped: { stop(): Promise<void> }) => open.delete(stopped);
  const opened = <T extends { stop(): Promise<void> }>(client: T): T => {
    open.add(client);
    return client;
  };
  return {
    kind: 'kafka',
    admin,
    createPublisher: (wanted) =>
      opened(new KafkaPublisher(wanted, { connectSender, topics, log, clock, onStopped })),
    createGroupSource: (wanted) =>
      opened(new KafkajsGroupSource(wanted, { createClient, admin, log, onStopped })),
    createTail: (wanted) => opened(new KafkajsTail(wanted, { createClient, admin, log, onStopped })),
    readRanges: (ranges, onMessage) =>
      readKafkajsRanges(ranges, onMessage, { createClient, admin, clientId: `${clientId}.reader` }),
    close: async () => {
      await Promise.all([...open].map((client) => client.stop()));
      await admin.close();
    },
  };
}

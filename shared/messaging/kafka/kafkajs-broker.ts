import { systemClock } from '../../platform/clock.ts';
import { KafkaAdmin } from './admin.ts';
import { KafkaClockReader } from './clock-reader.ts';
import { kafkaClients } from './connection/client.ts';
import type { KafkaBroker, KafkaBrokerOptions } from './kafka-broker.ts';
import { KafkaGroupSource } from './consuming/group-source.ts';
import { ProducerConnection } from './publishing/producer-connection.ts';
import { KafkaPublisher } from './publishing/publisher.ts';
import type { ConnectSender } from './publishing/record-sender.ts';
import { readKafkaRanges } from './consuming/range-reader.ts';
import { KafkaTail } from './consuming/tail.ts';
import { publisherQueues } from '../publisher-queues.ts';
import { TopicPartitions } from './publishing/topic-partitions.ts';

/**
 * Implements the broker port on Apache Kafka with kafkajs. Throws ConfigError on an invalid address or an unreadable
 * certificate.
 */
export function createKafkajsBroker(options: KafkaBrokerOptions): KafkaBroker {
  const { clientId, log, clock = systemClock, clockTopic } = options;
  const createClient = kafkaClients(options, log);
  const admin = new KafkaAdmin(createClient, `${clientId}.admin`);
  const topics = new TopicPartitions(admin);
  const connectSender: ConnectSender = (sender) => new ProducerConnection({ ...sender, createClient });
  const clockReader =
    clockTopic === undefined
      ? undefined
      : new KafkaClockReader({ createClient, clientId: `${clientId}.clock`, topic: clockTopic });
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
      opened(new KafkaGroupSource(wanted, { createClient, admin, log, onStopped })),
    createTail: (wanted) => opened(new KafkaTail(wanted, { createClient, admin, log, onStopped })),
    readRanges: (ranges, onMessage) =>
      readKafkaRanges(ranges, onMessage, { createClient, admin, clientId: `${clientId}.reader` }),
    ...(clockReader === undefined ? {} : { time: () => clockReader.time() }),
    queues: () => publisherQueues([...open].filter((client) => client instanceof KafkaPublisher)),
    close: async () => {
      clockReader?.stop();
      await Promise.all([...open].map((client) => client.stop()));
      await admin.close();
    },
  };
}

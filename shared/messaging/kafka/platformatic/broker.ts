import { systemClock } from '../../../platform/clock.ts';
import type { KafkaBroker, KafkaBrokerOptions } from '../common/kafka-broker.ts';
import { KafkaPublisher } from '../common/publishing/publisher.ts';
import type { ConnectSender } from '../common/publishing/record-sender.ts';
import { TopicPartitions } from '../common/publishing/topic-partitions.ts';
import { PlatformaticAdmin } from './admin.ts';
import { platformaticClients } from './connection/client.ts';
import { PlatformaticGroupSource } from './consuming/group-source.ts';
import { readPlatformaticRanges } from './consuming/range-reader.ts';
import { PlatformaticTail } from './consuming/tail.ts';
import { PlatformaticSenderConnection } from './publishing/sender-connection.ts';

/**
 * Implements the broker port on Apache Kafka with @platformatic/kafka. Throws ConfigError on an invalid address or an unreadable
 * certificate.
 */
export function createPlatformaticBroker(options: KafkaBrokerOptions): KafkaBroker {
  const { clientId, log, clock = systemClock } = options;
  const createClient = platformaticClients(options, log);
  const admin = new PlatformaticAdmin(createClient, `${clientId}.admin`);
  const topics = new TopicPartitions(admin);
  const connectSender: ConnectSender = (sender) =>
    new PlatformaticSenderConnection({ ...sender, createClient });
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
      opened(new PlatformaticGroupSource(wanted, { createClient, admin, log, onStopped })),
    createTail: (wanted) => opened(new PlatformaticTail(wanted, { createClient, admin, log, onStopped })),
    readRanges: (ranges, onMessage) =>
      readPlatformaticRanges(ranges, onMessage, { createClient, log, clientId: `${clientId}.reader` }),
    close: async () => {
      await Promise.all([...open].map((client) => client.stop()));
      await admin.close();
    },
  };
}

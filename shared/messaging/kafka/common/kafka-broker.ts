import { systemClock, type Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { Broker, GroupSource, GroupSourceOptions } from '../../ports.ts';
import type { KafkaAdmin } from './admin.ts';
import type { KafkaSettings } from './connection/settings.ts';
import type { CreatePartitionReader } from './consuming/partition-reader.ts';
import { readRanges } from './consuming/read-ranges.ts';
import { KafkaTail } from './consuming/tail.ts';
import { KafkaPublisher } from './publishing/publisher.ts';
import type { ConnectProducer } from './publishing/record-sender.ts';
import { TopicPartitions } from './publishing/topic-partitions.ts';

/** What a Kafka adapter is created with. */
export interface KafkaBrokerOptions extends KafkaSettings {
  /** Client id of the admin connection; publishers and consumers have their own. */
  readonly clientId: string;
  readonly log: Log;
  /** The time of records whose message has none; default: the clock of the system. */
  readonly clock?: Clock;
}

/** A Kafka adapter of the port; its admin client can always describe topics. */
export interface KafkaBroker extends Broker {
  readonly kind: 'kafka';
  readonly admin: KafkaAdmin;
}

/** What a client library has to offer. */
interface KafkaClients {
  readonly admin: KafkaAdmin;
  readonly connectProducer: ConnectProducer;
  readonly createReader: CreatePartitionReader;
  /** `onStopped` is called when the source has stopped. */
  readonly createGroupSource: (
    options: GroupSourceOptions,
    onStopped: (source: GroupSource) => void,
  ) => GroupSource;
}

/** The broker port on the clients of a library. */
export function createKafkaBroker(
  { clientId, log, clock = systemClock }: KafkaBrokerOptions,
  { admin, connectProducer, createReader, createGroupSource }: KafkaClients,
): KafkaBroker {
  const topics = new TopicPartitions(admin);
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
      opened(new KafkaPublisher(wanted, { connectProducer, topics, log, clock, onStopped })),
    createGroupSource: (wanted) => opened(createGroupSource(wanted, onStopped)),
    createTail: (wanted) => opened(new KafkaTail(wanted, { createReader, admin, log, onStopped })),
    readRanges: (ranges, onMessage) =>
      readRanges(ranges, onMessage, { createReader, admin, clientId: `${clientId}.reader` }),
    close: async () => {
      await Promise.all([...open].map((client) => client.stop()));
      admin.close();
    },
  };
}

import { systemClock, type Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { KafkaAdmin } from './admin.ts';
import { KafkaClockReader } from './clock-reader.ts';
import { kafkaClients, type KafkaSettings } from './connection/client.ts';
import { KafkaGroupSource } from './consuming/group-source.ts';
import { KafkaPublisher } from './publishing/publisher.ts';
import { readKafkaRanges } from './consuming/range-reader.ts';
import { KafkaTail } from './consuming/tail.ts';
import { TopicPartitions } from './publishing/topic-partitions.ts';
import type { Broker } from '../ports.ts';

export interface KafkaBrokerOptions extends KafkaSettings {
  /** Client id of the admin connection; publishers and consumers have their own. */
  readonly clientId: string;
  readonly log: Log;
  /** The time of records whose message has none; default: the clock of the system. */
  readonly clock?: Clock;
  /** The topic through which the time of the broker is read; absent: the broker does not tell its time. */
  readonly clockTopic?: string;
}

/** The Kafka adapter of the port; its admin client can always describe topics. */
export interface KafkaBroker extends Broker {
  readonly kind: 'kafka';
  readonly admin: KafkaAdmin;
}

/**
 * Implements the broker port on Apache Kafka with kafkajs. Throws ConfigError on an invalid address or an unreadable
 * certificate.
 */
export function createKafkaBroker(options: KafkaBrokerOptions): KafkaBroker {
  const { clientId, log, clock = systemClock, clockTopic } = options;
  const createClient = kafkaClients(options, log);
  const admin = new KafkaAdmin(createClient, `${clientId}.admin`);
  const topics = new TopicPartitions(admin);
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
      opened(new KafkaPublisher(wanted, { createClient, topics, log, clock, onStopped })),
    createGroupSource: (wanted) =>
      opened(new KafkaGroupSource(wanted, { createClient, admin, log, onStopped })),
    createTail: (wanted) => opened(new KafkaTail(wanted, { createClient, admin, log, onStopped })),
    readRanges: (ranges, onMessage) =>
      readKafkaRanges(ranges, onMessage, { createClient, admin, clientId: `${clientId}.reader` }),
    ...(clockReader === undefined ? {} : { time: () => clockReader.time() }),
    close: async () => {
      clockReader?.stop();
      await Promise.all([...open].map((client) => client.stop()));
      await admin.close();
    },
  };
}

import { systemClock, type Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { Broker, BrokerAdmin } from '../../ports.ts';
import type { KafkaSettings } from './connection/settings.ts';
import type { CreateFetchClient, FetchClient } from './consuming/fetch.ts';
import { KafkaGroupSource, type CreateMembership } from './consuming/group-source.ts';
import { readRanges } from './consuming/read-ranges.ts';
import { KafkaTail } from './consuming/tail.ts';
import { KafkaPublisher, type ConnectProducer } from './publishing/publisher.ts';
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
  readonly admin: Required<BrokerAdmin>;
}

/** What a client library has to offer. */
interface KafkaClients {
  readonly admin: Required<BrokerAdmin> & { close(): void };
  readonly connectProducer: ConnectProducer;
  readonly createFetchClient: (clientId: string) => Omit<FetchClient, 'onUnreadable'>;
  readonly createMembership: CreateMembership;
}

/** The broker port on the clients of a library. */
export function createKafkaBroker(
  { clientId, log, clock = systemClock, onUnreadable: onSkipped }: KafkaBrokerOptions,
  { admin, connectProducer, createMembership, ...clients }: KafkaClients,
): KafkaBroker {
  const topics = new TopicPartitions(admin);
  let skipped = 0;
  const onUnreadable: FetchClient['onUnreadable'] = ({ topic, partition }, batch) => {
    skipped += 1;
    log.error({ topic, partition, ...batch, skipped }, 'a record batch cannot be read and is skipped');
    onSkipped?.(topic);
  };
  const createFetchClient: CreateFetchClient = (id) => ({ ...clients.createFetchClient(id), onUnreadable });
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
    createGroupSource: (wanted) =>
      opened(new KafkaGroupSource(wanted, { createMembership, createFetchClient, admin, log, onStopped })),
    createTail: (wanted) => opened(new KafkaTail(wanted, { createFetchClient, admin, log, onStopped })),
    readRanges: (ranges, onMessage) =>
      readRanges(ranges, onMessage, { createFetchClient, admin, clientId: `${clientId}.reader` }),
    close: async () => {
      await Promise.all([...open].map((client) => client.stop()));
      admin.close();
    },
  };
}

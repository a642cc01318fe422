import { systemPorts, type Clock } from '../../platform/system-ports.ts';
import type { Log } from '../../platform/log.ts';
import type { Broker, BrokerAdmin } from '../ports.ts';
import { KafkaAdmin } from './kafka-admin.ts';
import { kafkajsClients } from './kafkajs-client.ts';
import { kafkajsProducers } from './kafkajs-producer.ts';
import type { KafkaSettings } from './kafka-settings.ts';
import { fetchClients } from './partition-fetcher.ts';
import { KafkaGroupSource } from './kafka-group-source.ts';
import { readRanges } from './read-ranges.ts';
import { KafkaTail } from './kafka-tail.ts';
import { KafkaPublisher, type ConnectProducer } from './kafka-publisher.ts';
import { TopicPartitions } from '../topics/topic-partitions.ts';

/** A topic counts as missing if this many queries, half a second apart, do not find it. */
const TOPIC_QUERIES = 3;

export type KafkaClientName = 'kafkajs' | 'platformatic';

/** `client` publishes; kafkajs does the rest. Rejects with ConfigError on an invalid address or certificate file. */
export async function openKafkaBroker(
  options: KafkaBrokerOptions & { readonly client: KafkaClientName },
): Promise<KafkaBroker> {
  if (options.client === 'kafkajs') return createKafkaBroker(options);
  const { platformaticProducers } = await import('./platformatic-producer.ts');
  return createKafkaBroker(options, platformaticProducers(options));
}

export interface KafkaBrokerOptions extends KafkaSettings {
  /** Client id of the admin connection. Publishers and consumers have their own. */
  readonly clientId: string;
  readonly log: Log;
  /** Sets the time of records whose message has none; default: the clock of the system. */
  readonly clock?: Clock;
}

export interface KafkaBroker extends Broker {
  readonly kind: 'kafka';
  readonly admin: Required<BrokerAdmin>;
}

/** `producers` defaults to those of kafkajs. Throws ConfigError on an invalid address or certificate file. */
export function createKafkaBroker(options: KafkaBrokerOptions, producers?: ConnectProducer): KafkaBroker {
  const { clientId, log, clock = systemPorts.clock, onUnreadable: onSkipped } = options;
  const createClient = kafkajsClients(options);
  const connectProducer = producers ?? kafkajsProducers(createClient);
  const admin = new KafkaAdmin(createClient, `${clientId}.admin`);
  const topics = new TopicPartitions(admin, systemPorts, TOPIC_QUERIES);
  let skipped = 0;
  const createFetchClient = fetchClients(createClient, ({ topic, partition }, batch) => {
    skipped += 1;
    log.error({ topic, partition, ...batch, skipped }, 'a record batch cannot be read and is skipped');
    onSkipped?.(topic);
  });
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
      opened(new KafkaGroupSource(wanted, { createClient, createFetchClient, admin, log, onStopped })),
    createTail: (wanted) => opened(new KafkaTail(wanted, { createFetchClient, admin, log, onStopped })),
    readRanges: (ranges, onMessage) =>
      readRanges(ranges, onMessage, { createFetchClient, admin, clientId: `${clientId}.reader` }),
    close: async () => {
      await Promise.all([...open].map((client) => client.stop()));
      admin.close();
    },
  };
}

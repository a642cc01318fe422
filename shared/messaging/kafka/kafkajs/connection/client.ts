import kafkajs, { type Kafka, type logCreator, type RetryOptions } from 'kafkajs';
import type { Log } from '../../../../platform/log.ts';
import { KafkajsConnections } from './connections.ts';
import type { UnreadableBatch } from '../../common/consuming/record-batches.ts';
import { correctKafkajs } from '../patches/corrections.ts';
import { readFetchesAsBytes } from '../patches/fetches.ts';
import { saslOptions } from '../../common/connection/sasl.ts';
import {
  checkAddress,
  readCertificates,
  rotateRandomly,
  type KafkaSettings,
} from '../../common/connection/settings.ts';
import type { TopicPartition } from '../../../message.ts';

/** A kafkajs client with its own connections. */
export interface KafkajsClient {
  readonly kafka: Kafka;
  readonly connections: KafkajsConnections;
  /** Reports a record batch that was skipped. */
  readonly onUnreadable: (place: TopicPartition, batch: UnreadableBatch) => void;
}

/** Creates a client with the settings of the cluster; each producer, consumer and admin client has its own. */
export type CreateKafkajsClient = (options: { clientId: string; retry: RetryOptions }) => KafkajsClient;

/** Time limit for one attempt to connect to a broker. */
const CONNECT_TIMEOUT_MS = 3_000;
/** Time limit for a login, which may involve an authorisation server. */
const LOGIN_TIMEOUT_MS = 10_000;
/** The logged fields of log entries of kafkajs; none contains payloads, keys or credentials. */
const LOGGED_FIELDS = ['broker', 'groupId', 'error', 'retryCount', 'apiName'] as const;
/** Request timeout; kafkajs adds the wait time of fetches and joins to it. */
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Creates the factory of clients for one cluster. Each consumer has its own client, because all consumers of one kafkajs
 * client share a map of committed offsets per group. Certificates are read once. Throws ConfigError on an invalid file or
 * address.
 */
export function kafkajsClients(settings: KafkaSettings, log: Log): CreateKafkajsClient {
  correctKafkajs();
  readFetchesAsBytes();
  const brokers = settings.brokers.map(checkAddress);
  const ssl = settings.ssl === undefined ? {} : { ssl: readCertificates(settings.ssl) };
  const sasl = settings.sasl === undefined ? {} : { sasl: saslOptions(settings.sasl) };
  let skipped = 0;
  const onUnreadable: KafkajsClient['onUnreadable'] = ({ topic, partition }, batch) => {
    skipped += 1;
    log.error({ topic, partition, ...batch, skipped }, 'a record batch cannot be read and is skipped');
    settings.onUnreadable?.(topic);
  };
  return ({ clientId, retry }) => {
    const connections = new KafkajsConnections();
    const kafka = new kafkajs.Kafka({
      clientId,
      brokers: rotateRandomly(brokers),
      ...ssl,
      ...sasl,
      retry,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      authenticationTimeout: LOGIN_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      enforceRequestTimeout: true,
      socketFactory: connections.createSocket,
      logLevel: kafkajs.logLevel.WARN,
      logCreator: toKafkajsLog(log.child({ clientId })),
    });
    return { kafka, connections, onUnreadable };
  };
}

/**
 * Logs all entries of kafkajs at level debug, regardless of their own level: it logs each error response and each
 * failed attempt as an error, also in normal operation (a rebalance, a query for a missing topic). The adapters log
 * relevant failures once.
 */
function toKafkajsLog(log: Log): logCreator {
  return () =>
    ({ namespace, log: line }) => {
      const fields: Record<string, unknown> = { kafkajs: namespace };
      for (const name of LOGGED_FIELDS) {
        const value: unknown = line[name];
        if (typeof value === 'string' || typeof value === 'number') fields[name] = value;
      }
      log.debug(fields, line.message);
    };
}

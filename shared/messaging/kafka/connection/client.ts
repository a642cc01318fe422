import { readFileSync } from 'node:fs';
import kafkajs, { type Kafka, type logCreator, type RetryOptions } from 'kafkajs';
import { ConfigError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { KafkaConnections, SilentBrokers } from './connections.ts';
import type { UnreadableBatch } from '../kafkajs/unreadable-batches.ts';
import { patchKafkajs } from '../kafkajs/patches.ts';
import { saslOptions, type KafkaSasl } from './sasl.ts';
import type { TopicPartition } from '../../message.ts';

/** Addresses of the brokers and how to connect to them (`config.kafka` fits). */
export interface KafkaSettings {
  /** Bootstrap servers: `host:port` of some brokers of the cluster. */
  readonly brokers: readonly string[];
  /** TLS; files in PEM. Absent: connections are not encrypted. */
  readonly ssl?: KafkaSsl | undefined;
  readonly sasl?: KafkaSasl | undefined;
  /** Called with the topic of each record batch that is logged and skipped because it cannot be read. */
  readonly onUnreadable?: ((topic: string) => void) | undefined;
}

export interface KafkaSsl {
  /** Certificate authority; absent: those of Node. */
  readonly caFile?: string | undefined;
  /** Client certificate and key, given together. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** A kafkajs client with its own connections. */
export interface KafkaClient {
  readonly kafka: Kafka;
  readonly connections: KafkaConnections;
  /** Reports a broker (`host:port`) that did not answer a request: new clients try the others first. */
  readonly onSilent: (address: string) => void;
  /** Reports a record batch that was skipped. */
  readonly onUnreadable: (place: TopicPartition, batch: UnreadableBatch) => void;
}

/** Dependencies of publishers, consumers and tails, from their broker. */
export interface KafkaParts<Client> {
  readonly createClient: CreateKafkaClient;
  readonly log: Log;
  /** Called when the client has stopped, so that the broker does not stop it again. */
  readonly onStopped: (client: Client) => void;
}

/** Creates a client with the settings of the cluster; each producer, consumer and admin client has its own. */
export type CreateKafkaClient = (options: { clientId: string; retry: RetryOptions }) => KafkaClient;

/** Time limit for one attempt to connect to a broker. */
const CONNECT_TIMEOUT_MS = 3_000;
/** Time limit for a login, which may involve an authorisation server. */
const LOGIN_TIMEOUT_MS = 10_000;
/** The logged fields of log entries of kafkajs; none contains payloads, keys or credentials. */
const LOGGED_FIELDS = ['broker', 'groupId', 'error', 'retryCount', 'apiName'] as const;
/** Request timeout; kafkajs adds the wait time of fetches and joins to it. */
export const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Creates the factory of clients for one cluster. Each consumer has its own client, because all consumers of one kafkajs
 * client share a map of committed offsets per group. Certificates are read once. Throws ConfigError on an invalid file or
 * address.
 */
export function kafkaClients(settings: KafkaSettings, log: Log): CreateKafkaClient {
  patchKafkajs();
  const brokers = settings.brokers.map(checkAddress);
  const ssl = settings.ssl === undefined ? {} : { ssl: readCertificates(settings.ssl) };
  const sasl = settings.sasl === undefined ? {} : { sasl: saslOptions(settings.sasl) };
  const silentBrokers = new SilentBrokers();
  let skipped = 0;
  const onUnreadable: KafkaClient['onUnreadable'] = ({ topic, partition }, batch) => {
    skipped += 1;
    log.error({ topic, partition, ...batch, skipped }, 'a record batch cannot be read and is skipped');
    settings.onUnreadable?.(topic);
  };
  return ({ clientId, retry }) => {
    const onSilent = (address: string): void => silentBrokers.add(address);
    const connections = new KafkaConnections(onSilent, (broker, reason) => {
      log.warn({ clientId, broker, reason }, 'connection closed because of an invalid response');
    });
    const kafka = new kafkajs.Kafka({
      clientId,
      brokers: silentBrokers.moveToEnd(rotateRandomly(brokers)),
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
    return { kafka, connections, onSilent, onUnreadable };
  };
}

/**
 * kafkajs always connects to the first broker of the list, and stays with it even when it accepts connections but never
 * answers, as a frozen machine does. So each client starts with a random broker, and tries silent ones last.
 */
function rotateRandomly(brokers: readonly string[]): string[] {
  const first = Math.floor(Math.random() * brokers.length);
  return [...brokers.slice(first), ...brokers.slice(0, first)];
}

/** kafkajs splits addresses at the first colon without validation, so an invalid one would fail much later. */
function checkAddress(address: string): string {
  if (/^[^:\s]+:\d{1,5}$/.test(address)) return address;
  throw new ConfigError(`KAFKA_BROKERS: "${address}" does not have the form host:port`);
}

function readCertificates({ caFile, certFile, keyFile }: KafkaSsl) {
  return {
    ...(caFile === undefined ? {} : { ca: [readPem('KAFKA_SSL_CA_FILE', caFile)] }),
    ...(certFile === undefined ? {} : { cert: readPem('KAFKA_SSL_CERT_FILE', certFile) }),
    ...(keyFile === undefined ? {} : { key: readPem('KAFKA_SSL_KEY_FILE', keyFile) }),
  };
}

function readPem(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`${setting}: the file cannot be read`);
  }
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

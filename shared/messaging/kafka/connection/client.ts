import { readFileSync } from 'node:fs';
import { Kafka, logLevel, type logCreator, type RetryOptions } from 'kafkajs';
import { ConfigError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { KafkaConnections, SilentBrokers } from './connections.ts';
import type { UnreadableBatch } from '../kafkajs/unreadable-batches.ts';
import { patchKafkajs } from '../kafkajs/patches.ts';
import { saslOptions, type KafkaSasl } from './sasl.ts';
import type { TopicPartition } from '../../message.ts';

/** Addresses of the brokers and how to connect to them (`config.kafka` fits). */
export interface KafkaSettings {
  /** `host:port` of some brokers of the cluster. */
  readonly brokers: readonly string[];
  /** Encrypt; files in PEM. */
  readonly ssl?: KafkaSsl | undefined;
  readonly sasl?: KafkaSasl | undefined;
  /** Called with the topic of each record batch that cannot be read and is skipped; it is logged already. */
  readonly onUnreadable?: ((topic: string) => void) | undefined;
}

export interface KafkaSsl {
  /** Certificate authority; absent: those of the system. */
  readonly caFile?: string | undefined;
  /** Client certificate and key, given together. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** A kafkajs client with its own connections. */
export interface KafkaClient {
  readonly kafka: Kafka;
  readonly connections: KafkaConnections;
  /** Reports a broker (`host:port`) that left a request unanswered: new clients begin with the others. */
  readonly onSilent: (address: string) => void;
  /** Reports each record batch that was skipped. */
  readonly onUnreadable: (place: TopicPartition, batch: UnreadableBatch) => void;
}

/** Dependencies of publishers, consumers and tails, from their broker. */
export interface KafkaParts<Client> {
  readonly createClient: CreateKafkaClient;
  readonly log: Log;
  /** The client has stopped: the broker need not stop it any more. */
  readonly onStopped: (client: Client) => void;
}

/** Creates clients that share settings; one per producer, consumer and admin. */
export type CreateKafkaClient = (options: { clientId: string; retry: RetryOptions }) => KafkaClient;

/** After this without a connection the broker, or another one, is tried again. */
const CONNECT_TIMEOUT_MS = 3_000;
/** Limit of a login, which may involve an authorisation server. */
const LOGIN_TIMEOUT_MS = 10_000;
/** Fields of kafkajs' log lines that are logged; none contains payloads, keys or credentials. */
const LOGGED_FIELDS = ['broker', 'groupId', 'error', 'retryCount', 'apiName'] as const;
/** Limit of a response; kafkajs adds the waiting time of fetches and joins to it. */
export const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Creates the factory of clients for one cluster. One client per consumer, because all consumers of a client share one map
 * of committed offsets per group; certificates are read once, here. Throws ConfigError when a file or an address is wrong.
 */
export function kafkaClients(settings: KafkaSettings, log: Log): CreateKafkaClient {
  patchKafkajs();
  const brokers = settings.brokers.map(checkAddress);
  const ssl = settings.ssl === undefined ? {} : { ssl: readCertificates(settings.ssl) };
  const sasl = settings.sasl === undefined ? {} : { sasl: saslOptions(settings.sasl) };
  const silent = new SilentBrokers();
  let skipped = 0;
  const onUnreadable: KafkaClient['onUnreadable'] = ({ topic, partition }, batch) => {
    skipped += 1;
    log.error({ topic, partition, ...batch, skipped }, 'a record batch cannot be read and is skipped');
    settings.onUnreadable?.(topic);
  };
  return ({ clientId, retry }) => {
    const onSilent = (address: string): void => silent.note(address);
    const connections = new KafkaConnections(onSilent, (broker, reason) => {
      log.warn({ clientId, broker, reason }, 'a response is invalid: its connection is closed');
    });
    const kafka = new Kafka({
      clientId,
      brokers: silent.last(rotateRandomly(brokers)),
      ...ssl,
      ...sasl,
      retry,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      authenticationTimeout: LOGIN_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      enforceRequestTimeout: true,
      socketFactory: connections.createSocket,
      logLevel: logLevel.WARN,
      logCreator: toKafkajsLog(log.child({ clientId })),
    });
    return { kafka, connections, onSilent, onUnreadable };
  };
}

/**
 * kafkajs always begins with the first broker of the list, and stays with one that accepts the connection and never
 * answers: a frozen machine. So each client begins with a random one, and tries those known to be silent last.
 */
function rotateRandomly(brokers: readonly string[]): string[] {
  const first = Math.floor(Math.random() * brokers.length);
  return [...brokers.slice(first), ...brokers.slice(0, first)];
}

/** kafkajs splits at the first colon without a check, so a wrong address would fail much later. */
function checkAddress(address: string): string {
  if (/^[^:\s]+:\d{1,5}$/.test(address)) return address;
  throw new ConfigError(`KAFKA_BROKERS: "${address}" is not of the form host:port`);
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
 * Writes the log lines of kafkajs as debug lines, whatever their level: it logs each error response and each failed attempt
 * as an error, also in normal operation (a rebalance, a query for a topic that does not exist). The adapters report what
 * matters, once.
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

import { readFileSync } from 'node:fs';
import { Kafka, logLevel, type RetryOptions } from 'kafkajs';
import { ConfigError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { installCodecs } from '../kafkajs/compression.ts';
import { KafkaConnections } from './connections.ts';
import { checkFetchResponses } from '../kafkajs/fetch-check.ts';
import { growEncodersAsNeeded } from '../kafkajs/patches.ts';
import { hearFetchAnswers, type UnreadableBatch } from '../kafkajs/fetch-answers.ts';
import { stopIdlePolling } from './idle-polling.ts';
import { toKafkajsLog } from './log.ts';
import { hearProduceAnswers } from '../kafkajs/produce-answers.ts';
import { guardConnections } from '../kafkajs/connection-guard.ts';
import { SilentBrokers } from './silent-brokers.ts';
import { endStoppedFetches } from '../consuming/stopped-fetches.ts';
import { saslOptions, type KafkaSasl } from './sasl.ts';
import type { TopicPartition } from '../../message.ts';

/** Where the brokers are and how to talk to them (`config.kafka` fits). */
export interface KafkaSettings {
  /** `host:port` of some brokers of the cluster. */
  readonly brokers: readonly string[];
  /** Encrypt; files in PEM. */
  readonly ssl?: KafkaSsl | undefined;
  readonly sasl?: KafkaSasl | undefined;
  /** Called with the topic of each record batch that cannot be read and is passed over; it is logged already. */
  readonly onUnreadable?: ((topic: string) => void) | undefined;
}

export interface KafkaSsl {
  /** Certificate authority; absent: those of the system. */
  readonly caFile?: string | undefined;
  /** Client certificate and key, given together. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** A kafkajs client of its own connections. */
export interface KafkaClient {
  readonly kafka: Kafka;
  readonly connections: KafkaConnections;
  /** To be told of a broker (`host:port`) that left a request unanswered: new clients begin with the others. */
  readonly onSilent: (address: string) => void;
  /** To be told of each record batch that was passed over. */
  readonly onUnreadable: (place: TopicPartition, batch: UnreadableBatch) => void;
}

/** Makes clients that share settings; one per producer, consumer and admin. */
export type CreateKafkaClient = (options: { clientId: string; retry: RetryOptions }) => KafkaClient;

/** A broker that does not take the connection within this is tried again, or another one is. */
const CONNECT_TIMEOUT_MS = 3_000;
/** A login takes no longer than this; an authorisation server may stand behind it. */
const LOGIN_TIMEOUT_MS = 10_000;
/** An answer that takes longer is given up; kafkajs adds the waiting time of fetches and joins to it by itself. */
export const REQUEST_TIMEOUT_MS = 5_000;

/**
 * The maker of clients for one cluster. One client per consumer, because all consumers of a client share one map of
 * committed offsets per group; certificates are read once, here. Throws ConfigError when a file or an address is wrong.
 */
export function kafkaClients(settings: KafkaSettings, log: Log): CreateKafkaClient {
  installCodecs();
  stopIdlePolling();
  growEncodersAsNeeded();
  hearProduceAnswers();
  hearFetchAnswers();
  guardConnections();
  checkFetchResponses();
  endStoppedFetches();
  const brokers = settings.brokers.map(checkAddress);
  const ssl = settings.ssl === undefined ? {} : { ssl: readCertificates(settings.ssl) };
  const sasl = settings.sasl === undefined ? {} : { sasl: saslOptions(settings.sasl) };
  const silent = new SilentBrokers();
  let passedOver = 0;
  const onUnreadable: KafkaClient['onUnreadable'] = ({ topic, partition }, batch) => {
    passedOver += 1;
    log.error({ topic, partition, ...batch, passedOver }, 'a record batch cannot be read and is passed over');
    settings.onUnreadable?.(topic);
  };
  return ({ clientId, retry }) => {
    const onSilent = (address: string): void => silent.note(address);
    const connections = new KafkaConnections(onSilent, (broker, reason) => {
      log.warn({ clientId, broker, reason }, 'a response cannot be right: its connection is closed');
    });
    const kafka = new Kafka({
      clientId,
      brokers: silent.last(beginningAnywhere(brokers)),
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
 * kafkajs begins with the first broker of the list, each time, and stays with one that takes the connection and never
 * answers: a frozen machine. So each client begins with another one, and with one that is known to be
 * silent last.
 */
function beginningAnywhere(brokers: readonly string[]): string[] {
  const first = Math.floor(Math.random() * brokers.length);
  return [...brokers.slice(first), ...brokers.slice(0, first)];
}

/** kafkajs splits at the first colon and takes whatever it finds, so a wrong address would fail much later. */
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

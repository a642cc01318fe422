import { readFileSync } from 'node:fs';
import { ConfigError } from '../../../../platform/errors.ts';
import type { KafkaSasl } from './sasl.ts';

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

/** Time limit for one attempt to connect to a broker. */
export const CONNECT_TIMEOUT_MS = 3_000;
/** Time limit for a login, which may involve an authorisation server. */
export const LOGIN_TIMEOUT_MS = 10_000;
/** Time limit for the response to a request; kafkajs adds the time for which a fetch or a join may wait. */
export const REQUEST_TIMEOUT_MS = 5_000;

/** The address, if it has the form host:port. Throws ConfigError otherwise: kafkajs would fail much later. */
export function checkAddress(address: string): string {
  if (/^[^:\s]+:\d{1,5}$/.test(address)) return address;
  throw new ConfigError(`KAFKA_BROKERS: "${address}" does not have the form host:port`);
}

/**
 * The brokers from a random one on. A client connects to the first broker of the list, and stays with it even when it accepts connections
 * but never answers, as a frozen machine does: the next client begins with another one.
 */
export function rotateRandomly<Broker>(brokers: readonly Broker[]): Broker[] {
  const first = Math.floor(Math.random() * brokers.length);
  return [...brokers.slice(first), ...brokers.slice(0, first)];
}

/** The TLS options of these files. Throws ConfigError on an unreadable one. */
export function readCertificates({ caFile, certFile, keyFile }: KafkaSsl) {
  return {
    ca: readPem('KAFKA_SSL_CA_FILE', caFile),
    cert: readPem('KAFKA_SSL_CERT_FILE', certFile),
    key: readPem('KAFKA_SSL_KEY_FILE', keyFile),
  };
}

function readPem(setting: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`${setting}: the file cannot be read`);
  }
}

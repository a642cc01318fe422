import kafkajs, { type Kafka, type RetryOptions, type SASLOptions } from 'kafkajs';
import { KafkajsConnections } from './connections.ts';
import { correctKafkajs } from '../patches/corrections.ts';
import { readFetchesAsBytes } from '../patches/fetches.ts';
import { createTokenProvider } from '../../common/connection/sasl.ts';
import {
  checkAddress,
  CONNECT_TIMEOUT_MS,
  LOGIN_TIMEOUT_MS,
  readCertificates,
  REQUEST_TIMEOUT_MS,
  rotateRandomly,
  type KafkaSettings,
} from '../../common/connection/settings.ts';

/** A kafkajs client with its own connections. */
export interface KafkajsClient {
  readonly kafka: Kafka;
  readonly connections: KafkajsConnections;
}

/** Creates a client with the settings of the cluster; each producer, consumer and admin client has its own. */
export type CreateKafkajsClient = (options: { clientId: string; retry: RetryOptions }) => KafkajsClient;

/**
 * Creates the factory of clients for one cluster. Each consumer has its own client, because all consumers of one kafkajs
 * client share a map of committed offsets per group. Certificates are read once. Throws ConfigError on an invalid file or
 * address.
 */
export function kafkajsClients({ brokers, ssl, sasl }: KafkaSettings): CreateKafkajsClient {
  correctKafkajs();
  readFetchesAsBytes();
  const addresses = brokers.map(checkAddress);
  const security = {
    ...(ssl === undefined ? {} : { ssl: readCertificates(ssl) }),
    ...(sasl === undefined ? {} : { sasl: saslOptions(sasl) }),
  };
  return ({ clientId, retry }) => {
    const connections = new KafkajsConnections();
    const kafka = new kafkajs.Kafka({
      clientId,
      brokers: rotateRandomly(addresses),
      ...security,
      retry,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      authenticationTimeout: LOGIN_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      enforceRequestTimeout: true,
      socketFactory: connections.createSocket,
      // kafkajs logs each error response as an error, also in normal operation: the adapters log failures that matter, once.
      logLevel: kafkajs.logLevel.NOTHING,
    });
    return { kafka, connections };
  };
}

function saslOptions(sasl: NonNullable<KafkaSettings['sasl']>): SASLOptions {
  const { mechanism, username, password } = sasl;
  if (mechanism !== 'oauthbearer') return { mechanism, username, password };
  const provideToken = createTokenProvider(sasl);
  return { mechanism, oauthBearerProvider: async () => ({ value: await provideToken() }) };
}

import kafkajs, { type Kafka, type RetryOptions, type SASLOptions, type ISocketFactoryArgs } from 'kafkajs';
import { correctKafkajs } from './kafkajs-corrections.ts';
import { readFetchesAsBytes } from './kafkajs-internals.ts';
import {
  createTokenProvider,
  checkAddress,
  CONNECT_TIMEOUT_MS,
  LOGIN_TIMEOUT_MS,
  readCertificates,
  REQUEST_TIMEOUT_MS,
  rotateRandomly,
  type KafkaSettings,
} from './kafka-settings.ts';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

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

/** Keep-alive probes start after this idle time (as in kafkajs). */
const KEEP_ALIVE_DELAY_MS = 60_000;

/**
 * The sockets of one kafkajs client: closing them disconnects it, which kafkajs does not offer. TCP_NODELAY, which kafkajs does not set,
 * is on: otherwise a heartbeat or commit after an unacknowledged request would wait for the peer's delayed acknowledgement, 40 ms.
 */
export class KafkajsConnections {
  /** With the `host:port` of their brokers. */
  readonly #sockets = new Map<Socket, string>();
  #destroyed = false;

  /** The socket factory for kafkajs. */
  readonly createSocket = ({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket => {
    // After a stop that timed out kafkajs keeps trying to join; without sockets it cannot rejoin and consume
    // (tulios/kafkajs#1593).
    if (this.#destroyed) throw new Error('this client is closed');
    const secure = ssl as ConnectionOptions | undefined;
    const socket = secure
      ? connectTls({ ...(isIP(host) === 0 ? { servername: host } : {}), ...secure, host, port }, onConnect)
      : connectTcp({ host, port }, onConnect);
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
    this.#sockets.set(socket, `${host}:${port}`);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  };

  /**
   * Closes the connections to a broker (`host:port`) that did not answer a request in time: kafkajs would keep choosing them, since
   * it prefers brokers to which it is connected.
   */
  close(silent: string): void {
    for (const [socket, address] of this.#sockets)
      if (address === silent) socket.destroy(new Error('the broker does not answer'));
  }

  /** Closes all sockets immediately and permanently: pending requests fail. */
  destroy(): void {
    this.#destroyed = true;
    // kafkajs handles only the events 'end' and 'error' of a closed socket.
    for (const socket of this.#sockets.keys()) socket.destroy(new Error('connection closed by this client'));
  }
}

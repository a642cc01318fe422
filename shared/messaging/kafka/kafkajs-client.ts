import kafkajs, { type Kafka, type RetryOptions, type SASLOptions, type ISocketFactoryArgs } from 'kafkajs';
import { correctKafkajs } from './kafkajs-corrections.ts';
import { readFetchesAsBytes } from './kafkajs-internals.ts';
import {
  checkAddress,
  createTokenProvider,
  LIMITS,
  readCertificates,
  rotateRandomly,
} from './kafka-settings.ts';
import type { KafkaSettings } from './kafka-settings.ts';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

export interface KafkajsClient {
  readonly kafka: Kafka;
  readonly connections: KafkajsConnections;
}

export type CreateKafkajsClient = (options: { clientId: string; retry: RetryOptions }) => KafkajsClient;

/** Consumers need a client each: those of one client share a map of commits. Throws ConfigError on invalid settings. */
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
      connectionTimeout: LIMITS.connectMs,
      authenticationTimeout: LIMITS.loginMs,
      requestTimeout: LIMITS.requestMs,
      enforceRequestTimeout: true,
      socketFactory: connections.createSocket,
      // kafkajs logs every error response as an error, even in normal operation. The adapters log failures that matter.
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

const KEEP_ALIVE_DELAY_MS = 60_000;

/** The sockets of a client. TCP_NODELAY is on: otherwise a heartbeat could wait 40 ms for an acknowledgement. */
export class KafkajsConnections {
  readonly #sockets = new Map<Socket, string>();
  #destroyed = false;

  readonly createSocket = ({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket => {
    // After a stop that timed out, kafkajs keeps trying to join (tulios/kafkajs#1593).
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

  /** Closes the connections to a broker (`host:port`) that does not answer, because kafkajs would keep choosing it. */
  close(silent: string): void {
    for (const [socket, address] of this.#sockets)
      if (address === silent) socket.destroy(new Error('the broker does not answer'));
  }

  destroy(): void {
    this.#destroyed = true;
    // Destroyed with an error, because kafkajs handles only the events 'end' and 'error' of a closed socket.
    for (const socket of this.#sockets.keys()) socket.destroy(new Error('connection closed by this client'));
  }
}

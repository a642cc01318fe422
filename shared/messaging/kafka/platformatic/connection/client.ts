import { isIP } from 'node:net';
import {
  ConnectionPool,
  parseBroker,
  ResponseError,
  type API,
  type BaseOptions,
  type Broker,
  type SASLOptions,
} from '@platformatic/kafka';
import {
  checkAddress,
  readCertificates,
  rotateRandomly,
  type KafkaSettings,
} from '../../common/connection/settings.ts';
import { createTokenProvider } from '../../common/connection/sasl.ts';

/** Where a broker listens. */
export type BrokerAddress = Broker;

/** A client with its own connections, one to each broker. */
export interface PlatformaticClient {
  /** Sends a request to a broker. Rejects with the error of the library. A request that is not answered in time closes its connection. */
  send<Args extends unknown[], Answer>(
    broker: BrokerAddress,
    api: API<Args, Answer>,
    ...args: Args
  ): Promise<Answer>;
  /**
   * Asks all brokers of the settings at once, since any may be away, or accept connections without ever answering: the first answer counts,
   * also one that contains errors, which may concern one of many partitions. Rejects with the errors of the library if none answers.
   */
  sendToAny<Args extends unknown[], Answer>(api: API<Args, Answer>, ...args: Args): Promise<Answer>;
  /** Closes all connections immediately and permanently: pending requests fail. */
  destroy(): void;
}

/** Creates a client with the settings of the cluster. */
export type CreatePlatformaticClient = (options: {
  readonly clientId: string;
  /** Default ANSWER_TIMEOUT_MS; longer for requests for which the broker waits. */
  readonly requestTimeoutMs?: number;
}) => PlatformaticClient;

/** Time limit for the response to a request. */
export const ANSWER_TIMEOUT_MS = 5_000;
/** Time limit for one attempt to connect to a broker, and with a login, which may involve an authorisation server. */
const CONNECT_TIMEOUT_MS = 3_000;
const LOGIN_TIMEOUT_MS = 10_000;

/**
 * Options of a client of the library, which asks the first broker again and again, also when it accepts connections and never answers:
 * it is a random one.
 */
export type LibraryOptions = (clientId: string) => BaseOptions;

export interface PlatformaticClients {
  readonly createClient: CreatePlatformaticClient;
  readonly libraryOptions: LibraryOptions;
}

/**
 * Creates the factory of clients for one cluster. Certificates are read once, and tokens are shared by all clients. Throws
 * ConfigError on an invalid file or address.
 */
export function platformaticClients(settings: KafkaSettings): PlatformaticClients {
  const brokers = settings.brokers.map((address) => parseBroker(checkAddress(address)));
  const security = securityOptions(settings, brokers);
  const createClient: CreatePlatformaticClient = ({ clientId, requestTimeoutMs = ANSWER_TIMEOUT_MS }) => {
    const connections = new ConnectionPool(clientId, { ...security, requestTimeout: requestTimeoutMs });
    ignoreConnectionErrors({ connections });
    const send: PlatformaticClient['send'] = async (broker, api, ...args) =>
      api.async(await connections.get(broker), ...args);
    return {
      send,
      sendToAny: (api, ...args) => Promise.any(brokers.map((broker) => answerOf(send(broker, api, ...args)))),
      destroy: () => closeNow({ connections }),
    };
  };
  const libraryOptions: LibraryOptions = (clientId) => {
    return {
      clientId,
      bootstrapBrokers: rotateRandomly(brokers),
      requestTimeout: ANSWER_TIMEOUT_MS,
      // Names the client in the diagnostic events of the library.
      context: clientId,
      ...security,
    };
  };
  return { createClient, libraryOptions };
}

/** Closes the connections of a client of the library at once: pending requests fail. */
export function closeNow({ connections }: { readonly connections: ConnectionPool }): void {
  for (const [, connection] of connections) connection.socket?.destroy();
  void connections.close();
}

/** Every error of a connection also rejects its pending calls; without a listener a second one would end the process. */
export function ignoreConnectionErrors({ connections }: { readonly connections: ConnectionPool }): void {
  connections.on('connecting', ({ connection }) => {
    connection.on('error', () => undefined);
  });
}

async function answerOf<Answer>(pending: Promise<Answer>): Promise<Answer> {
  try {
    return await pending;
  } catch (error) {
    if (error instanceof ResponseError) return error['response'] as Answer;
    throw error;
  }
}

function securityOptions({ ssl, sasl }: KafkaSettings, brokers: readonly BrokerAddress[]) {
  // An address is no name of a server (RFC 6066).
  const tlsServerName = brokers.every(({ host }) => isIP(host) === 0);
  const tls = ssl === undefined ? {} : { tls: readCertificates(ssl), tlsServerName };
  if (sasl === undefined) return { connectTimeout: CONNECT_TIMEOUT_MS, ...tls };
  const { username, password } = sasl;
  const mechanism = sasl.mechanism.toUpperCase() as SASLOptions['mechanism'];
  const token = createTokenProvider(sasl);
  return { connectTimeout: LOGIN_TIMEOUT_MS, ...tls, sasl: { mechanism, username, password, token } };
}

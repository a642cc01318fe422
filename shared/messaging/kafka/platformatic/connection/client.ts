import { ResponseError, type SASLOptions } from '@platformatic/kafka';
import type { Log } from '../../../../platform/log.ts';
import { rotateRandomly, SilentBrokers } from '../../common/connection/brokers.ts';
import { checkAddress, readCertificates, type KafkaSettings } from '../../common/connection/settings.ts';
import { createTokenProvider, type KafkaSasl } from '../../common/connection/sasl.ts';
import type { UnreadableBatch } from '../../common/batches/check-batches.ts';
import type { TopicPartition } from '../../../message.ts';
import { addressText, BrokerConnections, type BrokerAddress, type Versions } from './connections.ts';

/** A client with its own connections, one to each broker. */
export interface PlatformaticClient {
  readonly clientId: string;
  /**
   * Sends a request to a broker in the first of these versions (newest first) that it supports. Rejects with the error of
   * the library: if the response contains errors, with a ResponseError (see answerOf). A request that is not answered in time
   * closes its connection.
   */
  send<Args extends unknown[], Answer>(
    broker: BrokerAddress,
    versions: Versions<Args, Answer>,
    ...args: Args
  ): Promise<Answer>;
  /** Sends a request to any broker, to one with an open connection if there is one; tries the others when that fails. */
  sendToAny<Args extends unknown[], Answer>(versions: Versions<Args, Answer>, ...args: Args): Promise<Answer>;
  /** Connects to this broker, unless the connection is open: if that fails, no request was sent. */
  connectTo(broker: BrokerAddress): Promise<void>;
  /** Connects to any broker, unless a connection is open. */
  connect(): Promise<void>;
  /** Whether at least one connection to a broker is open. */
  isConnected(): boolean;
  /** Called when the last open connection was closed. */
  onLost: (() => void) | undefined;
  /** Closes all connections immediately and permanently: pending requests fail. */
  destroy(): void;
  /** Reports a record batch that was skipped. */
  readonly onUnreadable: (place: TopicPartition, batch: UnreadableBatch) => void;
}

/** Dependencies of publishers, consumers and tails, from their broker. */
export interface PlatformaticParts<Client> {
  readonly createClient: CreatePlatformaticClient;
  readonly log: Log;
  /** Called when the client has stopped, so that the broker does not stop it again. */
  readonly onStopped: (client: Client) => void;
}

/** Creates a client with the settings of the cluster. */
export type CreatePlatformaticClient = (options: {
  readonly clientId: string;
  /** Default ANSWER_TIMEOUT_MS; longer for requests for which the broker waits (fetches, joins). */
  readonly requestTimeoutMs?: number;
}) => PlatformaticClient;

/** Time limit for the response to a request. */
export const ANSWER_TIMEOUT_MS = 5_000;

const MECHANISMS = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
  oauthbearer: 'OAUTHBEARER',
} as const;

/**
 * Creates the factory of clients for one cluster. Certificates are read once, and tokens are shared by all clients. Throws
 * ConfigError on an invalid file or address.
 */
export function platformaticClients(settings: KafkaSettings, log: Log): CreatePlatformaticClient {
  const brokers = settings.brokers.map(checkAddress).map(toBrokerAddress);
  const tls = settings.ssl === undefined ? undefined : readCertificates(settings.ssl);
  const sasl = settings.sasl === undefined ? undefined : toSaslOptions(settings.sasl);
  const silentBrokers = new SilentBrokers();
  let skipped = 0;
  const onUnreadable: PlatformaticClient['onUnreadable'] = ({ topic, partition }, batch) => {
    skipped += 1;
    log.error({ topic, partition, ...batch, skipped }, 'a record batch cannot be read and is skipped');
    settings.onUnreadable?.(topic);
  };
  return ({ clientId, requestTimeoutMs = ANSWER_TIMEOUT_MS }) => {
    const connections = new BrokerConnections({
      clientId,
      requestTimeoutMs,
      tls,
      sasl,
      onSilent: (address) => silentBrokers.add(address),
      onBroken: (broker, reason) =>
        log.warn({ clientId, broker, reason }, 'connection closed because of an invalid response'),
    });
    return createClient({
      clientId,
      connections,
      brokers: rotateRandomly(brokers),
      silentBrokers,
      onUnreadable,
    });
  };
}

interface ClientParts {
  readonly clientId: string;
  readonly connections: BrokerConnections;
  readonly brokers: readonly BrokerAddress[];
  readonly silentBrokers: SilentBrokers;
  readonly onUnreadable: PlatformaticClient['onUnreadable'];
}

function createClient({
  clientId,
  connections,
  brokers,
  silentBrokers,
  onUnreadable,
}: ClientParts): PlatformaticClient {
  const byAddress = new Map(brokers.map((broker) => [addressText(broker), broker]));
  /** Calls `use` with one broker after the other until it succeeds: those with a connection first, silent ones last. */
  const withAny = async <T>(use: (broker: BrokerAddress) => Promise<T>): Promise<T> => {
    const inOrder = new Map(connections.brokers().map((broker) => [addressText(broker), broker]));
    for (const address of silentBrokers.moveToEnd([...byAddress.keys()])) {
      const broker = byAddress.get(address);
      if (broker !== undefined) inOrder.set(address, broker);
    }
    let failure: unknown;
    for (const broker of inOrder.values()) {
      try {
        return await use(broker);
      } catch (error) {
        if (error instanceof ResponseError) throw error;
        failure = error;
      }
    }
    throw failure;
  };
  return {
    clientId,
    onUnreadable,
    send: (broker, versions, ...args) => connections.send(broker, versions, args),
    sendToAny: (versions, ...args) => withAny((broker) => connections.send(broker, versions, args)),
    connectTo: (broker) => connections.connect(broker),
    connect: () => withAny((broker) => connections.connect(broker)),
    isConnected: () => connections.isConnected(),
    get onLost() {
      return connections.onLost;
    },
    set onLost(onLost) {
      connections.onLost = onLost;
    },
    destroy: () => connections.destroy(),
  };
}

/**
 * The response to a request, also when the library rejects it because of the errors that it contains: they may concern one of
 * many partitions.
 */
export async function answerOf<Answer>(pending: Promise<Answer>): Promise<Answer> {
  try {
    return await pending;
  } catch (error) {
    if (error instanceof ResponseError) return error['response'] as Answer;
    throw error;
  }
}

function toSaslOptions(sasl: KafkaSasl): SASLOptions {
  const mechanism = MECHANISMS[sasl.mechanism];
  if (sasl.mechanism !== 'oauthbearer')
    return { mechanism, username: sasl.username, password: sasl.password };
  const provideToken = createTokenProvider(sasl);
  return { mechanism, token: async () => (await provideToken()).value };
}

/** The address of a checked `host:port`. */
function toBrokerAddress(address: string): BrokerAddress {
  const [host = '', port] = address.split(':');
  return { host, port: Number(port) };
}

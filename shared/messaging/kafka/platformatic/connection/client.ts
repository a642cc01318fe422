import { isIP } from 'node:net';
import {
  Admin,
  findCoordinatorV3,
  FindCoordinatorKeyTypes,
  metadataV9,
  ResponseError,
  type API,
  type BaseOptions,
  type ConnectionPool,
  type SASLOptions,
} from '@platformatic/kafka';
import type { Log } from '../../../../platform/log.ts';
import { checkAddress, readCertificates, type KafkaSettings } from '../../common/connection/settings.ts';
import { createTokenProvider, type KafkaSasl } from '../../common/connection/sasl.ts';
import type { UnreadableBatch } from '../../common/consuming/record-batches.ts';
import type { TopicPartition } from '../../../message.ts';

/** Where a broker listens. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

/** A client with its own connections, one to each broker. */
export interface PlatformaticClient {
  /** The admin client of the library on these connections. */
  readonly admin: Admin;
  /**
   * Sends a request to a broker. Rejects with the error of the library: if the response contains errors, with a ResponseError (see
   * answerOf). A request that is not answered in time closes its connection.
   */
  send<Args extends unknown[], Answer>(
    broker: BrokerAddress,
    api: API<Args, Answer>,
    ...args: Args
  ): Promise<Answer>;
  /** Asks all brokers of the settings at once, since any may be away, or accept connections without ever answering: the first answer counts. */
  sendToAny<Args extends unknown[], Answer>(api: API<Args, Answer>, ...args: Args): Promise<Answer>;
  /** Closes all connections immediately and permanently: pending requests fail. */
  destroy(): void;
  /** Reports a record batch that was skipped. */
  readonly onUnreadable: (place: TopicPartition, batch: UnreadableBatch) => void;
}

/** Creates a client with the settings of the cluster. */
export type CreatePlatformaticClient = (options: {
  readonly clientId: string;
  /** Default ANSWER_TIMEOUT_MS; longer for requests for which the broker waits. */
  readonly requestTimeoutMs?: number;
  /** As of LibraryOptions, for the admin client of the library. */
  readonly bootstrapBrokers?: BrokerAddress[];
}) => PlatformaticClient;

/** Time limit for the response to a request. */
export const ANSWER_TIMEOUT_MS = 5_000;
/** Time limit for one attempt to connect to a broker, and with a login, which may involve an authorisation server. */
const CONNECT_TIMEOUT_MS = 3_000;
const LOGIN_TIMEOUT_MS = 10_000;

const MECHANISMS = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
  oauthbearer: 'OAUTHBEARER',
} as const;

type BrokerOptions = BaseOptions & { bootstrapBrokers: BrokerAddress[] };

/**
 * Options of a client of the library. The first broker has just answered, since the library asks it again and again, also when it accepts
 * connections and never answers; for a member of a group it is the coordinator. Rejects with the error of a broker if none answers.
 */
export type LibraryOptions = (clientId: string, groupId?: string) => Promise<BrokerOptions>;

export interface PlatformaticClients {
  readonly createClient: CreatePlatformaticClient;
  readonly libraryOptions: LibraryOptions;
}

/**
 * Creates the factory of clients for one cluster. Certificates are read once, and tokens are shared by all clients. Throws
 * ConfigError on an invalid file or address.
 */
export function platformaticClients(settings: KafkaSettings, log: Log): PlatformaticClients {
  const brokers = settings.brokers.map(checkAddress).map(toBrokerAddress);
  const security = securityOptions(settings, brokers);
  let skipped = 0;
  const onUnreadable: PlatformaticClient['onUnreadable'] = ({ topic, partition }, batch) => {
    skipped += 1;
    log.error({ topic, partition, ...batch, skipped }, 'a record batch cannot be read and is skipped');
    settings.onUnreadable?.(topic);
  };
  const brokerOptions = (clientId: string, bootstrapBrokers: BrokerAddress[]): BrokerOptions => ({
    clientId,
    bootstrapBrokers,
    requestTimeout: ANSWER_TIMEOUT_MS,
    // Names the client in the diagnostic events of the library.
    context: clientId,
    ...security,
  });
  const createClient: CreatePlatformaticClient = ({
    clientId,
    requestTimeoutMs = ANSWER_TIMEOUT_MS,
    bootstrapBrokers = brokers,
  }) => {
    const limits = { requestTimeout: requestTimeoutMs, timeout: requestTimeoutMs, retries: 0 };
    const admin = new Admin({ ...brokerOptions(clientId, bootstrapBrokers), ...limits });
    ignoreConnectionErrors(admin);
    const send: PlatformaticClient['send'] = async (broker, api, ...args) =>
      api.async(await admin.connections.get(broker), ...args);
    return {
      admin,
      onUnreadable,
      send,
      sendToAny: (api, ...args) => firstAnswer(brokers.map((broker) => send(broker, api, ...args))),
      destroy: () => closeNow(admin),
    };
  };
  const libraryOptions: LibraryOptions = async (clientId, groupId) => {
    const client = createClient({ clientId });
    try {
      const asked = groupId === undefined ? brokers : [await coordinatorOf(groupId, client)];
      const first = await firstAnswer(
        asked.map(async (broker) => {
          await client.send(broker, metadataV9.api, [], false);
          return broker;
        }),
      );
      return brokerOptions(clientId, [first, ...brokers]);
    } finally {
      client.destroy();
    }
  };
  return { createClient, libraryOptions };
}

async function coordinatorOf(groupId: string, client: PlatformaticClient): Promise<BrokerAddress> {
  const { api } = findCoordinatorV3;
  const { coordinators } = await client.sendToAny(api, FindCoordinatorKeyTypes.GROUP, [groupId]);
  const [found] = coordinators;
  if (found === undefined) throw new Error(`no coordinator of ${groupId}`);
  return { host: found.host, port: found.port };
}

/** The first answer, or the error in it; otherwise the error of one that did not answer. */
async function firstAnswer<Answer>(asked: readonly Promise<Answer>[]): Promise<Answer> {
  const answers = asked.map((answer) =>
    answer.catch((error: unknown) => {
      if (error instanceof ResponseError) return error;
      throw error;
    }),
  );
  const first = await Promise.any(answers).catch(({ errors }: AggregateError) => {
    throw errors[0];
  });
  if (first instanceof ResponseError) throw first;
  return first;
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

function securityOptions(settings: KafkaSettings, brokers: readonly BrokerAddress[]) {
  // An address is no name of a server (RFC 6066).
  const tlsServerName = brokers.every(({ host }) => isIP(host) === 0);
  const tls = settings.ssl === undefined ? {} : { tls: readCertificates(settings.ssl), tlsServerName };
  const sasl = settings.sasl === undefined ? {} : { sasl: toSaslOptions(settings.sasl) };
  const connectTimeout = settings.sasl === undefined ? CONNECT_TIMEOUT_MS : LOGIN_TIMEOUT_MS;
  return { connectTimeout, ...tls, ...sasl };
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

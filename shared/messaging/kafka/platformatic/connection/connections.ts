import { isIP } from 'node:net';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import {
  apiVersionsV0,
  Connection,
  GenericError,
  NetworkError,
  ResponseError,
  TimeoutError,
  UnsupportedApiError,
  type API,
  type SASLOptions,
} from '@platformatic/kafka';
import { errorText } from '../../../../platform/errors.ts';

/** Where a broker listens. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

/** Versions of one request with the same arguments, newest first. */
export type Versions<Args extends unknown[], Answer> = readonly API<Args, Answer>[];

/** A connection whose broker has told the versions of each request that it supports, by API key. */
interface OpenConnection {
  readonly connection: Connection;
  readonly versions: ReadonlyMap<number, VersionRange>;
}

/** A connection that is open or being opened. */
interface Attempt {
  readonly broker: BrokerAddress;
  readonly connection: Connection;
  readonly login: RenewedLogin;
  readonly open: Promise<OpenConnection>;
  /** The broker does not read the connection before this time, by performance.now(). */
  mutedUntilMs: number;
}

interface VersionRange {
  readonly min: number;
  readonly max: number;
}

export interface ConnectionSettings {
  readonly clientId: string;
  readonly requestTimeoutMs: number;
  readonly tls?: TlsOptions | undefined;
  readonly sasl?: SASLOptions | undefined;
  /** Called with the `host:port` of a broker that does not accept a connection, or does not answer in time. */
  readonly onSilent: (address: string) => void;
  /** Called when a connection was closed because of an invalid response. */
  readonly onBroken: (address: string, reason: string) => void;
}

/** Time limit for one attempt to connect to a broker, and with a login, which may involve an authorisation server. */
const CONNECT_TIMEOUT_MS = 3_000;
const LOGIN_TIMEOUT_MS = 10_000;
/**
 * Time limit for the first response on a connection: that of requests may be longer than a broker can wait to be replaced, such as
 * half a minute for a join.
 */
const VERSIONS_TIMEOUT_MS = 5_000;
/** How much longer the timer of the library waits, which counts a stall of this process as the silence of the broker. */
const STALL_MS = 10_000;
/** Requests that wait for responses on one connection: Kafka's limit for producers that keep the order (max.in.flight). */
const MAX_IN_FLIGHT = 5;
/** The longest pause that a broker may ask for, as of kafkajs: usual ones take seconds (its quota windows). */
const MAX_THROTTLE_MS = 60_000;
const KEEP_ALIVE_DELAY_MS = 60_000;
const MAX_PORT = 65_535;
/** The library nests the causes of a failed login three deep. */
const MAX_REASONS = 4;
/** The library asks for these also where the version of the request has no field for them. */
const SOFTWARE = 'banking-product-engine';
const SOFTWARE_VERSION = '1';

/**
 * One connection to each broker, opened on first use. Not the ConnectionPool of the library: when a connection that failed is
 * already replaced, its late close event removes the replacement from that pool, which then never closes it.
 */
export class BrokerConnections {
  readonly #settings: ConnectionSettings;
  readonly #byAddress = new Map<string, Attempt>();
  readonly #all = new Set<Connection>();
  #opened = 0;
  #destroyed = false;
  /** Called when the last open connection was closed. */
  onLost: (() => void) | undefined;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** Whether at least one connection to a broker is open. */
  isConnected(): boolean {
    return this.#opened > 0;
  }

  /** The brokers with a connection that is open or being opened. */
  brokers(): BrokerAddress[] {
    return Array.from(this.#byAddress.values(), ({ broker }) => broker);
  }

  /**
   * Opens a connection to the broker if there is none, and waits while the broker throttles it. Rejects with the error of the
   * library.
   */
  async connect(broker: BrokerAddress): Promise<void> {
    await this.#usable(broker);
  }

  /** Sends a request to the broker, on a connection as of connect(). Rejects with the error of the library. */
  async send<Args extends unknown[], Answer>(
    broker: BrokerAddress,
    versions: Versions<Args, Answer>,
    args: Args,
  ): Promise<Answer> {
    const attempt = await this.#usable(broker);
    const { connection, login } = attempt;
    const { versions: supported } = await attempt.open;
    try {
      const api = newest(versions, supported);
      const request =
        login.pending === undefined
          ? api.async(connection, ...args)
          : login.pending.then(() => api.async(connection, ...args));
      const { requestTimeoutMs } = this.#settings;
      const answer = await answered(connection, requestTimeoutMs, request, () => attempt.mutedUntilMs);
      this.#throttle(attempt, answer);
      return answer;
    } catch (error) {
      if (error instanceof ResponseError) this.#throttle(attempt, error['response']);
      if (error instanceof TimeoutError) this.#settings.onSilent(addressText(broker));
      // A response that cannot be parsed, perhaps that with the versions: what follows may not be a response either.
      if (!isOfLibrary(error) || error instanceof UnsupportedApiError)
        this.#break(connection, addressText(broker), error);
      throw error;
    }
  }

  /** Closes all connections immediately and permanently: pending requests fail. */
  destroy(): void {
    this.#destroyed = true;
    this.onLost = undefined;
    for (const connection of this.#all) destroyConnection(connection);
  }

  /** An open connection that the broker reads. */
  async #usable(broker: BrokerAddress): Promise<Attempt> {
    const attempt = this.#attempt(broker);
    await attempt.open;
    for (;;) {
      const leftMs = attempt.mutedUntilMs - performance.now();
      if (leftMs <= 0) return attempt;
      await pause(attempt.connection, leftMs);
      if (attempt.connection.socket.destroyed)
        throw new NetworkError('the connection was closed while the broker throttled it');
    }
  }

  /**
   * A broker that throttles a client responds at once, and then reads nothing from the connection for the time in the response
   * (KIP-219). A request that was sent meanwhile would run out of time, be repeated on another connection, and be processed twice.
   */
  #throttle(attempt: Attempt, answer: unknown): void {
    const { throttleTimeMs } = (answer ?? {}) as { readonly throttleTimeMs?: unknown };
    if (typeof throttleTimeMs !== 'number' || throttleTimeMs <= 0) return;
    if (throttleTimeMs > MAX_THROTTLE_MS) {
      const reason = new Error(`a throttle time of ${throttleTimeMs} ms`);
      this.#break(attempt.connection, addressText(attempt.broker), reason);
    }
    attempt.mutedUntilMs = Math.max(attempt.mutedUntilMs, performance.now() + throttleTimeMs);
  }

  #attempt(broker: BrokerAddress): Attempt {
    const address = addressText(broker);
    const known = this.#byAddress.get(address);
    // A socket that was destroyed reports that it is closed only later.
    if (known !== undefined && !known.connection.socket.destroyed) return known;
    if (this.#destroyed) throw new Error('this client is closed');
    if (!(broker.port > 0 && broker.port <= MAX_PORT)) throw new Error(`${address} is not an address`);
    const connection = this.#create(broker);
    const login = new RenewedLogin(connection);
    const open = this.#connect(connection, broker);
    const attempt: Attempt = { broker, connection, login, open, mutedUntilMs: 0 };
    this.#byAddress.set(address, attempt);
    connection.socket.once('close', () => {
      this.#all.delete(connection);
      // The library keeps its timer for the next login until it is cancelled, unless the connection failed.
      queueMicrotask(() => void connection.close());
      if (this.#byAddress.get(address) === attempt) this.#byAddress.delete(address);
    });
    return attempt;
  }

  #create({ host }: BrokerAddress): Connection {
    const { clientId, requestTimeoutMs, tls, sasl } = this.#settings;
    const connection = new Connection(clientId, {
      connectTimeout: sasl === undefined ? CONNECT_TIMEOUT_MS : LOGIN_TIMEOUT_MS,
      // Ours ends first, unless this process stalls.
      requestTimeout: requestTimeoutMs + STALL_MS,
      maxInflights: MAX_IN_FLIGHT,
      // Names the client in the diagnostic events of the library.
      context: clientId,
      ...(tls === undefined ? {} : { tls, ...(isIP(host) === 0 ? { tlsServerName: true } : {}) }),
      ...(sasl === undefined ? {} : { sasl }),
    });
    this.#all.add(connection);
    // Every error also rejects the pending calls; without a listener a second one would end the process.
    connection.on('error', () => undefined);
    return connection;
  }

  async #connect(connection: Connection, broker: BrokerAddress): Promise<OpenConnection> {
    try {
      const connected = connection.connect(broker.host, broker.port);
      this.#guard(connection, addressText(broker));
      await connected;
      const request = apiVersionsV0.api.async(connection, SOFTWARE, SOFTWARE_VERSION);
      const limitMs = Math.min(this.#settings.requestTimeoutMs, VERSIONS_TIMEOUT_MS);
      const { apiKeys } = await answered(connection, limitMs, request);
      const versions = new Map(
        apiKeys.map(({ apiKey, minVersion, maxVersion }) => [apiKey, { min: minVersion, max: maxVersion }]),
      );
      this.#opened += 1;
      connection.socket.once('close', () => this.#closed());
      return { connection, versions };
    } catch (error) {
      if (!this.#destroyed) this.#settings.onSilent(addressText(broker));
      destroyConnection(connection);
      throw withReasons(error);
    }
  }

  /** The connection parses in the event handler of its socket: what that throws ends the connection, not the process. */
  #guard(connection: Connection, address: string): void {
    const { socket } = connection;
    socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
    const emit = socket.emit.bind(socket);
    socket.emit = (event: string, ...args: unknown[]) => {
      try {
        return emit(event, ...args);
      } catch (error) {
        this.#break(connection, address, error);
        return true;
      }
    };
  }

  #break(connection: Connection, address: string, error: unknown): void {
    this.#settings.onBroken(address, errorText(error));
    connection.socket.destroy();
  }

  #closed(): void {
    this.#opened -= 1;
    if (this.#opened === 0) this.onLost?.();
  }
}

/**
 * The library renews the login of a connection in time, but sends other requests meanwhile, after which Kafka closes the connection
 * (KIP-368): they have to wait. And the timer for a login of more than 31 days exceeds the longest one of Node, which fires at
 * once instead: it is renewed after 24 days.
 */
class RenewedLogin {
  /** Resolves when the login was renewed or has failed; undefined while there is none. */
  pending: Promise<void> | undefined;

  constructor(connection: Connection) {
    const renew = connection.reauthenticate.bind(connection);
    let loggedInMs = Number.NEGATIVE_INFINITY;
    for (const event of LOGINS) connection.on(event, () => (loggedInMs = performance.now()));
    connection.reauthenticate = () => {
      if (performance.now() - loggedInMs < MIN_LOGIN_MS) {
        const timer = setTimeout(() => connection.reauthenticate(), MAX_TIMER_MS);
        connection.once('close', () => clearTimeout(timer));
        return;
      }
      this.pending = new Promise((resolve) => {
        const end = (): void => {
          this.pending = undefined;
          for (const event of LOGIN_ENDS) connection.off(event, end);
          resolve();
        };
        for (const event of LOGIN_ENDS) connection.on(event, end);
      });
      renew();
    };
  }
}

/** The events of the library after a login. */
const LOGINS = ['sasl:authentication', 'sasl:authentication:extended'] as const;
/** Shorter than any login is valid. */
const MIN_LOGIN_MS = 100;
/** The longest timer of Node. */
const MAX_TIMER_MS = 2_147_483_647;
/** The events of the library after which a login is no longer pending. */
const LOGIN_ENDS = ['sasl:authentication:extended', 'error', 'close'] as const;

/**
 * The response to a request; after this time, in which the broker reads the connection, rejects and closes it. After a stall of this
 * process timers end before sockets are read: a response that has arrived meanwhile counts.
 */
async function answered<Answer>(
  connection: Connection,
  timeoutMs: number,
  request: Promise<Answer>,
  mutedUntilMs: () => number = () => 0,
): Promise<Answer> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const sentMs = performance.now();
  let afterReading: NodeJS.Immediate | undefined;
  const check = (): void => {
    const leftMs = Math.max(sentMs, mutedUntilMs()) + timeoutMs - performance.now();
    if (leftMs > 0) {
      timer = setTimeout(end, leftMs);
      return;
    }
    reject(new TimeoutError('Request timed out', { canRetry: true }));
    connection.socket.destroy();
  };
  const end = (): void => {
    afterReading = setImmediate(check);
  };
  let timer = setTimeout(end, timeoutMs);
  try {
    return await Promise.race([request, silence]);
  } finally {
    clearTimeout(timer);
    clearImmediate(afterReading);
  }
}

/** Waits until the connection is closed, at most for this time. */
async function pause(connection: Connection, timeMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeMs);
  connection.once('close', resolve);
  await promise;
  clearTimeout(timer);
  connection.off('close', resolve);
}

/** The text of the library names only the address; its causes have the reason, such as a refused certificate. */
function withReasons(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const reasons: string[] = [];
  for (let cause = error.cause; cause instanceof Error && reasons.length < MAX_REASONS; cause = cause.cause) {
    reasons.push(cause.message);
  }
  if (reasons.length > 0) error.message += ` (${reasons.join(': ')})`;
  return error;
}

function newest<Args extends unknown[], Answer>(
  versions: Versions<Args, Answer>,
  supported: ReadonlyMap<number, VersionRange>,
): API<Args, Answer> {
  const api = versions.find(({ key, version }) => {
    const range = supported.get(key);
    return range !== undefined && version >= range.min && version <= range.max;
  });
  if (api !== undefined) return api;
  const known = versions.map(({ key, version }) => `${key}/${version}`).join(', ');
  throw new UnsupportedApiError(`the broker supports none of the requests ${known}`);
}

function isOfLibrary(error: unknown): boolean {
  return error instanceof Error && GenericError.isGenericError(error);
}

export function addressText({ host, port }: BrokerAddress): string {
  return `${host}:${port}`;
}

function destroyConnection(connection: Connection): void {
  void connection.close();
  connection.socket.destroy();
}

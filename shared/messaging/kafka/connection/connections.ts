import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { ISocketFactoryArgs } from 'kafkajs';
import { isBrokenResponse } from './broken-response.ts';

/** Dead peers are found by keep-alive probes from then on (kafkajs' own figure). */
const KEEP_ALIVE_DELAY_MS = 60_000;
/** A broker takes connections within this; one that drops the attempts never says so. */
const CONNECT_SOON_MS = 2_000;

/**
 * The sockets of one kafkajs client. kafkajs neither tells whether it is connected nor can it be cut off; with its
 * sockets in our hands we know both. Small requests go out at once (TCP_NODELAY, which kafkajs does not set: a
 * heartbeat or commit behind an unacknowledged request would wait for the peer's delayed acknowledgement, 40 ms).
 */
export class KafkaConnections {
  readonly #sockets = new Set<Socket>();
  #open = 0;
  #destroyed = false;
  readonly #onSilent: (address: string) => void;
  readonly #onBroken: (address: string, reason: string) => void;
  /** Called when the last open connection is gone. */
  onLost: (() => void) | undefined;

  /**
   * `onSilent` is called with the `host:port` of a broker that does not take a connection, `onBroken` when a connection was
   * closed because a response on it cannot be right (see guardConnections).
   */
  constructor(
    onSilent: (address: string) => void,
    onBroken: (address: string, reason: string) => void = () => undefined,
  ) {
    this.#onSilent = onSilent;
    this.#onBroken = onBroken;
  }

  /** Whether at least one connection to a broker stands. */
  isConnected(): boolean {
    return this.#open > 0;
  }

  /** The socket factory for kafkajs. */
  readonly createSocket = ({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket => {
    // kafkajs goes on trying to join after a stop was given up; without sockets it cannot come back as a dead member
    // (tulios/kafkajs#1593: consumes after stop).
    if (this.#destroyed) throw new Error('this client is closed');
    const secure = ssl as ConnectionOptions | undefined;
    const socket = secure
      ? connectTls({ ...(isIP(host) === 0 ? { servername: host } : {}), ...secure, host, port }, onConnect)
      : connectTcp({ host, port, noDelay: true }, onConnect);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
    this.#watch(socket, secure ? 'secureConnect' : 'connect', `${host}:${port}`);
    return socket;
  };

  /** Closes all sockets at once and for good: whatever waits for an answer fails. */
  destroy(): void {
    this.#destroyed = true;
    this.onLost = undefined;
    // kafkajs learns of a closed socket by 'end' or 'error' only.
    for (const socket of this.#sockets) socket.destroy(new Error('connection closed by this client'));
  }

  #watch(socket: Socket, connected: 'connect' | 'secureConnect', address: string): void {
    this.#sockets.add(socket);
    let counted = false;
    const late = setTimeout(() => this.#onSilent(address), CONNECT_SOON_MS).unref();
    socket.once(connected, () => {
      clearTimeout(late);
      counted = true;
      this.#open += 1;
    });
    socket.on('error', (error) => {
      if (isBrokenResponse(error)) this.#onBroken(address, error.message);
    });
    socket.once('close', () => {
      this.#sockets.delete(socket);
      clearTimeout(late);
      if (!counted && !this.#destroyed) this.#onSilent(address);
      if (!counted) return;
      this.#open -= 1;
      if (this.#open === 0) this.onLost?.();
    });
  }
}

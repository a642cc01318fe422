import { connect, createServer, type Socket } from 'node:net';
import { listenOnFreePort } from '../support/free-port.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * State of the network between clients and one broker:
 * - `delayed`: all bytes arrive late, in order;
 * - `torn`: connections break in the middle of a response, by a reset or an orderly close;
 * - `silent`: requests reach the broker, but its responses are delayed until the fault ends;
 * - `black-holed`: nothing arrives in either direction, and neither side gets an error;
 * - `refused`: open connections are closed, and new ones are refused.
 */
export const NETWORK_FAULTS = ['delayed', 'torn', 'silent', 'black-holed', 'refused'] as const;
export type NetworkFault = (typeof NETWORK_FAULTS)[number];

/** A TCP proxy in front of one broker that injects network faults on command. */
export interface FaultProxy {
  readonly port: number;
  readonly connections: number;
  readonly torn: number;
  /**
   * Starts or ends a fault. When a fault ends, delayed responses are sent, and connections that lost bytes are reset.
   */
  set(fault: NetworkFault | undefined): void;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const LEAST_DELAY_MS = 50;
const MOST_DELAY_MS = 1_500;
/**
 * Maximum response bytes before a connection is torn: some are torn in the first response, others after several
 * fetches.
 */
const MOST_BYTES_BEFORE_TEAR = 8_000;
/** Time for bytes written before a reset to reach the client. */
const BEFORE_RESET_MS = 20;

export interface FaultProxyOptions {
  readonly target: number;
  /** A number from 0 up to 1 that decides delays and cut positions. */
  readonly share: () => number;
}

/** A client connection and the matching connection to the broker. */
interface Pair {
  readonly client: Socket;
  readonly broker: Socket;
  /** Bytes were dropped, so the connection must not be used again. */
  isLossy: boolean;
  /** Response bytes that still pass in the `torn` state. */
  bytesLeft: number;
}

interface ProxyState {
  fault: NetworkFault | undefined;
  over: PromiseWithResolvers<void>;
  connections: number;
  torn: number;
}

export async function startFaultProxy({ target, share }: FaultProxyOptions): Promise<FaultProxy> {
  const pairs = new Set<Pair>();
  const state: ProxyState = { fault: undefined, over: Promise.withResolvers(), connections: 0, torn: 0 };
  const server = createServer((client) => {
    state.connections += 1;
    if (state.fault === 'refused') {
      client.destroy();
      return;
    }
    const broker = connect({ host: HOST, port: target, noDelay: true });
    client.setNoDelay(true);
    const pair = { client, broker, isLossy: false, bytesLeft: share() * MOST_BYTES_BEFORE_TEAR };
    pairs.add(pair);
    client.once('close', () => pairs.delete(pair));
    carry({ from: client, to: broker, isAnswer: false }, pair, { state, share });
    carry({ from: broker, to: client, isAnswer: true }, pair, { state, share });
  });
  const port = await listenOnFreePort(server);
  const cut = (isCut: (pair: Pair) => boolean): void => {
    for (const pair of [...pairs].filter(isCut)) reset(pair);
  };
  return {
    port,
    get connections() {
      return state.connections;
    },
    get torn() {
      return state.torn;
    },
    set: (fault) => {
      const { over } = state;
      state.fault = fault;
      state.over = Promise.withResolvers();
      over.resolve();
      cut(({ isLossy }) => isLossy || fault === 'refused');
      for (const pair of pairs) pair.bytesLeft = share() * MOST_BYTES_BEFORE_TEAR;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        state.over.resolve();
        cut(() => true);
      }),
  };
}

interface Way {
  readonly from: Socket;
  readonly to: Socket;
  readonly isAnswer: boolean;
}

interface Network {
  readonly state: ProxyState;
  readonly share: () => number;
}

/** Forwards one direction of a connection, in order: a delayed chunk delays everything behind it. */
function carry({ from, to, isAnswer }: Way, pair: Pair, { state, share }: Network): void {
  let line = Promise.resolve();
  const pass = async (chunk: Buffer): Promise<void> => {
    if (state.fault === 'delayed') await sleep(LEAST_DELAY_MS + share() * (MOST_DELAY_MS - LEAST_DELAY_MS));
    if (isAnswer && state.fault === 'silent') await state.over.promise;
    if (state.fault === 'black-holed') pair.isLossy = true;
    if (pair.isLossy || to.destroyed) return;
    if (isAnswer && state.fault === 'torn') {
      pair.bytesLeft -= chunk.length;
      if (pair.bytesLeft < 0) return tear(pair, chunk, { state, share });
    }
    to.write(chunk);
  };
  from.on('data', (chunk: Buffer) => {
    line = line.then(() => pass(chunk));
  });
  from.on('error', () => undefined);
  from.once('close', () => {
    void line.then(() => to.end(() => to.destroy()));
  });
}

/** Forwards part of a response and ends the connection. */
async function tear(pair: Pair, chunk: Buffer, { state, share }: Network): Promise<void> {
  state.torn += 1;
  pair.isLossy = true;
  pair.client.write(chunk.subarray(0, Math.floor(share() * chunk.length)));
  await sleep(BEFORE_RESET_MS);
  if (share() < 0.5) reset(pair);
  else pair.client.end(() => pair.broker.destroy());
}

function reset({ client, broker }: Pair): void {
  client.resetAndDestroy();
  broker.resetAndDestroy();
}

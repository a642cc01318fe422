import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What the network between clients and one broker does:
 * - `delayed`: everything arrives late, in its order;
 * - `torn`: connections break in the middle of an answer, by a reset or by an orderly end;
 * - `silent`: the broker hears its clients, and nothing of what it says arrives until the fault is over;
 * - `black-holed`: nothing arrives in either direction, without a word to either side;
 * - `refused`: connections are closed, and so is each new one.
 */
export const NETWORK_FAULTS = ['delayed', 'torn', 'silent', 'black-holed', 'refused'] as const;
export type NetworkFault = (typeof NETWORK_FAULTS)[number];

/** A TCP proxy in front of one broker, with a network that fails on command. */
export interface FaultProxy {
  readonly port: number;
  /** Connections that were taken. */
  readonly connections: number;
  /** Connections that were cut in the middle of an answer. */
  readonly torn: number;
  /** Begins a fault, or ends it: then held answers go out, and connections that lost bytes are reset. */
  set(fault: NetworkFault | undefined): void;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const LEAST_DELAY_MS = 50;
const MOST_DELAY_MS = 1_500;
/** A connection is torn after at most so many bytes of answers: in its first answer, or after some fetches. */
const MOST_BYTES_BEFORE_TEAR = 8_000;
/** What was written before a reset arrives before it. */
const BEFORE_RESET_MS = 20;

export interface FaultProxyOptions {
  /** Port of the broker on loopback. */
  readonly target: number;
  /** A number from 0 up to 1: decides how late and where. */
  readonly share: () => number;
}

/** One client's connection and its counterpart at the broker. */
interface Pair {
  readonly client: Socket;
  readonly broker: Socket;
  /** Bytes of it were dropped: it can never be used again. */
  isLossy: boolean;
  /** Bytes of answers that it still carries under `torn`. */
  bytesLeft: number;
}

interface ProxyState {
  fault: NetworkFault | undefined;
  /** Resolves with the end of the present fault. */
  over: PromiseWithResolvers<void>;
  connections: number;
  torn: number;
}

/** Starts a proxy on a free port. */
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
  await new Promise<void>((resolve) => {
    server.listen(0, HOST, resolve);
  });
  const cut = (isCut: (pair: Pair) => boolean): void => {
    for (const pair of [...pairs].filter(isCut)) reset(pair);
  };
  return {
    port: (server.address() as AddressInfo).port,
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

/** Carries one direction of a connection; what is held back holds back all behind it. */
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

/** Ends a connection after a part of an answer. */
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

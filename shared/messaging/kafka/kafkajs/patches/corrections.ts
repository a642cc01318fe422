import type { Socket } from 'node:net';
import kafkajs from 'kafkajs';
import { kafkajsPrototype, replaceFunction } from './internals.ts';

/** Corrects what makes kafkajs 2.2.4 crash, hang or lose messages, for the whole process. Idempotent. */
export function correctKafkajs(): void {
  forgetTornReplies();
  endStoppedFetches();
  avoidSilentBrokers();
  stopIdlePolling();
  measureElapsedTime();
}

interface Connection {
  readonly broker: string;
  readonly requestQueue: { readonly inflight: ReadonlyMap<number, unknown> };
  socket?: Socket;
  chunks: Buffer[];
  bytesBuffered: number;
  bytesNeeded: number;
  connect: (this: Connection) => Promise<boolean>;
  processData: (this: Connection, data: Buffer) => unknown;
  isConnected(): boolean;
  rejectRequests(error: Error): void;
}

/** The connections that are being opened. */
const connecting = new WeakMap<Connection, Promise<boolean>>();

/**
 * A connection that breaks within a response keeps its bytes, and appends those of the next connection to them: what it then parses is
 * no response, and the error escapes as an uncaught exception (tulios/kafkajs#715). Here each connection starts empty, once for all
 * concurrent calls; what cannot be parsed closes it; and its close ends the requests that were written after kafkajs noticed its end.
 */
function forgetTornReplies(): void {
  const prototype = kafkajsPrototype('network/connection') as Connection;
  replaceFunction(prototype, 'connect', function connectOnce(connect) {
    if (this.isConnected()) return connect.call(this);
    const pending = connecting.get(this);
    if (pending !== undefined) return pending;
    this.socket?.destroy();
    Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: 4 });
    const started = connect.call(this);
    const { socket } = this;
    connecting.set(this, started);
    const forget = () => connecting.get(this) === started && connecting.delete(this);
    started.then(forget, forget);
    socket?.once('close', () => {
      if (this.socket !== socket) return;
      connecting.delete(this);
      if (this.requestQueue.inflight.size > 0) {
        this.rejectRequests(new Error(`the connection to ${this.broker} was closed`));
      }
    });
    return started;
  });
  replaceFunction(prototype, 'processData', function processOrClose(processData, data) {
    try {
      return processData.call(this, data);
    } catch (error) {
      this.socket?.destroy(error as Error);
      return undefined;
    }
  });
}

type Runner = Record<'fetch', (this: { running: boolean }, nodeId: string) => Promise<unknown>>;

/**
 * When the set of brokers has changed, the fetch manager may start fetchers after the consumer was stopped. The fetch of a stopped consumer
 * returns an empty result immediately, and its fetcher repeats it forever without a turn of the event loop: no timer or signal handler runs
 * (another form of tulios/kafkajs#1384). Here such a fetch fails, which ends the fetcher.
 */
function endStoppedFetches(): void {
  const prototype = kafkajsPrototype('consumer/runner') as Runner;
  replaceFunction(prototype, 'fetch', function fetchWhileRunning(fetch, nodeId) {
    if (!this.running) return Promise.reject(new Error('the consumer is stopped'));
    return fetch.call(this, nodeId);
  });
}

interface Broker {
  connect: (this: Broker) => Promise<void>;
  joinGroup: (this: Broker, join: unknown) => Promise<unknown>;
  apiVersions(): Promise<unknown>;
}

/**
 * kafkajs connects to a frozen broker again and again, since it looks for another one only after a socket error, and waits for the answer to a
 * JoinGroup as long as a rebalance may take, although the group has another coordinator by then (not reported upstream yet). Here a broker that
 * does not answer in time counts as not connected, and a coordinator first has to answer another request.
 */
function avoidSilentBrokers(): void {
  const prototype = kafkajsPrototype('broker') as Broker;
  replaceFunction(prototype, 'connect', async function connectInTime(connect) {
    await connect.call(this).catch((error: Error) => {
      const isSilent = error instanceof kafkajs.KafkaJSRequestTimeoutError;
      throw isSilent ? new kafkajs.KafkaJSConnectionError(error.message) : error;
    });
  });
  replaceFunction(prototype, 'joinGroup', async function joinIfAnswered(joinGroup, join) {
    await this.apiVersions();
    return joinGroup.call(this, join);
  });
}

type RequestQueue = Record<'scheduleCheckPendingRequests', (this: { pending: unknown[] }) => void>;

/**
 * After each response kafkajs sets a timer with a negative time, and each such timer sets the next one: every connection wakes the process
 * a thousand times a second (tulios/kafkajs#1751). Here the timer is set only while a request is queued.
 */
function stopIdlePolling(): void {
  const prototype = kafkajsPrototype('network/requestQueue') as RequestQueue;
  replaceFunction(prototype, 'scheduleCheckPendingRequests', function scheduleWhilePending(schedule) {
    if (this.pending.length > 0) schedule.call(this);
  });
}

/** The properties in which kafkajs keeps a time for a later comparison with Date.now(), with the module of their class. */
const KEPT_TIMES = [
  ['consumer/consumerGroup', 'lastRequest'],
  ['network/requestQueue', 'throttledUntil'],
  ['network/requestQueue/socketRequest', 'createdAt'],
  ['network/requestQueue/socketRequest', 'sentAt'],
  ['cluster/brokerPool', 'metadataExpireAt'],
] as const;

/**
 * When the system clock is set back, a member sends no heartbeat and is expelled, requests do not time out, and metadata is not refreshed,
 * all for as long as the step (not reported upstream yet). Here these properties move with the clock.
 */
function measureElapsedTime(): void {
  for (const [path, name] of KEPT_TIMES) {
    const elapsed = new WeakMap<object, number | null>();
    Object.defineProperty(kafkajsPrototype(path), name, {
      configurable: true,
      get(this: object) {
        const kept = elapsed.get(this);
        return typeof kept === 'number' ? kept - performance.now() + Date.now() : kept;
      },
      set(this: object, time: number | null) {
        elapsed.set(this, time === null ? null : time - Date.now() + performance.now());
      },
    });
  }
}

import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { kafkajsModule, replaceFunction } from './internals.ts';

/** Corrects what makes kafkajs 2.2.4 crash, hang or lose messages, for the whole process. Idempotent. */
export function correctKafkajs(): void {
  forgetTornReplies();
  endStoppedFetches();
  stopIdlePolling();
  measureElapsedTime();
}

const LENGTH_BYTES = 4;

interface Connection {
  readonly broker: string;
  readonly requestQueue: { readonly inflight: ReadonlyMap<number, unknown> };
  socket?: Socket;
  chunks: Buffer[];
  bytesBuffered: number;
  bytesNeeded: number;
  isConnected(): boolean;
  rejectRequests(error: Error): void;
}

interface ConnectionClass {
  readonly prototype: {
    connect: (this: Connection) => Promise<boolean>;
    processData: (this: Connection, data: Buffer) => unknown;
  };
}

/** The connections that are being opened. */
const connecting = new WeakMap<Connection, Promise<boolean>>();

/**
 * A connection that breaks within a response keeps its bytes, and appends those of the next connection to them: what it then parses is
 * no response, and the error escapes as an uncaught exception (tulios/kafkajs#715). Here each connection starts empty, once for all
 * concurrent calls; what cannot be parsed closes it; and its close ends the requests that were written after kafkajs noticed its end.
 */
function forgetTornReplies(): void {
  const { prototype } = kafkajsModule('network/connection') as ConnectionClass;
  replaceFunction(prototype, 'connect', function connectOnce(connect) {
    if (this.isConnected()) return connect.call(this);
    const pending = connecting.get(this);
    if (pending !== undefined) return pending;
    this.socket?.destroy();
    Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: LENGTH_BYTES });
    const started = connect.call(this);
    const { socket } = this;
    connecting.set(this, started);
    const forget = () => {
      if (connecting.get(this) === started) connecting.delete(this);
    };
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

interface Runner {
  readonly running: boolean;
}

interface RunnerClass {
  readonly prototype: { fetch: (this: Runner, nodeId: string) => Promise<unknown> };
}

/**
 * When the set of brokers has changed, the fetch manager may start fetchers after the consumer was stopped. The fetch of a stopped consumer
 * returns an empty result immediately, and its fetcher repeats it forever without a turn of the event loop: no timer or signal handler runs
 * (another form of tulios/kafkajs#1384). Here such a fetch fails, which ends the fetcher, and each fetch starts with a turn of the event loop.
 */
function endStoppedFetches(): void {
  const { prototype } = kafkajsModule('consumer/runner') as RunnerClass;
  replaceFunction(prototype, 'fetch', async function fetchWhileRunning(fetch, nodeId) {
    if (!this.running) throw new Error('the consumer is stopped');
    // Before the positions are read: after the response, it would let an old response into a new generation (FetchGate).
    await nextTurn();
    return fetch.call(this, nodeId);
  });
}

interface RequestQueueClass {
  readonly prototype: {
    scheduleCheckPendingRequests: (this: { readonly pending: readonly unknown[] }) => void;
  };
}

/**
 * After each response kafkajs sets a timer with a negative time, and each such timer sets the next one: every connection wakes the process
 * a thousand times a second (tulios/kafkajs#1751). Here the timer is set only while a request is queued.
 */
export function stopIdlePolling(): void {
  const { prototype } = kafkajsModule('network/requestQueue') as RequestQueueClass;
  replaceFunction(prototype, 'scheduleCheckPendingRequests', function scheduleWhilePending(schedule) {
    if (this.pending.length > 0) schedule.call(this);
  });
}

/** The properties in which kafkajs keeps a time for a later comparison with Date.now(), by the module of their class. */
const KEPT_TIMES = {
  'consumer/consumerGroup': ['lastRequest'],
  'network/requestQueue': ['throttledUntil'],
  'network/requestQueue/socketRequest': ['createdAt', 'sentAt'],
  'cluster/brokerPool': ['metadataExpireAt'],
} as const;

/**
 * When the system clock is set back, a member sends no heartbeat and is expelled, requests do not time out, and metadata is not refreshed,
 * all for as long as the step (not reported upstream yet). Here these properties move with the clock.
 */
function measureElapsedTime(): void {
  for (const [path, names] of Object.entries(KEPT_TIMES)) {
    const { prototype } = kafkajsModule(path) as { readonly prototype: object };
    for (const name of names) {
      const elapsed = new WeakMap<object, number | null>();
      Object.defineProperty(prototype, name, {
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
}

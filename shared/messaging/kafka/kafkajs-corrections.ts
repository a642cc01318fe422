import type { Socket } from 'node:net';
import kafkajs from 'kafkajs';
import { kafkajsModule, replaceExport, replaceMethod } from './kafkajs-internals.ts';

/** Corrects what makes kafkajs 2.2.4 crash, hang or lose messages, for the whole process. Idempotent. */
export function correctKafkajs(): void {
  forgetTornReplies();
  endStoppedFetches();
  avoidSilentBrokers();
  acceptMissingLeaders();
  stopIdlePolling();
  measureElapsedTime();
}

interface Connection {
  readonly broker: string;
  readonly requestQueue: { readonly inflight: ReadonlyMap<number, unknown> };
  readonly socket?: Socket;
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
  const path = 'network/connection';
  replaceMethod(path, 'connect', (connection: Connection, connect: () => Promise<boolean>) => {
    if (connection.isConnected()) return connect();
    const pending = connecting.get(connection);
    if (pending !== undefined) return pending;
    connection.socket?.destroy();
    Object.assign(connection, { chunks: [], bytesBuffered: 0, bytesNeeded: 4 });
    const started = connect();
    const { socket } = connection;
    connecting.set(connection, started);
    const forget = () => connecting.get(connection) === started && connecting.delete(connection);
    started.then(forget, forget);
    socket?.once('close', () => {
      if (connection.socket !== socket) return;
      connecting.delete(connection);
      if (connection.requestQueue.inflight.size > 0) {
        connection.rejectRequests(new Error(`the connection to ${connection.broker} was closed`));
      }
    });
    return started;
  });
  replaceMethod(path, 'processData', (connection: Connection, processData: () => void) => {
    try {
      processData();
    } catch (error) {
      connection.socket?.destroy(error as Error);
    }
  });
}

/**
 * When the set of brokers has changed, the fetch manager may start fetchers after the consumer was stopped. The fetch of a stopped consumer
 * returns an empty result immediately, and its fetcher repeats it forever without a turn of the event loop: no timer or signal handler runs
 * (another form of tulios/kafkajs#1384). Here such a fetch fails, which ends the fetcher.
 */
function endStoppedFetches(): void {
  const [path, name] = ['consumer/runner', 'fetch'];
  replaceMethod(path, name, async (runner: { running: boolean }, fetch: () => Promise<unknown>) => {
    if (!runner.running) throw new Error('the consumer is stopped');
    return fetch();
  });
}

type Broker = { apiVersions(): Promise<unknown> };
type Metadata = { topicMetadata: { partitionMetadata: { partitionErrorCode: number }[] }[] };
type MetadataModule = { parse: (answer: Metadata) => Promise<object> };

/**
 * kafkajs connects to a frozen broker again and again, since it looks for another one only after a socket error, and waits for the answer to a
 * JoinGroup as long as a rebalance may take, although the group has another coordinator by then (not reported upstream yet). Here a broker that
 * does not answer in time counts as not connected, and a coordinator first has to answer another request.
 */
function avoidSilentBrokers(): void {
  replaceMethod('broker', 'connect', async (_broker: object, connect: () => Promise<void>) => {
    await connect().catch((error: Error) => {
      if (!(error instanceof kafkajs.KafkaJSRequestTimeoutError)) throw error;
      throw new kafkajs.KafkaJSConnectionError(error.message);
    });
  });
  replaceMethod('broker', 'joinGroup', async (broker: Broker, joinGroup: () => Promise<unknown>) => {
    await broker.apiVersions();
    return joinGroup();
  });
}

/** A partition without a leader (error 5) makes kafkajs reject the metadata of all topics (not reported yet). Here its leader is -1. */
function acceptMissingLeaders(): void {
  const users = /\/metadata\/v[1-9]\d*\/response\.js$/;
  replaceExport<MetadataModule>('protocol/requests/metadata/v0/response', users, (original) => ({
    ...original,
    parse: (answer) => {
      for (const one of answer.topicMetadata.flatMap((topic) => topic.partitionMetadata))
        if (one.partitionErrorCode === 5) one.partitionErrorCode = 0;
      return original.parse(answer);
    },
  }));
}

/**
 * After each response kafkajs sets a timer with a negative time, and each such timer sets the next one: every connection wakes the process
 * a thousand times a second (tulios/kafkajs#1751). Here the timer is set only while a request is queued.
 */
function stopIdlePolling(): void {
  const [path, name] = ['network/requestQueue', 'scheduleCheckPendingRequests'];
  replaceMethod(path, name, (queue: { readonly pending: readonly unknown[] }, schedule: () => void) => {
    if (queue.pending.length > 0) schedule();
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
    const { prototype } = kafkajsModule(path) as { readonly prototype: object };
    if (Object.hasOwn(prototype, name)) continue;
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

import type { Socket } from 'node:net';
import kafkajs from 'kafkajs';
import { kafkajsModule, replaceExport, replaceMethod } from './kafkajs-internals.ts';

/** Corrects faults of kafkajs 2.2.4 (crashes, hangs, lost messages) for the whole process. Idempotent. */
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

const connecting = new WeakMap<Connection, Promise<boolean>>();

/**
 * kafkajs keeps the bytes of a torn response for the next connection, and an error escapes (tulios/kafkajs#715). Here a
 * new connection starts without bytes, unparsable bytes close it, and its close rejects requests without a response.
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

/** After a stop, a new fetcher blocks the event loop with empty fetches (tulios/kafkajs#1384). Here its fetch fails. */
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
 * kafkajs connects to a frozen broker again and again, and waits long for its JoinGroup (not reported upstream yet).
 * Here such a broker counts as not connected, and a coordinator must answer another request before JoinGroup.
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

/** If one partition has no leader (error 5), kafkajs rejects all metadata (not reported yet). Here the leader is -1. */
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

/** kafkajs sets timers with negative delays forever (tulios/kafkajs#1751). Here it does so only while requests wait. */
function stopIdlePolling(): void {
  const [path, name] = ['network/requestQueue', 'scheduleCheckPendingRequests'];
  replaceMethod(path, name, (queue: { readonly pending: readonly unknown[] }, schedule: () => void) => {
    if (queue.pending.length > 0) schedule();
  });
}

const KEPT_TIMES = [
  ['consumer/consumerGroup', 'lastRequest'],
  ['network/requestQueue', 'throttledUntil'],
  ['network/requestQueue/socketRequest', 'createdAt'],
  ['network/requestQueue/socketRequest', 'sentAt'],
  ['cluster/brokerPool', 'metadataExpireAt'],
] as const;

/** If the system clock is set back, kafkajs sends no heartbeats until the clock has caught up (not reported yet). */
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

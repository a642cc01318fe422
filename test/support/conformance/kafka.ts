import { fork } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Kafka, logLevel } from 'kafkajs';
import type { KafkaClientName } from '../../../shared/messaging/kafka/kafka-broker.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import type { EchoWorkerOptions } from './echo-worker.ts';
import type { ConformanceTarget } from './target.ts';
import { createKafkaBroker } from '../kafka/broker.ts';

/** Kafka's minimum (group.min.session.timeout.ms). */
const SESSION_TIMEOUT_MS = 6_000;
/** A rebalance waits for the next heartbeat of each member, and a fetch for its maximum wait time; CI has two cores. */
const STEP_MS = 15_000;
const ECHO_PROCESS = fileURLToPath(new URL('./echo-process.ts', import.meta.url));

interface KafkaUnderTest {
  readonly brokers: readonly string[];
  /** Kills the broker and starts it again. Absent if other suites share the broker. */
  readonly restart?: () => Promise<void>;
  readonly stop?: () => Promise<void>;
}

export function createKafkaTarget(kafka: KafkaUnderTest, client: KafkaClientName): ConformanceTarget {
  const options = { brokers: kafka.brokers, clientId: 'conformance', log: silentLog };
  const broker = createKafkaBroker(options, client);
  const raw = new Kafka({ brokers: [...kafka.brokers], clientId: 'raw', logLevel: logLevel.NOTHING });
  return {
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    stepMs: STEP_MS,
    slowMs: 3_000,
    trafficMessages: 600,
    broker,
    deleteTopics: async (topics) => {
      const admin = raw.admin();
      await admin.connect();
      await admin.deleteTopics({ topics: [...topics] });
      await admin.disconnect();
    },
    startKillableWorker: (worker) => startProcess(client, kafka.brokers, worker),
    restart: () => kafka.restart?.() ?? Promise.reject(new Error('a shared Kafka cannot be restarted')),
    leaveEmptyTail: (topic) => leaveTransactionMarkers(raw, topic),
    forceRejoin: cutConnections,
    close: async () => {
      await broker.close();
      await kafka.stop?.();
    },
  };
}

async function startProcess(client: KafkaClientName, brokers: readonly string[], options: EchoWorkerOptions) {
  const execArgv = ['--disable-warning=TimeoutNegativeWarning'];
  const child = fork(ECHO_PROCESS, [JSON.stringify({ client, brokers, options })], { execArgv });
  const exited = once(child, 'exit');
  const started = await Promise.race([once(child, 'message'), exited.then(() => undefined)]);
  if (started === undefined) throw new Error('the echo process exited before it was ready');
  return {
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Writes a transaction to all partitions. Its end marker has an offset in each of them and is never delivered. */
async function leaveTransactionMarkers(raw: Kafka, topic: string): Promise<void> {
  const exactlyOnce = { maxInFlightRequests: 1, idempotent: true };
  const producer = raw.producer({ transactionalId: `${topic}-markers`, ...exactlyOnce });
  const admin = raw.admin();
  await Promise.all([producer.connect(), admin.connect()]);
  const partitions = (await admin.fetchTopicOffsets(topic)).map(({ partition }) => partition);
  const transaction = await producer.transaction();
  const messages = partitions.map((partition) => ({ partition, key: 'gone', value: null }));
  await transaction.send({ topic, messages });
  await transaction.commit();
  await Promise.all([producer.disconnect(), admin.disconnect()]);
}

const sockets = new Map<Socket, string>();
/** Size, key, version and correlation id come before it. */
const CLIENT_ID_LENGTH_AT = 12;
subscribe('net.client.socket', (event) => {
  const { socket } = event as { socket: Socket };
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  const writeAndRemember = (...args: unknown[]) => {
    const [data] = args;
    const start = CLIENT_ID_LENGTH_AT + 2;
    if (Buffer.isBuffer(data) && data.length > start && !sockets.has(socket)) {
      sockets.set(socket, data.toString('utf8', start, start + data.readInt16BE(CLIENT_ID_LENGTH_AT)));
      socket.once('close', () => sockets.delete(socket));
    }
    return write(...args);
  };
  // Node sets its own function when it begins to connect, after this event.
  queueMicrotask(() => Object.assign(socket, { write: writeAndRemember }));
});

/** Tails have no group; they reconnect when their connections break. */
function cutConnections(clientId: string): Promise<void> {
  const open = [...sockets].filter(([, id]) => id.startsWith(clientId));
  if (open.length === 0) return Promise.reject(new Error(`no connection belongs to ${clientId}`));
  for (const [socket] of open) socket.destroy(new Error('read ECONNRESET'));
  return Promise.resolve();
}

import { fork, type ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Connection } from '@platformatic/kafka';
import { Kafka, logLevel, type Assigner } from 'kafkajs';
import type { KafkaClientName } from '../../../shared/messaging/kafka/open-kafka-broker.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import type { EchoWorkerOptions } from './echo-worker.ts';
import type { ConformanceTarget } from './target.ts';
import { eventually, sleep } from './wait.ts';
import { createKafkaBroker } from '../kafka/broker.ts';

/** Kafka's minimum (group.min.session.timeout.ms). */
const SESSION_TIMEOUT_MS = 6_000;
/** A rebalance waits for the next heartbeat of each member, and a fetch for its maximum wait time; CI has two cores. */
const STEP_MS = 15_000;
const ECHO_PROCESS = fileURLToPath(new URL('./echo-process.ts', import.meta.url));

export interface KafkaUnderTest {
  readonly brokers: readonly string[];
  /** Kills the broker and starts it again. Absent if other suites share the broker. */
  readonly restart?: () => Promise<void>;
  readonly stop?: () => Promise<void>;
}

/** Apache Kafka under test with a client. */
export function createKafkaTarget(kafka: KafkaUnderTest, client: KafkaClientName): ConformanceTarget {
  const options = { brokers: kafka.brokers, clientId: 'conformance', log: silentLog };
  const broker = createKafkaBroker(options, client);
  const raw = new Kafka({
    brokers: [...kafka.brokers],
    clientId: 'conformance-raw',
    logLevel: logLevel.NOTHING,
  });
  return {
    name: `Kafka with ${client}`,
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
    startKillableWorker: (worker) => startProcess({ client, brokers: kafka.brokers, options: worker }),
    restart: () => kafka.restart?.() ?? Promise.reject(new Error('a shared Kafka cannot be restarted')),
    leaveEmptyTail: (topic) => leaveTransactionMarkers(raw, topic),
    forceRejoin: (clientId) =>
      client === 'platformatic' ? cutConnections(clientId) : forceRejoin(raw, clientId),
    close: async () => {
      await broker.close();
      await kafka.stop?.();
    },
  };
}

async function startProcess(worker: {
  readonly client: KafkaClientName;
  readonly brokers: readonly string[];
  readonly options: EchoWorkerOptions;
}) {
  const child: ChildProcess = fork(ECHO_PROCESS, [JSON.stringify(worker)], {
    execArgv: ['--disable-warning=TimeoutNegativeWarning'],
  });
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
  const producer = raw.producer({
    transactionalId: `${topic}-markers`,
    maxInFlightRequests: 1,
    idempotent: true,
  });
  const admin = raw.admin();
  await Promise.all([producer.connect(), admin.connect()]);
  const partitions = (await admin.fetchTopicOffsets(topic)).map(({ partition }) => partition);
  const transaction = await producer.transaction();
  const messages = partitions.map((partition) => ({ partition, key: 'gone', value: null }));
  await transaction.send({ topic, messages });
  await transaction.commit();
  await Promise.all([producer.disconnect(), admin.disconnect()]);
}

/** The connections of @platformatic/kafka in this process, by client id. */
const connections = new Map<string, Set<Connection>>();
subscribe('tracing:plt:kafka:connections:connects:start', (event) => {
  const { connection } = event as { connection: Connection };
  const clientId = String(connection.context);
  connections.set(clientId, (connections.get(clientId) ?? new Set()).add(connection));
});

/** Tails of this client have no group; they reconnect when their connections break. */
function cutConnections(clientId: string): Promise<void> {
  const own = [...connections].filter(([id]) => id.startsWith(clientId)).flatMap(([, all]) => [...all]);
  const open = own.filter(({ socket }) => !socket.destroyed);
  if (open.length === 0) return Promise.reject(new Error(`no connection belongs to ${clientId}`));
  for (const { socket } of open) socket.resetAndDestroy();
  return Promise.resolve();
}

/** Another member joins and leaves the group of the tail, so that the tail rejoins twice. */
async function forceRejoin(raw: Kafka, clientId: string): Promise<void> {
  const admin = raw.admin();
  await admin.connect();
  const { groups } = await admin.listGroups();
  const described = await admin.describeGroups(groups.map(({ groupId }) => groupId));
  const group = described.groups.find(({ members }) =>
    members.some((member) => member.clientId === clientId),
  );
  if (group === undefined) throw new Error(`no group has the tail ${clientId} as a member`);
  const nothing: Assigner = {
    name: group.protocol,
    version: 1,
    assign: () => Promise.resolve([]),
    protocol: () => ({ name: group.protocol, metadata: Buffer.alloc(0) }),
  };
  const stranger = raw.consumer({
    groupId: group.groupId,
    partitionAssigners: [() => nothing],
    sessionTimeout: SESSION_TIMEOUT_MS,
    maxWaitTimeInMs: 100,
  });
  await stranger.connect();
  const joined = new Promise<void>((resolve) => stranger.on(stranger.events.GROUP_JOIN, () => resolve()));
  await stranger.run({ eachMessage: () => Promise.resolve() });
  await joined;
  await sleep(500);
  await stranger.disconnect();
  const alone = async () => {
    const {
      groups: [now],
    } = await admin.describeGroups([group.groupId]);
    return now?.state === 'Stable' && now.members.length === 1;
  };
  await eventually('the tail to be alone in its group', STEP_MS, alone);
  await admin.disconnect();
}

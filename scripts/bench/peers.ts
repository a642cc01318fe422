/** Compares this project with a Spring Boot pair over Kafka, and with fastify that runs the engine in its handler. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KafkaClientName } from '../../shared/messaging/kafka/kafka-broker.ts';
import { topicName } from '../../shared/messaging/topics/topic-list.ts';
import { renderRepaymentSchedule } from '../../shared/api/actions/render-schedule.ts';
import { requireJava } from '../dev/local-kafka/java-process.ts';
import { startLocalKafka } from '../dev/local-kafka/start-local-kafka.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { runProgram } from '../command-line/run-program.ts';
import { type Child, startNode, startProgram } from './processes.ts';
import { type BenchOptions, type PartResult, type Ratio } from './rounds.ts';
import { benchCodec, calculate, readBody, SCHEDULE_PATH, scheduleBody } from './samples.ts';
import {
  MANY,
  type MeasuredSystem,
  measureTrips,
  ONE,
  quotients,
  type TripLine,
  tripTable,
} from './trips.ts';

interface Ground {
  readonly brokers: string;
  readonly brokerPid: number;
  readonly cleanup: AsyncDisposableStack;
}

const CLIENTS: readonly KafkaClientName[] = ['platformatic', 'kafkajs'];
/** The targets for each Kafka client, as multiples of the figures of the Spring pair in the same round. */
const AIM = {
  throughput: { platformatic: 1.4, kafkajs: 1 },
  latency: { platformatic: 0.9, kafkajs: 1.15 },
} as const;
const EMBEDDED_AIM = 1.2;
const SPRING = 'Spring Boot pair, echo';
const IN_MEMORY = 'this project, embedded in memory';
const INLINE = 'fastify with the engine in its handler';
/** The minimum warm-up times. Java needs a longer one, since its code is slow until it has been compiled. */
const WARM_UP_MS = { java: 60_000, node: 10_000 } as const;
const READY = /Ready in/;
const TOPICS_LIMIT_MS = 120_000;
const SETTINGS = { PORT: '0', RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'warn' } as const;

/** Measures this project over Kafka with each client, and the Spring pair if Java 17 and Maven can build it. */
export async function benchPeers(options: BenchOptions): Promise<PartResult> {
  const { progress } = options;
  const java = await buildSpringPair(progress);
  progress('starting Apache Kafka on loopback');
  await using cleanup = new AsyncDisposableStack();
  const kafka = await startLocalKafka({ nodes: 1, registry: false });
  cleanup.defer(() => kafka.stop());
  const ground = { brokers: kafka.brokers.join(','), brokerPid: kafka.nodes[0]?.pid ?? 0, cleanup };
  const systems: MeasuredSystem[] = [];
  if (java !== undefined) systems.push(await startSpringPair(ground, java));
  for (const client of CLIENTS) systems.push(await startOwn(ground, client));
  const lines = await measureTrips(options, systems, [MANY, ONE]);
  const ratios = java === undefined ? [] : CLIENTS.flatMap((client) => springRatios(client, lines));
  return { table: tripTable('schedules over HTTP and Kafka', lines), figures: lines, ratios };
}

/** Measures this project in one process, in memory and on disk, beside fastify with the engine in its handler. */
export async function benchEmbedded(options: BenchOptions): Promise<PartResult> {
  await using cleanup = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const start = async (name: string, program: string, dataFolder: string): Promise<MeasuredSystem> => {
    const env = { ...SETTINGS, KAFKA_BROKERS: '', DATA_DIR: dataFolder };
    const child = await startNode([program], /READY|Ready in/, env);
    cleanup.defer(() => child.stop());
    return systemOf(name, child, { process: child.pid });
  };
  const systems = [
    await start(IN_MEMORY, 'workers/main.ts', 'memory'),
    await start('this project, embedded on disk', 'workers/main.ts', path.join(folder, 'data')),
    await start(INLINE, 'scripts/bench/inline-server.ts', 'memory'),
  ];
  const lines = await measureTrips(options, systems, [MANY, ONE]);
  const name = 'embedded, processor time per call / fastify with the engine';
  const rounds = quotients(lines, [IN_MEMORY, INLINE], MANY, ({ cpuUs }) => cpuUs['process'] ?? Number.NaN);
  const ratios: readonly Ratio[] = [{ name, aim: `<= ${EMBEDDED_AIM}`, rounds }];
  return { table: tripTable('schedules over HTTP', lines), figures: lines, ratios };
}

/** Starts a controller and a listener. They exchange constant bytes, as many as our Avro request and JSON answer. */
async function startSpringPair(ground: Ground, java: string): Promise<MeasuredSystem> {
  const prefix = await createTopics(ground, 'spring');
  const request = readBody(scheduleBody(12));
  const encoded = await benchCodec().encode('CalculateRepaymentScheduleRequest', request, 'avro');
  const env = {
    KAFKA_BROKERS: ground.brokers,
    REQUEST_TOPIC: topicName(prefix, 'scheduleBulkRequests'),
    REPLY_TOPIC: topicName(prefix, 'recalculationReplies'),
    REQUEST_BYTES: String(encoded.value.length),
    REPLY_BYTES: String(Buffer.byteLength(renderRepaymentSchedule(calculate(request)))),
  };
  const start = async (part: 'http' | 'echo'): Promise<Child> => {
    const args = [...JVM_FLAGS, '-jar', JAR, `--spring.profiles.active=${part}`];
    const child = await startProgram([java, ...args], /READY .*\n/, env);
    ground.cleanup.defer(() => child.stop());
    return child;
  };
  const listener = await start('echo');
  const front = await start('http');
  const pids = { front: front.pid, listener: listener.pid, broker: ground.brokerPid };
  const url = /READY (\S+)/.exec(front.output)?.[1] ?? '';
  return { name: SPRING, url, pids, warmUpMs: WARM_UP_MS.java };
}

async function startOwn(ground: Ground, client: KafkaClientName): Promise<MeasuredSystem> {
  const prefix = await createTopics(ground, client);
  const settings = { KAFKA_BROKERS: ground.brokers, KAFKA_TOPIC_PREFIX: prefix, KAFKA_CLIENT: client };
  const start = async (name: string): Promise<Child> => {
    const child = await startNode(['workers/main.ts', name], READY, { ...SETTINGS, ...settings });
    ground.cleanup.defer(() => child.stop());
    return child;
  };
  const worker = await start('schedule');
  const ingress = await start('ingress');
  const pids = { ingress: ingress.pid, worker: worker.pid, broker: ground.brokerPid };
  return systemOf(ownName(client), ingress, pids);
}

async function createTopics({ brokers }: Ground, name: string): Promise<string> {
  const prefix = `bench-${name}.`;
  const env = { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: prefix };
  const options = { limitMs: TOPICS_LIMIT_MS, env: { ...process.env, ...env } };
  const { code, output } = await runProgram(process.execPath, ['scripts/topics.ts', 'create'], options);
  if (code !== 0) throw new Error(`the topics could not be created: ${output}`);
  return prefix;
}

function ownName(client: KafkaClientName): string {
  return `this project on ${client}`;
}

function systemOf(name: string, { output }: Child, pids: MeasuredSystem['pids']): MeasuredSystem {
  const origin = /http:\/\/[\d.]+:\d+/.exec(output)?.[0] ?? '';
  return { name, url: origin + SCHEDULE_PATH, pids, warmUpMs: WARM_UP_MS.node };
}

function springRatios(client: KafkaClientName, lines: readonly TripLine[]): readonly Ratio[] {
  const systems = [ownName(client), SPRING] as const;
  return [
    {
      name: `${client}: window 64, throughput / Spring`,
      aim: `>= ${AIM.throughput[client]}`,
      rounds: quotients(lines, systems, MANY, ({ perSecond }) => perSecond),
    },
    {
      name: `${client}: window 1, p50 / Spring`,
      aim: `<= ${AIM.latency[client]}`,
      rounds: quotients(lines, systems, ONE, ({ p50Ms }) => p50Ms),
    },
  ];
}

const SPRING_FOLDER = path.join(import.meta.dirname, 'spring');
const JAR = path.join(SPRING_FOLDER, 'target', 'spring-peer.jar');
const BUILD_LIMIT_MS = 10 * 60_000;
/** For two cores: the serial collector uses the least processor time, and the heap does not reach its limit. */
const JVM_FLAGS = ['-Xms256m', '-Xmx512m', '-XX:+UseSerialGC'];

async function buildSpringPair(progress: (text: string) => void): Promise<string | undefined> {
  try {
    const { command } = await requireJava();
    progress('building the Spring pair with Maven');
    const args = ['-B', '-q', '-DskipTests', 'package'];
    const { code, output } = await runProgram('mvn', args, { limitMs: BUILD_LIMIT_MS, cwd: SPRING_FOLDER });
    if (code === 'missing') throw new Error('Maven (mvn) is not installed');
    if (code !== 0) throw new Error(`mvn package exited with ${code}\n${output.trim()}`);
    return command;
  } catch (error) {
    progress(`the Spring pair is left out: ${errorText(error)}`);
    return undefined;
  }
}

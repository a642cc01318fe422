/** Starts the systems of the comparison, and returns their trips. Every process ends with the group that it belongs to. */

import type { KafkaClientName } from '../../../shared/messaging/kafka/open-kafka-broker.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { openHttpLoad } from '../calls/http-load.ts';
import { closedLoop, type LoopResult } from '../load.ts';
import { askChild, type Child, startChild } from '../processes.ts';
import { type HttpCall, SCHEDULE_CALL } from '../samples.ts';
import { addressOf, INGRESS_READY, type KafkaUnderTest, openSystem, type System } from '../system.ts';
import type { LoopWords } from './raw-client.ts';
import { askTemplate, startSpring } from './spring-pair.ts';
import type { Trip } from './trips.ts';

/** Systems that are measured alternately. */
export interface Group {
  readonly kafka: KafkaUnderTest;
  /** The command that starts Java; absent if the Spring programs are left out. */
  readonly java: string | undefined;
  /** Stops what was started for the group. */
  readonly cleanup: AsyncDisposableStack;
}

/** A reply of a schedule with twelve rows as JSON, which Spring and the raw clients send over Kafka as it is. */
const REPLY_BYTES = 4_100;
const ANSWER_MARGIN_MS = 60_000;
/** After ten seconds of warm-up the Spring programs still became faster from round to round. */
const JAVA_WARM_UP_MS = 60_000;

/** Servlets, a request-reply template, and a listener that answers with constant bytes. No trips without Java. */
export async function springHttp(group: Group, system: string, windows: readonly number[]): Promise<Trip[]> {
  const pair = await startPair(group, 'http');
  if (pair === undefined) return [];
  const address = /READY (\S+)/.exec(pair.front.output)?.[1] ?? '';
  const url = new URL(address);
  return warmedUp(await httpTrips(group, { system, url, call: SCHEDULE_CALL, pids: pair.pids, windows }));
}

/** Gives the compilers of the Java processes their time before the first window. */
function warmedUp(trips: readonly Trip[]): Trip[] {
  return trips.map((trip, index) => (index === 0 ? { ...trip, firstWarmUpMs: JAVA_WARM_UP_MS } : trip));
}

/** The template of the pair in a closed loop of its own process. No trips without Java. */
export async function springTemplate(
  group: Group,
  system: string,
  windows: readonly number[],
): Promise<Trip[]> {
  const pair = await startPair(group, 'template');
  if (pair === undefined) return [];
  const run: Trip['run'] = (window, forMs) => askTemplate(pair.front, window, forMs);
  return warmedUp(windows.map((window) => ({ system, window, pids: pair.pids, run })));
}

async function startPair(group: Group, part: 'http' | 'template') {
  const { kafka, java, cleanup } = group;
  if (java === undefined) return undefined;
  const topics = openGroupSystem(group, 'spring');
  const { requestBytes } = await SCHEDULE_CALL.messageSizes();
  const env = {
    KAFKA_BROKERS: kafka.brokers.join(','),
    REQUEST_TOPIC: topicName(topics.prefix, 'scheduleBulkRequests'),
    REPLY_TOPIC: topicName(topics.prefix, 'recalculationReplies'),
    REQUEST_BYTES: String(requestBytes),
    REPLY_BYTES: String(REPLY_BYTES),
  };
  const start = async (name: 'http' | 'template' | 'echo'): Promise<Child> => {
    const child = await startSpring(java, name, env);
    cleanup.defer(() => child.stop());
    return child;
  };
  const echo = await start('echo');
  const front = await start(part);
  const pids = { [part]: [front.process.pid], listener: [echo.process.pid], broker: kafka.brokerPids };
  return { front, pids };
}

/** Ingress and the workers of the calls, a process each. */
export async function ownHttp(
  group: Group,
  client: KafkaClientName,
  calls: Readonly<Record<string, HttpCall>>,
  windows: readonly number[],
): Promise<Trip[]> {
  const own = openGroupSystem(group, client, { KAFKA_CLIENT: client });
  const folder = Object.values(calls).find(({ catalogueFolder }) => catalogueFolder)?.catalogueFolder;
  if (folder !== undefined) own.command('scripts/catalogue.ts', 'publish', folder);
  const workers = new Map<string, Child>();
  for (const { worker } of Object.values(calls)) {
    if (worker !== undefined) workers.set(worker, await own.startWorker(worker));
  }
  const ingress = await own.start(['workers/main.ts', 'ingress'], INGRESS_READY);
  const trips: Trip[] = [];
  for (const [system, call] of Object.entries(calls)) {
    const worker = workers.get(call.worker ?? '')?.process.pid;
    const pids = { ingress: [ingress.process.pid], worker: [worker], broker: group.kafka.brokerPids };
    const url = new URL(addressOf(ingress) + call.path);
    trips.push(...(await httpTrips(group, { system, url, call, pids, windows })));
  }
  return trips;
}

/** The requester of this project in a closed loop of its own process, and the schedule worker. */
export async function ownRequester(
  group: Group,
  client: KafkaClientName,
  system: string,
  windows: readonly number[],
): Promise<Trip[]> {
  const own = openGroupSystem(group, client, { KAFKA_CLIENT: client });
  const worker = await own.startWorker('schedule');
  const requester = await own.start(['scripts/bench/peers/own-requester.ts']);
  return childTrips(group, { system, requester, other: { worker }, windows });
}

/** Requester and echo on a Kafka client alone. */
export async function rawClient(
  group: Group,
  client: KafkaClientName,
  system: string,
  windows: readonly number[],
): Promise<Trip[]> {
  const own = openGroupSystem(group, `raw-${client}`);
  const { requestBytes } = await SCHEDULE_CALL.messageSizes();
  const [requests, replies] = [
    topicName(own.prefix, 'scheduleBulkRequests'),
    topicName(own.prefix, 'recalculationReplies'),
  ];
  const program = 'scripts/bench/peers/raw-client.ts';
  const brokers = own.brokers.join(',');
  const echo = await own.start([program, client, 'echo', brokers, replies, requests, String(REPLY_BYTES)]);
  const sizes = String(requestBytes);
  const requester = await own.start([program, client, 'requester', brokers, requests, replies, sizes]);
  return childTrips(group, { system, requester, other: { echo }, windows });
}

/** One process with the embedded broker in memory, or the fastify server, which both print their address. */
export async function httpProcess(
  group: Pick<Group, 'cleanup'>,
  system: string,
  args: readonly string[],
  window: number,
): Promise<Trip[]> {
  const env = {
    KAFKA_BROKERS: '',
    DATA_DIR: 'memory',
    PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
  };
  const child = await startChild(args, /\/docs|READY/, env);
  group.cleanup.defer(() => child.stop());
  const url = new URL(addressOf(child) + SCHEDULE_CALL.path);
  const pids = { process: [child.process.pid] };
  return httpTrips(group, { system, url, call: SCHEDULE_CALL, pids, windows: [window] });
}

function openGroupSystem(
  { kafka, cleanup }: Group,
  name: string,
  env: Readonly<Record<string, string>> = {},
): System {
  const system = openSystem(kafka, name, env);
  cleanup.defer(() => system.close());
  return system;
}

async function httpTrips(
  { cleanup }: Pick<Group, 'cleanup'>,
  options: Pick<Trip, 'system' | 'pids'> & {
    readonly url: URL;
    readonly call: HttpCall;
    readonly windows: readonly number[];
  },
): Promise<Trip[]> {
  const { system, pids, url, call, windows } = options;
  const http = await openHttpLoad(url, call, Math.max(...windows));
  cleanup.defer(() => http.close());
  const run = async (window: number, measureMs: number): Promise<LoopResult> => {
    let refused = 0;
    const request = (slot: number): Promise<unknown> =>
      http.requestUntilAnswered(slot, () => {
        refused += 1;
      });
    const result = await closedLoop({ window, warmUpMs: 0, measureMs, request });
    return { ...result, refused };
  };
  return windows.map((window) => ({ system, window, pids, run }));
}

/** Trips of a child process that runs closed loops for its parent. */
function childTrips(
  { kafka }: Group,
  options: {
    readonly system: string;
    readonly requester: Child;
    readonly other: Readonly<Record<string, Child>>;
    readonly windows: readonly number[];
  },
): Trip[] {
  const { system, requester, other, windows } = options;
  const others = Object.entries(other).map(([part, child]) => [part, [child.process.pid]] as const);
  const pids = {
    requester: [requester.process.pid],
    ...Object.fromEntries(others),
    broker: kafka.brokerPids,
  };
  const run = (window: number, forMs: number): Promise<LoopResult> => {
    const words: LoopWords = { window, forMs };
    return askChild<LoopResult>(requester, { ...words }, forMs + ANSWER_MARGIN_MS);
  };
  return windows.map((window) => ({ system, window, pids, run }));
}

/**
 * Measures the rates and the processor time of one worker compared with its clients alone (nodemailer, undici), and the memory that
 * many e-mails take.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IHeaders, Producer } from 'kafkajs';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { median } from '../load.ts';
import type { MemoryInUse } from '../memory-probe.ts';
import { readKernelCounts } from '../proc-readings.ts';
import { askChild, startChild, type Child } from '../processes.ts';
import { rawKafka, rawProducer } from '../raw-kafka.ts';
import {
  atLeast,
  atMost,
  type BenchOptions,
  compareRates,
  compareTimes,
  inTurns,
  type PartResults,
  type Ratio,
} from '../rounds.ts';
import { benchCodec } from '../samples.ts';
import { openSystem, type KafkaUnderTest } from '../system.ts';
import { ratioTable, table, thousands } from '../tables.ts';
import { configuration, TRAFFIC, type Traffic, type TrafficName } from './traffic.ts';

/**
 * Targets: notifications per second, share of the rate of the client alone and of its processor time, and additional MiB of memory
 * from the first mark to the last one.
 */
const AIM = { perSecond: 300, share: 0.8, growthMiB: 32 } as const;
/**
 * Messages of the warm-up runs, in which all processes compile their code; the last run determines how many are sent in
 * a round.
 */
const WARM_UPS = [1_000, 3_000, 6_000] as const;
/** Notifications sent at a time while memory is measured; at most this many wait in Kafka. */
const PORTION = 5_000;
/** The shares of all notifications after which memory is measured. */
const MARKS = [0.1, 0.5, 1] as const;
const MS_PER_SECOND = 1_000;
/** Messages sent concurrently, as many as the worker sends. */
const DELIVERY_WINDOW = 64;
const PROBE_LIMIT_MS = 30_000;
/** The rate from which the time limit of a run is calculated. */
const LEAST_PER_SECOND = 10;
const START_LIMIT_MS = 60_000;
const RECORDS_OF_A_REQUEST = 500;

/** One sender. */
interface DeliveryRate {
  readonly unit: string;
  readonly name: string;
  /** Notifications per second, by round. */
  readonly rounds: readonly number[];
  /** Microseconds of processor time of a notification, by round; on Linux only, otherwise 0. */
  readonly cpuUs: readonly number[];
}

/** Memory of a worker after a number of notifications. */
interface MemoryMark extends MemoryInUse {
  readonly notifications: number;
}

interface DeliveryFigures {
  readonly rates: readonly DeliveryRate[];
  readonly memory: readonly MemoryMark[];
  readonly ratios: readonly Ratio[];
}

type Options = Pick<BenchOptions, 'rounds' | 'measureMs' | 'notifications' | 'progress'>;

/**
 * Stand-in, client alone, worker and Kafka are separate processes; when a round over Kafka starts, the commands are already
 * on their topic. The worker over the embedded broker publishes them itself.
 */
export async function benchDelivery(
  options: Options,
  kafka: KafkaUnderTest,
): Promise<PartResults<DeliveryFigures>> {
  const rates: DeliveryRate[] = [];
  for (const kind of ['mail', 'http'] as const) {
    rates.push(...(await withSink(TRAFFIC[kind], (sink) => ratesOf(options, kafka, { kind, sink }))));
  }
  const memory = await withSink(TRAFFIC.mail, (sink) =>
    withWorker(kafka, 'delivery.many', sink, (worker) => memoryOf(options, worker)),
  );
  const ratios = [...rateRatios(rates), ...memoryRatios(memory)];
  const tables = [rateTable(rates), memoryTable(memory), ratioTable(ratios)];
  return { figures: { rates, memory, ratios }, tables };
}

/** The rates of the client alone, and of the worker over both brokers. */
function ratesOf(
  options: Options,
  kafka: KafkaUnderTest,
  { kind, sink }: { readonly kind: TrafficName; readonly sink: Sink },
): Promise<readonly DeliveryRate[]> {
  return withWorker(kafka, `delivery.${kind}`, sink, async (worker) => {
    const alone = await startClient(sink);
    try {
      const embedded = await startEmbedded(kind, sink);
      try {
        return await rateTurns(options, sink.traffic.unit, [alone, worker, embedded]);
      } finally {
        await embedded.stop();
      }
    } finally {
      await alone.stop();
    }
  });
}

/** A stand-in for the provider in a separate process, and its port. */
interface Sink {
  readonly traffic: Traffic;
  readonly child: Child;
  readonly port: number;
}

async function withSink<T>(traffic: Traffic, use: (sink: Sink) => Promise<T>): Promise<T> {
  const child = await startChild([traffic.sinkProgram], /PORT \d+/);
  try {
    return await use({ traffic, child, port: Number(/PORT (\d+)/.exec(child.output)?.[1]) });
  } finally {
    await child.stop();
  }
}

/** A sender of notifications to the sink: the notification worker, or the client alone. */
interface Sender {
  readonly name: string;
  readonly pid: number | undefined;
  /**
   * Sends this many more notifications; resolves with the number that the sink received per second, from the first to the
   * last one.
   */
  deliver(count: number): Promise<number>;
}

/** A notification worker on Kafka that delivers to the sink. */
interface WorkerSender extends Sender {
  /** Memory of the worker after a garbage collection. */
  memory(): Promise<MemoryInUse>;
}

/** Resolves when the sink has received this many notifications. */
function received(sink: Sink, count: number): Promise<number> {
  const limitMs = START_LIMIT_MS + (count / LEAST_PER_SECOND) * MS_PER_SECOND;
  return askChild<number>(sink.child, { count }, limitMs);
}

/** The client alone, in a separate process. */
async function startClient(sink: Sink): Promise<Sender & Pick<Child, 'stop'>> {
  const { client, clientProgram, connections } = sink.traffic;
  const child = await startChild([clientProgram, ...[sink.port, connections, DELIVERY_WINDOW].map(String)]);
  const { pid } = child.process;
  return { name: client, pid, deliver: delivering(sink, child), stop: () => child.stop() };
}

/** A notification worker with the embedded broker, in a separate process. */
async function startEmbedded(kind: TrafficName, sink: Sink): Promise<Sender & Pick<Child, 'stop'>> {
  const file = await writeConfiguration(sink);
  const args = ['scripts/bench/notification/embedded-sender.ts', kind, file.path, String(DELIVERY_WINDOW)];
  const child = await startChild(args);
  const stop = async (): Promise<void> => {
    await child.stop();
    await file.remove();
  };
  const { pid } = child.process;
  return { name: 'embedded: notification worker', pid, deliver: delivering(sink, child), stop };
}

/** Tells a child to send each time the next notifications. */
function delivering(sink: Sink, child: Child): Sender['deliver'] {
  let next = 0;
  return (count) => {
    const answer = received(sink, count);
    child.process.send({ from: next, count });
    next += count;
    return answer;
  };
}

async function writeConfiguration(sink: Sink) {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-notifications-'));
  const file = path.join(folder, 'providers.json');
  await writeFile(file, configuration(sink.traffic, sink.port));
  return { path: file, remove: () => rm(folder, { recursive: true }) };
}

/** Runs one notification worker process on separate topics; stops it and deletes the topics afterwards. */
async function withWorker<T>(
  kafka: KafkaUnderTest,
  part: string,
  sink: Sink,
  use: (worker: WorkerSender) => Promise<T>,
): Promise<T> {
  const file = await writeConfiguration(sink);
  const system = openSystem(kafka, part, {
    NOTIFICATION_CONFIG_FILE: file.path,
    LANES: String(DELIVERY_WINDOW),
  });
  const producer = await rawProducer(rawKafka(kafka.brokers, 'bench-upstream'));
  try {
    const probe = ['--expose-gc', '--import', './scripts/bench/memory-probe.ts'];
    const worker = await system.start([...probe, 'workers/main.ts', 'notification'], /Ready in/);
    const topic = topicName(system.prefix, sink.traffic.topic);
    let next = 0;
    return await use({
      name: 'Kafka: notification worker',
      pid: worker.process.pid,
      deliver: async (count) => {
        const answer = received(sink, count);
        await publishCommands(producer, topic, { traffic: sink.traffic, from: next, count });
        next += count;
        return answer;
      },
      memory: () => askChild<MemoryInUse>(worker, 'memory', PROBE_LIMIT_MS),
    });
  } finally {
    await producer.disconnect();
    await system.close();
    await file.remove();
  }
}

/** Commands as an upstream system produces them, each for a different receiver. */
async function publishCommands(
  producer: Producer,
  topic: string,
  { traffic, from, count }: { readonly traffic: Traffic; readonly from: number; readonly count: number },
): Promise<void> {
  const codec = benchCodec();
  for (let start = from; start < from + count; start += RECORDS_OF_A_REQUEST) {
    const length = Math.min(RECORDS_OF_A_REQUEST, from + count - start);
    const messages = Array.from({ length }, async (_, place) => {
      const command = traffic.sample(start + place);
      const { value, headers } = await codec.encode(traffic.commandType, command, 'avro');
      return { key: command.receiver, value, headers: headers as IHeaders };
    });
    await producer.send({ topic, acks: -1, messages: await Promise.all(messages) });
  }
}

/** Measures the senders alternately, each with as many notifications as it sends in about `measureMs`. */
async function rateTurns(
  options: Options,
  unit: string,
  senders: readonly Sender[],
): Promise<readonly DeliveryRate[]> {
  const { measureMs, progress } = options;
  const counts = new Map<Sender, number>();
  for (const count of WARM_UPS) {
    for (const sender of senders) {
      progress(`warming up: ${sender.name}`);
      counts.set(sender, Math.ceil(((await sender.deliver(count)) * measureMs) / MS_PER_SECOND));
    }
  }
  const rounds = await inTurns(
    options,
    senders,
    async (sender) => {
      const count = counts.get(sender) ?? 1;
      const beforeUs = readKernelCounts(sender.pid).cpuUs;
      const rate = await sender.deliver(count);
      return { rate, cpuUs: (readKernelCounts(sender.pid).cpuUs - beforeUs) / count };
    },
    ({ rate, cpuUs }) => `, ${Math.round(rate)} ${unit} per second, ${Math.round(cpuUs)} us each`,
  );
  return senders.map(({ name }, index) => ({
    unit,
    name,
    rounds: (rounds[index] ?? []).map(({ rate }) => rate),
    cpuUs: (rounds[index] ?? []).map(({ cpuUs }) => cpuUs),
  }));
}

async function memoryOf(
  { notifications, progress }: Options,
  worker: WorkerSender,
): Promise<readonly MemoryMark[]> {
  const marks: MemoryMark[] = [];
  let done = 0;
  for (const share of MARKS) {
    const until = Math.round(notifications * share);
    while (done < until) {
      const portion = Math.min(PORTION, until - done);
      const rate = await worker.deliver(portion);
      done += portion;
      progress(`memory: ${done} of ${notifications} notifications, ${Math.round(rate)} per second`);
    }
    marks.push({ notifications: done, ...(await worker.memory()) });
  }
  return marks;
}

/** Of each kind the first rate is that of the client alone. */
function rateRatios(rates: readonly DeliveryRate[]): readonly Ratio[] {
  return Object.values(TRAFFIC).flatMap(({ unit, client }) => {
    const [alone, ...workers] = rates.filter((rate) => rate.unit === unit);
    if (alone === undefined) return [];
    return workers.flatMap(({ name, rounds, cpuUs }) => [
      atLeast(`${unit} per second, ${name}`, { value: median(rounds) }, AIM.perSecond),
      atLeast(`${unit}, ${name} / ${client}`, compareRates(rounds, alone.rounds), AIM.share),
      atLeast(`${unit}, processor time: ${client} / ${name}`, compareTimes(alone.cpuUs, cpuUs), AIM.share),
    ]);
  });
}

function memoryRatios(marks: readonly MemoryMark[]): readonly Ratio[] {
  const [first] = marks;
  const last = marks.at(-1);
  if (first === undefined || last === undefined) return [];
  const span = `${thousands(first.notifications)} to ${thousands(last.notifications)}`;
  const name = `MiB more heap and buffers from ${span} notifications`;
  return [atMost(name, { value: last.heap - first.heap }, AIM.growthMiB)];
}

function rateTable(rates: readonly DeliveryRate[]): string {
  const rows = rates.map(({ unit, name, rounds, cpuUs }) => [
    `${unit}: ${name}`,
    thousands(median(rounds)),
    thousands(Math.max(...rounds)),
    median(cpuUs).toFixed(0),
  ]);
  return table(
    ['notifications to one stand-in', 'per second', 'fastest round', 'us of processor time'],
    rows,
  );
}

function memoryTable(memory: readonly MemoryMark[]): string {
  const rows = memory.map(({ notifications, rss, heap }) => [
    thousands(notifications),
    rss.toFixed(0),
    heap.toFixed(1),
  ]);
  return table(['notifications by one worker', 'process MiB', 'heap and buffers MiB'], rows);
}

/** Measures round trips of the system over HTTP, embedded and over Kafka, compared with raw kafkajs. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { closedLoop, type LoopResult, median } from '../load.ts';
import { startChild, type Child } from '../processes.ts';
import { atLeast, atMost, type BenchOptions, inTurns, type PartResults, type Ratio } from '../rounds.ts';
import { type MeasuredCall, SCHEDULE_CALL } from '../samples.ts';
import {
  addressOf,
  INGRESS_READY,
  type KafkaUnderTest,
  openSystem,
  PARTITIONS,
  type System,
} from '../system.ts';
import { ratioTable, table, thousands } from '../tables.ts';
import { openHttpLoad, type HttpLoad } from './http-load.ts';
import { type RawRequester, startRawRequester } from './raw-requester.ts';

/** A scenario with a given window; each figure is the median over the rounds. */
export interface Measurement extends LoopResult {
  readonly scenario: string;
  readonly window: number;
}

interface TripFigures {
  readonly measurements: readonly Measurement[];
  readonly ratios: readonly Ratio[];
}

type Options = Pick<BenchOptions, 'rounds' | 'measureMs' | 'progress'>;

const PING_PONG_WINDOW = 1;
const ECHO_WINDOW = 64;
const RAW_PING_PONG = 'Kafka: raw kafkajs, two hops';
/** Long enough for the just-in-time compilers on both sides of the broker. */
const WARM_UP_MS = 3_000;
/**
 * Targets: the median latency as a multiple of the raw one, the throughput as a share of the raw one, and that on disk as a
 * share of that in memory.
 */
const AIM = { latency: 1.5, throughput: 0.7, onDisk: 0.8 } as const;
const IN_MEMORY = 'embedded: schedule over HTTP';
const ON_DISK = 'embedded on disk: schedule over HTTP';

/**
 * Measures one process with the embedded broker in memory alternately with one whose broker is on disk; the HTTP client is this
 * process.
 */
export async function benchEmbedded(options: Options): Promise<PartResults<TripFigures>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  const started: { readonly system: Child; readonly http: HttpLoad }[] = [];
  try {
    const trips: Trip[] = [];
    for (const [scenario, dataFolder] of [
      [IN_MEMORY, 'memory'],
      [ON_DISK, path.join(folder, 'data')],
    ] as const) {
      const system = await startEmbedded(dataFolder, path.join(folder, 'outbox'));
      const url = new URL(addressOf(system) + SCHEDULE_CALL.path);
      const http = await openHttpLoad(url, SCHEDULE_CALL, ECHO_WINDOW);
      started.push({ system, http });
      for (const window of [PING_PONG_WINDOW, ECHO_WINDOW]) {
        trips.push({ scenario, window, request: (slot) => http.requestUntilAnswered(slot) });
      }
    }
    const measurements = await measureTrips(options, trips);
    return resultsOf({ measurements, ratios: diskRatios(measurements) });
  } finally {
    for (const { system, http } of started) {
      http.close();
      await system.stop();
    }
    await rm(folder, { recursive: true, force: true });
  }
}

function startEmbedded(dataFolder: string, outboxFolder: string): Promise<Child> {
  return startChild(['workers/main.ts'], INGRESS_READY, {
    KAFKA_BROKERS: '',
    DATA_DIR: dataFolder,
    OUTBOX_FOLDER: outboxFolder,
    PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
  });
}

/** The throughput on disk as a share of that in memory, from the same run. */
function diskRatios(measurements: readonly Measurement[]): readonly Ratio[] {
  const rate = (scenario: string, window: number): number =>
    measurements.find((line) => line.scenario === scenario && line.window === window)?.perSecond ??
    Number.NaN;
  return [PING_PONG_WINDOW, ECHO_WINDOW].map((window) =>
    atLeast(
      `throughput on disk / in memory, window ${window}`,
      { value: rate(ON_DISK, window) / rate(IN_MEMORY, window) },
      AIM.onDisk,
    ),
  );
}

/**
 * Measures round trips over Kafka alternately with raw kafkajs and with the system, so that both run under the same
 * conditions. As in production, all parts are separate processes: requester and HTTP client are this process; echo,
 * ingress and worker have one process each.
 */
export async function benchKafka(
  options: Options,
  kafka: KafkaUnderTest,
  call: MeasuredCall,
): Promise<PartResults<TripFigures>> {
  const system = openSystem(kafka, 'calls');
  const echo = openSystem(kafka, 'echo');
  try {
    const raw = await startRaw(echo, call);
    try {
      if (call.catalogueFolder !== undefined) {
        system.command('scripts/catalogue.ts', 'publish', call.catalogueFolder);
      }
      if (call.worker !== undefined) await system.startWorker(call.worker);
      const http = await openHttpLoad(new URL((await system.startIngress()) + call.path), call, ECHO_WINDOW);
      const trips = [ECHO_WINDOW, PING_PONG_WINDOW].flatMap((window) => [
        { scenario: RAW_PING_PONG, window, request: () => raw.request() },
        { scenario: call.scenario, window, request: (slot: number) => http.requestUntilAnswered(slot) },
      ]);
      const measurements = await measureTrips(options, trips);
      http.close();
      return resultsOf({ measurements, ratios: tripRatios(measurements, call) });
    } finally {
      await raw.stop();
    }
  } finally {
    await system.close();
    await echo.close();
  }
}

/** The echo uses topics with the same number of partitions and a separate prefix. */
async function startRaw(system: System, call: MeasuredCall): Promise<RawRequester> {
  const { brokers, prefix } = system;
  const { requestBytes, replyBytes } = await call.messageSizes();
  const requestTopic = topicName(prefix, 'scheduleBulkRequests');
  const replyTopic = topicName(prefix, 'recalculationReplies');
  const echo = 'scripts/bench/calls/raw-echo.ts';
  const args = [brokers.join(','), requestTopic, replyTopic, String(PARTITIONS), String(replyBytes)];
  await system.start([echo, ...args]);
  return startRawRequester({ brokers, requestTopic, replyTopic, partitions: PARTITIONS, requestBytes });
}

interface Trip {
  readonly scenario: string;
  readonly window: number;
  readonly request: (slot: number) => Promise<unknown>;
}

async function measureTrips(options: Options, trips: readonly Trip[]): Promise<readonly Measurement[]> {
  const { measureMs } = options;
  const named = trips.map((trip) => ({ ...trip, name: `${trip.scenario}, window ${trip.window}` }));
  const results = await inTurns(options, named, ({ window, request }) =>
    closedLoop({ window, warmUpMs: WARM_UP_MS, measureMs, request }),
  );
  return trips.map(({ scenario, window }, index) => {
    const rounds = results[index] ?? [];
    return {
      scenario,
      window,
      perSecond: median(rounds.map(({ perSecond }) => perSecond)),
      p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    };
  });
}

/** The round trips of a call compared with raw ones in the same rounds. */
function tripRatios(measurements: readonly Measurement[], { scenario: own }: MeasuredCall): readonly Ratio[] {
  const quotient = (figure: 'p50Ms' | 'perSecond', window: number): { readonly value: number } => {
    const find = (scenario: string): number =>
      measurements.find((line) => line.scenario === scenario && line.window === window)?.[figure] ??
      Number.NaN;
    return { value: find(own) / find(RAW_PING_PONG) };
  };
  return [
    atMost(`p50 / raw, window 1: ${own}`, quotient('p50Ms', PING_PONG_WINDOW), AIM.latency),
    atMost(`p50 / raw, window 64: ${own}`, quotient('p50Ms', ECHO_WINDOW), AIM.latency),
    atLeast(`throughput / raw, window 64: ${own}`, quotient('perSecond', ECHO_WINDOW), AIM.throughput),
  ];
}

function resultsOf(figures: TripFigures): PartResults<TripFigures> {
  const rows = figures.measurements.map(({ scenario, window, perSecond, p50Ms, p99Ms }) => [
    scenario,
    String(window),
    thousands(perSecond),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
  ]);
  const trips = table(['round trip', 'window', 'per second', 'p50 ms', 'p99 ms'], rows);
  return { figures, tables: [trips, ratioTable(figures.ratios)] };
}

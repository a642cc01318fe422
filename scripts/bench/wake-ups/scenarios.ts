/**
 * Counts what a process does while it is idle, for a single call at a time and for many: processor time, wake-ups, system
 * calls, turns of the event loop and timers.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpLoad, openHttpLoad } from '../calls/http-load.ts';
import { closedLoop, median } from '../load.ts';
import { type KernelCounts, readKernelCounts } from '../proc-readings.ts';
import { askChild, type Child, startChild } from '../processes.ts';
import { asTarget, atMost, type BenchOptions, inTurns, type PartResults, type Ratio } from '../rounds.ts';
import { SCHEDULE_CALL } from '../samples.ts';
import { addressOf, INGRESS_READY, type KafkaUnderTest, openSystem } from '../system.ts';
import { ratioTable, table } from '../tables.ts';
import type { LoopCounts } from './turn-counter.ts';

/** What a process did, by call or by idle second; medians over the rounds. */
export interface WakeUpFigures extends KernelCounts, LoopCounts {
  readonly process: string;
  readonly state: State;
  /** Calls per second; 0 while idle. */
  readonly calls: number;
}

type State = 'idle' | 'window 1' | 'window 64';
type Counts = KernelCounts & LoopCounts;

interface Scenario {
  readonly name: State;
  /** Calls in progress at a time. */
  readonly window: number;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'idle', window: 0 },
  { name: 'window 1', window: 1 },
  { name: 'window 64', window: 64 },
];
const MOST_SLOTS = 64;
const COUNTER = path.join(import.meta.dirname, 'turn-counter.ts');
/** Long enough for the just-in-time compilers, and for timers of the calls before an idle round to run out. */
const WARM_UP_MS = 3_000;
const REST_MS = 2_000;
const ANSWER_LIMIT_MS = 10_000;
const SECOND_MS = 1_000;
/** The processor time of an idle process in milliseconds per second. */
const AIM = { idleMs: 3 } as const;

interface WakeUpResults {
  readonly lines: readonly WakeUpFigures[];
  readonly ratios: readonly Ratio[];
}

/** Counts in one process with the embedded broker, then in ingress and schedule worker over Kafka. */
export async function benchWakeUps(
  options: BenchOptions,
  kafka: KafkaUnderTest,
): Promise<PartResults<WakeUpResults>> {
  return resultsOf([...(await benchEmbeddedWakeUps(options)), ...(await benchKafkaWakeUps(options, kafka))]);
}

/** One process with the embedded broker in memory. */
async function benchEmbeddedWakeUps(options: BenchOptions): Promise<readonly WakeUpFigures[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  const env = {
    KAFKA_BROKERS: '',
    DATA_DIR: 'memory',
    OUTBOX_FOLDER: path.join(folder, 'outbox'),
    PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
  };
  const system = await startChild(['--import', COUNTER, 'workers/main.ts'], INGRESS_READY, env);
  try {
    return await measure(options, addressOf(system), { embedded: system });
  } finally {
    await system.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Ingress and schedule worker as processes of their own. */
async function benchKafkaWakeUps(
  options: BenchOptions,
  kafka: KafkaUnderTest,
): Promise<readonly WakeUpFigures[]> {
  const system = openSystem(kafka, 'wake-ups');
  try {
    const start = (name: string, ready: RegExp): Promise<Child> =>
      system.start(['--import', COUNTER, 'workers/main.ts', name], ready);
    const worker = await start('schedule', /Ready in/);
    const ingress = await start('ingress', INGRESS_READY);
    return await measure(options, addressOf(ingress), { ingress, worker });
  } finally {
    await system.close();
  }
}

/** The figures as tables, with the processor time of idle processes compared with its target. */
function resultsOf(lines: readonly WakeUpFigures[]): PartResults<WakeUpResults> {
  const rows = lines.map((line) => [
    `${line.process}, ${line.state}`,
    line.state === 'idle' ? 'second' : 'call',
    ...[line.calls, line.cpuUs].map((value) => value.toFixed(0)),
    ...[line.turns, line.timers, line.immediates, line.wakeUps, line.preempted, line.reads, line.writes].map(
      (value) => value.toFixed(2),
    ),
  ]);
  const head = ['process', 'per', 'calls/s', 'CPU us', 'turns', 'timers', 'immediates'];
  const counts = table([...head, 'wake-ups', 'preempted', 'reads', 'writes'], rows);
  const ratios = lines
    .filter(({ state }) => state === 'idle')
    .map(({ process: name, cpuUs }) =>
      asTarget(atMost(`${name}, idle: ms of processor per second`, { value: cpuUs / SECOND_MS }, AIM.idleMs)),
    );
  return { figures: { lines, ratios }, tables: [counts, ratioTable(ratios)] };
}

async function measure(
  options: BenchOptions,
  address: string,
  processes: Readonly<Record<string, Child>>,
): Promise<readonly WakeUpFigures[]> {
  const http = await openHttpLoad(new URL(address + SCHEDULE_CALL.path), SCHEDULE_CALL, MOST_SLOTS);
  try {
    await load(http, MOST_SLOTS, WARM_UP_MS);
    const rounds = await inTurns(options, SCENARIOS, (scenario) =>
      measureRound(options, http, scenario, processes),
    );
    return Object.keys(processes).flatMap((name) =>
      SCENARIOS.map(({ name: state }, index) => {
        const own = (rounds[index] ?? []).flatMap((round) => round.filter((one) => one.process === name));
        return mediansOf(own, { process: name, state });
      }),
    );
  } finally {
    http.close();
  }
}

async function measureRound(
  { measureMs }: BenchOptions,
  http: HttpLoad,
  { name: state, window }: Scenario,
  processes: Readonly<Record<string, Child>>,
): Promise<readonly WakeUpFigures[]> {
  if (window === 0) await sleep(REST_MS);
  else await load(http, window, REST_MS);
  const startedMs = performance.now();
  const before = await countAll(processes);
  const calls = window === 0 ? 0 : await load(http, window, measureMs);
  if (window === 0) await sleep(measureMs);
  const after = await countAll(processes);
  const seconds = (performance.now() - startedMs) / SECOND_MS;
  const divisor = window === 0 ? seconds : Math.max(1, calls);
  return Object.keys(processes).map((name) => ({
    process: name,
    state,
    calls: calls / seconds,
    ...perUnit(before.get(name), after.get(name), divisor),
  }));
}

/** Runs a closed loop; resolves with the number of calls. */
async function load(http: HttpLoad, window: number, forMs: number): Promise<number> {
  let calls = 0;
  const request = (slot: number): Promise<number> => {
    calls += 1;
    return http.requestUntilAnswered(slot);
  };
  await closedLoop({ window, warmUpMs: 0, measureMs: forMs, request });
  return calls;
}

async function countAll(processes: Readonly<Record<string, Child>>): Promise<ReadonlyMap<string, Counts>> {
  const counts = Object.entries(processes).map(async ([name, child]) => {
    const loop = await askChild<LoopCounts>(child, 'count', ANSWER_LIMIT_MS);
    return [name, { ...readKernelCounts(child.process.pid), ...loop }] as const;
  });
  return new Map(await Promise.all(counts));
}

const NOTHING: Counts = {
  cpuUs: 0,
  wakeUps: 0,
  preempted: 0,
  reads: 0,
  writes: 0,
  turns: 0,
  timers: 0,
  immediates: 0,
};

function perUnit(before = NOTHING, after = NOTHING, divisor: number): Counts {
  const of = (name: keyof Counts): number => (after[name] - before[name]) / divisor;
  return mapCounts(of);
}

function mediansOf(
  rounds: readonly WakeUpFigures[],
  labels: Pick<WakeUpFigures, 'process' | 'state'>,
): WakeUpFigures {
  const of = (name: keyof Counts | 'calls'): number => median(rounds.map((round) => round[name]));
  return { ...labels, calls: of('calls'), ...mapCounts(of) };
}

function mapCounts(of: (name: keyof Counts) => number): Counts {
  return {
    cpuUs: of('cpuUs'),
    wakeUps: of('wakeUps'),
    preempted: of('preempted'),
    reads: of('reads'),
    writes: of('writes'),
    turns: of('turns'),
    timers: of('timers'),
    immediates: of('immediates'),
  };
}

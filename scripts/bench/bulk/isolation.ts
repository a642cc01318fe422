/** Measures the effect of portfolio calculations on live traffic on the same machine. */

import { setTimeout as pause } from 'node:timers/promises';
import type { LiveWords } from '../calls/live-load.ts';
import type { OpenLoopResult } from '../load.ts';
import { busyShare, readCpuTimes } from '../proc-readings.ts';
import { askChild, type Child } from '../processes.ts';
import {
  asTarget,
  atMost,
  type BenchOptions,
  compareTimes,
  inTurns,
  type PartResults,
  type Ratio,
} from '../rounds.ts';
import { SCHEDULE_CALL } from '../samples.ts';
import { openSystem, type KafkaUnderTest, type System } from '../system.ts';
import { percent, ratioTable, table, thousands } from '../tables.ts';
import { askRequester, startRawBatches } from './raw-batches.ts';

/** Live requests per second. */
const REQUESTS_PER_SECOND = 20;
/** With the broker and the requester, these processes need more than two cores. */
const BULK_WORKERS = 2;
const AIM_SLOWDOWN = 1.3;
/** Warm-up for the just-in-time compilers: more live requests than later, and a first bulk run. */
const WARM_UP = { perSecond: 100, forMs: 8_000 } as const;
/** The bulk run is at full speed before the measurement of live traffic starts, and continues until it has ended. */
const LEAD_MS = 3_000;
const TRAIL_MS = 1_000;
/** Time limit for responses that are still missing at the end of a round. */
const ANSWER_MARGIN_MS = 90_000;

/** Live traffic in one round, with the load of the machine. */
interface LiveRound extends OpenLoopResult {
  /** Share of the machine, 0 to 1. */
  readonly busyShare: number;
  /** Of the concurrent bulk run; 0 if there is none. */
  readonly contractsPerSecond: number;
}

/** Live traffic alone and during a bulk run, by round. */
interface IsolationFigures {
  readonly idle: readonly LiveRound[];
  readonly loaded: readonly LiveRound[];
  readonly ratios: readonly Ratio[];
}

/**
 * Measures idle and loaded rounds alternately. Ingress, interactive worker, bulk workers, requester and the client of
 * live requests are separate processes.
 */
export async function benchIsolation(
  options: Pick<BenchOptions, 'rounds' | 'measureMs' | 'progress'>,
  kafka: KafkaUnderTest,
): Promise<PartResults<IsolationFigures>> {
  const { measureMs, progress } = options;
  const system = openSystem(kafka, 'isolation');
  try {
    const { live, bulk } = await startAll(system);
    progress('warming up: live traffic and a bulk run');
    await askLive(live, WARM_UP);
    await askRequester(bulk, { measureMs: WARM_UP.forMs });
    const scenarios = [
      { name: 'idle', run: () => liveRound(live, measureMs) },
      { name: 'during a bulk run', run: () => loadedRound(live, bulk, measureMs) },
    ];
    const [idle = [], loaded = []] = await inTurns(
      options,
      scenarios,
      ({ run }) => run(),
      ({ p99Ms }) => `, p99 ${p99Ms.toFixed(1)} ms`,
    );
    const ratios = isolationRatios(idle, loaded);
    return { figures: { idle, loaded, ratios }, tables: [liveTable(idle, loaded), ratioTable(ratios)] };
  } finally {
    await system.close();
  }
}

async function startAll(system: System): Promise<{ readonly live: Child; readonly bulk: Child }> {
  await system.startWorker('schedule', { SCHEDULE_LANES: 'interactive' });
  for (let worker = 0; worker < BULK_WORKERS; worker += 1) {
    await system.startWorker('schedule', { SCHEDULE_LANES: 'bulk' });
  }
  const url = (await system.startIngress()) + SCHEDULE_CALL.path;
  const live = await system.start(['scripts/bench/calls/live-load.ts', url]);
  return { live, bulk: await startRawBatches(system, 'requester', 'background') };
}

function askLive(live: Child, words: LiveWords): Promise<OpenLoopResult> {
  return askChild<OpenLoopResult>(live, { ...words }, words.forMs + ANSWER_MARGIN_MS);
}

async function liveRound(live: Child, forMs: number): Promise<LiveRound> {
  const before = readCpuTimes();
  const measured = await askLive(live, { perSecond: REQUESTS_PER_SECOND, forMs });
  return { ...measured, busyShare: busyShare(before, readCpuTimes()), contractsPerSecond: 0 };
}

async function loadedRound(live: Child, bulk: Child, forMs: number): Promise<LiveRound> {
  const running = askRequester(bulk, { warmUpMs: LEAD_MS, measureMs: forMs + TRAIL_MS });
  await pause(LEAD_MS);
  const round = await liveRound(live, forMs);
  const { contractsPerSecond } = await running;
  return { ...round, contractsPerSecond };
}

function isolationRatios(idle: readonly LiveRound[], loaded: readonly LiveRound[]): readonly Ratio[] {
  const failed = [...idle, ...loaded].reduce((sum, round) => sum + round.failed, 0);
  const p99 = (rounds: readonly LiveRound[]): readonly number[] => rounds.map(({ p99Ms }) => p99Ms);
  return [
    asTarget(
      atMost('live p99: during a bulk run / idle', compareTimes(p99(loaded), p99(idle)), AIM_SLOWDOWN),
    ),
    atMost('live requests that failed', { value: failed, byFastest: failed }, 0),
  ];
}

function liveTable(idle: readonly LiveRound[], loaded: readonly LiveRound[]): string {
  const row = (name: string, round: LiveRound): readonly string[] => [
    name,
    thousands(round.requests),
    thousands(round.failed),
    round.p50Ms.toFixed(1),
    round.p99Ms.toFixed(1),
    round.longestMs.toFixed(1),
    round.lateP99Ms.toFixed(1),
    thousands(round.contractsPerSecond),
    percent(round.busyShare),
  ];
  const rows = idle.flatMap((alone, index) => {
    const beside = loaded[index];
    const number = index + 1;
    return [
      row(`${number}: idle`, alone),
      ...(beside === undefined ? [] : [row(`${number}: during a bulk run`, beside)]),
    ];
  });
  const head = ['live requests, 20 per second', 'requests', 'failed', 'p50 ms', 'p99 ms', 'longest ms'];
  return table([...head, 'sent late p99 ms', 'contracts per second meanwhile', 'processors busy'], rows);
}

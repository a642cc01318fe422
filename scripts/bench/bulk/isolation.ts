/** Whether live traffic notices that whole portfolios are calculated on the same machine. */

import { askChild, startChild, type Child } from '../child-process.ts';
import { median } from '../closed-loop.ts';
import { openBulkSystem, type BulkSystem, type KafkaUnderTest } from './system.ts';
import { atMost } from '../interleaved.ts';
import type { Ratio } from '../measurement.ts';
import type { OpenLoopResult } from '../open-loop.ts';
import { busyShare, readCpuTimes } from '../proc-readings.ts';
import type { BulkAnswer, BulkWords } from './raw-batch-requester.ts';
import { ACTION_PATH } from '../calls/sample-request.ts';

/** Live requests a second. */
const REQUESTS_PER_SECOND = 20;
/** Together with broker and requester more than two cores can serve. */
const BULK_WORKERS = 2;
const AIM_SLOWDOWN = 3;
/** Before anything is measured: more live requests than later, for the compilers, and a first bulk run. */
const WARM_UP = { perSecond: 100, forMs: 8_000 } as const;
/** The bulk run is at full speed when live traffic begins to be measured, and goes on until it has ended. */
const LEAD_MS = 3_000;
const TRAIL_MS = 1_000;
/** Answers that are still missing when a round ends, and the drain of the bulk lane. */
const ANSWER_MARGIN_MS = 90_000;

/** Live traffic of one round, with what the machine did meanwhile. */
interface LiveRound extends OpenLoopResult {
  /** Of the machine, 0 to 1. */
  readonly busyShare: number;
  /** Of the bulk run beside it; 0 without one. */
  readonly contractsPerSecond: number;
}

/** Figures of live traffic alone and beside a bulk run, round by round. */
export interface IsolationResults {
  readonly idle: readonly LiveRound[];
  readonly loaded: readonly LiveRound[];
  readonly ratios: readonly Ratio[];
}

export interface IsolationBenchOptions extends KafkaUnderTest {
  readonly rounds: number;
  readonly measureMs: number;
  readonly progress: (text: string) => void;
}

/** Ingress, interactive worker, bulk workers, requester and client of live requests, a process each; idle and loaded in turns. */
export async function benchIsolation(options: IsolationBenchOptions): Promise<IsolationResults> {
  const system = openBulkSystem(options, `bench-${process.pid}.isolation.`);
  const children: Child[] = [];
  try {
    const { live, bulk } = await startAll(system, children);
    options.progress('warming up: live traffic and a bulk run');
    await ask<OpenLoopResult>(live, WARM_UP, WARM_UP.forMs);
    await ask<BulkAnswer>(bulk, { warmUpMs: 0, measureMs: WARM_UP.forMs }, WARM_UP.forMs);
    const idle: LiveRound[] = [];
    const loaded: LiveRound[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      idle.push(await liveRound(options, live));
      options.progress(`round ${round}/${options.rounds}: idle, p99 ${textOf(idle.at(-1))}`);
      loaded.push(await loadedRound(options, live, bulk));
      options.progress(`round ${round}/${options.rounds}: beside a bulk run, p99 ${textOf(loaded.at(-1))}`);
    }
    return { idle, loaded, ratios: ratiosOf(idle, loaded) };
  } finally {
    for (const child of children) await child.stop();
    await system.close();
  }
}

async function startAll(
  system: BulkSystem,
  children: Child[],
): Promise<{ readonly live: Child; readonly bulk: Child }> {
  await system.startWorker('interactive');
  for (let worker = 0; worker < BULK_WORKERS; worker += 1) await system.startWorker('bulk');
  const base = await system.startIngress();
  const live = await startChild(['scripts/bench/calls/open-loop-load.ts', base + ACTION_PATH], /READY/);
  children.push(live);
  return { live, bulk: await system.startRequester() };
}

function ask<T>(
  child: Child,
  words: BulkWords | { readonly perSecond: number; readonly forMs: number },
  forMs: number,
): Promise<T> {
  return askChild<T>(child, { ...words }, forMs + ANSWER_MARGIN_MS);
}

async function liveRound(options: IsolationBenchOptions, live: Child): Promise<LiveRound> {
  const before = readCpuTimes();
  const words = { perSecond: REQUESTS_PER_SECOND, forMs: options.measureMs };
  const measured = await ask<OpenLoopResult>(live, words, options.measureMs);
  return { ...measured, busyShare: busyShare(before, readCpuTimes()), contractsPerSecond: 0 };
}

async function loadedRound(options: IsolationBenchOptions, live: Child, bulk: Child): Promise<LiveRound> {
  const words = { warmUpMs: LEAD_MS, measureMs: options.measureMs + TRAIL_MS };
  const running = ask<BulkAnswer>(bulk, words, words.warmUpMs + words.measureMs);
  await new Promise((resolve) => setTimeout(resolve, LEAD_MS));
  const round = await liveRound(options, live);
  const { contractsPerSecond } = await running;
  return { ...round, contractsPerSecond };
}

function ratiosOf(idle: readonly LiveRound[], loaded: readonly LiveRound[]): readonly Ratio[] {
  const failed = [...idle, ...loaded].reduce((sum, round) => sum + round.failed, 0);
  const value = median(loaded.map(({ p99Ms }, round) => p99Ms / (idle[round]?.p99Ms ?? Number.NaN)));
  const byFastest = fastestOf(loaded) / fastestOf(idle);
  return [
    atMost('live p99: beside a bulk run / idle', { value, byFastest }, AIM_SLOWDOWN),
    atMost('live requests that failed', { value: failed, byFastest: failed }, 0),
  ];
}

const fastestOf = (rounds: readonly LiveRound[]): number => Math.min(...rounds.map(({ p99Ms }) => p99Ms));

function textOf(round: LiveRound | undefined): string {
  return `${(round?.p99Ms ?? Number.NaN).toFixed(1)} ms`;
}

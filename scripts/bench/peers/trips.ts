/** Measures round trips of several systems alternately, with the processor time of each of their processes. */

import type { LoopResult } from '../load.ts';
import { median } from '../load.ts';
import { processSeconds } from '../proc-readings.ts';
import { type BenchOptions, inTurns } from '../rounds.ts';
import { table, thousands } from '../tables.ts';

/** Ids of processes by the part that they have in a call. */
export type ProcessIds = Readonly<Record<string, readonly (number | undefined)[]>>;

/** A closed loop of one system. */
export interface Trip {
  /** The system that is measured. */
  readonly system: string;
  readonly window: number;
  readonly pids: ProcessIds;
  /** How long it runs before the first round. Default 10 s. */
  readonly firstWarmUpMs?: number;
  /** Runs the loop for a time. */
  readonly run: (window: number, forMs: number) => Promise<LoopResult>;
}

/** One round of a trip. */
export interface TripRound extends LoopResult {
  /** Microseconds of processor time, user and system, for each call by part. */
  readonly cpuUs: Readonly<Record<string, number>>;
}

/** All rounds of a trip. */
export interface TripLine {
  readonly system: string;
  readonly window: number;
  readonly rounds: readonly TripRound[];
}

/** Long enough for the just-in-time compilers of all Node processes of a trip. */
const FIRST_WARM_UP_MS = 10_000;
/** Before each round, because the processes were idle during the other trips. */
const WARM_UP_MS = 300;
const MS_PER_SECOND = 1_000;
const US_PER_SECOND = 1_000_000;

/** Warms all trips up, then measures each once in every round. */
export async function measureTrips(
  options: Pick<BenchOptions, 'rounds' | 'measureMs' | 'progress'>,
  trips: readonly Trip[],
): Promise<readonly TripLine[]> {
  const named = trips.map((trip) => ({ ...trip, name: `${trip.system}, window ${trip.window}` }));
  for (const { name, window, run, firstWarmUpMs = FIRST_WARM_UP_MS } of named) {
    options.progress(`warming up: ${name}`);
    await run(window, firstWarmUpMs);
  }
  const rounds = await inTurns(
    options,
    named,
    (trip) => measureOnce(trip, options.measureMs),
    ({ perSecond, p50Ms }) => `, ${thousands(perSecond)} per second, p50 ${p50Ms.toFixed(2)} ms`,
  );
  return trips.map(({ system, window }, index) => ({ system, window, rounds: rounds[index] ?? [] }));
}

async function measureOnce({ window, pids, run }: Trip, measureMs: number): Promise<TripRound> {
  await run(window, WARM_UP_MS);
  const before = secondsOf(pids);
  const result = await run(window, measureMs);
  const after = secondsOf(pids);
  const calls = (result.perSecond * measureMs) / MS_PER_SECOND;
  const cpuUs = Object.keys(pids).map(
    (part) => [part, (((after[part] ?? 0) - (before[part] ?? 0)) * US_PER_SECOND) / calls] as const,
  );
  return { ...result, cpuUs: Object.fromEntries(cpuUs) };
}

function secondsOf(pids: ProcessIds): Readonly<Record<string, number>> {
  const sums = Object.entries(pids).map(
    ([part, ids]) => [part, ids.reduce<number>((sum, pid) => sum + processSeconds(pid), 0)] as const,
  );
  return Object.fromEntries(sums);
}

/** A figure of every round of a system with a window; empty if it was not measured. */
export function figuresOf(
  lines: readonly TripLine[],
  trip: Pick<TripLine, 'system' | 'window'>,
  figure: (round: TripRound) => number,
): readonly number[] {
  const found = lines.find(({ system, window }) => system === trip.system && window === trip.window);
  return found?.rounds.map(figure) ?? [];
}

/** One row for each trip: medians, and processor time per call by part. */
export function tripTable(title: string, lines: readonly TripLine[]): string {
  const rows = lines.map(({ system, window, rounds }) => {
    const cpu = Object.keys(rounds[0]?.cpuUs ?? {}).map(
      (part) => `${Math.round(median(rounds.map(({ cpuUs }) => cpuUs[part] ?? 0)))} ${part}`,
    );
    return [
      system,
      String(window),
      thousands(median(rounds.map(({ perSecond }) => perSecond))),
      median(rounds.map(({ p50Ms }) => p50Ms)).toFixed(2),
      median(rounds.map(({ p99Ms }) => p99Ms)).toFixed(2),
      thousands(rounds.reduce((sum, { refused = 0 }) => sum + refused, 0)),
      cpu.join(' + '),
    ];
  });
  const head = [
    title,
    'window',
    'per second',
    'p50 ms',
    'p99 ms',
    'refused',
    'us of processor time per call',
  ];
  return table(head, rows);
}

/** Works measured in turns, round by round, so that a busy machine slows all of them alike. */

import { median } from './closed-loop.ts';
import type { CostPerCall, Ratio } from './measurement.ts';

/** One thing to measure: called over and over, its result is thrown away. */
export interface Work {
  readonly name: string;
  readonly run: () => unknown;
}

/** Microseconds per call of each work, one entry for each round. */
export type RoundTimes = ReadonlyMap<string, readonly number[]>;

/** How long is measured. */
export interface RoundOptions {
  readonly rounds: number;
  /** Least time that a work is called for in a round. */
  readonly sliceMs: number;
  /** How long each work is called before anything is measured. Default 400 ms. */
  readonly warmUpMs?: number;
  readonly progress: (text: string) => void;
}

/** Enough for the compiler to be done with most works. */
const WARM_UP_MS = 400;
/** Calls between two looks at the clock take about this long. */
const LOOK_MS = 1;
/** A ratio that only informs. */
const NO_AIM = '-';

/**
 * Every work is warmed up unmeasured; then in every round one slice of each. Every second round goes through them
 * backwards: what a neighbour leaves behind in caches and heap hits another one then.
 */
export function timesOf(works: readonly Work[], options: RoundOptions): RoundTimes {
  const times = new Map(works.map(({ name }) => [name, [] as number[]]));
  const calls = new Map(works.map(({ name, run }) => [name, warmUp(run, options.warmUpMs ?? WARM_UP_MS)]));
  for (let round = 1; round <= options.rounds; round += 1) {
    options.progress(`calculations: round ${round} of ${options.rounds}`);
    const inTurn = round % 2 === 1 ? works : works.toReversed();
    for (const { name, run } of inTurn) {
      times.get(name)?.push(sliceOf(run, calls.get(name) ?? 1, options.sliceMs));
    }
  }
  return times;
}

/** Calls that take about {@link LOOK_MS}, found while the code is being optimised. */
function warmUp(run: () => unknown, forMs: number): number {
  const perCallUs = sliceOf(run, 1, forMs);
  return Math.max(1, Math.round((LOOK_MS * 1_000) / perCallUs));
}

function sliceOf(run: () => unknown, calls: number, forMs: number): number {
  const startedAt = performance.now();
  let done = 0;
  let elapsed = 0;
  while (elapsed < forMs) {
    for (let call = 0; call < calls; call += 1) run();
    done += calls;
    elapsed = performance.now() - startedAt;
  }
  return (elapsed * 1_000) / done;
}

/** Median and fastest round of each work. */
export function costsOf(times: RoundTimes): readonly CostPerCall[] {
  return [...times].map(([name, rounds]) => ({
    name,
    microseconds: median(rounds),
    fastest: Math.min(...rounds),
  }));
}

/** How many times slower one work is than another. */
export interface Slowdown {
  /** Round by round, then the median. */
  readonly value: number;
  /** Fastest round of the one over the fastest of the other: what is left when neighbours were busy meanwhile. */
  readonly byFastest: number;
}

/** Compares two works that were measured in the same rounds. */
export function slowdown(times: RoundTimes, slower: string, faster: string): Slowdown {
  const rounds = times.get(slower) ?? [];
  const others = times.get(faster) ?? [];
  return {
    value: median(rounds.map((time, round) => time / (others[round] ?? Number.NaN))),
    byFastest: Math.min(...rounds) / Math.min(...others),
  };
}

/** A ratio that must be at least `aim`. */
export function atLeast(name: string, measured: Slowdown, aim: number): Ratio {
  return { name, ...measured, aim: `>= ${aim}`, reached: measured.value >= aim };
}

/** A ratio that must be at most `aim`. */
export function atMost(name: string, measured: Slowdown, aim: number): Ratio {
  return { name, ...measured, aim: `<= ${aim}`, reached: measured.value <= aim };
}

/** A ratio without an aim. */
export function toKnow(name: string, measured: Slowdown): Ratio {
  return { name, ...measured, aim: NO_AIM };
}

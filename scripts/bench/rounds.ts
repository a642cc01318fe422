/** The measurement: scenarios in turns, round by round, so that a busy machine slows all of them alike. */

import { median } from './load.ts';

/** What recalculating a portfolio writes for each contract. */
export const RESULT_FORMS = ['ndjson', 'csv', 'summary'] as const;
export type ResultForm = (typeof RESULT_FORMS)[number];

/** The options of the command line. */
export interface BenchOptions {
  readonly rounds: number;
  /** Of one scenario in one round. */
  readonly measureMs: number;
  /** Notifications over which memory is measured. */
  readonly notifications: number;
  /** Of the largest portfolio. */
  readonly contracts: number;
  readonly results: ResultForm;
  readonly progress: (text: string) => void;
}

/** The results of a part: figures for --json, and the same as tables. */
export interface PartResults<Figures> {
  readonly figures: Figures;
  readonly tables: readonly string[];
}

/**
 * Measures each scenario once in every round; answers the results of each, one for each round. Every second round goes
 * through them backwards: what a neighbour leaves behind in caches and heap affects another one then.
 */
export async function inTurns<Scenario extends { readonly name: string }, Round>(
  { rounds, progress }: Pick<BenchOptions, 'rounds' | 'progress'>,
  scenarios: readonly Scenario[],
  measure: (scenario: Scenario) => Round | Promise<Round>,
  describe: (round: Round) => string = () => '',
): Promise<readonly (readonly Round[])[]> {
  const results = scenarios.map((scenario) => ({ scenario, rounds: [] as Round[] }));
  for (let round = 1; round <= rounds; round += 1) {
    for (const { scenario, rounds: own } of round % 2 === 1 ? results : results.toReversed()) {
      const result = await measure(scenario);
      own.push(result);
      progress(`round ${round}/${rounds}: ${scenario.name}${describe(result)}`);
    }
  }
  return results.map(({ rounds: own }) => own);
}

/** A calculation to time: called over and over, its result is thrown away. */
export interface Work {
  readonly name: string;
  readonly run: () => unknown;
}

/** Microseconds per call of each work, one entry for each round. */
export type RoundTimes = ReadonlyMap<string, readonly number[]>;

export interface TimingOptions extends Pick<BenchOptions, 'rounds' | 'progress'> {
  /** How long a work is called in a round, at least. */
  readonly sliceMs: number;
  /** How long each work is called before anything is measured. Default 400 ms. */
  readonly warmUpMs?: number;
}

/** Enough for just-in-time compilation of most tasks. */
const WARM_UP_MS = 400;
/** Calls between two looks at the clock take about this long. */
const LOOK_MS = 1;

/** Warms every work up unmeasured, then times a slice of each in every round. */
export async function timeCalls(works: readonly Work[], options: TimingOptions): Promise<RoundTimes> {
  const { rounds, sliceMs, progress, warmUpMs = WARM_UP_MS } = options;
  progress(`timing ${works.length} calculations in ${rounds} rounds`);
  const warm = works.map((work) => {
    const perCallUs = timeSlice(work.run, 1, warmUpMs);
    return { ...work, calls: Math.max(1, Math.round((LOOK_MS * 1_000) / perCallUs)) };
  });
  const silent = { rounds, progress: () => undefined };
  const times = await inTurns(silent, warm, ({ run, calls }) => timeSlice(run, calls, sliceMs));
  return new Map(works.map(({ name }, index) => [name, times[index] ?? []]));
}

function timeSlice(run: () => unknown, calls: number, forMs: number): number {
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

export interface CostPerCall {
  readonly name: string;
  readonly microseconds: number;
  /** The fastest round, where there were several. */
  readonly fastest?: number;
}

/** Median and fastest round of each work. */
export function costsOf(times: RoundTimes): readonly CostPerCall[] {
  return [...times].map(([name, rounds]) => ({
    name,
    microseconds: median(rounds),
    fastest: Math.min(...rounds),
  }));
}

/** A figure relative to another one of the same rounds. */
export interface Comparison {
  /** Round by round, then the median. */
  readonly value: number;
  /** The fastest round of the one over the fastest of the other: what is left when neighbours were busy meanwhile. */
  readonly byFastest?: number;
}

/** How many times longer one takes than another; times in the same rounds. */
export function compareTimes(times: readonly number[], others: readonly number[]): Comparison {
  return { value: medianQuotient(times, others), byFastest: Math.min(...times) / Math.min(...others) };
}

/** How many times more one does than another; rates in the same rounds. */
export function compareRates(rates: readonly number[], others: readonly number[]): Comparison {
  return { value: medianQuotient(rates, others), byFastest: Math.max(...rates) / Math.max(...others) };
}

function medianQuotient(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, round) => value / (others[round] ?? Number.NaN)));
}

/** Contracts per second of two steps in series, given the rate of each alone. */
export function inSeries(first: number, second: number): number {
  return 1 / (1 / first + 1 / second);
}

/** Rates of one beside those of two steps in series, all measured in the same rounds. */
export function compareWithSeries(
  rates: readonly number[],
  first: readonly number[],
  second: readonly number[],
): Comparison {
  const series = rates.map((_, round) => inSeries(first[round] ?? Number.NaN, second[round] ?? Number.NaN));
  return {
    value: medianQuotient(rates, series),
    byFastest: Math.max(...rates) / inSeries(Math.max(...first), Math.max(...second)),
  };
}

/** A comparison with its aim. */
export interface Ratio extends Comparison {
  readonly name: string;
  readonly aim: string;
  /** Absent where there is no aim. */
  readonly reached?: boolean;
}

/** A ratio that must be at least `aim`. */
export function atLeast(name: string, measured: Comparison, aim: number): Ratio {
  return { name, ...measured, aim: `>= ${aim}`, reached: measured.value >= aim };
}

/** A ratio that must be at most `aim`. */
export function atMost(name: string, measured: Comparison, aim: number): Ratio {
  return { name, ...measured, aim: `<= ${aim}`, reached: measured.value <= aim };
}

/** A ratio without an aim. */
export function toKnow(name: string, measured: Comparison): Ratio {
  return { name, ...measured, aim: '-' };
}

/** Measures scenarios alternately in rounds, so that a busy machine slows all of them alike. */

import { median } from './load.ts';

/** What the recalculation of a portfolio writes: results as NDJSON or CSV, or only a summary. */
export const RESULT_FORMS = ['ndjson', 'csv', 'summary'] as const;
export type ResultForm = (typeof RESULT_FORMS)[number];

/** The options of the command line. */
export interface BenchOptions {
  readonly rounds: number;
  /** Duration of one scenario in one round. */
  readonly measureMs: number;
  /** Number of notifications during which memory is measured. */
  readonly notifications: number;
  /** Number of contracts in the largest portfolio. */
  readonly contracts: number;
  readonly results: ResultForm;
  /** Number of busy processes that run beside the measurement. */
  readonly busyProcesses: number;
  readonly progress: (text: string) => void;
}

/** The results of a part: figures for --json, and tables of these figures. */
export interface PartResults<Figures = PartFigures> {
  readonly figures: Figures;
  readonly tables: readonly string[];
}

/** The figures of any part. */
export interface PartFigures {
  /** The ratios that the run records, with those of its targets. */
  readonly ratios?: readonly Ratio[];
}

/**
 * Measures each scenario once in every round; returns one result per scenario and round. Every second round runs in
 * reverse order, so that the caches and heap that a scenario leaves behind do not always affect the same neighbour.
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

/** A calculation to time; it is called repeatedly, and its result is discarded. */
export interface Work {
  readonly name: string;
  readonly run: () => unknown;
}

/** Microseconds per call of each calculation, with one entry for each round. */
export type RoundTimes = ReadonlyMap<string, readonly number[]>;

export interface TimingOptions extends Pick<BenchOptions, 'rounds' | 'progress'> {
  /** The minimum time for which a calculation is called in a round. */
  readonly sliceMs: number;
  /** How long each calculation is called for warm-up. Default 400 ms. */
  readonly warmUpMs?: number;
}

/** Long enough for the just-in-time compilation of most tasks. */
const WARM_UP_MS = 400;
/** The approximate duration of the calls between two readings of the clock. */
const LOOK_MS = 1;

/** Warms every calculation up, then times a slice of each in every round. */
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

/** Processor time of this thread, so that time in which other processes have the processor does not count. */
function timeSlice(run: () => unknown, calls: number, forMs: number): number {
  const startedAt = threadUs();
  let done = 0;
  let elapsedUs = 0;
  while (elapsedUs < forMs * 1_000) {
    for (let call = 0; call < calls; call += 1) run();
    done += calls;
    elapsedUs = threadUs() - startedAt;
  }
  return elapsedUs / done;
}

function threadUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

export interface CostPerCall {
  readonly name: string;
  readonly microseconds: number;
  /** The fastest round, if there were several. */
  readonly fastest?: number;
}

/** The median and the fastest round of each calculation. */
export function costsOf(times: RoundTimes): readonly CostPerCall[] {
  return [...times].map(([name, rounds]) => ({
    name,
    microseconds: median(rounds),
    fastest: Math.min(...rounds),
  }));
}

/** A figure relative to another one from the same rounds. */
export interface Comparison {
  /** The median of the ratios in each round. */
  readonly value: number;
  /** The ratio of each round; absent if the figure is not measured in rounds. */
  readonly rounds?: readonly number[];
  /** The ratio of the fastest rounds, which other load on the machine affects least. */
  readonly byFastest?: number;
}

/** How many times longer one takes than another, from times in the same rounds. */
export function compareTimes(times: readonly number[], others: readonly number[]): Comparison {
  return { ...byRound(times, others), byFastest: Math.min(...times) / Math.min(...others) };
}

/** How many times faster one is than another, from rates in the same rounds. */
export function compareRates(rates: readonly number[], others: readonly number[]): Comparison {
  return { ...byRound(rates, others), byFastest: Math.max(...rates) / Math.max(...others) };
}

/** A figure with one value for each round. */
export function overRounds(rounds: readonly number[]): Comparison {
  return { value: median(rounds), rounds };
}

function byRound(values: readonly number[], others: readonly number[]): Comparison {
  return overRounds(values.map((value, round) => value / (others[round] ?? Number.NaN)));
}

/** Contracts per second of two sequential steps, given the rate of each step alone. */
export function inSeries(first: number, second: number): number {
  return 1 / (1 / first + 1 / second);
}

/** The rates of one scenario relative to those of two sequential steps, all measured in the same rounds. */
export function compareWithSeries(
  rates: readonly number[],
  first: readonly number[],
  second: readonly number[],
): Comparison {
  const series = rates.map((_, round) => inSeries(first[round] ?? Number.NaN, second[round] ?? Number.NaN));
  return {
    ...byRound(rates, series),
    byFastest: Math.max(...rates) / inSeries(Math.max(...first), Math.max(...second)),
  };
}

/** A comparison with its target. */
export interface Ratio extends Comparison {
  readonly name: string;
  readonly aim: string;
  /** Absent if there is no target. */
  readonly reached?: boolean;
  /** Whether it is one of the targets that the run lists at its end. */
  readonly isTarget?: true;
}

/** A ratio that must be at least `aim`. */
export function atLeast(name: string, measured: Comparison, aim: number): Ratio {
  return { name, ...measured, aim: `>= ${aim}`, reached: measured.value >= aim };
}

/** A ratio that must be at most `aim`. */
export function atMost(name: string, measured: Comparison, aim: number): Ratio {
  return { name, ...measured, aim: `<= ${aim}`, reached: measured.value <= aim };
}

/** A ratio without a target; `aim` states whether less or more of it is better, if either is. */
export function toKnow(name: string, measured: Comparison, aim: 'less' | 'more' | '-' = '-'): Ratio {
  return { name, ...measured, aim };
}

/** Lists a ratio among the targets at the end of the run. */
export function asTarget(ratio: Ratio): Ratio {
  return { ...ratio, isTarget: true };
}

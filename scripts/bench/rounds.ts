/** Measures scenarios alternately in rounds, so that a busy machine slows all of them alike, and relates their figures. */

export interface BenchOptions {
  readonly rounds: number;
  /** Where a line of progress goes. */
  readonly progress: (text: string) => void;
}

/** What a part of the benchmark returns: its table, its figures for --json, and its ratios. */
export interface PartResult {
  readonly table: string;
  readonly figures: unknown;
  readonly ratios: readonly Ratio[];
}

/** A figure relative to another of the same round, or a figure on its own. */
export interface Ratio {
  readonly name: string;
  /** `>= 1.4`, `<= 0.9`, or `less`, which states what is better without a target. */
  readonly aim: string;
  /** One value for each round; the result is their median. */
  readonly rounds: readonly number[];
}

/** Each value divided by the other of the same round. */
export function quotients(values: readonly number[], others: readonly number[]): readonly number[] {
  return values.map((value, round) => value / (others[round] ?? Number.NaN));
}

/** Whether a ratio reaches its target; undefined without one. */
export function isReached({ aim, rounds }: Ratio): boolean | undefined {
  const [direction, limit] = aim.split(' ');
  if (limit === undefined) return undefined;
  return direction === '>=' ? median(rounds) >= Number(limit) : median(rounds) <= Number(limit);
}

/**
 * Measures each scenario once in every round; returns one result per scenario and round. Every second round runs in reverse
 * order, so that the caches that a scenario leaves behind do not always affect the same neighbour.
 */
export async function inTurns<Scenario, Round>(
  rounds: number,
  scenarios: readonly Scenario[],
  measure: (scenario: Scenario, round: number) => Round | Promise<Round>,
): Promise<readonly (readonly Round[])[]> {
  const results = scenarios.map((scenario) => ({ scenario, own: [] as Round[] }));
  for (let round = 1; round <= rounds; round += 1) {
    for (const { scenario, own } of round % 2 === 1 ? results : results.toReversed()) {
      own.push(await measure(scenario, round));
    }
  }
  return results.map(({ own }) => own);
}

/** The value below which the share `q` of the values lies; NaN without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

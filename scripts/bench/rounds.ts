/** Measures scenarios in turns, so that a busy machine slows all of them alike, and puts their figures into tables. */

export interface BenchOptions {
  readonly rounds: number;
  readonly progress: (text: string) => void;
}

export interface PartResult {
  readonly table: string;
  /** The figures of every round, for --json. */
  readonly figures: unknown;
  readonly ratios: readonly Ratio[];
}

export interface Ratio {
  readonly name: string;
  readonly aim: `>= ${number}` | `<= ${number}`;
  readonly rounds: readonly number[];
}

/** Measures each scenario once a round. Every second round is reversed, so that no scenario always follows the same. */
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

/** The value at `q`, from 0 to 1, of the sorted values; NaN without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function ratioTable(ratios: readonly Ratio[]): string {
  const rows = ratios.map(({ name, aim, rounds }) => {
    const range = `${Math.min(...rounds).toFixed(2)} to ${Math.max(...rounds).toFixed(2)}`;
    const limit = Number(aim.slice(aim.indexOf(' ')));
    const isReached = aim.startsWith('>=') ? median(rounds) >= limit : median(rounds) <= limit;
    return [name, median(rounds).toFixed(2), range, aim, isReached ? 'yes' : 'no'];
  });
  return table(['ratio (same run)', 'median', 'rounds', 'aim', 'reached'], rows);
}

/** A Markdown table; an empty text without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const padded = (text: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 0 ? text.padEnd(width) : text.padStart(width);
  };
  const line = (cells: readonly string[]): string => `| ${cells.map(padded).join(' | ')} |\n`;
  return line(head) + line(widths.map((width) => '-'.repeat(width))) + rows.map(line).join('');
}

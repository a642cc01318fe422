import type { LoopResult } from './closed-loop.ts';
import { median } from './closed-loop.ts';

/** One line of the result: a scenario at a window, each figure the median over the rounds. */
export interface Measurement {
  readonly scenario: string;
  readonly window: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The medians of several rounds: one round on a shared machine says little. */
export function summarise(scenario: string, window: number, rounds: readonly LoopResult[]): Measurement {
  return {
    scenario,
    window,
    perSecond: median(rounds.map((round) => round.perSecond)),
    p50Ms: median(rounds.map((round) => round.p50Ms)),
    p99Ms: median(rounds.map((round) => round.p99Ms)),
  };
}

/** A figure that is compared with an aim; `atMost` or `atLeast` says which side is good. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  readonly aim: string;
  readonly reached: boolean;
}

export interface CostPerCall {
  readonly name: string;
  readonly microseconds: number;
}

/** The results as a table that reads in a terminal and in Markdown. */
export function formatResults(results: {
  measurements: readonly Measurement[];
  ratios: readonly Ratio[];
  costs: readonly CostPerCall[];
}): string {
  const rows = results.measurements.map((line) => [
    line.scenario,
    String(line.window),
    Math.round(line.perSecond).toLocaleString('en-US'),
    line.p50Ms.toFixed(2),
    line.p99Ms.toFixed(2),
  ]);
  const ratios = results.ratios.map((ratio) => [
    ratio.name,
    ratio.value.toFixed(2),
    ratio.aim,
    ratio.reached ? 'yes' : 'no',
  ]);
  const costs = results.costs.map((cost) => [cost.name, cost.microseconds.toFixed(1)]);
  return [
    table(['round trip', 'window', 'per second', 'p50 ms', 'p99 ms'], rows),
    ratios.length === 0 ? '' : `\n${table(['ratio (same run)', 'value', 'aim', 'reached'], ratios)}`,
    `\n${table(['work per call', 'us'], costs)}`,
  ].join('');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |\n`;
  return line(head) + line(widths.map((width) => '-'.repeat(width))) + rows.map(line).join('');
}

/** Formats tables of figures for terminals and Markdown. */

import type { CostPerCall, Ratio } from './rounds.ts';

/** A number with thousands separators. */
export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A share from 0 to 1 in percent. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Microseconds per call, with medians and the fastest rounds. */
export function costTable(title: string, costs: readonly CostPerCall[]): string {
  const lines = costs.map(({ name, microseconds, fastest }) => [
    name,
    microseconds.toFixed(1),
    fastest?.toFixed(1) ?? '',
  ]);
  return table([title, 'us', 'fastest round'], lines);
}

/** Ratios with their targets. */
export function ratioTable(ratios: readonly Ratio[]): string {
  const head = ['ratio (same run)', 'value', 'by fastest rounds', 'aim', 'reached'];
  const rows = ratios.map(({ name, value, byFastest, aim, reached }) => [
    name,
    value.toFixed(2),
    byFastest?.toFixed(2) ?? '',
    aim,
    reached === undefined ? '' : reached ? 'yes' : 'no',
  ]);
  const hasFastest = ratios.some(({ byFastest }) => byFastest !== undefined);
  const shown = (cells: readonly string[]): readonly string[] =>
    hasFastest ? cells : cells.filter((_, column) => column !== FASTEST_COLUMN);
  return table(shown(head), rows.map(shown));
}

const FASTEST_COLUMN = 2;

/** Empty if there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |\n`;
  return line(head) + line(widths.map((width) => '-'.repeat(width))) + rows.map(line).join('');
}

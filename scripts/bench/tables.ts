/** Formats tables of figures for terminals and Markdown. */

import { isReached, median, type Ratio } from './rounds.ts';

/** A number with thousands separators. */
export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** One line for each ratio: its median, its lowest and highest round, and whether the target is reached. */
export function ratioTable(ratios: readonly Ratio[]): string {
  const rows = ratios.map((ratio) => {
    const { name, aim, rounds } = ratio;
    const range = `${Math.min(...rounds).toFixed(2)} to ${Math.max(...rounds).toFixed(2)}`;
    const reached = isReached(ratio);
    return [name, median(rounds).toFixed(2), range, aim, reached === undefined ? '' : reached ? 'yes' : 'no'];
  });
  return table(['ratio (same run)', 'median', 'rounds', 'aim', 'reached'], rows);
}

/** Empty if there are no rows. */
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

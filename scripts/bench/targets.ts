/** The targets of the project, collected from the parts of a run. */

import type { Ratio } from './rounds.ts';
import { table } from './tables.ts';

/** The ratios in the figures of a part; none if it has no ratios. */
export function ratiosIn(figures: unknown): readonly Ratio[] {
  const { ratios = [] } = figures as { readonly ratios?: readonly Ratio[] };
  return ratios;
}

/** One line for each target that was measured: its value, those of its lowest and highest round, and whether it is reached. */
export function targetTable(ratios: readonly Ratio[], load: string): string {
  const rows = ratios
    .filter(({ isTarget }) => isTarget)
    .map(({ name, value, rounds, aim, reached }) => [
      name,
      value.toFixed(2),
      rounds === undefined ? '' : `${Math.min(...rounds).toFixed(2)} to ${Math.max(...rounds).toFixed(2)}`,
      aim,
      reached === undefined ? '' : reached ? 'yes' : 'no',
    ]);
  return table([`target, ${load}`, 'value', 'rounds', 'aim', 'reached'], rows);
}

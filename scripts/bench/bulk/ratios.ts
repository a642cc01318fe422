/** How the figures of the bulk lane are compared. */

import { median } from '../closed-loop.ts';
import { atLeast, type Slowdown } from '../interleaved.ts';
import type { Ratio } from '../measurement.ts';

/** Aim: share of what echo and calculation one after the other would give. */
const AIM_SHARE = 0.8;

/** Contracts per second of two steps that follow one another, by those of each alone. */
export function inSeries(first: number, second: number): number {
  return 1 / (1 / first + 1 / second);
}

/** Contracts per second, round by round, all measured in the same rounds. */
export interface BulkRounds {
  readonly echo: readonly number[];
  readonly engine: readonly number[];
  readonly lane: readonly number[];
}

/** The lane beside echo and engine in series: round by round, then the median; and by the fastest round of each. */
export function shareOfSeries({ echo, engine, lane }: BulkRounds): Slowdown {
  const shares = lane.map(
    (rate, round) => rate / inSeries(echo[round] ?? Number.NaN, engine[round] ?? Number.NaN),
  );
  return {
    value: median(shares),
    byFastest: Math.max(...lane) / inSeries(Math.max(...echo), Math.max(...engine)),
  };
}

/** The comparison with its aim. */
export function laneRatio(name: string, rounds: BulkRounds): Ratio {
  return atLeast(`${name} / (echo and engine in series)`, shareOfSeries(rounds), AIM_SHARE);
}

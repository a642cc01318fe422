/** The internal rate of return, IRR (A3): the annual rate that a financed amount earns over equal periods. */

import { reduceRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import type { Periodicity } from '../dates/periodicity.ts';
import { flowAtUnits } from './rate-flows.ts';
import { UNITS_PER_YEAR } from './time-between-flows.ts';
import { solveRate } from './proven-rate.ts';

const PERCENT_DECIMALS = 4;

/**
 * The periodic rate at which the amounts of periods 1, 2, ... are worth the financed amount, times the periods of a
 * year (A3). It has four decimals, half up, such as `7.9500%`. Null for Once, if nothing was financed, and if no rate
 * is found (A4). Amounts are minor units.
 */
export function internalRateOfReturn(
  financed: number,
  amounts: readonly number[],
  periodicity: Periodicity,
): string | null {
  const unitsAdded = periodsPerYear(periodicity);
  if (unitsAdded === undefined || financed <= 0) return null;
  const flows = [-financed, ...amounts].map(flowAtUnits);
  const scale = { percentDecimals: PERCENT_DECIMALS, unitsAdded };
  const { percent } = solveRate({ flows, unitsPerYear: 1 }, scale);
  return percent === null ? null : `${percent}%`;
}

/** 12 for Monthly, 24 for Semimonthly; a year has 52 weeks or 365 days. Undefined for Once. */
export function periodsPerYear({ unit, count }: Periodicity): ExactRatio | undefined {
  if (unit === 'Once' || count <= 0) return undefined;
  return reduceRatio(BigInt(UNITS_PER_YEAR[unit]), BigInt(count));
}

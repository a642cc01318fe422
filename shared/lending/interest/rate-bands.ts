/** The interest of a balance by rate bands, before it is rounded (R2). */

import { greatestCommonDivisor } from '../numbers/exact-ratio.ts';
import type { RoundingMode } from '../numbers/rounding.ts';
import { cacheByCount, type InterestRule } from './interest-rule.ts';

/** A band starts at `from` (minor units) and ends where the next band starts. */
interface Band {
  readonly from: number;
  readonly rule: InterestRule;
}

/** The bands of a loan, in ascending order; the first starts at zero unless one rate applies to the whole balance. */
export interface Bands {
  readonly bands: readonly Band[];
  /** Largest balance in minor units for which there is a rate; Infinity if there is no limit. */
  readonly limit: number;
  /** True if the rate of one band applies to the whole balance; false if each slice has the rate of its own band. */
  readonly whole: boolean;
  readonly rounding: RoundingMode;
}

/** The interest over one day-count numerator, by band: `perUnit` is that of one unit of balance in the band. */
export interface BandFactors<Factor> {
  readonly perUnit: readonly Factor[];
  /** Interest on the full slices below each band; zero if one rate applies to the whole balance. */
  readonly below: readonly Factor[];
}

export interface BandedRule {
  readonly bands: Bands;
  readonly starts: readonly number[];
  readonly denominator: bigint;
  /** Returns the factors of a day-count numerator, times the denominator. */
  readonly forCount: (count: number) => BandFactors<bigint>;
}

export function createBandedRule(bands: Bands): BandedRule {
  let denominator = 1n;
  for (const { rule } of bands.bands) {
    denominator *= rule.denominator / greatestCommonDivisor(denominator, rule.denominator);
  }
  const starts = bands.bands.map(({ from }, band) => (band === 0 ? 0 : from));
  const forCount = cacheByCount((count) => accrueBands(bands, denominator, starts, count));
  return { bands, starts, denominator, forCount };
}

function accrueBands(
  { bands, whole }: Bands,
  denominator: bigint,
  starts: readonly number[],
  count: number,
): BandFactors<bigint> {
  const perUnit: bigint[] = [];
  const below: bigint[] = [];
  let sum = 0n;
  for (const [band, { rule }] of bands.entries()) {
    const numerator = rule.computeNumerator(count) * (denominator / rule.denominator);
    const start = starts[band] as number;
    const end = starts[band + 1] ?? start;
    perUnit.push(numerator);
    below.push(whole ? 0n : sum);
    sum += numerator * BigInt(end - start);
  }
  return { perUnit, below };
}

/** The index of the band of a balance, 0 below the first start; `starts` must be in ascending order. */
export function findBand(starts: readonly number[], balance: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= balance) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The interest in minor units times the rule's denominator, not rounded. */
export function computeInterestNumerator(rule: BandedRule, balance: number, count: number): bigint {
  const { perUnit, below } = rule.forCount(count);
  const band = findBand(rule.starts, balance);
  const slice = rule.bands.whole ? balance : balance - (rule.starts[band] as number);
  return (below[band] as bigint) + BigInt(slice) * (perUnit[band] as bigint);
}

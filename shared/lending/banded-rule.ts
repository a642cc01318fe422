/** The exact interest of a balance that is priced by bands, before it is rounded (R2). */

import type { InterestRule } from './interest-rule.ts';
import type { RoundingMode } from './rounding.ts';

/** A band: from this balance in minor units up to the next band's, interest accrues by this rule. */
export interface Band {
  readonly from: number;
  readonly rule: InterestRule;
}

/** The bands of a loan, by rising balance. */
export interface Bands {
  readonly bands: readonly Band[];
  /** Largest balance in minor units that has a rate; Infinity: no limit. */
  readonly limit: number;
  /** True: the whole balance earns one rate; false: each slice its own. */
  readonly whole: boolean;
  readonly rounding: RoundingMode;
}

/** Interest of a balance over a count as an exact fraction over one denominator of all bands. */
export interface BandedRule {
  readonly bands: Bands;
  readonly denominator: bigint;
  /** Interest of one unit of the slice in band k over a count, times the denominator. */
  readonly numeratorOf: (band: number, count: number) => bigint;
}

/** The bands with one common denominator. */
export function bandedRule(bands: Bands): BandedRule {
  const denominators = new Set(bands.bands.map(({ rule }) => rule.denominator));
  const denominator = [...denominators].reduce((product, factor) => product * factor, 1n);
  const scales = bands.bands.map(({ rule }) => denominator / rule.denominator);
  const numeratorOf = (band: number, count: number): bigint =>
    (bands.bands[band]?.rule.numeratorOf(count) ?? 0n) * (scales[band] ?? 0n);
  return { bands, denominator, numeratorOf };
}

/**
 * The interest of a balance over a count, times the rule's denominator. `starts` are the bands' first balances in the
 * unit that the balance is in.
 */
export function interestNumerator(
  rule: BandedRule,
  starts: readonly bigint[],
  balance: bigint,
  count: number,
): bigint {
  let upper = balance;
  let numerator = 0n;
  for (let band = starts.length - 1; band >= 0; band -= 1) {
    const start = starts[band] ?? 0n;
    if (upper < start && band > 0) continue;
    const slice = rule.bands.whole ? balance : upper - (band === 0 ? 0n : start);
    numerator += slice * rule.numeratorOf(band, count);
    if (rule.bands.whole) return numerator;
    upper = start;
  }
  return numerator;
}

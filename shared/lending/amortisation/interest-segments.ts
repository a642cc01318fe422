/** Divides the rows of a schedule into segments by the interest in force (R1, R2, R3, S2). */

import type { CompiledScheduleType } from '../schedule-types/schedule-type.ts';
import { accrueAtOneRate, accrueByBands, type InterestAccrual } from '../interest/accrual.ts';
import type { ExactRatio } from '../numbers/exact-ratio.ts';
import {
  computeGrowth,
  createEffectiveRule,
  createLinearRule,
  type InterestRule,
} from '../interest/interest-rule.ts';
import { MAX_FIGURE_MINOR } from '../numbers/money.ts';
import type { AnnualRate, RateFrom, RateTerms } from '../terms/rate-ranges.ts';
import type { Validation } from '../request/validation.ts';

export interface InterestSegment {
  readonly fromIndex: number;
  readonly interest: InterestAccrual;
  /** The rate, for formulas and explanations; undefined if the rate depends on bands of the balance. */
  readonly rate: RateFrom | undefined;
}

interface AccruingRows {
  readonly compiled: CompiledScheduleType;
  readonly counts: readonly number[];
  /** A residual row that bears interest has a period too (B7). */
  readonly residualRow: { readonly count: number } | undefined;
  readonly dayCountDenominator: number;
  /** Number of settled rows (X1): rate ranges refer to the original row numbers. */
  readonly settledRows: number;
  readonly amount: number;
}

/** Returns undefined, with the faults reported, if a rate is too low or the amount too large (R3, M6). */
export function buildInterestSegments(
  rates: RateTerms,
  rows: AccruingRows,
  validation: Validation,
): readonly InterestSegment[] | undefined {
  const faultsBefore = validation.faults.length;
  const counts = rows.residualRow === undefined ? rows.counts : [...rows.counts, rows.residualRow.count];
  const extremes = [Math.min(...counts), Math.max(...counts)];
  const createRule: CreateRule = (annual) => createInterestRule(annual, rows, extremes, validation);
  const segments =
    rates.kind === 'rows'
      ? createRowSegments(rates.rates, rows, createRule)
      : createBandSegment(rates, rows, createRule);
  return validation.faults.length > faultsBefore ? undefined : segments;
}

type CreateRule = (annual: AnnualRate) => InterestRule | undefined;

/** Consecutive ranges with the same rate form one segment (R1). */
function createRowSegments(
  rates: readonly RateFrom[],
  rows: AccruingRows,
  createRule: CreateRule,
): readonly InterestSegment[] {
  const segments: InterestSegment[] = [];
  for (const [index, rate] of rates.entries()) {
    const next = rates[index + 1];
    const rule = createRule(rate);
    if (rule === undefined || (next !== undefined && next.fromRow <= rows.settledRows + 1)) continue;
    if (isSameRate(segments.at(-1)?.rate?.rate, rate.rate)) continue;
    const fromIndex = Math.max(0, rate.fromRow - rows.settledRows - 1);
    segments.push({ fromIndex, interest: accrueAtOneRate(rule, rows.counts), rate });
  }
  return segments;
}

function isSameRate(first: ExactRatio | undefined, second: ExactRatio): boolean {
  return first?.numerator === second.numerator && first.denominator === second.denominator;
}

function createBandSegment(
  { bands, limit, whole }: RateTerms & { kind: 'bands' },
  rows: AccruingRows,
  createRule: CreateRule,
): readonly InterestSegment[] {
  const priced = bands.flatMap((band) => {
    const rule = createRule(band);
    return rule === undefined ? [] : [{ from: band.from, rule }];
  });
  const { rounding } = rows.compiled.type;
  const interest = accrueByBands({ bands: priced, limit, whole, rounding }, rows.counts);
  return [{ fromIndex: 0, interest, rate: undefined }];
}

/**
 * A negative rate must leave a positive balance in every period (R3). The amount with the interest of one period must
 * not exceed the largest figure (M6): this sum bounds interest and level payment while the balance does not grow.
 * `extremes` are the least and the greatest day-count numerator.
 */
function createInterestRule(
  annual: AnnualRate,
  { compiled, dayCountDenominator, amount }: AccruingRows,
  extremes: readonly number[],
  validation: Validation,
): InterestRule | undefined {
  const isEffective = compiled.interest.kind === 'EffectiveRate';
  const { numerator, denominator } = annual.rate;
  if (isEffective && numerator + denominator <= 0n) return rejectRate(annual, validation);
  const ruleBy = isEffective ? createEffectiveRule : createLinearRule;
  const rule = ruleBy(annual.rate, dayCountDenominator, compiled.type.rounding);
  const growths = extremes.map((count) => computeGrowth(rule, count));
  if (growths.some((growth) => growth <= 0n)) return rejectRate(annual, validation);
  const most = growths.reduce((a, b) => (a > b ? a : b));
  if (BigInt(amount) * most > BigInt(MAX_FIGURE_MINOR) * rule.denominator) {
    const message =
      'must be smaller: with the interest of one period it exceeds the largest supported amount';
    return validation.rejectOnce({ path: 'Amount', code: 'amount-too-large', message });
  }
  return rule;
}

function rejectRate({ path }: AnnualRate, validation: Validation): undefined {
  const message = 'must leave a positive balance in every period';
  return validation.rejectOnce({ path, code: 'rate-too-low', message });
}

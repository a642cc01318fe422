/**
 * Simple interest on a balance by day count (S2, Linear): balance * rate * fraction of a year, exact until it is
 * rounded once per row (M2, M4).
 */

import { exactRatio, type ExactRatio } from './exact-ratio.ts';
import { divideRounded, divideRoundedSafe, type RoundingMode } from './rounding.ts';

/** Above this denominator the doubled remainder of {@link divideRoundedSafe} would no longer be exact. */
const LARGEST_FAST_DENOMINATOR = 2 ** 52;

/**
 * How interest accrues over the rows of a schedule: one unit of balance earns
 * numerator * counts[row] / denominator in a row (index from 0).
 */
export interface InterestAccrual {
  /** Numerators of the rows' day-count fractions. */
  readonly counts: readonly number[];
  /** Interest of one unit of balance per unit of count, in lowest terms; negative with a negative rate (R3). */
  readonly perCount: ExactRatio;
  /** `perCount` as numbers, zero denominator when they are too large to calculate with exactly. */
  readonly fastNumerator: number;
  readonly fastDenominator: number;
  readonly rounding: RoundingMode;
}

/** The accrual of an annual rate over rows with the given day-count numerators and their common denominator. */
export function interestAccrual(
  annualRate: ExactRatio,
  counts: readonly number[],
  dayCountDenominator: number,
  rounding: RoundingMode,
): InterestAccrual {
  const perCount = exactRatio(annualRate.numerator, annualRate.denominator * BigInt(dayCountDenominator));
  const numerator = Number(perCount.numerator);
  const isFast = Number.isSafeInteger(numerator) && perCount.denominator < LARGEST_FAST_DENOMINATOR;
  return {
    counts,
    perCount,
    fastNumerator: numerator,
    fastDenominator: isFast ? Number(perCount.denominator) : 0,
    rounding,
  };
}

/** Interest that a balance earns in a row, in minor units, rounded once. */
export function interestOfRow(accrual: InterestAccrual, balance: number, row: number): number {
  const count = accrual.counts[row] ?? 0;
  const product = balance * (accrual.fastNumerator * count);
  if (accrual.fastDenominator > 0 && Number.isSafeInteger(product)) {
    return divideRoundedSafe(product, accrual.fastDenominator, accrual.rounding);
  }
  const { numerator, denominator } = accrual.perCount;
  return Number(divideRounded(BigInt(balance) * numerator * BigInt(count), denominator, accrual.rounding));
}

/**
 * The factor 1 + r f by which a balance grows in a row, as `numerator` over the accrual's own denominator; not
 * positive when a negative rate takes more than the balance (R3).
 */
export function growthNumerator(accrual: InterestAccrual, row: number): bigint {
  return accrual.perCount.denominator + accrual.perCount.numerator * BigInt(accrual.counts[row] ?? 0);
}

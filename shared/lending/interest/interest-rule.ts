/** Interest on one unit of balance, exact until rounded once per row (M2, M4): rate * f, or (1 + rate)^f - 1 (S2). */

import { reduceRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { fixedPower, fixedRoot } from '../numbers/fixed-root.ts';
import { divideRounded, divideRoundedSafe, type RoundingMode } from '../numbers/rounding.ts';

/** From this denominator on, the doubled remainder of {@link divideRoundedSafe} might not be exact. */
const MAX_FAST_DENOMINATOR = 2 ** 52;
/** Decimals of an effective growth factor: far more than affect a figure of 16 digits. */
const GROWTH_DECIMALS = 45;
/** After a thousand years an error in the root's last bit leaves all kept digits right, so short decimals are exact. */
const POWER_BITS = 256n;

/** Interest of one unit of balance over a day-count numerator `count` is computeNumerator(count) / denominator. */
export interface InterestRule {
  readonly denominator: bigint;
  computeNumerator(count: number): bigint;
  /** Sign of the rate, and of the interest over a positive day-count numerator. */
  readonly sign: -1 | 0 | 1;
  /** Linear interest as fastNumerator * count / fastDenominator; fastDenominator is 0 if it must not be used. */
  readonly fastNumerator: number;
  readonly fastDenominator: number;
  readonly rounding: RoundingMode;
}

/** Simple interest: the annual rate times the day-count fraction, whose denominator is given (S2, Linear). */
export function createLinearRule(
  annualRate: ExactRatio,
  dayCountDenominator: number,
  rounding: RoundingMode,
): InterestRule {
  const perCount = reduceRatio(annualRate.numerator, annualRate.denominator * BigInt(dayCountDenominator));
  const fastNumerator = Number(perCount.numerator);
  const isFast = Number.isSafeInteger(fastNumerator) && perCount.denominator < MAX_FAST_DENOMINATOR;
  return {
    denominator: perCount.denominator,
    computeNumerator: (count) => perCount.numerator * BigInt(count),
    sign: getSign(annualRate),
    fastNumerator,
    fastDenominator: isFast ? Number(perCount.denominator) : 0,
    rounding,
  };
}

/** EffectiveRate (S2) to {@link GROWTH_DECIMALS} decimals, exact for whole years; the rate must exceed -100 % (R3). */
export function createEffectiveRule(
  annualRate: ExactRatio,
  dayCountDenominator: number,
  rounding: RoundingMode,
): InterestRule {
  const denominator = 10n ** BigInt(GROWTH_DECIMALS);
  const grown = annualRate.numerator + annualRate.denominator;
  const root = fixedRoot(grown, annualRate.denominator, dayCountDenominator, POWER_BITS).value;
  return {
    denominator,
    computeNumerator: cacheByCount((count) => {
      if (count === 0) return 0n;
      const growth = fixedPower(root, count, POWER_BITS) * denominator;
      return divideRounded(growth, 1n << POWER_BITS, 'HALF_EVEN') - denominator;
    }),
    sign: getSign(annualRate),
    fastNumerator: 0,
    fastDenominator: 0,
    rounding,
  };
}

/** The interest of a balance over a day-count numerator in minor units, rounded once by the rule's mode. */
export function computeInterest(rule: InterestRule, balance: number, count: number): number {
  const product = balance * (rule.fastNumerator * count);
  if (rule.fastDenominator > 0 && Number.isSafeInteger(product)) {
    return divideRoundedSafe(product, rule.fastDenominator, rule.rounding);
  }
  return Number(
    divideRounded(BigInt(balance) * rule.computeNumerator(count), rule.denominator, rule.rounding),
  );
}

/** Growth times the rule's denominator; zero or negative if negative interest consumes the whole balance (R3). */
export function computeGrowth(rule: InterestRule, count: number): bigint {
  return rule.denominator + rule.computeNumerator(count);
}

function getSign({ numerator }: ExactRatio): -1 | 0 | 1 {
  if (numerator === 0n) return 0;
  return numerator > 0n ? 1 : -1;
}

/** Caches the results of a function by day-count numerator: a schedule has only a few distinct numerators. */
export function cacheByCount<Result>(compute: (count: number) => Result): (count: number) => Result {
  const known = new Map<number, Result>();
  return (count) => {
    let result = known.get(count);
    if (result === undefined) {
      result = compute(count);
      known.set(count, result);
    }
    return result;
  };
}

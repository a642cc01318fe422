/** Interest on one unit of balance over a fraction f of a year: rate * f, or (1 + rate)^f - 1 (S2). */

import { reduceRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { fixedPower, fixedRoot } from '../numbers/fixed-root.ts';
import { divideRounded, divideRoundedSafe, type RoundingMode } from '../numbers/rounding.ts';

/** From this denominator on, the doubled remainder of {@link divideRoundedSafe} might not be exact. */
const MAX_FAST_DENOMINATOR = 2 ** 52;
/** Decimals of a growth factor by EffectiveRate: far more than affect a figure of 16 digits. */
const GROWTH_DECIMALS = 45;
/** An error in the root's last bit changes no kept decimal in a thousand years: a year at 7 % gives exactly 1.07. */
const POWER_BITS = 256n;

/** The interest of one unit of balance over a day-count numerator `count` is computeNumerator(count) / denominator. */
export interface InterestRule {
  readonly denominator: bigint;
  computeNumerator(count: number): bigint;
  /** Sign of the rate, and of the interest over a positive day-count numerator. */
  readonly sign: -1 | 0 | 1;
  /** Linear interest is fastNumerator * count / fastDenominator; a denominator of 0 forbids this shortcut. */
  readonly fastNumerator: number;
  readonly fastDenominator: number;
  readonly rounding: RoundingMode;
}

/** Linear (S2): the annual rate times the day-count fraction, which is the numerator over `dayCountDenominator`. */
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

/** EffectiveRate (S2): growth to {@link GROWTH_DECIMALS} decimals. The rate must exceed -100 % (R3). */
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

/** Interest of a balance over a day-count numerator, in minor units, rounded once by the rule's mode. */
export function computeInterest(rule: InterestRule, balance: number, count: number): number {
  const product = balance * (rule.fastNumerator * count);
  if (rule.fastDenominator > 0 && Number.isSafeInteger(product)) {
    return divideRoundedSafe(product, rule.fastDenominator, rule.rounding);
  }
  return Number(
    divideRounded(BigInt(balance) * rule.computeNumerator(count), rule.denominator, rule.rounding),
  );
}

/** The growth factor times the rule's denominator; not above zero if negative interest consumes the balance (R3). */
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

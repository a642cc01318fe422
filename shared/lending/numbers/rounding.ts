/** All rounding of a schedule (M2): exact fractions to whole numbers, in integer arithmetic. */

/** HALF_UP rounds a tie away from zero, HALF_EVEN to the even neighbour. */
export type RoundingMode = 'HALF_UP' | 'HALF_EVEN';

export function divideRounded(numerator: bigint, denominator: bigint, mode: RoundingMode): bigint {
  const negative = numerator < 0n;
  const magnitude = negative ? -numerator : numerator;
  const quotient = magnitude / denominator;
  const twice = (magnitude - quotient * denominator) * 2n;
  const up = twice > denominator || (twice === denominator && (mode === 'HALF_UP' || quotient % 2n === 1n));
  const rounded = up ? quotient + 1n : quotient;
  return negative ? -rounded : rounded;
}

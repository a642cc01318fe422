/** All rounding of a schedule (M2): exact fractions to whole numbers, in integer arithmetic. */

/** HALF_UP rounds a tie away from zero, HALF_EVEN to the even neighbour. */
export type RoundingMode = 'HALF_UP' | 'HALF_EVEN';

/** The denominator must be above zero. */
export function divideRounded(numerator: bigint, denominator: bigint, mode: RoundingMode): bigint {
  const negative = numerator < 0n;
  const magnitude = negative ? -numerator : numerator;
  const quotient = magnitude / denominator;
  const twice = (magnitude - quotient * denominator) * 2n;
  const up = twice > denominator || (twice === denominator && (mode === 'HALF_UP' || quotient % 2n === 1n));
  const rounded = up ? quotient + 1n : quotient;
  return negative ? -rounded : rounded;
}

/**
 * Like {@link divideRounded}, for safe integers and a denominator below 2^52. It is exact: a quotient of whole numbers
 * up to 2^53 rounds to a whole number only if it is one, and all other results can be represented.
 */
export function divideRoundedSafe(numerator: number, denominator: number, mode: RoundingMode): number {
  const magnitude = Math.abs(numerator);
  const quotient = Math.floor(magnitude / denominator);
  const twice = (magnitude - quotient * denominator) * 2;
  const up = twice > denominator || (twice === denominator && (mode === 'HALF_UP' || quotient % 2 === 1));
  const rounded = up ? quotient + 1 : quotient;
  return numerator < 0 && rounded !== 0 ? -rounded : rounded;
}

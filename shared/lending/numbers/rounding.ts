/** Rounds exact fractions to whole numbers in integer arithmetic (M2). */

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
 * Like {@link divideRounded}, for safe integers and a denominator below 2^52. The result is exact: the floating-point
 * quotient of two whole numbers up to 2^53 is whole only if the true one is, and intermediate results are below 2^53.
 */
export function divideRoundedSafe(numerator: number, denominator: number, mode: RoundingMode): number {
  const magnitude = Math.abs(numerator);
  const quotient = Math.floor(magnitude / denominator);
  const twice = (magnitude - quotient * denominator) * 2;
  const up = twice > denominator || (twice === denominator && (mode === 'HALF_UP' || quotient % 2 === 1));
  const rounded = up ? quotient + 1 : quotient;
  return numerator < 0 && rounded !== 0 ? -rounded : rounded;
}

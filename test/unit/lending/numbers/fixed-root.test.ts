import { describe, expect, it } from 'vitest';
import { fixedRoot } from '../../../../shared/lending/numbers/fixed-root.ts';

/** True if the root of the fraction lies within the error of the value; compares exact powers. */
function isWithinError(numerator: bigint, denominator: bigint, degree: number, bits: bigint): boolean {
  const { value, error } = fixedRoot(numerator, denominator, degree, bits);
  const n = BigInt(degree);
  const target = numerator << (bits * n);
  const least = value > error ? value - error : 0n;
  return least ** n * denominator <= target && target <= (value + error) ** n * denominator;
}

describe('fixedRoot', () => {
  it.each([
    [1n, 2n, 12],
    [100n, 107n, 365],
    [107n, 100n, 52],
    [1n, 10n ** 30n, 12],
    [1n, 10n ** 38n, 365],
    [10n ** 40n, 3n, 4],
    [3n, 7n, 1],
  ])('returns the root of %d/%d of degree %d within its error', (numerator, denominator, degree) => {
    for (const bits of [64n, 128n, 256n]) {
      expect(isWithinError(numerator, denominator, degree, bits)).toBe(true);
    }
  });

  it('returns a small error unless the power underflows', () => {
    expect(fixedRoot(100n, 107n, 365, 128n).error).toBeLessThan(1_000n);
    const { value, error } = fixedRoot(1n, 10n ** 60n, 12, 128n);
    expect(error).toBe(value + (1n << 128n));
  });
});

import { describe, expect, it } from 'vitest';
import { divideRounded, divideRoundedSafe } from '../../../../shared/lending/numbers/rounding.ts';

describe('divideRounded and divideRoundedSafe (M2)', () => {
  const ties: readonly (readonly [numerator: number, halfUp: number, halfEven: number])[] = [
    [1, 1, 0],
    [3, 2, 2],
    [5, 3, 2],
    [-1, -1, 0],
    [-3, -2, -2],
    [-5, -3, -2],
  ];

  it('rounds a tie away from zero with HALF_UP and to the even neighbour with HALF_EVEN', () => {
    for (const [numerator, halfUp, halfEven] of ties) {
      expect(divideRoundedSafe(numerator, 2, 'HALF_UP')).toBe(halfUp);
      expect(divideRoundedSafe(numerator, 2, 'HALF_EVEN')).toBe(halfEven);
      expect(divideRounded(BigInt(numerator), 2n, 'HALF_UP')).toBe(BigInt(halfUp));
      expect(divideRounded(BigInt(numerator), 2n, 'HALF_EVEN')).toBe(BigInt(halfEven));
    }
  });

  it('uses the exact remainder if binary division would give a tie', () => {
    const belowHalf = 4_503_599_627_370_495;
    expect(divideRoundedSafe(belowHalf - 2, belowHalf, 'HALF_UP')).toBe(1);
    expect(divideRoundedSafe((belowHalf - 1) / 2, belowHalf, 'HALF_UP')).toBe(0);
    expect(divideRoundedSafe((belowHalf + 1) / 2, belowHalf, 'HALF_UP')).toBe(1);
    expect(divideRounded(10n ** 40n - 1n, 2n * 10n ** 40n, 'HALF_UP')).toBe(0n);
    expect(divideRounded(10n ** 40n, 2n * 10n ** 40n, 'HALF_UP')).toBe(1n);
  });

  it('never returns minus zero', () => {
    expect(divideRoundedSafe(-1, 3, 'HALF_UP')).toBe(0);
    expect(divideRoundedSafe(-0, 3, 'HALF_UP')).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { divideRounded } from '../../../../shared/lending/numbers/rounding.ts';

describe('divideRounded (M2)', () => {
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
      expect(divideRounded(BigInt(numerator), 2n, 'HALF_UP')).toBe(BigInt(halfUp));
      expect(divideRounded(BigInt(numerator), 2n, 'HALF_EVEN')).toBe(BigInt(halfEven));
    }
  });

  it('uses the exact remainder if binary division would give a tie', () => {
    expect(divideRounded(10n ** 40n - 1n, 2n * 10n ** 40n, 'HALF_UP')).toBe(0n);
    expect(divideRounded(10n ** 40n, 2n * 10n ** 40n, 'HALF_UP')).toBe(1n);
  });
});

import { describe, expect, it } from 'vitest';
import {
  MAX_AMOUNT_MINOR,
  currencyDigits,
  formatMinorUnits,
  toMinorUnits,
} from '../../../../shared/lending/numbers/money.ts';
import { decimal, scheduleOf } from '../../../support/builders/lending-loan.ts';
import { bracketedRoot, type SignedValue } from '../../../../shared/lending/numbers/bracketed-root.ts';
import { fixedPower, fixedRoot } from '../../../../shared/lending/numbers/fixed-root.ts';
import { divideRounded, divideRoundedSafe } from '../../../../shared/lending/numbers/rounding.ts';

describe('toMinorUnits and formatMinorUnits (M1, M2)', () => {
  it('converts a decimal exactly', () => {
    expect(toMinorUnits(decimal('1234.56'), 2)).toBe(123_456);
    expect(toMinorUnits(decimal('0.29'), 2)).toBe(29);
    expect(toMinorUnits(decimal('1e3'), 0)).toBe(1000);
    expect(toMinorUnits(decimal('1.005'), 3)).toBe(1005);
    expect(toMinorUnits(decimal('-0.00'), 2)).toBe(0);
  });

  it('reports an amount with too many decimals instead of rounding it', () => {
    expect(toMinorUnits(decimal('0.005'), 2)).toBe('too-many-decimals');
    expect(toMinorUnits(decimal('1.5'), 0)).toBe('too-many-decimals');
    expect(toMinorUnits(decimal('1.50'), 1)).toBe(15);
  });

  it('reports an amount beyond the safe integers', () => {
    expect(toMinorUnits(decimal('10000000000000.00'), 2)).toBe(MAX_AMOUNT_MINOR);
    expect(toMinorUnits(decimal('10000000000000.01'), 2)).toBe('too-large');
    expect(toMinorUnits(decimal('1e15'), 0)).toBe(MAX_AMOUNT_MINOR);
    expect(toMinorUnits(decimal('1e16').plus('0.5'), 0)).toBe('too-large');
    expect(toMinorUnits(decimal('1e900000000'), 2)).toBe('too-large');
    expect(toMinorUnits(decimal('1e-900000000'), 2)).toBe('too-many-decimals');
  });

  it('formats all digits of the currency', () => {
    expect(formatMinorUnits(-5, 2)).toBe('-0.05');
    expect(formatMinorUnits(123_456, 3)).toBe('123.456');
    expect(formatMinorUnits(7, 0)).toBe('7');
    expect(formatMinorUnits(126_823n, 4)).toBe('12.6823');
  });
});

describe('currencyDigits (M2)', () => {
  it('returns the minor digits of ISO 4217 for a case-insensitive code', () => {
    expect(['EUR', 'RON', 'JPY', 'KWD', 'clf', 'usd'].map(currencyDigits)).toEqual([2, 2, 0, 3, 4, 2]);
    expect(currencyDigits('XAU')).toBeUndefined();
  });

  it('is overridden by Precision, and defaults to two without a currency', () => {
    expect(scheduleOf({ Currency: 'JPY', Precision: 3 }).currencyDigits).toBe(3);
    expect(scheduleOf().currencyDigits).toBe(2);
  });
});

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

const FAR = 10n ** 14n;

/** A value with its sign, and the size that guides the search. */
function signed(value: bigint, size = value, bits = 0n): SignedValue {
  return { sign: value > 0n ? 1 : value < 0n ? -1 : 0, value: size, bits };
}

describe('bracketedRoot (A4, R2)', () => {
  it.each<[string, (at: bigint) => SignedValue, low: bigint, high: bigint, root: bigint, steps: number]>([
    ['a line', (at) => signed(7n * at - 700_003n), -FAR, FAR, 100_001n, 2],
    ['a power below zero', (at) => signed(-(at ** 9n) - 10n ** 90n - 1n), -FAR, 0n, -10_000_000_000n, 88],
    ['a step', (at) => signed(at - 123_456_789n || 1n, 1n), 0n, FAR, 123_456_789n, 68],
    ['unequal sides', (at) => signed(at - 99n || 1n, at < 99n ? 1n : FAR), 0n, FAR, 99n, 116],
    ['bits of its own', (at) => signed(at - 77n, (at - 77n) << (at % 50n), at % 50n), 0n, FAR, 77n, 1],
  ])('finds the root of %s within a number of steps', (_name, valueAt, ...[low, high, root, steps]) => {
    expect(bracketedRoot(valueAt, low, high, steps)).toBe(root);
    expect(bracketedRoot(valueAt, low, high, steps - 1)).toBeUndefined();
  });
});

describe('fixedRoot and fixedPower (A1)', () => {
  it.each<[numerator: bigint, denominator: bigint, bits: bigint, mostError: bigint]>([
    [11n, 10n, 64n, 14n],
    [1n, 10n ** 30n, 512n, 10n ** 31n],
  ])('bound the roots of %i/%i and their powers with %i bits', (numerator, denominator, bits, mostError) => {
    for (const degree of [1, 2, 3, 12, 52, 366]) {
      const { value, error } = fixedRoot(numerator, denominator, degree, bits);
      const times = BigInt(degree);
      const target = numerator << (bits * times);
      expect((value - error) ** times * denominator <= target).toBe(true);
      expect((value + error) ** times * denominator >= target).toBe(true);
      expect(error).toBeLessThanOrEqual(mostError);
      const exact = (value ** times) >> (bits * (times - 1n));
      const lost = exact - fixedPower(value, degree, bits);
      expect(lost >= 0n && lost <= 2n * times * ((exact >> bits) + 1n)).toBe(true);
    }
  });
});

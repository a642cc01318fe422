import { describe, expect, it } from 'vitest';
import {
  MAX_AMOUNT_MINOR,
  currencyDigits,
  formatMinorUnits,
  toMinorUnits,
} from '../../../../shared/lending/numbers/money.ts';
import { decimal, scheduleOf } from '../../../support/builders/lending-loan.ts';
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

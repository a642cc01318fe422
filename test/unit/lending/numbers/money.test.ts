import { describe, expect, it } from 'vitest';
import {
  MAX_AMOUNT_MINOR,
  currencyDigits,
  formatMinorUnits,
  toMinorUnits,
} from '../../../../shared/lending/numbers/money.ts';
import { column, decimal, faultCodes, scheduleOf } from '../../../support/builders/lending-loan.ts';

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

  it('determines the rounding of every figure of a schedule', () => {
    const yen = scheduleOf({ Currency: 'JPY', Amount: decimal(1000) });
    expect(yen.currencyDigits).toBe(0);
    expect(yen.rows.map((row) => row.pmt)).toEqual([256, 256, 256, 258]);
    const dinar = scheduleOf({ Currency: 'KWD', Amount: decimal('1000.125') });
    expect(dinar.rows[0]?.interest).toBe(10_001);
  });

  it('is overridden by Precision, and defaults to two without a currency', () => {
    expect(scheduleOf({ Currency: 'JPY', Precision: 3 }).currencyDigits).toBe(3);
    expect(scheduleOf().currencyDigits).toBe(2);
  });

  it('rejects an amount with more decimals and reports its field', () => {
    expect(faultCodes({ Currency: 'JPY', Amount: decimal('1000.5') })).toEqual(['Amount too-many-decimals']);
    expect(faultCodes({ UpFrontValue: decimal('1.005') })).toEqual(['UpFrontValue too-many-decimals']);
    expect(faultCodes({ Currency: 'ABC' })).toEqual(['Currency unknown-currency']);
  });

  it('rounds the exact interest half up, not its binary approximation', () => {
    const half = scheduleOf({ Amount: decimal('100.50'), InstallmentsNo: 1 });
    expect(column(half, 'interest')).toEqual(['1.01']);
  });
});

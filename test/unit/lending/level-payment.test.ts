import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { amortiseByEqualInstallments } from '../../../shared/lending/amortisation.ts';
import { exactRatio, ratioOfPercent } from '../../../shared/lending/exact-ratio.ts';
import {
  interestAccrual,
  interestOfRow,
  type InterestAccrual,
} from '../../../shared/lending/interest-accrual.ts';
import { levelPayment } from '../../../shared/lending/level-payment.ts';
import { decimal } from '../../support/lending-loan.ts';

function months(ratePercent: string, installments: number): InterestAccrual {
  const counts = Array.from({ length: installments }, () => 30);
  return interestAccrual(ratioOfPercent(decimal(ratePercent)), counts, 360, 'HALF_UP');
}

function payment(accrual: InterestAccrual, balance: number, residual = 0): number {
  return levelPayment(accrual, { balance, residual }, 0);
}

describe('level payment (S5)', () => {
  it('is the closed annuity formula on equal months', () => {
    expect(payment(months('12', 4), 100_000)).toBe(25_628);
    expect(payment(months('7', 6), 10_000)).toBe(1701);
    expect(payment(months('6', 240), 20_000_000)).toBe(143_286);
    expect(payment(months('12', 6), 100_000)).toBe(17_255);
  });

  it('leaves the residual after the last row (B1)', () => {
    expect(payment(months('12', 4), 100_000, 20_000)).toBe(20_702);
    expect(payment(months('12', 4), 100_000, 100_000)).toBe(1000);
    expect(payment(months('-12', 4), 100_000, 100_000)).toBe(-1000);
  });

  it('is the balance in equal parts at rate zero, ties half up (R3)', () => {
    expect(payment(months('0', 4), 100_000)).toBe(25_000);
    expect(payment(months('0', 4), 10)).toBe(3);
    expect(payment(months('0', 3), 100_000)).toBe(33_333);
  });

  it('decides a tie exactly, and a hair beside it on its own side', () => {
    expect(payment(months('12', 1), 10_050)).toBe(10_151);
    expect(payment(months('12.000000000000000000000000000001', 1), 10_050)).toBe(10_151);
    expect(payment(months('11.999999999999999999999999999999', 1), 10_050)).toBe(10_150);
    expect(payment({ ...months('12', 1), rounding: 'HALF_EVEN' }, 10_050)).toBe(10_150);
    expect(payment(months('-12', 1), 10_050)).toBe(9950);
    expect(payment(months('-12.000000000000000000000000000001', 1), 10_050)).toBe(9949);
  });

  it('agrees with a 60-digit sum of discount factors on uneven periods, positive and negative', () => {
    const Exact = Decimal.clone({ precision: 60 });
    const counts = Array.from({ length: 97 }, (_, row) => 28 + ((row * 7) % 4));
    for (const rate of ['0.01', '3.875', '24', '900', '-0.01', '-35', '-900']) {
      const accrual = interestAccrual(ratioOfPercent(decimal(rate)), counts, 365, 'HALF_UP');
      let factor = new Exact(1);
      let sum = new Exact(0);
      for (const count of counts) {
        factor = factor.div(new Exact(rate).times(count).div(36_500).plus(1));
        sum = sum.plus(factor);
      }
      const exact = new Exact(987_654_321_01).minus(factor.times(12_345_67)).div(sum);
      const expected = exact.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
      expect(payment(accrual, 987_654_321_01, 12_345_67)).toBe(expected);
    }
  });

  it('is solved for the rows left only', () => {
    expect(levelPayment(months('12', 6), { balance: 50_745, residual: 0 }, 3)).toBe(17_254);
  });
});

describe('rows whose interest exceeds the level payment (S5)', () => {
  it('pay their interest and no principal, and the payment is solved again over the rest', () => {
    const overFourYearsOfMonths = 365 * 12;
    const counts = [45 * 12, ...Array.from({ length: 359 }, () => 365)];
    const accrual = interestAccrual(exactRatio(24n, 100n), counts, overFourYearsOfMonths, 'HALF_UP');
    const { interest, principal } = amortiseByEqualInstallments(10_000_000, accrual);
    expect(interest.slice(0, 2)).toEqual([295_890, 200_000]);
    expect(principal[0]).toBe(0);
    expect((interest[1] ?? 0) + (principal[1] ?? 0)).toBe(200_164);
    expect(principal.reduce((sum, part) => sum + part, 0)).toBe(10_000_000);
  });
});

describe('interest of a row (M4)', () => {
  it('is the same on the fast path and where the product exceeds safe whole numbers', () => {
    const rate = ratioOfPercent(decimal('7.123456789012345678'));
    const accrual = interestAccrual(rate, [31], 365, 'HALF_UP');
    const exact = new Decimal(999_999_999_999_99).times('0.07123456789012345678').times(31).div(365);
    expect(interestOfRow(accrual, 999_999_999_999_99, 0)).toBe(exact.toDecimalPlaces(0).toNumber());
    const simple = interestAccrual(ratioOfPercent(decimal(7)), [30], 360, 'HALF_UP');
    expect(interestOfRow(simple, 900_000_000_000_050, 0)).toBe(5_250_000_000_000);
    expect(interestOfRow(simple, 900_000_000_000_100, 0)).toBe(5_250_000_000_001);
  });

  it('rounds a tie half up, or half even where the schedule type says so', () => {
    const rate = ratioOfPercent(decimal(12));
    expect(interestOfRow(interestAccrual(rate, [30], 360, 'HALF_UP'), 10_050, 0)).toBe(101);
    expect(interestOfRow(interestAccrual(rate, [30], 360, 'HALF_EVEN'), 10_050, 0)).toBe(100);
  });

  it('keeps every digit of the rate', () => {
    const third = '33.333333333333333333333333333333';
    expect(ratioOfPercent(decimal(third)).denominator).toBe(10n ** 32n);
    expect(ratioOfPercent(decimal('7.25'))).toEqual({ numerator: 29n, denominator: 400n });
    expect(ratioOfPercent(decimal('1e3'))).toEqual({ numerator: 10n, denominator: 1n });
  });
});

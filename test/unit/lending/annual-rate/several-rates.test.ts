import { describe, expect, it } from 'vitest';
import { solveRate } from '../../../../shared/lending/annual-rate/proven-rate.ts';
import { decimal } from '../../../support/builders/lending-loan.ts';
import {
  amounts,
  cashFlows,
  FOUR_DECIMALS,
  flowsAtUnits,
  rateOf,
} from '../../../support/builders/rate-flows.ts';

/** The IRR of yearly amounts, with a double rate at 10 % if the last amount is -1210. */
function rateWithLast(last: string): string | null {
  return rateOf({ Rule: 'IRR', PeriodicityType: 'Annual', Amounts: amounts(-1000, 2200, last) }).rate;
}

function rateAfterOneDay(repaid: string) {
  return rateOf({ Rule: 'XIRR', CashFlows: cashFlows(['2025-01-01', -1], ['2025-01-02', repaid]) });
}

describe('calculateRate for flows with several rates or a huge rate (A4)', () => {
  it.each([
    [
      'five rates, the nearest at -7',
      'Annual',
      [-100, 526, '-1097.64', '1135.1826', '-581.438763', '117.906516'],
      -7,
    ],
    [
      'five rates, the nearest at -9',
      'Annual',
      [-100, 443, '-780.03', '682.6969', '-297.107996', '51.45109788'],
      -9,
    ],
    ['four rates, the nearest at 12', 'Annual', [-100, 480, '-862.31', '687.228', '-205.0272'], 12],
    ['-6 and 6, of which the positive one is returned', 'Annual', [-100, 200, '-99.64'], 6],
    ['a double rate at 4 and a single one at 88', 'Annual', [-1, '3.96', '-4.992', '2.033408'], 4],
    ['a double rate at 0', 'Monthly', [-1000, 2000, -1000], 0],
    ['two rates close to 10', 'Annual', [-1e10, 22_000_000_010, -12_100_000_011], 10],
    ['two rates close to -10', 'Annual', [-1e10, 17_999_999_990, -8_099_999_991], -10],
    [
      'a triple rate of 4 per month, and other rates',
      'Monthly',
      [-100, 651, '-1667.9', '2103.9824', '-1308.498048', '321.41863936'],
      48,
    ],
  ])('finds the rate nearest to zero: %s', (_name, PeriodicityType, values, expected) => {
    const { rate, residual } = rateOf({ Rule: 'IRR', PeriodicityType, Amounts: amounts(...values) });
    expect(rate).toBe(expected.toFixed(10));
    expect(Number(residual)).toBeCloseTo(0, 15);
  });

  it.each([
    ['a third', [-9, 24, -16], '33.3333333333'],
    ['minus two ninths', [-81, 126, -49], '-22.2222222222'],
  ])('finds a double rate at %s', (_name, values, expected) => {
    const Amounts = amounts(...values);
    expect(rateOf({ Rule: 'IRR', PeriodicityType: 'Annual', Amounts }).rate).toBe(expected);
  });

  it('accepts a double rate only when the present value is exactly zero there', () => {
    expect(rateWithLast('-1210')).toBe('10.0000000000');
    expect(rateWithLast('-1210.0000000000001')).toBeNull();
    expect(rateWithLast('-1209.99999999')).toBe('9.9996837722');
    expect(rateWithLast('-1209.999999999999999999')).toBe('9.9999999968');
    const everySecond = amounts(-1000, 0, 2200, 0, -1210);
    expect(rateOf({ Rule: 'IRR', PeriodicityType: 'Annual', Amounts: everySecond }).rate).toBe(
      '4.8808848170',
    );
    const monthly = cashFlows(['2025-01-01', -1000], ['2025-02-01', 2020], ['2025-03-01', '-1020.1']);
    expect(rateOf({ Rule: 'DAE', CashFlows: monthly }).rate).toBe('12.6825030132');
    const daily = cashFlows(['2025-01-01', -1000], ['2025-01-08', 2000], ['2025-01-15', -1000]);
    expect(rateOf({ Rule: 'XIRR', CashFlows: daily }).rate).toBe('0.0000000000');
  });

  it('returns a farther rate if the present value only comes close to zero at a nearer one', () => {
    const Amounts = amounts(-1000, 3700, '-4510.0000000000001', '1815.00000000000015');
    expect(rateOf({ Rule: 'IRR', PeriodicityType: 'Annual', Amounts }).rate).toBe('50.0000000000');
  });

  it('separates rates that lie close together, also with remaining days', () => {
    const close = [-1e13, 22_000_000_200_000, -12_100_000_220_000] as const;
    const at = (...days: readonly string[]) =>
      cashFlows(...days.map((day, index) => [day, close[index] ?? 0] as const));
    const years = rateOf({ Rule: 'DAE', CashFlows: at('2025-01-01', '2026-01-01', '2027-01-01') });
    expect(years.rate).toBe('10.0000000000');
    const tenPercentIn40Days = decimal('1.1').pow(decimal(365).div(40)).minus(1).times(100).toFixed(10);
    const daily = at('2025-01-01', '2025-02-10', '2025-03-22');
    expect(rateOf({ Rule: 'XIRR', CashFlows: daily }).rate).toBe(tenPercentIn40Days);
    expect(rateOf({ Rule: 'DAE', Unit: 'Years', CashFlows: daily }).rate).toBe('98.3570130204');
  });

  it.each([
    ['XIRR', undefined, 2n ** 365n],
    ['DAE', 'Years', 2n ** 365n],
    ['DAE', 'Months', 2n ** 365n],
    ['DAE', 'Weeks', 2n ** 365n],
    ['DAE', 'Days', 2n ** 365n],
  ] as const)('finds the rate of a sum that doubles in a day: %s %s', (Rule, Unit, growth) => {
    const CashFlows = cashFlows(['2025-01-01', -100], ['2025-01-02', 200]);
    const { rate, proof, residual } = rateOf({ Rule, Unit, CashFlows });
    const leapGrowth = 2n * growth;
    const expected = [growth, leapGrowth].map((factor) => `${(factor - 1n) * 100n}.0000000000`);
    expect(expected).toContain(rate);
    expect(proof[1]?.discountedAmount).toBe('100.0000000000');
    expect(residual).toBe('0.0000000000');
  });

  it('finds the rate of a sum that doubles in a period, and returns null above 1e262 percent', () => {
    const doubled = { Rule: 'IRR', PeriodicityType: 'Daily', Amounts: amounts(-100, 200) };
    expect(rateOf(doubled)).toMatchObject({ rate: '36500.0000000000', residual: '0.0000000000' });
    expect(rateAfterOneDay('5.15').rate).toMatch(/^\d{262}\.\d{10}$/);
    expect(rateAfterOneDay('5.2')).toMatchObject({ rate: null, proof: [], residual: null });
  });

  it('returns null if a possible double rate nearer to zero cannot be proven: 61.8 % (the golden ratio), then 80 %', () => {
    const Amounts = amounts(-10, 38, -26, -38, 26, 18);
    expect(rateOf({ Rule: 'IRR', PeriodicityType: 'Annual', Amounts }).rate).toBeNull();
  });

  it('does not prove a double rate of -61.8 % (the golden ratio) with another rate of -62.5 %', () => {
    const Amounts = amounts(-8, 51, -106, 81, -26, 3);
    expect(rateOf({ Rule: 'IRR', PeriodicityType: 'Annual', Amounts }).rate).toBeNull();
  });

  it.each([2, 5, 8, 9, 12, 16])('finds a rate of multiplicity %i', (times) => {
    let powers = [-1n];
    for (let turn = 0; turn < times; turn += 1) {
      const shifted = [0n, ...powers];
      powers = shifted.map((power, index) => 10n * (powers[index] ?? 0n) - 11n * power);
    }
    const Amounts = powers.map((power) => decimal(`${power}e-${times}`));
    expect(rateOf({ Rule: 'IRR', PeriodicityType: 'Annual', Amounts }).rate).toBe('10.0000000000');
  });

  it('solves 5,000 amounts of alternating sign within its bounds', () => {
    const Amounts = Array.from({ length: 5000 }, (_, index) =>
      decimal((index % 2 ? 1 : -1) * (1000 + (index % 7))),
    );
    expect(rateOf({ Rule: 'IRR', PeriodicityType: 'Annual', Amounts }).rate).toBe('0.0000398407');
  });
});

describe('solveRate for flows on one date that cancel each other (A4)', () => {
  it.each([
    ['the rate before the last date', flowsAtUnits(1_000, [1_100, -500, 500], [1, 2, 2], 1), '10.0000'],
    ['the rate of growing flows', flowsAtUnits(-100, [100, -900, -200, 200], [1, 2, 4, 4], 1), '154.1381'],
    ['the positive one of two', flowsAtUnits(4_000_000, [8_000_000, -3_999_999], [1, 2], 1), '0.0500'],
    ['no rate of cancelling flows only', flowsAtUnits(1, [1, -1, 0, 1, -1], [30, 61, 91, 91, 91], 365), null],
    [
      'one of two rates close to zero',
      flowsAtUnits(49e12, [98_000_000_000_008, -49e12], [2, 4], 1),
      '0.0000',
    ],
  ])('finds %s', (_name, flows, percent) => {
    expect(solveRate(flows, FOUR_DECIMALS).percent).toBe(percent);
  });

  it('finds a double rate of -27 percent a day, where a present value of few digits is lost', () => {
    const CashFlows = cashFlows(['2025-01-01', -10_000], ['2025-01-02', 14_600], ['2025-01-03', -5_329]);
    expect(rateOf({ Rule: 'XIRR', CashFlows }).rate).toBe('-100.0000000000');
  });
});

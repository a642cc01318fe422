import eirCases from '../../../cases/lending/effective-interest-rate.json' with { type: 'json' };
import dayCases from '../../../cases/lending/effective-rate-by-days.json' with { type: 'json' };
import daeCases from '../../../cases/lending/effective-annual-rate.json' with { type: 'json' };
import cases from '../../../cases/lending/internal-rate-of-return.json' with { type: 'json' };
import intervalCases from '../../../cases/lending/time-between-flows.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { solveEffectiveRate, solveRate } from '../../../../shared/lending/annual-rate/proven-rate.ts';
import { flowAtUnits, type RateFlows } from '../../../../shared/lending/annual-rate/rate-flows.ts';
import { floatingSign, prepareFlows } from '../../../../shared/lending/annual-rate/floating-present-value.ts';
import { isolateRates, MAX_ITERATIONS } from '../../../../shared/lending/annual-rate/isolated-rates.ts';
import { date, decimal, scheduleOf } from '../../../support/builders/lending-loan.ts';
import {
  TEN_DECIMALS,
  flowsAtUnits,
  flowsByDays,
  flowsOfRates,
  monthly,
  yearly,
  amounts,
  cashFlows,
  FOUR_DECIMALS,
  rateOf,
} from '../../../support/builders/rate-flows.ts';
import { internalRateOfReturn } from '../../../../shared/lending/annual-rate/internal-rate-of-return.ts';
import { findPeriodicity, type Periodicity } from '../../../../shared/lending/dates/periodicity.ts';
import { intervalsFrom } from '../../../../shared/lending/annual-rate/time-between-flows.ts';

interface PublishedFlow {
  readonly direction: string;
  readonly amount?: number;
  readonly amounts?: readonly number[];
  readonly count?: number;
  readonly step_months?: number;
  readonly first_at: {
    readonly years?: number;
    readonly months?: number;
    readonly days?: number;
    readonly days_in_year?: number;
  };
}

/** Drawdowns and payments at years, months and days after the first drawdown; those at time 0 come first. */
function publishedFlows(published: readonly PublishedFlow[]): RateFlows {
  const flows = published.flatMap((flow) => {
    const at = flow.first_at;
    const paid = flow.amounts ?? Array.from({ length: flow.count ?? 1 }, () => flow.amount ?? 0);
    return paid.map((amount, index) => ({
      amount: Math.round(amount * 100) * (flow.direction === 'drawdown' ? -1 : 1),
      wholeUnits: (at.years ?? 0) * 12 + (at.months ?? 0) + index * (flow.step_months ?? 0),
      extraDays: at.days ?? 0,
      yearDays: at.days_in_year ?? 365,
    }));
  });
  const isAtStart = (flow: (typeof flows)[number]) => flow.wholeUnits === 0 && flow.extraDays === 0;
  const later = flows.filter((flow) => !isAtStart(flow)).toSorted((a, b) => a.wholeUnits - b.wholeUnits);
  return { flows: [...flows.filter(isAtStart), ...later], unitsPerYear: 12 };
}

/** 1000 drawn, and payments after whole years and left-over days of a year with that number of days. */
function yearsAndDays(...payments: readonly (readonly [number, number, number, number])[]): RateFlows {
  const paid = payments.map(([amount, wholeUnits, extraDays, yearDays]) => {
    return { amount, wholeUnits, extraDays, yearDays };
  });
  return { flows: [flowAtUnits(-1_000, 0), ...paid], unitsPerYear: 1 };
}

const level = (count: number, amount: number) => Array.from({ length: count }, () => amount);
describe('effectiveAnnualRate, DAE (A1)', () => {
  it.each(daeCases)('matches the published rate of $id', (known) => {
    const flows = publishedFlows(known.input.flows);
    const rate = Number(solveRate(flows, TEN_DECIMALS).percent);
    const expected = known.expected.apr_percent ?? known.expected.apr_percent_2dp ?? Number.NaN;
    const tolerance = known.tolerance.apr_percent ?? known.tolerance.apr_percent_2dp ?? 0;
    expect(Math.abs(rate - expected)).toBeLessThanOrEqual(tolerance + 1e-10);
    expect(solveEffectiveRate(flows)).toBe(rate.toFixed(4));
  });

  it('returns 12.96 for 1000 repaid with 1200 after a year and a half (98/7/EC, first example)', () => {
    expect(solveEffectiveRate(flowsByDays(1_000, [1_200], [546]))).toBe('12.9620');
    expect(solveEffectiveRate(flowsAtUnits(1_000, [1_200], [18], 12))).toBe('12.9243');
  });
});

describe('effectiveInterestRate, EIR (A2)', () => {
  it.each(eirCases)('matches the published rate of $id', ({ input, expected, tolerance }) => {
    const [drawn = 0, ...payments] = input.flows.map((flow) => Math.round(flow * 100));
    const [start = '', ...due] = input.dates;
    const days = due.map((day) => date(day) - date(start));
    const rate = solveEffectiveRate(flowsByDays(-drawn, payments, days));
    expect(Math.abs(Number(rate) / 100 - expected.value)).toBeLessThanOrEqual(tolerance.absolute + 5e-7);
  });

  it.each(dayCases)('matches the published rate of $id', ({ input, expected, tolerance }) => {
    const start = date(input.drawdown.date);
    const payments = input.payments.map((payment) => Math.round(payment.amount * 100));
    const days = input.payments.map((payment) => date(payment.date) - start);
    const flows = flowsByDays(Math.round(input.drawdown.amount * 100), payments, days);
    const rate = Number(solveRate(flows, TEN_DECIMALS).percent);
    expect(Math.abs(rate - expected.apr_percent)).toBeLessThanOrEqual(tolerance.apr_percent);
  });
});

describe('solveEffectiveRate (A4)', () => {
  it('rounds a rate exactly on a rounding boundary away from zero', () => {
    expect(solveEffectiveRate(yearly(100_000_000, [112_000_050]))).toBe('12.0001');
    expect(solveEffectiveRate(yearly(100_000_000, [112_000_049]))).toBe('12.0000');
    expect(solveEffectiveRate(yearly(100_000_000, [87_999_950]))).toBe('-12.0001');
    expect(solveEffectiveRate(yearly(100_000_000, [87_999_951]))).toBe('-12.0000');
    expect(solveRate(yearly(2e12, [2_240_000_000_001]), TEN_DECIMALS).percent).toBe('12.0000000001');
  });

  it('returns huge and tiny rates with all digits', () => {
    expect(solveEffectiveRate(flowsByDays(100_00, [110_00], [1]))).toBe('128330558031335169.6899');
    expect(solveEffectiveRate(yearly(1, [1_000_000]))).toBe('99999900.0000');
    expect(solveEffectiveRate(monthly(100_000, [1]))).toBe('-100.0000');
    expect(solveEffectiveRate(yearly(100_000, [1]))).toBe('-99.9990');
  });

  it('tells left-over days of different years, and 364 of them from a whole year', () => {
    expect(solveEffectiveRate(yearsAndDays([600, 0, 100, 365], [600, 1, 100, 366]))).toBe('27.8093');
    expect(solveEffectiveRate(yearsAndDays([500, 0, 364, 365]))).toBe('-50.0951');
  });

  it('returns null if no rate exists', () => {
    expect(solveEffectiveRate(monthly(100_000, [0, 0]))).toBeNull();
    expect(solveEffectiveRate(monthly(0, [100]))).toBeNull();
    expect(solveEffectiveRate(monthly(100_000, [200_000, -300_000]))).toBeNull();
    expect(scheduleOf({ UpFrontValue: decimal(1000) }).eir).toBeNull();
    expect(scheduleOf({ UpFrontValue: decimal(1200), CalculateDAE: 1 }).dae).toBeNull();
  });

  it('needs five trial rates for the usual loan and a bounded number for any flows', () => {
    const usual = level(360, 154_856);
    expect(solveRate(monthly(24_500_000, usual), TEN_DECIMALS).iterations).toBe(5);
    const wild = usual.map((amount, index) => (index % 3 === 1 ? -amount : amount * (index % 7)));
    expect(solveRate(monthly(24_500_000, wild), TEN_DECIMALS).iterations).toBeLessThan(MAX_ITERATIONS);
    const late = flowsByDays(1, [1, 1_000_000_000_000_000], [1, 400_000]);
    expect(solveRate(late, TEN_DECIMALS).iterations).toBeLessThan(MAX_ITERATIONS);
  });

  it('converges for a schedule of 1200 instalments at any rate', () => {
    for (const rate of ['-90', '-1', '0', '0.0001', '1000', '90000']) {
      const terms = { InterestPercent: decimal(rate), InstallmentsNo: 1200, Amount: decimal(1_000_000) };
      expect(scheduleOf({ ...terms, CalculateDAE: 1 }).dae).toMatch(/^-?\d+\.\d{4}$/);
    }
  });
});

/** Drawn at time 0 and paid back every month, after the same left-over days. */
function withDays(extraDays: number, yearDays: number, payments: readonly number[]): RateFlows {
  const paid = payments.map((amount, wholeUnits) => ({ amount, wholeUnits, extraDays, yearDays }));
  return { flows: [flowAtUnits(-100_000, 0), ...paid], unitsPerYear: 12 };
}

describe('the rate of a plain loan (A1, A4)', () => {
  it.each<[string, RateFlows, trials: number]>([
    ['of a year', yearly(1000, [1100]), 8],
    ['with left-over days', withDays(17, 365, level(12, 9000)), 8],
    ['with left-over days and a loss', withDays(17, 366, level(12, 8000)), 8],
  ])('%s takes few trials, and floating point tells the signs around it', (_name, flows, trials) => {
    const { percent, iterations } = solveRate(flows, TEN_DECIMALS);
    expect(iterations).toBeLessThanOrEqual(trials);
    expect(solveRate(flows, FOUR_DECIMALS).iterations).toBeLessThanOrEqual(Math.min(5, trials));
    const near = 10n ** 12n + BigInt((percent ?? '').replace('.', ''));
    const growths = [near - 5n, near + 5n].map((numerator) => ({ numerator, denominator: 10n ** 12n }));
    expect(growths.map((growth) => floatingSign(prepareFlows(flows), growth))).toEqual([1, -1]);
  });
});

function isolated(flows: RateFlows, before: Readonly<Record<string, number>> = {}) {
  const effort = { iterations: 0, floatingFlows: 0, exactFlows: 0, brackets: 0, ...before };
  return { rates: isolateRates({ flows: prepareFlows(flows), effort }), effort };
}

describe('isolateRates (A4)', () => {
  it.each<[string, RateFlows, brackets: number, exactFlows: number, ...rates: readonly number[]]>([
    ['two rates', flowsOfRates([5, 20]), 6, 0, 5],
    ['two triple rates', flowsOfRates([30, 30, 30, 31, 31, 31]), 38, 1820, 30],
    ['a double rate below zero', flowsOfRates([-20, -20, 30]), 31, 72, 30, -20],
    ['a triple rate and another', flowsOfRates([10, 10, 10, 40]), 30, 145, 10],
    ['eight equal rates', flowsOfRates(level(8, 10)), 20, 954, 10],
    ['no rate', monthly(1000, [2000, -3000]), 63, 0],
    ['an unproven double rate', yearly(10, [38, -26, -38, 26, 18]), 34, 114],
  ])('brackets %s with little work', (_name, flows, brackets, ...[exactFlows, ...expected]) => {
    const { rates, effort } = isolated(flows);
    expect(effort.brackets).toBeLessThanOrEqual(brackets);
    expect(effort.exactFlows).toBeLessThanOrEqual(exactFlows);
    expect(effort.floatingFlows).toBe(effort.brackets * flows.flows.length);
    const within = rates.map(({ bracket: { low, high } }, index) => {
      const logRate = Math.log1p((expected[index] ?? 0) / 100);
      return logRate > low - 1e-9 && logRate < high + 1e-9;
    });
    expect(within).toEqual(expected.map(() => true));
  });

  const usedUp = { brackets: 19_994, floatingFlows: 5_999_982, exactFlows: 1_000_000 };
  it.each(Object.entries(usedUp))('ends when its %s are used up', (name, before) => {
    expect(isolated(flowsOfRates([5, 20]), { [name]: before }).rates).toHaveLength(1);
    expect(isolated(flowsOfRates([5, 20]), { [name]: before + 1 }).rates).toEqual([]);
  });
});

/** The IRR of yearly amounts, with a double rate at 10 % if the last amount is -1210. */
function rateWithLast(last: string): string | null {
  return rateOf({ Rule: 'IRR', PeriodicityType: 'Annual', Amounts: amounts(-1000, 2200, last) }).rate;
}

function rateAfterOneDay(repaid: string) {
  return rateOf({ Rule: 'XIRR', CashFlows: cashFlows(['2025-01-01', -1], ['2025-01-02', repaid]) });
}

describe('calculateRate for flows with several rates or a huge rate (A4)', () => {
  it.each([
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
    const spaced = amounts(-1000, 0, 2200, 0, -1210);
    expect(rateOf({ Rule: 'IRR', PeriodicityType: 'Annual', Amounts: spaced }).rate).toBe('4.8808848170');
    const byMonth = cashFlows(['2025-01-01', -1000], ['2025-02-01', 2020], ['2025-03-01', '-1020.1']);
    expect(rateOf({ Rule: 'DAE', CashFlows: byMonth }).rate).toBe('12.6825030132');
    const daily = cashFlows(['2025-01-01', -1000], ['2025-01-08', 2000], ['2025-01-15', -1000]);
    expect(rateOf({ Rule: 'XIRR', CashFlows: daily }).rate).toBe('0.0000000000');
  });

  it('returns a farther rate if the present value only comes close to zero at a nearer one', () => {
    const Amounts = amounts(-1000, 3700, '-4510.0000000000001', '1815.00000000000015');
    expect(rateOf({ Rule: 'IRR', PeriodicityType: 'Annual', Amounts }).rate).toBe('50.0000000000');
  });

  it.each([
    [
      'at 16.7 %',
      [
        ['2022-01-08', -1_000_000],
        ['2022-07-09', 2_800_000],
        ['2023-01-07', -2_597_200],
        ['2023-07-08', 798_768],
      ],
      '16.6893331542',
    ],
    [
      'too far away to tell',
      [
        ['2022-01-08', -200_000],
        ['2022-02-07', 602_000],
        ['2022-03-09', -602_700],
        ['2022-04-08', 200_655],
      ],
      null,
    ],
  ] as const)(
    'returns a rate only if it is nearer than a double one without proof: %s',
    (_name, flows, rate) => {
      expect(rateOf({ Rule: 'DAE', Unit: 'Days', CashFlows: cashFlows(...flows) }).rate).toBe(rate);
    },
  );

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
    ['one of two close to zero', flowsAtUnits(49e12, [98_000_000_000_008, -49e12], [2, 4], 1), '0.0000'],
  ])('finds %s', (_name, flows, percent) => {
    expect(solveRate(flows, FOUR_DECIMALS).percent).toBe(percent);
  });

  it.each([
    [-27, 14_600, -5_329, '-100.0000000000'],
    [-80, 4_000, -400, '-100.0000000000'],
    [-90, 2_000, -100, null],
  ])('looks for a double rate of %i percent a day, a value of few digits', (_, second, third, rate) => {
    const CashFlows = cashFlows(['2025-01-01', -10_000], ['2025-01-02', second], ['2025-01-03', third]);
    expect(rateOf({ Rule: 'XIRR', CashFlows }).rate).toBe(rate);
  });
});

function every(name: string): Periodicity {
  const found = findPeriodicity(name);
  if (found === undefined) throw new Error(`unknown periodicity ${name}`);
  return found;
}

const LEVEL = [25_628, 25_628, 25_628, 25_628];

describe('internalRateOfReturn (A3)', () => {
  it.each(cases)('matches the published rate of $id', (known) => {
    const [financed = 0, ...paid] = known.input.flows.map((flow) => Math.round(flow * 100));
    const periods = every('period' in known.input ? 'Monthly' : 'Annual');
    const rate = Number(internalRateOfReturn(-financed, paid, periods)?.replace('%', '')) / 100;
    expect(Math.abs(rate - known.expected.value)).toBeLessThanOrEqual(known.tolerance.absolute + 5e-7);
  });

  it('returns the periodic rate times the periods per year, as a string in percent with four decimals', () => {
    expect(internalRateOfReturn(100_000, LEVEL, every('Monthly'))).toBe('11.9979%');
  });

  it('returns null if no rate exists (A4)', () => {
    expect(internalRateOfReturn(0, LEVEL, every('Monthly'))).toBeNull();
    expect(internalRateOfReturn(-1, LEVEL, every('Monthly'))).toBeNull();
    expect(internalRateOfReturn(100_000, [110_000], every('Once'))).toBeNull();
  });
});

const UNITS = { month: 'Months', year: 'Years', week: 'Weeks' } as const;

function interval(start: string, end: string, unit: 'Months' | 'Years' | 'Weeks' = 'Months') {
  const { wholeUnits, extraDays, yearDays } = intervalsFrom(date(start), unit)(date(end));
  return extraDays === 0 ? `${wholeUnits}` : `${wholeUnits} + ${extraDays}/${yearDays}`;
}

describe('intervalsFrom (A1)', () => {
  it('counts whole months backwards from the payment, and the remaining days over the year that they end', () => {
    expect(interval('2013-01-12', '2013-02-15')).toBe('1 + 3/366');
    expect(interval('2024-12-31', '2025-02-28')).toBe('2');
    expect(interval('2025-01-30', '2025-02-28')).toBe('0 + 29/366');
  });

  it.each(intervalCases)('matches the published interval of $id', (known) => {
    const { period_unit: unit, drawdown_date: start, payment_date: end } = known.input;
    const { whole_periods: whole, remaining_days: days, days_in_reference_year: year } = known.expected;
    const expected = days === 0 ? `${whole}` : `${whole} + ${days}/${year}`;
    expect(interval(start, end, UNITS[unit as keyof typeof UNITS])).toBe(expected);
  });
});

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { calculateRate } from '../../../shared/lending/calculate-rate.ts';
import { addDays, addMonths } from '../../../shared/lending/dates/calendar-date.ts';
import {
  effectiveAnnualRate,
  effectiveInterestRate,
} from '../../../shared/lending/annual-rate/effective-rates.ts';
import { findPeriodicity } from '../../../shared/lending/dates/periodicity.ts';
import type { RateRequest } from '../../../shared/lending/request/rate-request.ts';
import { date, decimal, scheduleOf } from '../../support/builders/lending-loan.ts';
import { amounts, cashFlows, rateOf } from '../../support/builders/rate-flows.ts';

/** Path, status and code of each fault. */
function faultsOf(request: RateRequest): readonly string[] {
  const outcome = calculateRate(request);
  if (outcome.kind === 'rate') throw new Error('the rate was calculated');
  return outcome.faults.map((fault) => `${fault.status} ${fault.path} ${fault.code}`);
}

const irrOf = (...flows: readonly number[]) =>
  rateOf({ Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: amounts(...flows) });

const LOAN = cashFlows(['2013-01-12', -1000], ['2013-02-15', '510.50'], ['2013-04-30', 520]);

/**
 * Calculates a DAE with a drawdown on 2013-02-15 and costs on the given days. Returns the times of all flows in years,
 * in the order of their dates.
 */
function yearsBefore(Unit: string, ...days: readonly string[]): readonly number[] {
  const costs = days.map((day) => [day, 5] as const);
  const CashFlows = cashFlows(['2013-02-15', -1000], ...costs, ['2014-02-15', 1100]);
  return rateOf({ Rule: 'DAE', Unit, CashFlows }).proof.map((line) => Number(line.years));
}

describe('calculateRate (A6)', () => {
  it('returns a proof of a DAE with the discounted amount of each flow', () => {
    const { rate, proof, residual } = rateOf({ Rule: 'DAE', CashFlows: LOAN });
    expect(rate).toBe('16.6130442615');
    expect(proof).toEqual([
      {
        date: date('2013-01-12'),
        amount: '-1000',
        years: '0.00000000000000000000',
        discountedAmount: '-1000.00000000000',
      },
      {
        date: date('2013-02-15'),
        amount: '510.5',
        years: '0.09153005464480874317',
        discountedAmount: '503.36889765002',
      },
      {
        date: date('2013-04-30'),
        amount: '520',
        years: '0.29918032786885245902',
        discountedAmount: '496.63110234999',
      },
    ]);
    expect(residual).toBe('0.00000000001');
  });

  it('returns discounted amounts that follow from years and rate', () => {
    const requests: readonly RateRequest[] = [
      { Rule: 'DAE', CashFlows: LOAN },
      { Rule: 'DAE', Unit: 'Weeks', CashFlows: LOAN },
      { Rule: 'DAE', Unit: 'Years', CashFlows: LOAN },
      { Rule: 'XIRR', CashFlows: LOAN },
      {
        Rule: 'DAE',
        CashFlows: [...LOAN, ...cashFlows(['2012-11-30', 12], ['2012-12-29', 7], ['2011-02-28', 3])],
      },
      {
        Rule: 'DAE',
        Unit: 'Years',
        CashFlows: [...LOAN, ...cashFlows(['2012-11-30', 1], ['2012-11-29', 9])],
      },
    ];
    for (const request of requests) {
      const { rate, proof, residual } = rateOf(request);
      const growth = new Decimal(rate ?? Number.NaN).div(100).plus(1);
      let sum = new Decimal(0);
      for (const line of proof) {
        const discounted = new Decimal(line.amount).mul(growth.pow(new Decimal(line.years).neg()));
        expect(line.discountedAmount).toBe(discounted.toFixed(11));
        sum = sum.plus(line.discountedAmount ?? Number.NaN);
      }
      expect(new Decimal(residual ?? Number.NaN).equals(sum)).toBe(true);
      expect(sum.abs().toNumber()).toBeLessThan(1e-9);
    }
  });

  it('counts DAE intervals in months by default, and in the given Unit otherwise', () => {
    const paid = cashFlows(['2024-12-31', -100], ['2025-02-28', 50], ['2025-03-30', 60]);
    const years = (Unit?: string) =>
      rateOf({ Rule: 'DAE', Unit, CashFlows: paid }).proof.map((line) => line.years.slice(0, 12));
    expect(years()).toEqual(['0.0000000000', '0.1666666666', '0.2486338797']);
    expect(years('months')).toEqual(years());
    expect(years('WEEKS')).toEqual(['0.0000000000', '0.1620428751', '0.2444304329']);
    expect(years('Years')).toEqual(['0.0000000000', '0.1612021857', '0.2438356164']);
    expect(years('Days')).toEqual(years('Years'));
  });

  it('includes costs paid before the first drawdown in a DAE, at a negative time', () => {
    // European Commission, "Examples for the calculation of the APRC" (2015), example 43: 8.269278 %.
    const drawdown = date('2015-01-15');
    const payments = Array.from({ length: 120 }, (_, month) => ({
      Date: addMonths(drawdown, month + 1),
      Amount: decimal('356.11'),
    }));
    const atDrawdown = cashFlows(['2015-01-15', -30_000], ['2015-01-15', 450]);
    const CashFlows = [...payments, ...atDrawdown, ...cashFlows(['2014-01-15', 150])];
    const { rate, proof, residual } = rateOf({ Rule: 'DAE', CashFlows });
    expect(Number(rate).toFixed(6)).toBe('8.269278');
    expect(proof.at(-1)).toEqual({
      date: date('2014-01-15'),
      amount: '150',
      years: '-1.00000000000000000000',
      discountedAmount: '162.403916738700',
    });
    expect(Math.abs(Number(residual))).toBeLessThan(1e-6);
  });

  it('counts the interval before the first drawdown like any other interval, with a negative sign', () => {
    const [, days, months, longer] = yearsBefore('Months', '2013-01-12', '2012-12-31', '2011-12-14');
    expect(days).toBeCloseTo(-(1 / 12 + 3 / 366), 12);
    expect(months).toBeCloseTo(-(1 / 12 + 15 / 366), 12);
    expect(longer).toBeCloseTo(-(14 / 12 + 1 / 365), 12);
    expect(yearsBefore('Weeks', '2013-02-06')[1]).toBeCloseTo(-(1 / 52 + 2 / 366), 12);
    expect(yearsBefore('Years', '2012-02-10')[1]).toBeCloseTo(-(1 + 5 / 365), 12);
    const backToMonthEnd = cashFlows(['2025-02-28', -100], ['2024-12-31', 5], ['2025-03-31', 100]);
    const { proof } = rateOf({ Rule: 'DAE', CashFlows: backToMonthEnd });
    expect(Number(proof[1]?.years)).toBeCloseTo(-2 / 12, 12);
  });

  it('equals the rate of a schedule, with more decimals', () => {
    const schedule = scheduleOf({ InstallmentsNo: 24, InstallmentDay: 15, CalculateDAE: 2 });
    const loan = { startDate: schedule.startDate, drawn: 100_000, rows: schedule.rows };
    const paid = schedule.rows.map((row) => ({
      Date: row.dueDate,
      Amount: decimal(row.totalInstallment).div(100),
    }));
    const CashFlows = [...paid, { Date: schedule.startDate, Amount: decimal(-1000) }];
    const monthly = findPeriodicity('Monthly');
    if (monthly === undefined) throw new Error('the periodicity Monthly is missing');
    const shown = (Rule: string) => Number(rateOf({ Rule, CashFlows }).rate).toFixed(4);
    expect(shown('DAE')).toBe(effectiveAnnualRate(loan, monthly));
    expect(shown('XIRR')).toBe(effectiveInterestRate(loan));
  });

  it('returns 324.4363182553 percent for 500 repaid with 510 after five days', () => {
    const CashFlows = cashFlows(['2012-10-15', 510], ['2012-10-10', -500]);
    const { rate, proof } = rateOf({ Rule: 'xirr', CashFlows });
    expect(rate).toBe('324.4363182553');
    expect(proof.map((line) => line.date)).toEqual(CashFlows.map((flow) => flow.Date));
  });

  it('skips flows of zero, in any order and place, and proves them as zero', () => {
    const zeros = cashFlows(['2012-01-31', 0], ['2013-01-12', 0], ['2013-03-01', 0], ['2015-01-01', 0]);
    for (const Rule of ['XIRR', 'DAE']) {
      const plain = rateOf({ Rule, CashFlows: LOAN });
      for (const CashFlows of [
        [...zeros, ...LOAN],
        [...LOAN, ...zeros],
      ]) {
        const { rate, proof, residual } = rateOf({ Rule, CashFlows });
        expect([rate, residual]).toEqual([plain.rate, plain.residual]);
        expect(proof.filter(({ amount }) => amount !== '0')).toEqual(plain.proof);
        expect(
          proof.filter(({ amount }) => amount === '0').map((line) => Number(line.discountedAmount)),
        ).toEqual([0, 0, 0, 0]);
      }
    }
    const skipped = irrOf(0, 0, -1000, 0, 600, 500, 0);
    const { rate, proof, residual } = irrOf(-1000, 0, 600, 500);
    expect([skipped.rate, skipped.residual]).toEqual([rate, residual]);
    expect(skipped.proof.slice(2, 6)).toEqual(proof);
    expect(skipped.proof.map(({ years }) => Number(years) * 12)).toEqual([-2, -1, 0, 1, 2, 3, 4]);
    expect(faultsOf({ Rule: 'XIRR', CashFlows: zeros })).toEqual(['422 CashFlows one-sign']);
  });

  it('multiplies the periodic rate of an IRR by the periods of a year', () => {
    const Amounts = amounts(-1000, '256.28', '256.28', '256.28', '256.28');
    const { rate, proof, residual } = rateOf({ Rule: 'IRR', PeriodicityType: 'monthly', Amounts });
    expect(rate).toBe('11.9979203288');
    expect(proof.map((line) => line.date)).toEqual([null, null, null, null, null]);
    expect(proof[4]?.years).toBe('0.33333333333333333333');
    expect(proof[4]?.discountedAmount).toBe('246.281733059334');
    expect(residual).toBe('-0.000000000019');
    const everyTenDays = { name: 'Every 10 days', count: 10, unit: 'Days' } as const;
    const outcome = calculateRate({ Rule: 'IRR', PeriodicityType: 'every 10 days', Amounts }, [everyTenDays]);
    expect(outcome).toMatchObject({ kind: 'rate', rate: '36.4936743334' });
  });

  it('accepts several drawdowns, several flows on one day, and amounts up to the limits', () => {
    const staged = cashFlows(
      ['2025-01-01', -600],
      ['2025-07-01', -400],
      ['2025-07-01', 100],
      ['2026-01-01', 960],
    );
    expect(rateOf({ Rule: 'DAE', CashFlows: staged }).rate).toBe('8.0310152089');
    const tiny = cashFlows(['2025-01-01', '-0.000000000000000001'], ['2026-01-01', '0.0000000000000000011']);
    expect(
      rateOf({ Rule: 'XIRR', CashFlows: cashFlows(['2025-01-01', -1], ['2026-01-01', '1.1']) }).rate,
    ).toBe('10.0000000000');
    expect(faultsOf({ Rule: 'XIRR', CashFlows: tiny })).toEqual([
      '422 CashFlows[1].Amount too-many-decimals',
    ]);
    const huge = cashFlows(['2025-01-01', -1e15], ['2026-01-01', '999999999999999.999999999999999999']);
    expect(rateOf({ Rule: 'XIRR', CashFlows: huge }).rate).toBe('0.0000000000');
  });

  it('returns the rate nearest to zero if there are several, and null without a proof if no rate exists (A4)', () => {
    const several = cashFlows(['2025-01-01', -100], ['2026-01-01', 230], ['2027-01-01', -132]);
    expect(rateOf({ Rule: 'XIRR', CashFlows: several }).rate).toBe('10.0000000000');
    const none = cashFlows(['2025-01-01', -100], ['2026-01-01', 200], ['2027-01-01', -300]);
    expect(rateOf({ Rule: 'XIRR', CashFlows: none })).toEqual({
      kind: 'rate',
      rate: null,
      proof: [],
      residual: null,
      warnings: [],
    });
    expect(
      rateOf({ Rule: 'XIRR', CashFlows: cashFlows(['2025-01-01', -1], ['2025-01-01', 2]) }).rate,
    ).toBeNull();
  });

  it('returns null discounted amounts if the rate rounds to -100 percent', () => {
    const lost = cashFlows(['2025-01-01', -1_000_000], ['2025-01-02', '0.01']);
    const { rate, proof, residual } = rateOf({ Rule: 'XIRR', CashFlows: lost });
    expect(rate).toBe('-100.0000000000');
    expect(proof.map((line) => line.discountedAmount)).toEqual(['-1000000.000000000000', null]);
    expect(residual).toBeNull();
  });

  it('accepts up to 5,000 flows', () => {
    const start = date('2025-01-01');
    const paid = Array.from({ length: 4999 }, (_, day) => ({
      Date: addDays(start, day + 1),
      Amount: decimal('0.25'),
    }));
    const CashFlows = [{ Date: start, Amount: decimal(-1000) }, ...paid];
    expect(rateOf({ Rule: 'XIRR', CashFlows }).rate).toBe('3.4434938998');
    const tooMany = [...CashFlows, ...CashFlows.slice(1, 2)];
    expect(faultsOf({ Rule: 'XIRR', CashFlows: tooMany })).toEqual(['422 CashFlows out-of-range']);
  });
});

describe('calculateRate with invalid requests (A6)', () => {
  it('rejects an unknown rule or unit', () => {
    expect(faultsOf({ Rule: 'APR', Unit: 'Hours', CashFlows: LOAN })).toEqual([
      '422 Rule unknown-value',
      '422 Unit unknown-value',
    ]);
  });

  it('rejects missing fields of the rule and fields of other rules', () => {
    expect(faultsOf({ Rule: 'DAE' })).toEqual(['400 CashFlows missing']);
    expect(faultsOf({ Rule: 'IRR' })).toEqual(['400 PeriodicityType missing', '400 Amounts missing']);
    expect(
      faultsOf({ Rule: 'IRR', PeriodicityType: 'Once', Amounts: amounts(-1, 2), CashFlows: LOAN }),
    ).toEqual(['400 CashFlows exclusive', '422 PeriodicityType not-allowed']);
    expect(faultsOf({ Rule: 'XIRR', PeriodicityType: 'Monthly', Amounts: [], CashFlows: LOAN })).toEqual([
      '400 PeriodicityType exclusive',
      '400 Amounts exclusive',
    ]);
    expect(faultsOf({ Rule: 'IRR', PeriodicityType: 'Fortnightly', Amounts: amounts(-1, 2) })).toEqual([
      '422 PeriodicityType unknown-periodicity',
    ]);
  });

  it('rejects flows that all have the same sign, and too few flows', () => {
    expect(faultsOf({ Rule: 'XIRR', CashFlows: cashFlows(['2025-01-01', 1], ['2025-02-01', 1]) })).toEqual([
      '422 CashFlows one-sign',
    ]);
    expect(faultsOf({ Rule: 'XIRR', CashFlows: cashFlows(['2025-01-01', -1], ['2025-02-01', 0]) })).toEqual([
      '422 CashFlows one-sign',
    ]);
    expect(faultsOf({ Rule: 'DAE', CashFlows: cashFlows(['2025-01-01', -1]) })).toEqual([
      '422 CashFlows out-of-range',
    ]);
    expect(faultsOf({ Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: amounts(-1, -2) })).toEqual([
      '422 Amounts one-sign',
    ]);
    expect(faultsOf({ Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: amounts(1) })).toEqual([
      '422 Amounts out-of-range',
    ]);
  });

  it('rejects a flow before the first drawdown, except in a DAE', () => {
    const early = cashFlows(['2025-01-02', -100], ['2025-01-01', 5], ['2024-12-31', 0], ['2025-02-01', 100]);
    expect(faultsOf({ Rule: 'XIRR', CashFlows: early })).toEqual(['422 CashFlows[1].Date date-order']);
    const irrFaults = (...flows: readonly number[]) =>
      faultsOf({ Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: amounts(...flows) });
    expect(irrFaults(1, -2)).toEqual(['422 Amounts[0] out-of-range']);
    expect(irrFaults(0, 0, 1, -2)).toEqual(['422 Amounts[2] out-of-range']);
  });

  it('rejects amounts above the limits', () => {
    const beyond = cashFlows(
      ['2025-01-01', '-1000000000000000.1'],
      ['2025-02-01', '1e-19'],
      ['2025-03-01', 1],
    );
    expect(faultsOf({ Rule: 'DAE', CashFlows: beyond })).toEqual([
      '422 CashFlows[0].Amount amount-too-large',
      '422 CashFlows[1].Amount too-many-decimals',
    ]);
  });

  it('warns about a Unit that the rule ignores (E5)', () => {
    const { warnings } = rateOf({ Rule: 'XIRR', Unit: 'Weeks', CashFlows: LOAN });
    expect(warnings).toEqual([{ code: 'no-effect', path: 'Unit' }]);
  });
});

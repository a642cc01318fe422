import { describe, expect, it } from 'vitest';
import { percentOfFlows } from '../../../shared/lending/effective-rate.ts';
import { findPeriodicity } from '../../../shared/lending/periodicity.ts';
import type { RateFlows } from '../../../shared/lending/rate-flows.ts';
import { intervalsFrom, intervalUnitOf } from '../../../shared/lending/rate-interval.ts';
import eirCases from '../../cases/lending/effective-interest-rate.json' with { type: 'json' };
import daeCases from '../../cases/lending/effective-annual-rate.json' with { type: 'json' };
import intervalCases from '../../cases/lending/rate-interval.json' with { type: 'json' };
import { date, decimal, scheduleOf } from '../../support/lending-loan.ts';

const UNITS = { month: 'Months', year: 'Years', week: 'Weeks' } as const;

function interval(start: string, end: string, unit: 'Months' | 'Years' | 'Weeks' = 'Months') {
  const { wholeUnits, extraDays, yearDays } = intervalsFrom(date(start), unit)(date(end));
  return extraDays === 0 ? `${wholeUnits}` : `${wholeUnits} + ${extraDays}/${yearDays}`;
}

describe('intervals of the effective annual rate (A1)', () => {
  it('are whole months back from the payment and left-over days of the year that they end', () => {
    expect(interval('2013-01-12', '2013-02-15')).toBe('1 + 3/366');
    expect(interval('2024-12-31', '2025-02-28')).toBe('2');
    expect(interval('2025-01-30', '2025-02-28')).toBe('0 + 29/366');
  });

  it.each(intervalCases.map((known) => [known.id, known] as const))('%s is as published', (_id, known) => {
    const { period_unit: unit, drawdown_date: start, payment_date: end } = known.input;
    const { whole_periods: whole, remaining_days: days, days_in_reference_year: year } = known.expected;
    const expected = days === 0 ? `${whole}` : `${whole} + ${days}/${year}`;
    expect(interval(start, end, UNITS[unit as keyof typeof UNITS])).toBe(expected);
  });

  it('count weeks for week units, years for years and days, else months', () => {
    const names = ['Weekly', 'Biweekly', 'Annual', 'Daily', 'Monthly', 'Quarterly', 'Once'];
    const units = names.map((name) => {
      const periodicity = findPeriodicity(name);
      return periodicity === undefined ? undefined : intervalUnitOf(periodicity);
    });
    expect(units).toEqual(['Weeks', 'Weeks', 'Years', 'Years', 'Months', 'Months', 'Months']);
  });
});

interface DatedFlow {
  readonly units: number;
  readonly days: number;
  readonly year: number;
  readonly amount: number;
}

/** A published flow: one amount or several, `step_months` apart. */
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

/** Drawdowns and payments at years, months and days after the first drawdown. */
function publishedFlows(flows: readonly PublishedFlow[]): RateFlows {
  const dated: DatedFlow[] = flows.flatMap((flow) => {
    const at = flow.first_at;
    const amounts = flow.amounts ?? Array.from({ length: flow.count ?? 1 }, () => flow.amount ?? 0);
    return amounts.map((amount, index) => ({
      units: (at.years ?? 0) * 12 + (at.months ?? 0) + index * (flow.step_months ?? 0),
      days: at.days ?? 0,
      year: at.days_in_year ?? 365,
      amount: Math.round(amount * 100) * (flow.direction === 'drawdown' ? -1 : 1),
    }));
  });
  const atStart = dated.filter((flow) => flow.units === 0 && flow.days === 0);
  const later = dated.filter((flow) => !atStart.includes(flow)).toSorted((a, b) => a.units - b.units);
  return {
    drawn: -atStart.reduce((sum, flow) => sum + flow.amount, 0),
    payments: later.map((flow) => flow.amount),
    wholeUnits: later.map((flow) => flow.units),
    unitsPerYear: 12,
    extraDays: later.map((flow) => flow.days),
    yearDays: later.map((flow) => flow.year),
  };
}

describe('effective annual rate, DAE (A1)', () => {
  it('is 12.6823 for 1200 repaid in twelve months with 106.62 and a last 106.60', () => {
    const schedule = scheduleOf({ Amount: decimal(1200), InstallmentsNo: 12, CalculateDAE: 1 });
    const totals = schedule.rows.map((row) => row.totalInstallment);
    expect(totals).toEqual([...Array.from({ length: 11 }, () => 10_662), 10_660]);
    expect(schedule.dae).toBe('12.6823');
    const level = Array.from({ length: 12 }, () => 10_662);
    expect(percentOfFlows(monthly(120_000, level))).toBe('12.6854');
  });

  it.each(daeCases.map((known) => [known.id, known] as const))('%s is as published', (_id, known) => {
    const rate = Number(percentOfFlows(publishedFlows(known.input.flows)));
    const expected = known.expected.apr_percent ?? known.expected.apr_percent_2dp ?? Number.NaN;
    const tolerance = known.expected.apr_percent === undefined ? 0.005 : (known.tolerance.apr_percent ?? 0);
    expect(Math.abs(rate - expected)).toBeLessThanOrEqual(tolerance + 0.00005 + 1e-9);
  });

  it('counts costs paid at the start', () => {
    const free = scheduleOf({ CalculateDAE: 2 });
    const costly = scheduleOf({ CalculateDAE: 2, UpFrontValue: decimal(20) });
    expect(Number(costly.dae)).toBeGreaterThan(Number(free.dae) + 10);
  });
});

describe('effective interest rate, EIR (A2)', () => {
  it.each(eirCases.map((known) => [known.id, known] as const))(
    '%s is as published',
    (_id, { input, expected, tolerance }) => {
      const [drawn = 0, ...payments] = input.flows.map((flow) => Math.round(flow * 100));
      const [start = '', ...due] = input.dates;
      const rate = percentOfFlows(
        byDays(
          -drawn,
          payments,
          due.map((day) => date(day) - date(start)),
        ),
      );
      expect(Math.abs(Number(rate) / 100 - expected.value)).toBeLessThanOrEqual(tolerance.absolute + 5e-7);
    },
  );

  it('counts days over 365 where the DAE counts equal months', () => {
    const terms = { Amount: decimal(1200), InstallmentsNo: 12, ActivationDate: date('2024-01-01') } as const;
    expect(scheduleOf(terms).eir).toBe('12.6745');
    expect(scheduleOf({ ...terms, CalculateDAE: 1 }).dae).toBe('12.6823');
  });

  it('is 324.436 percent for 500 repaid with 510 after five days', () => {
    expect(percentOfFlows(byDays(50_000, [51_000], [5]))).toBe('324.4363');
  });
});

describe('solver (A4)', () => {
  it('rounds a rate that lies exactly on a boundary away from zero', () => {
    expect(percentOfFlows(yearly(100_000_000, [112_000_050]))).toBe('12.0001');
    expect(percentOfFlows(yearly(100_000_000, [112_000_049]))).toBe('12.0000');
    expect(percentOfFlows(yearly(100_000_000, [87_999_950]))).toBe('-12.0001');
    expect(percentOfFlows(yearly(100_000_000, [87_999_951]))).toBe('-12.0000');
  });

  it('gives zero without a sign', () => {
    expect(percentOfFlows(monthly(100_000, [50_000, 50_000]))).toBe('0.0000');
    expect(percentOfFlows(monthly(100_000_000_000, [50_000_000_000, 49_999_999_999]))).toBe('0.0000');
  });

  it('finds huge and tiny rates with every digit', () => {
    expect(percentOfFlows(byDays(100_00, [110_00], [1]))).toBe('128330558031335169.6899');
    expect(percentOfFlows(yearly(1, [1_000_000]))).toBe('99999900.0000');
    expect(percentOfFlows(monthly(100_000, [1]))).toBe('-100.0000');
    expect(percentOfFlows(yearly(100_000, [1]))).toBe('-99.9990');
  });

  it('gives null where there is no rate', () => {
    expect(percentOfFlows(monthly(100_000, [0, 0]))).toBeNull();
    expect(percentOfFlows(monthly(0, [100]))).toBeNull();
    expect(percentOfFlows(monthly(100_000, [200_000, -300_000]))).toBeNull();
    expect(scheduleOf({ UpFrontValue: decimal(1000) }).eir).toBeNull();
    expect(scheduleOf({ UpFrontValue: decimal(1200), CalculateDAE: 1 }).dae).toBeNull();
  });

  it('takes the root nearest zero of several', () => {
    expect(percentOfFlows(yearly(100_000, [230_000, -132_000]))).toBe('10.0000');
    expect(percentOfFlows(yearly(100_000, [185_000, -85_500]))).toBe('-5.0000');
    expect(percentOfFlows(yearly(100_000, [245_000, -142_500]))).toBe('-5.0000');
    expect(percentOfFlows(yearly(100_000, [155_000, -52_500]))).toBe('5.0000');
    expect(percentOfFlows(yearly(100_000, [400_000, -300_000]))).toBe('0.0000');
  });

  it('converges for a schedule of 1200 rows at any rate', () => {
    for (const rate of ['-90', '-1', '0', '0.0001', '1000', '90000']) {
      const terms = { InterestPercent: decimal(rate), InstallmentsNo: 1200, Amount: decimal(1_000_000) };
      expect(scheduleOf({ ...terms, CalculateDAE: 1 }).dae).toMatch(/^-?\d+\.\d{4}$/);
    }
  });
});

function monthly(drawn: number, payments: readonly number[]): RateFlows {
  return {
    ...byDays(
      drawn,
      payments,
      payments.map((_, index) => index + 1),
    ),
    unitsPerYear: 12,
  };
}

function yearly(drawn: number, payments: readonly number[]): RateFlows {
  return {
    ...byDays(
      drawn,
      payments,
      payments.map((_, index) => index + 1),
    ),
    unitsPerYear: 1,
  };
}

function byDays(drawn: number, payments: readonly number[], wholeUnits: readonly number[]): RateFlows {
  return {
    drawn,
    payments,
    wholeUnits,
    unitsPerYear: 365,
    extraDays: payments.map(() => 0),
    yearDays: payments.map(() => 365),
  };
}

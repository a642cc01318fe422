import eirCases from '../../../cases/lending/effective-interest-rate.json' with { type: 'json' };
import dayCases from '../../../cases/lending/effective-rate-by-days.json' with { type: 'json' };
import daeCases from '../../../cases/lending/effective-annual-rate.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { solveEffectiveRate, solveRate } from '../../../../shared/lending/annual-rate/proven-rate.ts';
import type { RateFlows } from '../../../../shared/lending/annual-rate/rate-flows.ts';
import { MAX_ITERATIONS } from '../../../../shared/lending/annual-rate/isolated-rates.ts';
import { date, decimal, scheduleOf } from '../../../support/builders/lending-loan.ts';
import {
  TEN_DECIMALS,
  flowsAtUnits,
  flowsByDays,
  monthly,
  yearly,
} from '../../../support/builders/rate-flows.ts';

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
    const amounts = flow.amounts ?? Array.from({ length: flow.count ?? 1 }, () => flow.amount ?? 0);
    return amounts.map((amount, index) => ({
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

describe('effectiveAnnualRate, DAE (A1)', () => {
  it.each(daeCases.map((known) => [known.id, known] as const))(
    'matches the published rate of %s',
    (_id, known) => {
      const flows = publishedFlows(known.input.flows);
      const rate = Number(solveRate(flows, TEN_DECIMALS).percent);
      const expected = known.expected.apr_percent ?? known.expected.apr_percent_2dp ?? Number.NaN;
      const tolerance = known.tolerance.apr_percent ?? known.tolerance.apr_percent_2dp ?? 0;
      expect(Math.abs(rate - expected)).toBeLessThanOrEqual(tolerance + 1e-10);
      expect(solveEffectiveRate(flows)).toBe(rate.toFixed(4));
    },
  );

  it('returns 12.96 for 1000 repaid with 1200 after a year and a half (98/7/EC, first example)', () => {
    expect(solveEffectiveRate(flowsByDays(1_000, [1_200], [546]))).toBe('12.9620');
    expect(solveEffectiveRate(flowsAtUnits(1_000, [1_200], [18], 12))).toBe('12.9243');
  });
});

describe('effectiveInterestRate, EIR (A2)', () => {
  it.each(eirCases.map((known) => [known.id, known] as const))(
    'matches the published rate of %s',
    (_id, { input, expected, tolerance }) => {
      const [drawn = 0, ...payments] = input.flows.map((flow) => Math.round(flow * 100));
      const [start = '', ...due] = input.dates;
      const rate = solveEffectiveRate(
        flowsByDays(
          -drawn,
          payments,
          due.map((day) => date(day) - date(start)),
        ),
      );
      expect(Math.abs(Number(rate) / 100 - expected.value)).toBeLessThanOrEqual(tolerance.absolute + 5e-7);
    },
  );

  it.each(dayCases.map((known) => [known.id, known] as const))(
    'matches the published rate of %s',
    (_id, { input, expected, tolerance }) => {
      const start = date(input.drawdown.date);
      const payments = input.payments.map((payment) => Math.round(payment.amount * 100));
      const days = input.payments.map((payment) => date(payment.date) - start);
      const flows = flowsByDays(Math.round(input.drawdown.amount * 100), payments, days);
      const rate = Number(solveRate(flows, TEN_DECIMALS).percent);
      expect(Math.abs(rate - expected.apr_percent)).toBeLessThanOrEqual(tolerance.apr_percent);
    },
  );
});

describe('solveEffectiveRate (A4)', () => {
  it('rounds a rate exactly on a rounding boundary away from zero', () => {
    expect(solveEffectiveRate(yearly(100_000_000, [112_000_050]))).toBe('12.0001');
    expect(solveEffectiveRate(yearly(100_000_000, [112_000_049]))).toBe('12.0000');
    expect(solveEffectiveRate(yearly(100_000_000, [87_999_950]))).toBe('-12.0001');
    expect(solveEffectiveRate(yearly(100_000_000, [87_999_951]))).toBe('-12.0000');
  });

  it('returns huge and tiny rates with all digits', () => {
    expect(solveEffectiveRate(flowsByDays(100_00, [110_00], [1]))).toBe('128330558031335169.6899');
    expect(solveEffectiveRate(yearly(1, [1_000_000]))).toBe('99999900.0000');
    expect(solveEffectiveRate(monthly(100_000, [1]))).toBe('-100.0000');
    expect(solveEffectiveRate(yearly(100_000, [1]))).toBe('-99.9990');
  });

  it('returns null if no rate exists', () => {
    expect(solveEffectiveRate(monthly(100_000, [0, 0]))).toBeNull();
    expect(solveEffectiveRate(monthly(0, [100]))).toBeNull();
    expect(solveEffectiveRate(monthly(100_000, [200_000, -300_000]))).toBeNull();
    expect(scheduleOf({ UpFrontValue: decimal(1000) }).eir).toBeNull();
    expect(scheduleOf({ UpFrontValue: decimal(1200), CalculateDAE: 1 }).dae).toBeNull();
  });

  it.each([
    ['on a rounding boundary', yearly(100_000_000, [112_000_050]), 8],
    ['below zero on a rounding boundary', yearly(100_000_000, [87_999_950]), 8],
    ['of zero', monthly(100_000, [50_000, 50_000]), 3],
    ['of ten percent in a day', flowsByDays(100_00, [110_00], [1]), 9],
    ['of a millionfold sum', yearly(1, [1_000_000]), 8],
    ['of a sum that is completely lost in a month', monthly(100_000, [1]), 3],
    ['of a sum that is completely lost in a year', yearly(100_000, [1]), 4],
    ['of a payment after a thousand years', flowsByDays(1, [1, 1_000_000_000_000_000], [1, 400_000]), 15],
    ['nearest to zero of two', yearly(100_000, [230_000, -132_000]), 9],
    ['nearest to zero of two negative ones', yearly(100_000, [185_000, -85_500]), 4],
  ])('needs few trial rates for a rate %s', (_name, flows, most) => {
    expect(solveRate(flows, TEN_DECIMALS).iterations).toBeLessThanOrEqual(most);
  });

  it('needs five trial rates for the usual loan and a bounded number for any flows', () => {
    const level = Array.from({ length: 360 }, () => 154_856);
    expect(solveRate(monthly(24_500_000, level), TEN_DECIMALS).iterations).toBe(5);
    const wild = level.map((amount, index) => (index % 3 === 1 ? -amount : amount * (index % 7)));
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

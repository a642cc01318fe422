import { describe, expect, it } from 'vitest';
import { calculateRepaymentSchedule } from '../../shared/lending/calculate-repayment-schedule.ts';
import { BUILT_IN_PERIODICITIES } from '../../shared/lending/dates/periodicity.ts';
import { createScheduleCatalogue } from '../../shared/lending/schedule-types/schedule-catalogue.ts';
import {
  column,
  date,
  decimal,
  dueDates,
  loan,
  REQUEST_DAY,
  scheduleOf,
} from '../support/builders/lending-loan.ts';
import { columnOf, compiledOf, recordOf } from '../support/builders/schedule-type-records.ts';

/** Loans that other engines calculated wrongly, as their users reported, with the correct figures. */
describe('a loan reported against another engine', () => {
  it('accrues 1000.00 at 1 % over one period of 60 days on a 360 basis (FINERACT-2359: 1013.89; C1)', () => {
    const schedule = scheduleOf({
      ScheduleType: 'Once',
      PeriodicityType: 'Once',
      InstallmentsNo: 1,
      Amount: decimal(100_000),
      InterestPercent: decimal(6),
      InterestCalculationMethod: 'Actual/360',
      MaturityDate: date('2025-03-02'),
    });
    expect(schedule.rows[0]?.noDays).toBe(60);
    expect(column(schedule, 'interest')).toEqual(['1000.00']);
  });

  it('accrues 200.00 in every month at 20 % a month, February included (FINERACT-343: 197.23; C2)', () => {
    const schedule = scheduleOf({
      ScheduleType: 'InterestOnly',
      InterestPercent: decimal(240),
      InstallmentDay: 31,
      ActivationDate: date('2024-12-31'),
    });
    expect(schedule.rows.map((row) => row.noDays)).toEqual([31, 28, 31, 30]);
    expect(column(schedule, 'interest')).toEqual(['200.00', '200.00', '200.00', '200.00']);
  });

  it('accrues 791.70 flat interest over 21 months (FINERACT-69: rounding down lost 0.70; S2)', () => {
    const flat = recordOf([
      columnOf('RemainingValue', 'RemainingValue'),
      columnOf('Interest', 'Formula', { Formula: 'Amount * InterestPercent / 100 / PeriodsPerYear' }),
      columnOf('Principal', 'Linear'),
    ]);
    const outcome = calculateRepaymentSchedule(
      loan({
        ScheduleType: 'Own type',
        Amount: decimal(2900),
        InterestPercent: decimal('15.6'),
        InstallmentsNo: 21,
      }),
      {
        requestDay: REQUEST_DAY,
        catalogue: createScheduleCatalogue([compiledOf(flat)], BUILT_IN_PERIODICITIES),
      },
    );
    if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
    expect(new Set(column(outcome, 'interest'))).toEqual(new Set(['37.70']));
    expect(outcome.rows.reduce((sum, row) => sum + row.interest, 0)).toBe(79_170);
  });

  it('is due on 28 February, 31 March and 30 April from 31 January (D4)', () => {
    const schedule = scheduleOf({
      ActivationDate: date('2025-01-31'),
      InstallmentDay: 31,
      InstallmentsNo: 3,
    });
    expect(dueDates(schedule)).toEqual(['2025-02-28', '2025-03-31', '2025-04-30']);
  });

  it('of 0.01 is repaid with 0.01 (FINERACT-2421; M3)', () => {
    const schedule = scheduleOf({ Amount: decimal('0.01'), InstallmentsNo: 6 });
    expect(schedule.rows).toHaveLength(6);
    expect(column(schedule, 'pmt').filter((paid) => paid !== '0.00')).toEqual(['0.01']);
  });

  it('without interest is recalculated to the same instalments (FINERACT-2326; X1, X4)', () => {
    const free = { InterestPercent: decimal(0), InstallmentsNo: 6 } as const;
    const whole = scheduleOf(free);
    const rest = scheduleOf({
      ...free,
      Amount: decimal('666.66'),
      LastDueDate: date('2025-03-01'),
      BlockInstallmentNo: 2,
      installmentValue: decimal('166.67'),
    });
    expect(column(whole, 'pmt')).toEqual(['166.67', '166.67', '166.67', '166.67', '166.67', '166.65']);
    expect(column(rest, 'pmt')).toEqual(column(whole, 'pmt').slice(2));
  });

  it('has a last payment that differs by less than a cent for each instalment (Fineract PR 4254; M2)', () => {
    const schedule = scheduleOf({
      Amount: decimal(250_000),
      InterestPercent: decimal('7.25'),
      InstallmentsNo: 360,
    });
    const [first, last] = [schedule.rows[0]?.pmt ?? 0, schedule.rows[359]?.pmt ?? 0];
    expect(first).toBe(170_544);
    expect(Math.abs(last - first)).toBeLessThan(360);
  });

  it('keeps its six instalments if the payment is rounded up to whole units (frappe/lending 1449; B2)', () => {
    const terms = { Amount: decimal(25_000), InstallmentsNo: 6 } as const;
    expect(column(scheduleOf(terms), 'pmt').slice(0, 5)).toEqual(Array.from({ length: 5 }, () => '4313.71'));
    const rounded = scheduleOf({ ...terms, installmentValue: decimal(4314) });
    expect(column(rounded, 'pmt')).toEqual([
      '4314.00',
      '4314.00',
      '4314.00',
      '4314.00',
      '4314.00',
      '4312.22',
    ]);
  });

  it('of 1000 repaid with 1200 after 546 days costs 12.96 % by days over 365 (Directive 98/7/EC; A2)', () => {
    const schedule = scheduleOf({
      ScheduleType: 'Once',
      PeriodicityType: 'Once',
      InstallmentsNo: 1,
      InterestPercent: decimal('13.37'),
      InterestCalculationMethod: 'Actual/365',
      ActivationDate: date('1994-01-01'),
      MaturityDate: date('1995-07-01'),
    });
    expect([schedule.rows[0]?.noDays, schedule.rows[0]?.pmt]).toEqual([546, 120_000]);
    expect(schedule.eir?.slice(0, 5)).toBe('12.96');
  });

  it('of 500 repaid with 510 after five days costs 324.436 % (FSharp.Finance.Personal; A2)', () => {
    const schedule = scheduleOf({
      ScheduleType: 'Once',
      PeriodicityType: 'Once',
      InstallmentsNo: 1,
      Amount: decimal(500),
      InterestPercent: decimal(146),
      InterestCalculationMethod: 'Actual/365',
      MaturityDate: date('2025-01-06'),
    });
    expect(column(schedule, 'pmt')).toEqual(['510.00']);
    expect(Number(schedule.eir)).toBeCloseTo(324.436, 3);
  });
});

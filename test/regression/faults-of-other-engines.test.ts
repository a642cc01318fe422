import { describe, expect, it } from 'vitest';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import { column, date, decimal, dueDates, scheduleOf } from '../support/builders/lending-loan.ts';
import { columnOf, outcomeWith, recordOf } from '../support/builders/schedule-type-records.ts';

const ONCE = {
  ScheduleType: 'Once',
  PeriodicityType: 'Once',
  InstallmentsNo: 1,
  InterestCalculationMethod: 'Actual/365',
} as const;
const FREE = { InterestPercent: decimal(0), InstallmentsNo: 6 } as const;

/** Loans that other engines calculated wrongly, as their users reported, with the correct figures. */
describe('a loan reported against another engine', () => {
  it.each<[title: string, Partial<RepaymentScheduleRequest>, 'interest' | 'pmt' | 'noDays', string]>([
    [
      '1000.00 accrue at 1 % over one period of 60 days on a 360 basis (FINERACT-2359: 1013.89; C1)',
      {
        ...ONCE,
        Amount: decimal(100_000),
        InterestPercent: decimal(6),
        InterestCalculationMethod: 'Actual/360',
        MaturityDate: date('2025-03-02'),
      },
      'interest',
      '1000.00',
    ],
    [
      '200.00 accrue in every month at 20 % a month, February included (FINERACT-343: 197.23; C2)',
      {
        ScheduleType: 'InterestOnly',
        InterestPercent: decimal(240),
        InstallmentDay: 31,
        ActivationDate: date('2024-12-31'),
      },
      'interest',
      '200.00 200.00 200.00 200.00',
    ],
    [
      '0.01 is repaid with 0.01 (FINERACT-2421; M3)',
      { Amount: decimal('0.01'), InstallmentsNo: 6 },
      'pmt',
      '0.00 0.00 0.00 0.00 0.00 0.01',
    ],
    [
      'a loan without interest ends with the rounding difference (FINERACT-2326; M2)',
      FREE,
      'pmt',
      '166.67 166.67 166.67 166.67 166.67 166.65',
    ],
    [
      'a loan without interest is recalculated to the same instalments (FINERACT-2326; X1, X4)',
      {
        ...FREE,
        Amount: decimal('666.66'),
        LastDueDate: date('2025-03-01'),
        BlockInstallmentNo: 2,
        installmentValue: decimal('166.67'),
      },
      'pmt',
      '166.67 166.67 166.67 166.65',
    ],
    [
      'six instalments stay six if the payment is rounded up to whole units (frappe/lending 1449; B2)',
      { Amount: decimal(25_000), InstallmentsNo: 6, installmentValue: decimal(4314) },
      'pmt',
      '4314.00 4314.00 4314.00 4314.00 4314.00 4312.22',
    ],
  ])('%s', (_title, changes, name, figures) => {
    expect(column(scheduleOf(changes), name).join(' ')).toBe(figures);
  });

  it('accrues 791.70 flat interest over 21 months (FINERACT-69: rounding down lost 0.70; S2)', () => {
    const flat = recordOf([
      columnOf('RemainingValue', 'RemainingValue'),
      columnOf('Interest', 'Formula', { Formula: 'Amount * InterestPercent / 100 / PeriodsPerYear' }),
      columnOf('Principal', 'Linear'),
    ]);
    const terms = { Amount: decimal(2900), InterestPercent: decimal('15.6'), InstallmentsNo: 21 };
    const outcome = outcomeWith(flat, terms);
    if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
    expect(outcome.rows.map(({ interest }) => interest)).toEqual(Array.from({ length: 21 }, () => 3_770));
  });

  it('is due on 28 February, 31 March and 30 April from 31 January (D4)', () => {
    const terms = { ActivationDate: date('2025-01-31'), InstallmentDay: 31, InstallmentsNo: 3 };
    expect(dueDates(scheduleOf(terms))).toEqual(['2025-02-28', '2025-03-31', '2025-04-30']);
  });

  it('has a last payment that differs by less than a cent for each instalment (Fineract PR 4254; M2)', () => {
    const terms = { Amount: decimal(250_000), InterestPercent: decimal('7.25'), InstallmentsNo: 360 };
    const { rows } = scheduleOf(terms);
    expect(rows[0]?.pmt).toBe(170_544);
    expect(Math.abs((rows[359]?.pmt ?? 0) - 170_544)).toBeLessThan(360);
  });

  it('of 1000 repaid with 1200 after 546 days costs 12.96 % by days over 365 (Directive 98/7/EC; A2)', () => {
    const dates = { ActivationDate: date('1994-01-01'), MaturityDate: date('1995-07-01') };
    const schedule = scheduleOf({ ...ONCE, InterestPercent: decimal('13.37'), ...dates });
    expect([schedule.rows[0]?.noDays, schedule.rows[0]?.pmt]).toEqual([546, 120_000]);
    expect(schedule.eir?.slice(0, 5)).toBe('12.96');
  });

  it('of 500 repaid with 510 after five days costs 324.436 % (FSharp.Finance.Personal; A2)', () => {
    const terms = { Amount: decimal(500), InterestPercent: decimal(146), MaturityDate: date('2025-01-06') };
    const schedule = scheduleOf({ ...ONCE, ...terms });
    expect(column(schedule, 'pmt')).toEqual(['510.00']);
    expect(Number(schedule.eir)).toBeCloseTo(324.436, 3);
  });
});

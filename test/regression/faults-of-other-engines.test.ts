import { describe, expect, it } from 'vitest';
import type { RepaymentSchedule } from '../../shared/lending/request/repayment-schedule.ts';
import { column, decimal, dueDates, scheduleOf } from '../support/builders/lending-loan.ts';
import { readSentCases, typedFields } from '../support/builders/request-cases.ts';
import { columnOf, outcomeWith, recordOf } from '../support/builders/schedule-type-records.ts';

const SHOWN: Readonly<Record<string, (schedule: RepaymentSchedule) => string>> = {
  interest: (schedule) => column(schedule, 'interest').join(' '),
  payments: (schedule) => column(schedule, 'pmt').join(' '),
  dates: (schedule) => dueDates(schedule).join(' '),
  days: ({ rows }) => rows.map(({ noDays }) => noDays).join(' '),
  rate: ({ eir }) => String(eir),
};

/** Loans that other engines calculated wrongly, as their users reported, with the correct figures. */
describe('a loan reported against another engine', () => {
  it.each(
    readSentCases(`
60 days on a 360 basis accrue 1000.00 at 1 % (FINERACT-2359: 1013.89; C1)
  ScheduleType = "Once"; PeriodicityType = "Once"; InstallmentsNo = 1; Amount = 100000; InterestPercent = 6
  InterestCalculationMethod = "Actual/360"; MaturityDate = "2025-03-02"
  days: 60
  interest: 1000.00
every month accrues 200.00 at 20 % a month, February included (FINERACT-343: 197.23; C2)
  ScheduleType = "InterestOnly"; InterestPercent = 240; InstallmentDay = 31; ActivationDate = "2024-12-31"
  days: 31 28 31 30
  interest: 200.00 200.00 200.00 200.00
0.01 repaid with 0.01 (FINERACT-2421; M3)
  Amount = 0.01; InstallmentsNo = 6
  payments: 0.00 0.00 0.00 0.00 0.00 0.01
without interest, with the rounding difference in the last row (FINERACT-2326; M2)
  InterestPercent = 0; InstallmentsNo = 6
  payments: 166.67 166.67 166.67 166.67 166.67 166.65
without interest, recalculated to the same instalments (FINERACT-2326; X1, X4)
  InterestPercent = 0; InstallmentsNo = 6; Amount = 666.66
  LastDueDate = "2025-03-01"; BlockInstallmentNo = 2; installmentValue = 166.67
  payments: 166.67 166.67 166.67 166.65
six instalments with a payment rounded up to whole units (frappe/lending 1449; B2)
  Amount = 25000; InstallmentsNo = 6; installmentValue = 4314
  payments: 4314.00 4314.00 4314.00 4314.00 4314.00 4312.22
1000 repaid with 1200 after 546 days at 12.96 % by days over 365 (Directive 98/7/EC; A2)
  ScheduleType = "Once"; PeriodicityType = "Once"; InstallmentsNo = 1; InterestPercent = 13.37
  InterestCalculationMethod = "Actual/365"; ActivationDate = "1994-01-01"; MaturityDate = "1995-07-01"
  days: 546
  payments: 1200.00
  rate: 12.9620
500 repaid with 510 after five days at 324.436 % (FSharp.Finance.Personal; A2)
  ScheduleType = "Once"; PeriodicityType = "Once"; InstallmentsNo = 1; Amount = 500; InterestPercent = 146
  InterestCalculationMethod = "Actual/365"; MaturityDate = "2025-01-06"
  payments: 510.00
  rate: 324.4363
`),
  )('$title', ({ sent, others }) => {
    const schedule = scheduleOf(typedFields(sent));
    for (const line of others) {
      const [name = ''] = line.split(': ', 1);
      expect(`${name}: ${SHOWN[name]?.(schedule)}`).toBe(line);
    }
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

  it('has a last payment that differs by less than a cent for each instalment (Fineract PR 4254; M2)', () => {
    const terms = { Amount: decimal(250_000), InterestPercent: decimal('7.25'), InstallmentsNo: 360 };
    const { rows } = scheduleOf(terms);
    expect(rows[0]?.pmt).toBe(170_544);
    expect(Math.abs((rows[359]?.pmt ?? 0) - 170_544)).toBeLessThan(360);
  });
});

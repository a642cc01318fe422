import { describe, expect, it } from 'vitest';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { date, decimal, scheduleOf } from '../../support/builders/lending-loan.ts';
import { scheduleTable } from '../../support/reference/schedule-table.ts';

interface Golden {
  readonly file: string;
  readonly title: string;
  readonly changes: Partial<RepaymentScheduleRequest>;
}

const GOLDEN: readonly Golden[] = [
  {
    file: 'equal-installments-six-months',
    title: '100.00 at 7 %, 6 equal monthly installments, 30/360',
    changes: {
      Amount: decimal(100),
      InterestPercent: decimal(7),
      InstallmentsNo: 6,
      ActivationDate: date('2024-01-01'),
    },
  },
  {
    file: 'equal-principal-four-months',
    title: '1000.00 at 12 %, 4 months with equal principal, 30/360',
    changes: { ScheduleType: 'EqualPrincipal', CalculateDAE: 2 },
  },
  {
    file: 'month-end-day-31',
    title: '12000.00 at 9.5 %, 12 equal monthly installments on day 31, 30/360',
    changes: {
      Amount: decimal(12_000),
      InterestPercent: decimal('9.5'),
      InstallmentsNo: 12,
      InstallmentDay: 31,
      ActivationDate: date('2024-01-31'),
      CalculateDAE: 2,
    },
  },
  {
    file: 'long-first-period-and-maturity',
    title: '5000.00 at 8.25 %, 6 equal monthly installments, first after 45 days, last on maturity, Actual/365',
    changes: {
      Amount: decimal(5000),
      InterestPercent: decimal('8.25'),
      InstallmentsNo: 6,
      InstallmentDay: 15,
      FirstDueDate: date('2025-02-15'),
      MaturityDate: date('2025-07-31'),
      InterestCalculationMethod: 'Actual/365',
      CalculateDAE: 2,
    },
  },
  {
    file: 'quarterly-over-a-leap-year',
    title: '40000.00 at 6.125 %, 8 equal quarterly installments, Actual/Actual, 600.00 paid at the start',
    changes: {
      Amount: decimal(40_000),
      InterestPercent: decimal('6.125'),
      InstallmentsNo: 8,
      PeriodicityType: 'Quarterly',
      InstallmentDay: 30,
      ActivationDate: date('2023-05-30'),
      InterestCalculationMethod: 'Actual/Actual',
      UpFrontValue: decimal(600),
    },
  },
  {
    file: 'weekly-actual-360',
    title: '900.00 at 39.9 %, 10 equal weekly installments, Actual/360',
    changes: {
      Amount: decimal(900),
      InterestPercent: decimal('39.9'),
      InstallmentsNo: 10,
      PeriodicityType: 'Weekly',
      InterestCalculationMethod: 'Actual/360',
      CalculateDAE: 2,
    },
  },
  {
    file: 'yen-without-decimals',
    title: 'JPY 300000 at 3 %, 6 equal monthly installments, 30/360',
    changes: {
      Currency: 'JPY',
      Amount: decimal(300_000),
      InterestPercent: decimal(3),
      InstallmentsNo: 6,
    },
  },
  {
    file: 'negative-rate',
    title: '10000.00 at -0.5 %, 5 equal yearly installments, 30E/360',
    changes: {
      Amount: decimal(10_000),
      InterestPercent: decimal('-0.5'),
      InstallmentsNo: 5,
      PeriodicityType: 'Annual',
      InterestCalculationMethod: '30E/360',
    },
  },
  {
    file: 'bullet-once',
    title: '2500.00 at 11 %, repaid at once on maturity, Actual/365',
    changes: {
      Amount: decimal(2500),
      InterestPercent: decimal(11),
      InstallmentsNo: 1,
      PeriodicityType: 'Once',
      MaturityDate: date('2025-10-15'),
      InterestCalculationMethod: 'Actual/365',
      CalculateDAE: 2,
    },
  },
];

describe('golden tables of schedule types', () => {
  it.each(GOLDEN)('equals $file', async ({ file, title, changes }) => {
    await expect(scheduleTable(title, scheduleOf(changes))).toMatchFileSnapshot(`./${file}.txt`);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import type {
  CommissionItem,
  InsuranceItem,
  RepaymentScheduleRequest,
} from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../../../shared/lending/request/repayment-schedule.ts';
import { date, decimal, loan, REQUEST_DAY } from '../../support/builders/lending-loan.ts';
import { explanationTable, scheduleTable } from '../../support/reference/schedule-table.ts';

interface Golden {
  readonly file: string;
  readonly changes: Partial<RepaymentScheduleRequest>;
}

/** Business days: Monday to Friday except 3 February and 1 May 2025. */
const HOLIDAYS = new Set([date('2025-02-03'), date('2025-05-01')]);
const FIRST_SATURDAY = 2;
const DAYS_PER_WEEK = 7;
const CALENDARS = {
  find: (name: string) => ({
    name,
    version: 'test',
    isWorkingDay: (day: ReturnType<typeof date>) =>
      !HOLIDAYS.has(day) && (day - FIRST_SATURDAY) % DAYS_PER_WEEK > 1,
  }),
};

const START = date('2025-01-01');

function fee(changes: Partial<CommissionItem>): CommissionItem {
  return { FeeName: 'Account', FeePeriodicityType: 'Monthly', FeeDate: START, ...changes };
}

function insurance(changes: Partial<InsuranceItem>): InsuranceItem {
  return { InsuranceName: 'Life', InsurancePeriodicityType: 'Annual', InsuranceDate: START, ...changes };
}

function rate(percent: number, from: number, to: number) {
  return { InterestRate: decimal(percent), FromInstNo: from, ToInstNo: to };
}

const SHIFTED = {
  Amount: decimal(6000),
  InterestPercent: decimal(9),
  InstallmentsNo: 5,
  HolidayShift: true,
  HolidayCountry: 'Bank days',
  Commission: [fee({ SourceValue: decimal(4) })],
  CalculateDAE: 2,
} as const;

const EARLY = {
  Amount: decimal(5000),
  InterestPercent: decimal(12),
  InstallmentsNo: 6,
  Commission: [fee({ SourceValue: decimal(3) })],
} as const;

const GOLDEN: readonly Golden[] = [
  {
    file: 'equal-installments-six-months',
    changes: {
      Amount: decimal(100),
      InterestPercent: decimal(7),
      InstallmentsNo: 6,
      ActivationDate: date('2024-01-01'),
    },
  },
  {
    file: 'equal-principal-four-months',
    changes: { ScheduleType: 'EqualPrincipal', CalculateDAE: 2 },
  },
  {
    file: 'month-end-day-31',
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
    changes: {
      Currency: 'JPY',
      Amount: decimal(300_000),
      InterestPercent: decimal(3),
      InstallmentsNo: 6,
    },
  },
  {
    file: 'negative-rate',
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
  {
    file: 'grace-deferred-with-fee',
    changes: {
      Amount: decimal(12_000),
      InstallmentsNo: 8,
      GracePeriodPrincipal: 2,
      GracePeriodInterest: 3,
      Commission: [fee({ SourceValue: decimal(5), GracePeriodFee: 2 })],
    },
  },
  {
    file: 'grace-capitalised-with-insurance',
    changes: {
      Amount: decimal(6000),
      InterestPercent: decimal(9),
      InstallmentsNo: 6,
      GracePeriodPrincipal: 1,
      GracePeriodInterest: 2,
      GraceType: 'Capitalised',
      Insurance: [insurance({ SourceValue: decimal(10), InsurancePeriodicityType: 'Quarterly' })],
      CalculateDAE: 2,
    },
  },
  {
    file: 'grace-spread-equal-principal',
    changes: {
      ScheduleType: 'EqualPrincipal',
      InstallmentsNo: 5,
      GracePeriodInterest: 2,
      GraceType: 'Spread',
      Commission: [fee({ SourcePercent: decimal(1), PercentAppliedTo: 'Installment' })],
    },
  },
  {
    file: 'balloon-with-forgiven-interest',
    changes: {
      ScheduleType: 'Balloon',
      Amount: decimal(10_000),
      InterestPercent: decimal(8),
      InstallmentsNo: 6,
      ResidualValue: decimal(4000),
      GracePeriodInterest: 1,
      GraceType: 'Forgiven',
      UpFrontValue: decimal(100),
      CalculateDAE: 2,
    },
  },
  {
    file: 'leasing-residual-and-rate-change',
    changes: {
      ScheduleType: 'Leasing',
      Amount: decimal(10_000),
      InterestPercent: undefined,
      InstallmentsNo: 6,
      ResidualValue: decimal(2000),
      MultipleInterestRates: [rate(6, 1, 3), rate(9, 4, 6)],
      Commission: [fee({ SourcePercent: decimal('0.5'), PercentAppliedTo: 'Interest' })],
    },
  },
  {
    file: 'bands-quarterly',
    changes: {
      Amount: decimal(8000),
      InterestPercent: undefined,
      PeriodicityType: 'Quarterly',
      InstallmentsNo: 6,
      BandedInterestRates: [
        { MinUtilizedAmount: decimal(0), MaxUtilizedAmount: decimal('4999.99'), Value: decimal(10) },
        { MinUtilizedAmount: decimal(5000), Value: decimal(8) },
      ],
      CalculateDAE: 2,
    },
  },
  {
    file: 'credit-card-with-insurance',
    changes: {
      ScheduleType: 'CreditCard',
      Amount: decimal(2000),
      InterestPercent: decimal(24),
      InstallmentsNo: 6,
      CapitalPercent: decimal(10),
      Insurance: [
        insurance({
          InsurancePeriodicityType: 'Monthly',
          SourcePercent: decimal('0.2'),
          PercentAppliedTo: 'RemainingValue',
        }),
      ],
    },
  },
  {
    file: 'deposit-capitalising',
    changes: {
      ScheduleType: 'Deposit',
      PeriodicityType: 'Quarterly',
      InterestCalculationMethod: '30/360',
      InterestCapitalization: 1,
    },
  },
  {
    file: 'overdraft-expiry-and-unused-fee',
    changes: {
      ScheduleType: 'Overdraft',
      Amount: decimal(600),
      InterestPercent: decimal(18),
      InstallmentsNo: 6,
      ExpiryDateForOD: date('2025-04-10'),
      StartDateForUnusage: date('2025-01-16'),
      UnusedAmount: decimal(400),
      Commission: [fee({ FeeName: 'Unused limit', SourcePercent: decimal(1), IsForUnusage: true })],
    },
  },
  {
    file: 'recalculation-with-blocked-amounts',
    changes: {
      Amount: decimal(700),
      InstallmentsNo: 5,
      ActivationDate: undefined,
      FirstDueDate: date('2025-02-01'),
      LastDueDate: date('2025-03-01'),
      BlockInstallmentNo: 2,
      IsLocked: true,
      BlockAmount: decimal(100),
      BlockInterestAmount: decimal('3.5'),
      Commission: [fee({ SourceValue: decimal('1.5'), BlockFeeAmount: decimal(2) })],
      Insurance: [
        insurance({
          InsurancePeriodicityType: 'Quarterly',
          SourceValue: decimal(4),
          BlockInsuranceAmount: decimal(1),
        }),
      ],
    },
  },
  {
    file: 'early-repayments-lower-payment',
    changes: {
      ...EARLY,
      EarlyRepayments: [
        { Date: date('2025-03-16'), Amount: decimal(1000) },
        { Date: date('2025-05-01'), Amount: decimal(500) },
      ],
    },
  },
  {
    file: 'early-repayments-shorter-term',
    changes: {
      ...EARLY,
      EarlyRepayments: [
        { Date: date('2025-03-16'), Amount: decimal(1000), DecreaseInstallment: false },
        { Date: date('2025-05-01'), Amount: decimal(500), DecreaseInstallment: false },
      ],
    },
  },
  {
    file: 'holidays-paid-later',
    changes: SHIFTED,
  },
  {
    file: 'holidays-accrued-later',
    changes: { ...SHIFTED, DeferDueDate: true },
  },
  {
    file: 'annual-premium-and-fee-on-balance',
    changes: {
      Amount: decimal(2400),
      InterestPercent: decimal(6),
      InstallmentsNo: 15,
      Commission: [fee({ SourcePercent: decimal('0.6'), PercentAppliedTo: 'RemainingValue', PerAnnum: true })],
      Insurance: [insurance({ SourcePercent: decimal(1), IsUpfront: true })],
      CalculateDAE: 2,
    },
  },
  {
    file: 'locked-payment-too-low',
    changes: {
      InterestPercent: undefined,
      installmentValue: decimal(200),
      MultipleInterestRates: [rate(12, 1, 2), rate(18, 3, 4)],
    },
  },
  {
    file: 'locked-payment-too-high',
    changes: {
      InstallmentsNo: 6,
      GracePeriodPrincipal: 1,
      installmentValue: decimal(300),
      Commission: [fee({ SourceValue: decimal(2) })],
    },
  },
];

const EXPLAINED: Golden = {
  file: 'explained-row',
  changes: {
    GracePeriodInterest: 1,
    Commission: [fee({ SourcePercent: decimal('1.5'), PercentAppliedTo: 'RemainingValue' })],
    Insurance: [insurance({ InsurancePeriodicityType: 'Monthly', SourceValue: decimal(2) })],
    Explain: true,
  },
};

/** The description of the loan, with which its file begins. */
function titleOf(file: string): string {
  const [title = ''] = readFileSync(new URL(`./${file}.txt`, import.meta.url), 'utf8').split('\nfrom ', 1);
  return title;
}

function scheduleWith(changes: Partial<RepaymentScheduleRequest>): RepaymentSchedule {
  const outcome = calculateRepaymentSchedule(loan(changes), { requestDay: REQUEST_DAY, calendars: CALENDARS });
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  expect(outcome.warnings).toEqual([]);
  return outcome;
}

describe('golden tables', () => {
  it.each(GOLDEN)('equals $file', async ({ file, changes }) => {
    await expect(scheduleTable(titleOf(file), scheduleWith(changes))).toMatchFileSnapshot(`./${file}.txt`);
  });

  it('equals explained-row', async () => {
    const { file, changes } = EXPLAINED;
    const schedule = scheduleWith(changes);
    const text = `${scheduleTable(titleOf(file), schedule)}\n${explanationTable(schedule, 1)}`;
    await expect(text).toMatchFileSnapshot(`./${file}.txt`);
  });
});

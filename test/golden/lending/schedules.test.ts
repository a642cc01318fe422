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
  readonly title: string;
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
  {
    file: 'grace-deferred-with-fee',
    title:
      '12000.00 at 12 %, 8 months: no principal in rows 1-2, interest of rows 1-3 falls due with row 4;\n' +
      'fee 5.00 a month, waived in rows 1-2',
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
    title:
      '6000.00 at 9 %, 6 months: no principal in row 1, interest of rows 1-2 joins the balance, row 2 pays the\n' +
      "plan's principal, payment solved again from row 3; quarterly premium 10.00 in arrears",
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
    title:
      '1000.00 at 12 %, 5 months, equal principal: interest of rows 1-2 (10.00 + 8.00) in parts of 6.00 with rows\n' +
      '3-5; fee 1 % of each installment',
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
    title:
      '10000.00 at 8 %, 6 months, 4000.00 of it in the last row: interest of row 1 forgiven, principal as planned;\n' +
      '100.00 costs paid at the start',
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
    title:
      '10000.00 leasing, residual 2000.00 in a row of its own, 6 % to row 3 and 9 % from row 4;\n' +
      'fee 0.5 % of the interest',
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
    title:
      '8000.00, quarterly: 10 % on the balance up to 5000.00 and 8 % on what is above it;\n' +
      'payment by the unrounded recursion',
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
    title:
      '2000.00 on a credit card at 24 %, Actual/365: 10 % of the balance each month, the rest with the last row;\n' +
      'premium 0.2 % of the balance a month',
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
    title: '1000.00 deposit at 12 %, 30/360, quarterly for a year: interest joins the balance, all is paid at the end',
    changes: {
      ScheduleType: 'Deposit',
      PeriodicityType: 'Quarterly',
      InterestCalculationMethod: '30/360',
      InterestCapitalization: 1,
    },
  },
  {
    file: 'overdraft-expiry-and-unused-fee',
    title:
      '600.00 of an overdraft of 1000.00 at 18 %, Actual/365, expires on 10 April;\n' +
      '1 % a year on the unused 400.00 from 16 January',
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
    title:
      '700.00 left of a loan at 12 % after row 2 of 5: row 3 also takes 100.00 principal, 3.50 interest, 2.00 fee and\n' +
      '1.00 premium that were blocked; fee 1.50 a month, premium 4.00 a quarter',
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
    title:
      '5000.00 at 12 %, 6 months: 1000.00 repaid on 16 March and 500.00 with row 4, each lowers the payment;\n' +
      'fee 3.00 with due rows only',
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
    title:
      '5000.00 at 12 %, 6 months: 1000.00 repaid on 16 March and 500.00 with row 4, the payment stays and the loan\n' +
      'ends earlier; fee 3.00 with due rows only',
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
    title:
      '6000.00 at 9 %, 5 months on the 1st: 1 February, 1 March, 1 May and 1 June move forward off weekends and\n' +
      'holidays, interest accrues to the 1st (30/360)',
    changes: SHIFTED,
  },
  {
    file: 'holidays-accrued-later',
    title:
      '6000.00 at 9 %, 5 months on the 1st, moved forward off weekends and holidays: interest accrues to the moved\n' +
      'date (30/360 between the dates)',
    changes: { ...SHIFTED, DeferDueDate: true },
  },
  {
    file: 'annual-premium-and-fee-on-balance',
    title:
      '2400.00 at 6 %, 15 months: premium 1 % of the amount at the start of each year (rows 1 and 13),\n' +
      '0.6 % a year of the balance as monthly fee',
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
    title: '1000.00 at 12 %, 4 months, payment locked at 200.00: the rest is due with the last row; 18 % from row 3',
    changes: {
      InterestPercent: undefined,
      installmentValue: decimal(200),
      MultipleInterestRates: [rate(12, 1, 2), rate(18, 3, 4)],
    },
  },
  {
    file: 'locked-payment-too-high',
    title:
      '1000.00 at 12 %, 6 months, no principal in row 1, payment then locked at 300.00: ends with row 5;\n' +
      'fee 2.00 a month to the end',
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
  title:
    '1000.00 at 12 %, 4 months, interest of row 1 deferred to row 2: how row 2 came about;\n' +
    'fee 1.5 % of the balance, premium 2.00',
  changes: {
    GracePeriodInterest: 1,
    Commission: [fee({ SourcePercent: decimal('1.5'), PercentAppliedTo: 'RemainingValue' })],
    Insurance: [insurance({ InsurancePeriodicityType: 'Monthly', SourceValue: decimal(2) })],
    Explain: true,
  },
};

function scheduleWith(changes: Partial<RepaymentScheduleRequest>): RepaymentSchedule {
  const outcome = calculateRepaymentSchedule(loan(changes), { requestDay: REQUEST_DAY, calendars: CALENDARS });
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  expect(outcome.warnings).toEqual([]);
  return outcome;
}

describe('golden tables', () => {
  it.each(GOLDEN)('equals $file', async ({ file, title, changes }) => {
    await expect(scheduleTable(title, scheduleWith(changes))).toMatchFileSnapshot(`./${file}.txt`);
  });

  it('equals explained-row', async () => {
    const { file, title, changes } = EXPLAINED;
    const schedule = scheduleWith(changes);
    const text = `${scheduleTable(title, schedule)}\n${explanationTable(schedule, 1)}`;
    await expect(text).toMatchFileSnapshot(`./${file}.txt`);
  });
});

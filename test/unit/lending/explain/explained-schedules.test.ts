import { expect, test } from 'vitest';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import type { ExplainedFigure, ScheduleRow } from '../../../../shared/lending/request/repayment-schedule.ts';
import { faultOfExplanation } from '../../../support/reference/formula-checker.ts';
import { date, decimal, scheduleOf } from '../../../support/builders/lending-loan.ts';
import {
  columnOf,
  formulaColumn,
  outcomeWith,
  recordOf,
} from '../../../support/builders/schedule-type-records.ts';

const FEE = { FeePeriodicityType: 'Monthly', FeeDate: date('2025-01-01'), FeeName: 'Service' } as const;
const LIFE = { InsurancePeriodicityType: 'Quarterly', InsuranceDate: date('2025-01-01') } as const;
const BANDS = [
  { MinUtilizedAmount: decimal(0), Value: decimal(10) },
  { MinUtilizedAmount: decimal(500), Value: decimal(8) },
];
const RANGES = [
  { InterestRate: decimal(12), FromInstNo: 1, ToInstNo: 2 },
  { InterestRate: decimal(24), FromInstNo: 3, ToInstNo: 4 },
];
const early = (day: string, more: object = {}) => [{ Date: date(day), Amount: decimal(300), ...more }];

const LOANS: readonly (readonly [string, Partial<RepaymentScheduleRequest>])[] = [
  ['a level payment', {}],
  ['Actual/365', { InterestCalculationMethod: 'Actual/365' }],
  [
    'Actual/Actual over the new year',
    { InterestCalculationMethod: 'Actual/Actual', ActivationDate: date('2023-11-15') },
  ],
  ['a rate of 0', { InterestPercent: decimal(0) }],
  ['a negative rate', { InterestPercent: decimal(-1) }],
  ['rate ranges (R1)', { MultipleInterestRates: RANGES, InterestPercent: undefined }],
  ['bands (R2)', { BandedInterestRates: BANDS, InterestPercent: undefined }],
  [
    'bands of the whole balance',
    { BandedInterestRates: BANDS, BandMethod: 'Whole', InterestPercent: undefined },
  ],
  ['equal principal', { ScheduleType: 'EqualPrincipal' }],
  ['interest only', { ScheduleType: 'InterestOnly' }],
  ['a balloon (B1)', { ScheduleType: 'Balloon', ResidualValue: decimal(200) }],
  ['a residual in a separate row', { ResidualValue: decimal(200) }],
  ['the effective rate (S2)', { ScheduleType: 'EffectiveRate' }],
  ['a credit card (B3)', { ScheduleType: 'CreditCard', CapitalPercent: decimal(20) }],
  ['a deposit that capitalises (B4)', { ScheduleType: 'Deposit', InterestCapitalization: 1 }],
  ['principal grace (G1)', { GracePeriodPrincipal: 1 }],
  ['interest grace, deferred (G2)', { GracePeriodInterest: 2 }],
  ['interest grace, spread', { GracePeriodInterest: 1, GraceType: 'Spread' }],
  ['interest grace, forgiven', { GracePeriodInterest: 1, GraceType: 'Forgiven' }],
  ['interest grace, capitalised', { GracePeriodInterest: 2, GraceType: 'Capitalised' }],
  ['both graces', { GracePeriodPrincipal: 2, GracePeriodInterest: 2 }],
  ['a low lock (B2)', { installmentValue: decimal(200) }],
  ['a high lock', { installmentValue: decimal(300) }],
  ['a locked principal', { ScheduleType: 'EqualPrincipal', principalValue: decimal(200) }],
  ['negative amortisation', { installmentValue: decimal(5), AllowNegativeAmortisation: true }],
  ['a prepayment (X3)', { EarlyRepayments: early('2025-02-16') }],
  [
    'a prepayment that keeps the payment',
    { EarlyRepayments: early('2025-02-16', { DecreaseInstallment: false }) },
  ],
  ['a prepayment on a due date', { EarlyRepayments: early('2025-02-01') }],
  [
    'a recalculation with blocked amounts (X2)',
    {
      Amount: decimal(700),
      LastDueDate: date('2025-02-01'),
      BlockInstallmentNo: 1,
      IsLocked: true,
      BlockAmount: decimal(100),
      BlockInterestAmount: decimal(5),
      Commission: [{ ...FEE, SourceValue: decimal(2), BlockFeeAmount: decimal(1) }],
    },
  ],
  [
    'a credit card with a blocked amount',
    {
      ScheduleType: 'CreditCard',
      CapitalPercent: decimal(20),
      LastDueDate: date('2025-01-01'),
      IsLocked: true,
      BlockAmount: decimal(100),
    },
  ],
  [
    'a credit card that repays the whole balance, with a blocked amount',
    {
      ScheduleType: 'CreditCard',
      CapitalPercent: decimal(100),
      LastDueDate: date('2025-01-01'),
      IsLocked: true,
      BlockAmount: decimal(100),
      ResidualValue: decimal(50),
    },
  ],
  [
    'a credit card in capitalising grace',
    {
      ScheduleType: 'CreditCard',
      CapitalPercent: decimal(90),
      GracePeriodInterest: 3,
      GraceType: 'Capitalised',
      ResidualValue: decimal(50),
    },
  ],
  [
    'capitalising grace at a rate that takes most of the balance',
    {
      ScheduleType: 'CreditCard',
      CapitalPercent: decimal(80),
      InterestPercent: decimal(-600),
      GracePeriodInterest: 3,
      GraceType: 'Capitalised',
      ResidualValue: decimal(100),
      LastDueDate: date('2025-01-01'),
      IsLocked: true,
      BlockAmount: decimal(100),
    },
  ],
  [
    'equal principal whose schedule ends in capitalising grace',
    {
      ScheduleType: 'EqualPrincipal',
      InterestPercent: decimal(-240),
      GracePeriodInterest: 3,
      GraceType: 'Capitalised',
      ResidualValue: decimal(100),
    },
  ],
  [
    'commissions and an insurance (F2)',
    {
      Commission: [
        { ...FEE, SourceValue: decimal('2.5') },
        { ...FEE, SourcePercent: decimal('0.5'), PercentAppliedTo: 'RemainingValue', PerAnnum: true },
        { ...FEE, SourcePercent: decimal('0.5'), FeePeriodicityType: 'Weekly' },
      ],
      Insurance: [{ ...LIFE, InsuranceName: 'Life', SourcePercent: decimal('0.1'), IsUpfront: true }],
    },
  ],
  [
    'an unused amount (F5)',
    {
      ScheduleType: 'Overdraft',
      UnusedAmount: decimal(400),
      StartDateForUnusage: date('2025-01-16'),
      Commission: [{ ...FEE, SourcePercent: decimal(1), IsForUnusage: true }],
    },
  ],
  [
    'a first period whose interest exceeds the payment (S5)',
    {
      Amount: decimal(100_000),
      InterestPercent: decimal(24),
      InstallmentsNo: 360,
      InterestCalculationMethod: '30/365',
      FirstDueDate: date('2025-02-15'),
    },
  ],
];

const BALANCE = columnOf('RemainingValue', 'RemainingValue');
const INTEREST = formulaColumn(
  'Interest',
  'round(RemainingValue * InterestPercent / 100 * DayCountFraction, 1)',
);
const FORMULAS: readonly (readonly [string, ReturnType<typeof recordOf>])[] = [
  [
    'interest, principal and hidden charges by formulas',
    recordOf([
      BALANCE,
      INTEREST,
      formulaColumn('Principal', 'if(InstallmentNo > 2, max(RemainingValue, 10), InstallmentNo * 100 - 150)'),
      columnOf('ManagementFee', 'Fee'),
      formulaColumn('Stamp', 'min(round(Principal / 3), 1 / PeriodsPerYear)', {
        Fee: 'Stamp',
        Display: false,
      }),
      formulaColumn('Cover', 'Amount / 100', { InsuranceClass: 'Life' }),
    ]),
  ],
  [
    'a payment by a formula',
    recordOf(
      [
        BALANCE,
        INTEREST,
        formulaColumn('PMT', '1 / PeriodsPerYear * 2000 + 100 * (InstallmentNo = 2)'),
        columnOf('Principal', 'Balance'),
        formulaColumn('Share', 'Principal / 10'),
      ],
      { IsWithEqualInstallments: true },
    ),
  ],
];

/** The entry for a figure itself, not for one of its parts. */
function explainedAmount(row: ScheduleRow, figure: ExplainedFigure): number | undefined {
  return row.explanation?.find((one) => one.figure === figure && one.name === undefined)?.amount;
}

test.each(LOANS)('explains every figure with a formula that evaluates to it: %s (S6)', (_loan, changes) => {
  const { rows } = scheduleOf({ ...changes, Explain: true });
  const faults: string[] = [];
  for (const row of rows) {
    for (const one of row.explanation ?? []) {
      const fault = faultOfExplanation(one, 2);
      if (fault !== '') faults.push(`row ${row.InstallmentNo}, ${one.figure}: ${fault}`);
    }
  }
  expect(faults).toEqual([]);
  const figures = [
    'remainingValue',
    'interest',
    'capitalisedInterest',
    'principal',
    'pmt',
    'managementFee',
    'insurance',
    'totalInstallment',
  ] as const;
  for (const figure of figures) {
    expect(rows.map((row) => explainedAmount(row, figure))).toEqual(rows.map((row) => row[figure]));
  }
});

test.each(FORMULAS)('explains %s with formulas that evaluate to their figures (S2, S6)', (_type, record) => {
  const EarlyRepayments = early('2025-02-16');
  const outcome = outcomeWith(record, { EarlyRepayments, Explain: true });
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  for (const row of outcome.rows) {
    const faults = (row.explanation ?? []).map((one) => faultOfExplanation(one, 2));
    expect(faults.filter((fault) => fault !== '')).toEqual([]);
    expect(explainedAmount(row, 'totalInstallment')).toBe(row.totalInstallment);
  }
});

test('shows each formula of a schedule type with its numbers (S2, S6)', () => {
  const [hidden, payment] = FORMULAS.map(([, record]) => {
    const outcome = outcomeWith(record, { Explain: true });
    if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
    return outcome.rows.map((row) => (figure: ExplainedFigure, name?: string) => {
      return row.explanation?.find((one) => one.figure === figure && one.name === name);
    });
  });
  expect(hidden?.[0]?.('interest')).toEqual({
    figure: 'interest',
    amount: 1_000,
    days: 30,
    basis: 360,
    dayCount: '30/360',
    rates: ['12'],
    formula: 'round(1000 * 12 / 100 * (1/12), 1) = 10.00',
  });
  expect(hidden?.[0]?.('principal')?.formula).toBe('max(if(1 > 2, max(1000, 10), 1 * 100 - 150), 0) = 0.00');
  expect(hidden?.[1]?.('principal')?.formula).toBe('if(2 > 2, max(1000, 10), 2 * 100 - 150) = 50.00');
  expect(hidden?.[1]?.('managementFee', 'Stamp')?.formula).toBe('min(round(50 / 3, 0), 1 / 12) = 0.08');
  expect(hidden?.[1]?.('column', 'Stamp')).toBeUndefined();
  expect(payment?.[1]?.('payment')?.formula).toBe('1 / 12 * 2000 + 100 * (2 = 2) = 266.67');
  expect(payment?.[1]?.('principal')?.formula).toBe('payment 266.67 - interest 8.40 = 258.27');
  expect(payment?.[1]?.('column', 'Share')?.formula).toBe('258.27 / 10 = 25.83');
  expect(payment?.[3]?.('payment')).toBeUndefined();
});

test('shows the rate with which a level payment was solved, even if the rate changes later (S5)', () => {
  const changes = { MultipleInterestRates: RANGES, InterestPercent: undefined, Explain: true } as const;
  const { rows } = scheduleOf({ ...changes, FirstDueDate: date('2025-02-15') });
  const payments = rows.map(({ explanation }) => explanation?.find(({ figure }) => figure === 'payment'));
  expect(payments[0]?.formula).toMatch(
    /^level payment that brings balance 1000.00 to 0.00 over rows 1 to 4 at 12 %: \d+\.\d\d$/,
  );
  expect(payments.map((payment) => payment?.rates)).toEqual([['12'], ['12'], ['24'], ['24']]);
});

test('warns that Explain has no effect in an answer without rows (A5, E5)', () => {
  const { warnings } = scheduleOf({ CalculateDAE: 1, Explain: true });
  expect(warnings).toEqual([{ code: 'no-effect', path: 'Explain' }]);
  expect(scheduleOf({ CalculateDAE: 2, Explain: true }).warnings).toEqual([]);
});

test('does not change figures, and adds explanations only on request', () => {
  for (const [, changes] of LOANS) {
    const plain = scheduleOf(changes);
    const explained = scheduleOf({ ...changes, Explain: true });
    const figures = explained.rows.map(({ explanation: _explanation, ...row }) => row);
    expect({ ...explained, rows: figures }).toEqual(plain);
    expect(plain.rows.some((row) => 'explanation' in row)).toBe(false);
  }
});

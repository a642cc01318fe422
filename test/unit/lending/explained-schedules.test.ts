import { expect, test } from 'vitest';
import type { RepaymentScheduleRequest } from '../../../shared/lending/repayment-schedule-request.ts';
import type { ScheduleRow } from '../../../shared/lending/repayment-schedule.ts';
import type { ExplainedFigure } from '../../../shared/lending/row-explanation.ts';
import { faultOfExplanation } from '../../support/formula-checker.ts';
import { date, decimal, scheduleOf } from '../../support/lending-loan.ts';

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
  ['a residual in a row of its own', { ResidualValue: decimal(200) }],
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
  ['a lock of the principal', { ScheduleType: 'EqualPrincipal', principalValue: decimal(200) }],
  ['negative amortisation', { installmentValue: decimal(5), AllowNegativeAmortisation: true }],
  ['an early repayment (X3)', { EarlyRepayments: early('2025-02-16') }],
  [
    'an early repayment that keeps the payment',
    { EarlyRepayments: early('2025-02-16', { DecreaseInstallment: false }) },
  ],
  ['an early repayment on a due date', { EarlyRepayments: early('2025-02-01') }],
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

/** What the explanation of a row says of a figure, not of its parts. */
function explainedAmount(row: ScheduleRow, figure: ExplainedFigure): number | undefined {
  return row.explanation?.find((one) => one.figure === figure && one.name === undefined)?.amount;
}

test.each(LOANS)(
  'with %s every formula gives the figure that its row shows (S6, Explain)',
  (_loan, changes) => {
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
  },
);

test('explaining changes no figure, and nothing is explained unasked', () => {
  for (const [, changes] of LOANS) {
    const plain = scheduleOf(changes);
    const explained = scheduleOf({ ...changes, Explain: true });
    const figures = explained.rows.map(({ explanation: _explanation, ...row }) => row);
    expect({ ...explained, rows: figures }).toEqual(plain);
    expect(plain.rows.some((row) => 'explanation' in row)).toBe(false);
  }
});

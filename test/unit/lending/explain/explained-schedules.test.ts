import { expect, test } from 'vitest';
import type { ExplainedFigure, ScheduleRow } from '../../../../shared/lending/request/repayment-schedule.ts';
import { faultOfExplanation } from '../../../support/reference/formula-checker.ts';
import { date, decimal, scheduleOf } from '../../../support/builders/lending-loan.ts';
import { readSentCases, typedFields } from '../../../support/builders/request-cases.ts';
import {
  columnOf,
  formulaColumn,
  outcomeWith,
  recordOf,
} from '../../../support/builders/schedule-type-records.ts';

const RANGES = [
  { InterestRate: decimal(12), FromInstNo: 1, ToInstNo: 2 },
  { InterestRate: decimal(24), FromInstNo: 3, ToInstNo: 4 },
];

/** Cases that random requests seldom meet (test/property/lending/explain). */
const LOANS = readSentCases(`
a credit card that repays the whole balance, with a blocked amount
  ScheduleType = "CreditCard"; CapitalPercent = 100; ResidualValue = 50
  LastDueDate = "2025-01-01"; IsLocked = true; BlockAmount = 100
a credit card in capitalising grace
  ScheduleType = "CreditCard"; CapitalPercent = 90; ResidualValue = 50
  GracePeriodInterest = 3; GraceType = "Capitalised"
capitalising grace at a rate that takes most of the balance
  ScheduleType = "CreditCard"; CapitalPercent = 80; InterestPercent = -600; ResidualValue = 100
  GracePeriodInterest = 3; GraceType = "Capitalised"
  LastDueDate = "2025-01-01"; IsLocked = true; BlockAmount = 100
equal principal whose schedule ends in capitalising grace
  ScheduleType = "EqualPrincipal"; InterestPercent = -240; ResidualValue = 100
  GracePeriodInterest = 3; GraceType = "Capitalised"
`);

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

test.each(LOANS)('explains every figure with a formula that evaluates to it: $title (S6)', ({ sent }) => {
  const { rows } = scheduleOf({ ...typedFields(sent), Explain: true });
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
  const EarlyRepayments = [{ Date: date('2025-02-16'), Amount: decimal(300) }];
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

test.each(
  readSentCases(`
a credit card with a blocked amount, by the planned balance (B3, X2)
  ScheduleType = "CreditCard"; CapitalPercent = 20
  LastDueDate = "2025-01-01"; IsLocked = true; BlockAmount = 100
  0 principal: 20 % * balance of the plan 900.00 + blocked 100.00 = 280.00
a credit card in capitalising grace, by the planned balance (B3, G2)
  ScheduleType = "CreditCard"; CapitalPercent = 90; GracePeriodInterest = 3; GraceType = "Capitalised"
  1 principal: 90 % * balance of the plan 100.00 = 90.00
a blocked amount that capitalised negative interest lowers (X2, R3)
  ScheduleType = "Deposit"; InterestPercent = -12; InstallmentsNo = 2; InterestCalculationMethod = "30/360"
  InterestCapitalization = 1; LastDueDate = "2025-01-01"; IsLocked = true; BlockAmount = 995
  0 principal: balance 1000.00 + capitalised interest -10.00 = 990.00
a payment that is kept in capitalising grace (X3, G2)
  InstallmentsNo = 6; GraceType = "Capitalised"; GracePeriodInterest = 2; GracePeriodPrincipal = 1
  EarlyRepayments = [{"Date":"2025-03-16","Amount":300,"DecreaseInstallment":false}]
  4 payment: kept through an early repayment: 211.19
`),
)('explains $title', ({ sent, others: [expected = ''] }) => {
  const { rows } = scheduleOf({ ...typedFields(sent), Explain: true });
  const [, row, name, formula] = /^(\d) (\w+): (.*)$/.exec(expected) ?? [];
  const explained = rows[Number(row)]?.explanation?.find(
    (one) => one.figure === name && one.name === undefined,
  );
  expect(explained?.formula).toBe(formula);
});

test('explains deferred interest by the rows in which it accrued (G1, S6)', () => {
  const { rows } = scheduleOf({ GracePeriodInterest: 2, Explain: true });
  expect(JSON.stringify(rows[2]?.explanation)).toContain('of rows 1 to 2');
});

test('warns that Explain has no effect in an answer without rows (A5, E5)', () => {
  const { warnings } = scheduleOf({ CalculateDAE: 1, Explain: true });
  expect(warnings).toEqual([{ code: 'no-effect', path: 'Explain' }]);
  expect(scheduleOf({ CalculateDAE: 2, Explain: true }).warnings).toEqual([]);
});

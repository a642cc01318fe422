import { expect, test } from 'vitest';
import type { ExplainedFigure } from '../../../../shared/lending/request/repayment-schedule.ts';
import { faultsOfExplanations } from '../../../support/reference/formula-checker.ts';
import { calculated, date, decimal, scheduleOf } from '../../../support/builders/lending-loan.ts';
import { readSentCases, typedFields } from '../../../support/builders/request-cases.ts';
import { columnsOf, outcomeWith, recordOf } from '../../../support/builders/schedule-type-records.ts';

const RANGES = [
  { InterestRate: decimal(12), FromInstNo: 1, ToInstNo: 2 },
  { InterestRate: decimal(24), FromInstNo: 3, ToInstNo: 4 },
];

/** Cases that random requests seldom meet (test/property/lending/explain). */
const LOANS = readSentCases(`
a credit card that repays the whole balance, with a blocked amount | ScheduleType = "CreditCard"
  CapitalPercent = 100; ResidualValue = 50; LastDueDate = "2025-01-01"; IsLocked = true; BlockAmount = 100
a credit card in capitalising grace | ScheduleType = "CreditCard"; CapitalPercent = 90; ResidualValue = 50
  GracePeriodInterest = 3; GraceType = "Capitalised"
capitalising grace at a rate that takes most of the balance | ScheduleType = "CreditCard"; CapitalPercent = 80
  InterestPercent = -600; ResidualValue = 100; GracePeriodInterest = 3; GraceType = "Capitalised"
  LastDueDate = "2025-01-01"; IsLocked = true; BlockAmount = 100
equal principal whose schedule ends in capitalising grace | ScheduleType = "EqualPrincipal"
  InterestPercent = -240; ResidualValue = 100; GracePeriodInterest = 3; GraceType = "Capitalised"
`);

const START =
  'RemainingValue RemainingValue; Interest = round(RemainingValue * InterestPercent / 100 * DayCountFraction, 1)';
const FORMULAS: readonly (readonly [string, ReturnType<typeof recordOf>])[] = [
  [
    'interest, principal and hidden charges by formulas',
    recordOf(
      columnsOf(
        `${START}; Principal = if(InstallmentNo > 2, max(RemainingValue, 10), InstallmentNo * 100 - 150); ` +
          'ManagementFee Fee; Cover = Amount / 100 {"InsuranceClass":"Life"}; ' +
          'Stamp = min(round(Principal / 3), 1 / PeriodsPerYear) {"Fee":"Stamp","Display":false}',
      ),
    ),
  ],
  [
    'a payment by a formula',
    recordOf(
      columnsOf(
        `${START}; PMT = 1 / PeriodsPerYear * 2000 + 100 * (InstallmentNo = 2); Principal Balance; Share = Principal / 10`,
      ),
      { IsWithEqualInstallments: true },
    ),
  ],
];

test.each(LOANS)('explains every figure with a formula that evaluates to it: $title (S6)', ({ sent }) => {
  const { rows } = scheduleOf({ ...typedFields(sent), Explain: true });
  expect(rows.flatMap((row) => faultsOfExplanations(row, 2))).toEqual([]);
});

test.each(FORMULAS)('explains %s with formulas that evaluate to their figures (S2, S6)', (_type, record) => {
  const EarlyRepayments = [{ Date: date('2025-02-16'), Amount: decimal(300) }];
  const { rows } = calculated(outcomeWith(record, { EarlyRepayments, Explain: true }));
  expect(rows.flatMap((row) => faultsOfExplanations(row, 2))).toEqual([]);
});

test('shows each formula of a schedule type with its numbers (S2, S6)', () => {
  const [hidden, payment] = FORMULAS.map(([, record]) => {
    const { rows } = calculated(outcomeWith(record, { Explain: true }));
    return rows.map((row) => (figure: ExplainedFigure, name?: string) => {
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
a credit card with a blocked amount, by the planned balance (B3, X2) | ScheduleType = "CreditCard"
  CapitalPercent = 20; LastDueDate = "2025-01-01"; IsLocked = true; BlockAmount = 100
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
level payments of equal months (S5) | InstallmentsNo = 4
  0 payment: 1000.00 * 12 % * 30/360 / (1 - (1 + 12 % * 30/360)^-4) = 256.28
  0 interest: 1000.00 * 12 % * 30/360 = 10.00 | 0 principal: payment 256.28 - interest 10.00 = 246.28
  1 remainingValue: balance 1000.00 - principal 246.28 = 753.72 | 3 principal: balance: 253.75
  0 pmt: interest 10.00 + principal 246.28 = 256.28
  0 totalInstallment: PMT 256.28 + commissions 0.00 = 256.28
level payments at an effective rate (S2)
  ScheduleType = "EffectiveRate"; Amount = 30000; InterestCalculationMethod = "30/360"
  0 payment: 30000.00 * ((1 + 12 %)^(30/360) - 1) / (1 - (1 + 12 %)^(-4 * 30/360)) = 7678.75
  0 interest: 30000.00 * ((1 + 12 %)^(30/360) - 1) = 284.66
level payments to a residual (B1) | ResidualValue = 200
  0 payment: (1000.00 - 200.00 * (1 + 12 % * 30/360)^-4) * 12 % * 30/360 / (1 - (1 + 12 % * 30/360)^-4) = 207.02
  3 principal: balance 403.01 - residual 200.00 = 203.01 | 4 principal: residual: 200.00
  4 interest: no interest: 0.00
level payments without interest (R3) | InterestPercent = 0; ResidualValue = 200
  0 payment: (1000.00 - 200.00) / 4 = 200.00
equal parts to a residual (S2, B1) | ScheduleType = "EqualPrincipal"; ResidualValue = 200
  0 payment: (1000.00 - 200.00) / 4 = 200.00 | 0 principal: equal part: 200.00
bands by slices (R2) | InterestPercent = null
  BandedInterestRates = [{"MinUtilizedAmount":0,"Value":10},{"MinUtilizedAmount":500,"Value":8}]
  0 payment: level payment that brings balance 1000.00 to 0.00 over rows 1 to 4 at 10 % above 0.00 and 8 % above 500.00: 254.91
  0 interest: 500.00 * 10 % * 30/360 + 500.00 * 8 % * 30/360 = 7.50
  3 interest: 252.81 * 10 % * 30/360 = 2.11
bands of the whole balance (R2) | InterestPercent = null
  BandedInterestRates = [{"MinUtilizedAmount":0,"Value":10},{"MinUtilizedAmount":500,"Value":8}]
  BandMethod = "Whole"
  0 payment: level payment that brings balance 1000.00 to 0.00 over rows 1 to 4 at 10 % on a whole balance from 0.00 and 8 % on a whole balance from 500.00: 254.28
  0 interest: 1000.00 * 8 % * 30/360 = 6.67 | 3 interest: 252.20 * 10 % * 30/360 = 2.10
days in years of both lengths (C1)
  InterestCalculationMethod = "Actual/Actual"; ActivationDate = "2023-11-15"; InstallmentsNo = 3
  0 payment: level payment that brings balance 1000.00 to 0.00 over rows 1 to 3 at 12 %: 338.49
  0 interest: 1000.00 * 12 % * 16/365 = 5.26 | 1 interest: 666.77 * 12 % * 31/365 = 6.80
one row left at a new rate (R1)
  InterestPercent = null; MultipleInterestRates = [{"InterestRate":12,"ToInstNo":1},{"InterestRate":24}]
  InstallmentsNo = 2; InterestCalculationMethod = "Actual/365"
  0 payment: level payment that brings balance 1000.00 to 0.00 over rows 1 to 2 at 12 %: 507.41
deferred interest (G1) | GracePeriodInterest = 2
  2 interest: accrued interest 5.05 + deferred interest 17.54 of rows 1 to 2 = 22.59
deferred interest of a loan repaid in its grace period (G1, X3) | GracePeriodInterest = 3
  EarlyRepayments = [{"Date":"2025-02-16","Amount":753.72}]
  1 interest: accrued interest 3.77 + deferred interest 10.00 of rows 1 to 2 = 13.77
interest spread over later rows (G2) | GracePeriodInterest = 2; GraceType = "Spread"; InstallmentsNo = 5
  0 interest: accrued interest 10.00 - deferred to be spread 10.00 = 0.00
  2 interest: accrued interest 6.06 + spread interest round(18.04 / 3) of rows 1 to 2 = 12.07
capitalised interest (G2) | GracePeriodInterest = 2; GracePeriodPrincipal = 2; GraceType = "Capitalised"
  0 accruedInterest: 1000.00 * 12 % * 30/360 = 10.00
  0 interest: accrued interest 10.00 - capitalised 10.00 = 0.00
  0 capitalisedInterest: accrued interest: 10.00 | 0 principal: no principal in the grace period: 0.00
  1 remainingValue: balance 1000.00 - principal 0.00 + capitalised interest 10.00 = 1010.00
forgiven interest (G2) | GracePeriodInterest = 1; GraceType = "Forgiven"
  0 interest: accrued interest 10.00 - forgiven 10.00 = 0.00
principal at maturity (S2) | ScheduleType = "InterestOnly" | 0 principal: no principal before the end: 0.00
a prepayment and the payment after it (X3) | EarlyRepayments = [{"Date":"2025-02-16","Amount":300}]
  1 principal: repaid early as requested: 300.00 | 1 interest: 753.72 * 12 % * 15/360 = 3.77
  2 payment: level payment that brings balance 453.72 to 0.00 over rows 2 to 4 at 12 %: 153.51
a fixed payment that ends the loan (B2) | installmentValue = 300 | 0 payment: locked by the request: 300.00
  3 principal: balance: 121.27
blocked interest (X2) | LastDueDate = "2025-01-01"; IsLocked = true; BlockInterestAmount = 5
  0 interest: accrued interest 10.00 + blocked interest 5.00 = 15.00
interest above the payment (S5)
  ActivationDate = "2024-12-17"; FirstDueDate = "2025-02-01"; InterestPercent = 24; Amount = 100000
  InstallmentsNo = 360 | 0 principal: no principal as the interest exceeds the payment: 0.00
`),
)('explains $title', ({ sent, others }) => {
  const { rows } = scheduleOf({ ...typedFields(sent), Explain: true });
  for (const line of others) {
    const [, row, name] = /^(\d) (\w+): /.exec(line) ?? [];
    const entries = rows[Number(row)]?.explanation ?? [];
    const found = entries.find((one) => one.figure === name && one.name === undefined);
    expect(`${row} ${name}: ${found?.formula}`).toBe(line);
  }
});

test('warns that Explain has no effect in an answer without rows (A5, E5)', () => {
  const { warnings } = scheduleOf({ CalculateDAE: 1, Explain: true });
  expect(warnings).toEqual([{ code: 'no-effect', path: 'Explain' }]);
  expect(scheduleOf({ CalculateDAE: 2, Explain: true }).warnings).toEqual([]);
});

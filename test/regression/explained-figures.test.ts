/**
 * Explanations showed other numbers than the calculation used. A credit card with a blocked amount repaid 20 % of 900 and
 * was explained as `20 % * 1000.00 = 180.00`; with a capitalising grace period, the explanation showed the balance of
 * the schedule instead of the planned one. The explanation of a level payment over periods of different length omitted
 * its rate when the rate changed two instalments later.
 */

import { expect, test } from 'vitest';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import type { ExplainedFigure } from '../../shared/lending/request/repayment-schedule.ts';
import { date, decimal, scheduleOf } from '../support/builders/lending-loan.ts';

function explained(changes: Partial<RepaymentScheduleRequest>, row: number, figure: ExplainedFigure) {
  const { rows } = scheduleOf({ ...changes, Explain: true });
  return rows[row]?.explanation?.find((one) => one.figure === figure && one.name === undefined);
}

test('explains the principal of a credit card with a blocked amount by the planned balance (B3, X2)', () => {
  const principal = explained(
    {
      ScheduleType: 'CreditCard',
      CapitalPercent: decimal(20),
      ActivationDate: undefined,
      LastDueDate: date('2025-01-01'),
      IsLocked: true,
      BlockAmount: decimal(100),
    },
    0,
    'principal',
  );
  expect(principal).toEqual({
    figure: 'principal',
    amount: 28_000,
    rates: ['20'],
    base: 90_000,
    formula: '20 % * balance of the plan 900.00 + blocked 100.00 = 280.00',
  });
});

test('explains the principal of a credit card in a capitalising grace period by the planned balance (B3, G2)', () => {
  const grace = { GracePeriodInterest: 3, GraceType: 'Capitalised' } as const;
  const card = { ScheduleType: 'CreditCard', CapitalPercent: decimal(90) } as const;
  const principal = explained({ ...card, ...grace }, 1, 'principal');
  expect(principal).toMatchObject({
    base: 10_000,
    formula: '90 % * balance of the plan 100.00 = 90.00',
  });
});

test('explains a level payment over periods of different length with its rate (S5, R1)', () => {
  const payment = explained(
    {
      InterestPercent: undefined,
      MultipleInterestRates: [
        { InterestRate: decimal(12), FromInstNo: 1, ToInstNo: 2 },
        { InterestRate: decimal(24), FromInstNo: 3, ToInstNo: 4 },
      ],
      InterestCalculationMethod: 'Actual/365',
    },
    0,
    'payment',
  );
  expect(payment?.rates).toEqual(['12']);
  expect(payment?.formula).toContain('1000.00 to 0.00 over rows 1 to 4 at 12 %: ');
});

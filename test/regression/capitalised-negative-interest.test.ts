/**
 * Capitalised negative interest lowers the balance, but a blocked amount, a prepayment and a final payment were compared
 * with the balance before it. A deposit of 1000 at -12 % with 995 blocked continued with a balance of -5.00, a prepayment
 * of 998 in the middle of a month left -3.00, and a fixed instalment that ended the loan in a capitalising grace period
 * left principals that did not add up to the amount plus capitalised interest.
 */

import { describe, expect, test } from 'vitest';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import { brokenInvariant } from '../support/reference/schedule-invariants.ts';
import { column, date, decimal, faultCodes, loan, scheduleOf } from '../support/builders/lending-loan.ts';

type Changes = Partial<RepaymentScheduleRequest>;

const DEPOSIT: Changes = {
  ScheduleType: 'Deposit',
  InterestPercent: decimal(-12),
  InstallmentsNo: 2,
  InterestCalculationMethod: '30/360',
  InterestCapitalization: 1,
};
const GRACE: Changes = {
  InterestPercent: decimal(-12),
  GraceType: 'Capitalised',
  GracePeriodInterest: 2,
  GracePeriodPrincipal: 2,
};

function blocked(amount: number): Changes {
  const LastDueDate = date('2025-01-01');
  return { ActivationDate: undefined, LastDueDate, IsLocked: true, BlockAmount: decimal(amount) };
}

function prepaid(amount: number, DecreaseInstallment = true): Changes {
  return { EarlyRepayments: [{ Date: date('2025-01-16'), Amount: decimal(amount), DecreaseInstallment }] };
}

/** Principal and capitalised interest of each instalment of a schedule that satisfies M3. */
function principals(changes: Changes): readonly string[] {
  const schedule = scheduleOf(changes);
  expect(brokenInvariant(loan(changes), schedule)).toBeUndefined();
  const capitalised = schedule.rows.map((row) => ((row.capitalisedInterest ?? 0) / 100).toFixed(2));
  return column(schedule, 'principal').map((principal, row) => `${principal} ${capitalised[row]}`);
}

describe('capitalised negative interest', () => {
  test('lowers the principal that a blocked amount repays, as explained (X2, R3)', () => {
    expect(principals({ ...DEPOSIT, ...blocked(995) })).toEqual(['990.00 -10.00', '0.00 0.00']);
    expect(principals({ ...GRACE, ...blocked(1000) })[0]).toBe('990.00 -10.00');
    const [row] = scheduleOf({ ...DEPOSIT, ...blocked(995), Explain: true }).rows;
    const explained = row?.explanation?.find(({ figure }) => figure === 'principal');
    expect(explained?.formula).toBe('balance 1000.00 + capitalised interest -10.00 = 990.00');
  });

  test('limits a prepayment to the lowered balance or the whole balance (X3, R3)', () => {
    for (const terms of [DEPOSIT, GRACE]) {
      expect(faultCodes({ ...terms, ...prepaid(998) })).toEqual(['EarlyRepayments[0].Amount out-of-range']);
      expect(principals({ ...terms, ...prepaid(995) })).toEqual(['995.00 -5.00']);
      expect(principals({ ...terms, ...prepaid(1000) })).toEqual(['1000.00 0.00']);
    }
  });

  test('is capitalised when a fixed or kept instalment ends the loan (B2, X3, G2)', () => {
    const noPrincipalGrace = { ...GRACE, GracePeriodPrincipal: 0 };
    expect(principals({ ...noPrincipalGrace, installmentValue: decimal(600) })).toEqual([
      '610.00 -10.00',
      '376.20 -3.80',
    ]);
    expect(principals({ ...noPrincipalGrace, ...prepaid(700, false) })).toEqual([
      '700.00 -5.00',
      '245.28 -1.48',
      '47.76 -0.48',
    ]);
  });
});

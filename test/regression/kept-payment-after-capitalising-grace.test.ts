/**
 * A prepayment that keeps the payment lowered it after a capitalising grace period. A loan of 1000 at 12 % over six
 * instalments, with an interest grace of two and a principal grace of one, pays 211.19 after the grace period; with a
 * prepayment of 300 on 16 March that keeps the payment, it paid 206.04, the payment without capitalised interest. A
 * prepayment within the grace period omitted the interest that would have been capitalised on it.
 */

import { expect, test } from 'vitest';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import { column, date, decimal, faultCodes, scheduleOf } from '../support/builders/lending-loan.ts';

const GRACE = {
  InstallmentsNo: 6,
  GraceType: 'Capitalised',
  GracePeriodInterest: 2,
  GracePeriodPrincipal: 1,
} as const satisfies Partial<RepaymentScheduleRequest>;

/** The figure of the fourth instalment, which is after the grace period in all of these loans. */
function figureAfterGrace(changes: Partial<RepaymentScheduleRequest>, name: 'pmt' | 'principal' = 'pmt') {
  const schedule = scheduleOf({ ...GRACE, ...changes });
  const row = schedule.rows.findIndex(({ InstallmentNo }) => InstallmentNo === 4);
  return column(schedule, name)[row];
}

function prepaid(day: string, DecreaseInstallment = false): Partial<RepaymentScheduleRequest> {
  return { EarlyRepayments: [{ Date: date(day), Amount: decimal(300), DecreaseInstallment }] };
}

test('keeps the payment of the loan without the prepayment, during and after the grace period (X3, G2)', () => {
  const days = ['2025-01-16', '2025-02-16', '2025-03-01', '2025-03-16', '2025-04-01', '2025-04-16'];
  expect(figureAfterGrace({})).toBe('211.19');
  expect(days.map((day) => figureAfterGrace(prepaid(day)))).toEqual(days.map(() => '211.19'));
  const longer = { GracePeriodPrincipal: 2 };
  expect(days.map((day) => figureAfterGrace({ ...longer, ...prepaid(day) }))).toEqual(
    days.map(() => figureAfterGrace(longer)),
  );
  const parts = { ScheduleType: 'EqualPrincipal' };
  const part = figureAfterGrace(parts, 'principal');
  expect(days.map((day) => figureAfterGrace({ ...parts, ...prepaid(day) }, 'principal'))).toEqual(
    days.map(() => part),
  );
});

test('keeps the payment that an earlier prepayment has lowered', () => {
  const lowered = prepaid('2025-01-16', true).EarlyRepayments ?? [];
  const kept = [{ Date: date('2025-02-16'), Amount: decimal(100), DecreaseInstallment: false }];
  const payment = figureAfterGrace({ EarlyRepayments: lowered });
  expect(Number(payment)).toBeLessThan(200);
  expect(figureAfterGrace({ EarlyRepayments: [...lowered, ...kept] })).toBe(payment);
});

test('keeps a fixed instalment through the grace period and the prepayment (B2)', () => {
  const fixed = { installmentValue: decimal(220) };
  expect(figureAfterGrace(fixed)).toBe('220.00');
  expect(column(scheduleOf({ ...GRACE, ...fixed, ...prepaid('2025-03-16') }), 'pmt')).toContain('220.00');
});

test('accepts a fixed instalment that repays the loan only with the prepayment (B2)', () => {
  const longer = { GracePeriodPrincipal: 2, installmentValue: decimal(9) };
  expect(faultCodes({ ...GRACE, ...longer })).toEqual(['installmentValue payment-below-interest']);
  expect(figureAfterGrace({ ...longer, ...prepaid('2025-01-16') })).toBe('9.00');
});

test('explains the kept payment', () => {
  const { rows } = scheduleOf({ ...GRACE, ...prepaid('2025-03-16'), Explain: true });
  const payment = rows[4]?.explanation?.find(({ figure }) => figure === 'payment');
  expect(payment).toMatchObject({ amount: 21_119, formula: 'kept through an early repayment: 211.19' });
});

/**
 * A prepayment that was to keep the payment lowered it where interest grace had capitalised. 1000 at 12 % in six rows,
 * two of them without interest and one without principal, pays 211.19 after the grace; with 300 repaid on 16 March and
 * the payment kept it paid 206.04, the payment of the plan before the capitalised interest. A prepayment within the
 * grace left out the interest that would have been capitalised on it.
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

/** The figure of the fourth due row, one that pays as usual in all of these loans. */
function usual(changes: Partial<RepaymentScheduleRequest>, name: 'pmt' | 'principal' = 'pmt') {
  const schedule = scheduleOf({ ...GRACE, ...changes });
  const row = schedule.rows.findIndex(({ InstallmentNo }) => InstallmentNo === 4);
  return column(schedule, name)[row];
}

function prepaid(day: string, DecreaseInstallment = false): Partial<RepaymentScheduleRequest> {
  return { EarlyRepayments: [{ Date: date(day), Amount: decimal(300), DecreaseInstallment }] };
}

test('a payment that a prepayment keeps is that of the loan without it, before and after the grace ends (X3, G2)', () => {
  const days = ['2025-01-16', '2025-02-16', '2025-03-01', '2025-03-16', '2025-04-01', '2025-04-16'];
  expect(usual({})).toBe('211.19');
  expect(days.map((day) => usual(prepaid(day)))).toEqual(days.map(() => '211.19'));
  const longer = { GracePeriodPrincipal: 2 };
  expect(days.map((day) => usual({ ...longer, ...prepaid(day) }))).toEqual(days.map(() => usual(longer)));
  const parts = { ScheduleType: 'EqualPrincipal' };
  const part = usual(parts, 'principal');
  expect(days.map((day) => usual({ ...parts, ...prepaid(day) }, 'principal'))).toEqual(days.map(() => part));
});

test('a prepayment after one that lowers the payment keeps the lowered one', () => {
  const lowered = prepaid('2025-01-16', true).EarlyRepayments ?? [];
  const kept = [{ Date: date('2025-02-16'), Amount: decimal(100), DecreaseInstallment: false }];
  const payment = usual({ EarlyRepayments: lowered });
  expect(Number(payment)).toBeLessThan(200);
  expect(usual({ EarlyRepayments: [...lowered, ...kept] })).toBe(payment);
});

test('a fixed instalment stays through the grace and the prepayment (B2)', () => {
  const fixed = { installmentValue: decimal(220) };
  expect(usual(fixed)).toBe('220.00');
  expect(column(scheduleOf({ ...GRACE, ...fixed, ...prepaid('2025-03-16') }), 'pmt')).toContain('220.00');
});

test('a fixed instalment that only the loan with the prepayment can be repaid with is taken (B2)', () => {
  const longer = { GracePeriodPrincipal: 2, installmentValue: decimal(9) };
  expect(faultCodes({ ...GRACE, ...longer })).toEqual(['installmentValue payment-below-interest']);
  expect(usual({ ...longer, ...prepaid('2025-01-16') })).toBe('9.00');
});

test('the explanation names the kept payment', () => {
  const { rows } = scheduleOf({ ...GRACE, ...prepaid('2025-03-16'), Explain: true });
  const payment = rows[4]?.explanation?.find(({ figure }) => figure === 'payment');
  expect(payment).toMatchObject({ amount: 21_119, formula: 'kept through an early repayment: 211.19' });
});

import { describe, expect, it } from 'vitest';
import { INSTALLMENT_TYPE_IDS } from '../../../../shared/lending/request/repayment-schedule.ts';
import { column, date, decimal, faultCodes, scheduleOf } from '../../../support/builders/lending-loan.ts';

/** The interest of a spread grace period that each row collects, in minor units. */
function spreadParts(changes: object): readonly number[] {
  const grace = { GracePeriodInterest: 1, GracePeriodPrincipal: 1, ...changes };
  const without = scheduleOf({ ...grace, GraceType: 'Forgiven' });
  const { rows } = scheduleOf({ ...grace, GraceType: 'Spread' });
  return rows.map((row, index) => row.interest - (without.rows[index]?.interest ?? 0));
}

describe('grace periods (G1, G2)', () => {
  it('set the instalment type Grace', () => {
    const { Grace, Regular } = INSTALLMENT_TYPE_IDS;
    const { rows } = scheduleOf({ GracePeriodPrincipal: 1, GracePeriodInterest: 3 });
    expect(rows.map((row) => row.installmentTypeId)).toEqual([Grace, Grace, Grace, Regular]);
  });

  it('spread deferred interest equally over the remaining instalments, with the remainder in the last', () => {
    expect(spreadParts({ Amount: decimal(2000) })).toEqual([0, 667, 667, 666]);
  });

  it('do not spread more than the deferred interest', () => {
    expect(spreadParts({ Amount: decimal(3), InstallmentsNo: 7 })).toEqual([0, 1, 1, 1, 0, 0, 0]);
  });

  it('are explained by the rows in which deferred interest accrued (S6)', () => {
    const { rows } = scheduleOf({ GracePeriodInterest: 2, Explain: true });
    expect(JSON.stringify(rows[2]?.explanation)).toContain('of rows 1 to 2');
  });

  it('collect deferred interest of a deposit and keep capitalising (B4)', () => {
    const deposit = { ScheduleType: 'Deposit', InterestCapitalization: 1 } as const;
    const terms = { ...deposit, InterestCalculationMethod: '30/360', GracePeriodInterest: 2 } as const;
    const schedule = scheduleOf(terms);
    expect(column(schedule, 'interest')).toEqual(['0.00', '0.00', '20.00', '10.10']);
    const capitalised = schedule.rows.map((row) => row.capitalisedInterest);
    expect(capitalised).toEqual([undefined, undefined, 1000, undefined]);
  });

  it.each([
    ['GracePeriodPrincipal', { GracePeriodPrincipal: 4 }],
    ['GracePeriodInterest', { GracePeriodInterest: 4 }],
    ['GracePeriodInterest', { GracePeriodInterest: 2, RealInstallmentNo: 2 }],
    [
      'GracePeriodInterest',
      { ScheduleType: 'Overdraft', ExpiryDateForOD: date('2025-03-15'), GracePeriodInterest: 3 },
    ],
  ])('are rejected in %s if they cover all instalments with a payment: %j', (path, changes) => {
    expect(faultCodes(changes)).toEqual([`${path} out-of-range`]);
  });
});

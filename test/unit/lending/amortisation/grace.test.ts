import { describe, expect, it } from 'vitest';
import { INSTALLMENT_TYPE_IDS } from '../../../../shared/lending/request/repayment-schedule.ts';
import { column, date, decimal, faultCodes, scheduleOf } from '../../../support/builders/lending-loan.ts';

const BOTH = { GracePeriodPrincipal: 2, GracePeriodInterest: 2 } as const;

function marks(changes: object): readonly string[] {
  return scheduleOf(changes).rows.map((row) => row.installmentTypeId);
}

describe('grace period for principal (G1)', () => {
  it('collects interest only and calculates the level payment over the remaining instalments', () => {
    const schedule = scheduleOf({ GracePeriodPrincipal: 2 });
    expect(column(schedule, 'principal')).toEqual(['0.00', '0.00', '497.51', '502.49']);
    expect(column(schedule, 'pmt')).toEqual(['10.00', '10.00', '507.51', '507.51']);
  });

  it('splits the principal equally over the remaining instalments', () => {
    const schedule = scheduleOf({ ScheduleType: 'EqualPrincipal', GracePeriodPrincipal: 1 });
    expect(column(schedule, 'principal')).toEqual(['0.00', '333.33', '333.33', '333.34']);
  });

  it('sets the instalment type Grace', () => {
    const { Grace, Regular } = INSTALLMENT_TYPE_IDS;
    expect(marks({ GracePeriodPrincipal: 2 })).toEqual([Grace, Grace, Regular, Regular]);
    expect(marks({ GracePeriodPrincipal: 1, GracePeriodInterest: 3 })).toEqual([
      Grace,
      Grace,
      Grace,
      Regular,
    ]);
  });
});

describe('grace period for interest (G2)', () => {
  it('collects deferred interest with the first instalment after the grace period, without interest on it', () => {
    expect(column(scheduleOf(BOTH), 'totalInstallment')).toEqual(['0.00', '0.00', '527.51', '507.51']);
    expect(column(scheduleOf(BOTH), 'interest')).toEqual(['0.00', '0.00', '30.00', '5.02']);
  });

  it('repays principal as planned', () => {
    const schedule = scheduleOf({ GracePeriodInterest: 2 });
    expect(column(schedule, 'totalInstallment')).toEqual(['246.28', '248.74', '273.82', '256.29']);
    expect(column(schedule, 'principal')).toEqual(column(scheduleOf(), 'principal'));
  });

  it('capitalises interest at each due date and recalculates the payment', () => {
    const schedule = scheduleOf({ ...BOTH, GraceType: 'capitalised' });
    expect(column(schedule, 'remainingValue')).toEqual(['1000.00', '1010.00', '1020.10', '512.59']);
    expect(column(schedule, 'totalInstallment')).toEqual(['0.00', '0.00', '517.71', '517.72']);
    expect(schedule.rows.map((row) => row.capitalisedInterest)).toEqual([1000, 1010, undefined, undefined]);
  });

  it('repays the principal of the plan without interest grace when capitalising lasts longer than principal grace', () => {
    const schedule = scheduleOf({ GracePeriodInterest: 2, GraceType: 'Capitalised' });
    expect(column(schedule, 'principal').slice(0, 2)).toEqual(column(scheduleOf(), 'principal').slice(0, 2));
    expect(column(schedule, 'remainingValue')).toEqual(['1000.00', '763.72', '522.62', '262.61']);
    expect(column(schedule, 'totalInstallment').slice(2)).toEqual(['265.24', '265.24']);
  });

  it('spreads deferred interest equally over the remaining instalments, with the remainder in the last', () => {
    const loan = { GracePeriodInterest: 1, GracePeriodPrincipal: 1, Amount: decimal(2000) } as const;
    const spread = scheduleOf({ ...loan, GraceType: 'Spread' });
    const without = scheduleOf({ ...loan, GraceType: 'Forgiven' });
    const parts = spread.rows.map((row, index) => row.interest - (without.rows[index]?.interest ?? 0));
    expect(parts).toEqual([0, 667, 667, 666]);
  });

  it('spreads no more than the deferred interest', () => {
    const tiny = {
      Amount: decimal(3),
      InstallmentsNo: 7,
      GracePeriodInterest: 1,
      GracePeriodPrincipal: 1,
    } as const;
    const spread = scheduleOf({ ...tiny, GraceType: 'Spread' });
    const without = scheduleOf({ ...tiny, GraceType: 'Forgiven' });
    const parts = spread.rows.map((row, index) => row.interest - (without.rows[index]?.interest ?? 0));
    expect(parts).toEqual([0, 1, 1, 1, 0, 0, 0]);
  });

  it('never collects forgiven interest and repays principal as planned', () => {
    const schedule = scheduleOf({ GracePeriodInterest: 2, GraceType: 'Forgiven' });
    expect(column(schedule, 'interest')).toEqual(['0.00', '0.00', '5.05', '2.54']);
    expect(column(schedule, 'principal')).toEqual(column(scheduleOf(), 'principal'));
  });

  it('counts the original instalment numbers in a recalculation (X1)', () => {
    const rest = { Amount: decimal(1000), LastDueDate: date('2025-02-01'), BlockInstallmentNo: 1 } as const;
    const schedule = scheduleOf({ ...rest, ...BOTH });
    expect(column(schedule, 'totalInstallment')).toEqual(['0.00', '517.51', '507.51']);
    const after = scheduleOf({ ...rest, GracePeriodPrincipal: 1, GracePeriodInterest: 1 });
    expect(column(after, 'pmt')).toEqual(column(scheduleOf(rest), 'pmt'));
  });

  it('collects deferred interest with a fixed instalment that ends the loan', () => {
    const schedule = scheduleOf({ GracePeriodInterest: 3, installmentValue: decimal(600) });
    expect(column(schedule, 'totalInstallment')).toEqual(['590.00', '424.10']);
    expect(column(schedule, 'interest')).toEqual(['0.00', '14.10']);
  });
});

describe('grace period of all instalments (G2)', () => {
  it('is rejected, also when RealInstallmentNo or an expiry reduces the instalments', () => {
    expect(faultCodes({ GracePeriodPrincipal: 4 })).toEqual(['GracePeriodPrincipal out-of-range']);
    expect(faultCodes({ GracePeriodInterest: 4 })).toEqual(['GracePeriodInterest out-of-range']);
    expect(faultCodes({ GracePeriodInterest: 2, RealInstallmentNo: 2 })).toEqual([
      'GracePeriodInterest out-of-range',
    ]);
    const overdraft = { ScheduleType: 'Overdraft', ExpiryDateForOD: date('2025-03-15') } as const;
    expect(faultCodes({ ...overdraft, GracePeriodInterest: 3 })).toEqual([
      'GracePeriodInterest out-of-range',
    ]);
  });
});

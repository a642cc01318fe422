/** A fee whose first date lay after a schedule that a fixed instalment had ended was accepted: 200, no charge, no warning. */

import { describe, expect, test } from 'vitest';
import type {
  CommissionItem,
  RepaymentScheduleRequest,
} from '../../shared/lending/request/repayment-schedule-request.ts';
import { fee } from '../support/builders/lending-charges.ts';
import { column, date, decimal, faultCodes, faultsOf, scheduleOf } from '../support/builders/lending-loan.ts';

type Changes = Partial<RepaymentScheduleRequest>;

const SIX_MONTHS: Changes = { InstallmentsNo: 6 };
const LOCKED: Changes = { ...SIX_MONTHS, installmentValue: decimal(500) };
const EarlyRepayments = [{ Date: date('2025-01-16'), Amount: decimal(1000) }];
const REPAID: Changes = { ...SIX_MONTHS, EarlyRepayments };
const REDUCTION = { Date: date('2025-02-16'), Amount: decimal(600), DecreaseInstallment: false };

function withFee(changes: Changes, FeeDate: string, more: Partial<CommissionItem> = {}): Changes {
  return { ...changes, Commission: [fee({ FeeDate: date(FeeDate), ...more })] };
}

describe('a first date of a charge after the end of the schedule', () => {
  test('is refused, whatever ended the schedule early (F3, B2, B5, B6, X3)', () => {
    const ends: readonly Changes[] = [
      LOCKED,
      { ...SIX_MONTHS, ScheduleType: 'EqualPrincipal', principalValue: decimal(500) },
      { ...SIX_MONTHS, RealInstallmentNo: 3 },
      { ...SIX_MONTHS, ScheduleType: 'Overdraft', ExpiryDateForOD: date('2025-03-10') },
      REPAID,
      { ...SIX_MONTHS, EarlyRepayments: [REDUCTION] },
    ];
    for (const end of ends) {
      expect(faultCodes(withFee(end, '2025-06-05'))).toEqual(['Commission[0].FeeDate date-order']);
    }
    expect(faultsOf(withFee(LOCKED, '2025-04-02'))[0]).toMatchObject({
      status: 422,
      message: 'must be on or before 2025-04-01, when the loan is repaid',
    });
  });

  test('is compared with the last row that is shown', () => {
    expect(faultCodes(withFee(REPAID, '2025-01-17'))).toEqual(['Commission[0].FeeDate date-order']);
    expect(scheduleOf(withFee(REPAID, '2025-01-16')).rows).toHaveLength(1);
    const collected = scheduleOf(withFee(LOCKED, '2025-03-31', { IsUpfront: true }));
    expect(column(collected, 'managementFee')).toEqual(['0.00', '0.00', '5.00']);
    expect(collected.warnings).toEqual([]);
  });
});

describe('a charge or amount that only omitted rows would have collected', () => {
  test('is reported if it is a charge of which nothing is collected (E5)', () => {
    for (const end of [withFee(LOCKED, '2025-03-15'), withFee(REPAID, '2025-01-05')]) {
      expect(scheduleOf(end).warnings).toEqual([{ code: 'no-effect', path: 'Commission[0]' }]);
    }
  });

  test('is reported if it is blocked for a first row that a prepayment omits (X2)', () => {
    const { warnings } = scheduleOf({
      ...withFee(REPAID, '2025-01-01', { BlockFeeAmount: decimal(3) }),
      ActivationDate: undefined,
      LastDueDate: date('2025-01-01'),
      IsLocked: true,
      BlockInterestAmount: decimal(4),
    });
    const paths = ['BlockInterestAmount', 'Commission[0].BlockFeeAmount', 'Commission[0]'];
    expect(warnings.map(({ path }) => path)).toEqual(paths);
  });
});

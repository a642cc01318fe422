import { describe, expect, it } from 'vitest';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { formatMinorUnits } from '../../../../shared/lending/numbers/money.ts';
import { date, decimal, faultCodes, scheduleOf } from '../../../support/builders/lending-loan.ts';

const RUNNING = { LastDueDate: date('2025-02-01'), InstallmentsNo: 3, Amount: decimal(700) } as const;

describe('blocked amounts (X2)', () => {
  it('are rejected above the amount less the residual', () => {
    const blocked = {
      ...RUNNING,
      IsLocked: true,
      BlockAmount: decimal('600.01'),
      ResidualValue: decimal(100),
    };
    expect(faultCodes(blocked)).toEqual(['BlockAmount out-of-range']);
    expect(scheduleOf({ ...blocked, BlockAmount: decimal(600) }).rows).toHaveLength(4);
  });

  it.each(['BlockAmount', 'BlockInterestAmount'])('ignores and reports %s without IsLocked', (path) => {
    const schedule = scheduleOf({ ...RUNNING, [path]: decimal(100), ActivationDate: undefined });
    expect(schedule.warnings).toEqual([{ code: 'no-effect', path }]);
    expect(schedule.rows).toEqual(scheduleOf(RUNNING).rows);
  });
});

describe('recalculation of an unchanged loan (X4)', () => {
  const contract: Partial<RepaymentScheduleRequest> = {
    Amount: decimal('12345.67'),
    InterestPercent: decimal('7.35'),
    InstallmentsNo: 24,
    InstallmentDay: 31,
    ActivationDate: date('2024-11-30'),
    FirstDueDate: date('2024-12-31'),
  };

  it.each([1, 2, 7, 15, 22])('reproduces the rows after row %i if the payment is fixed', (settled) => {
    const { rows } = scheduleOf(contract);
    const [first, last, next] = [rows[0], rows[settled - 1], rows[settled]];
    if (first === undefined || last === undefined || next === undefined) throw new Error('no such row');
    const recalculated = scheduleOf({
      ...contract,
      Amount: decimal(formatMinorUnits(next.remainingValue, 2)),
      LastDueDate: last.dueDate,
      BlockInstallmentNo: settled,
      installmentValue: decimal(formatMinorUnits(first.pmt, 2)),
    });
    expect(recalculated.rows).toEqual(rows.slice(settled));
  });
});

it('rejects BlockInstallmentNo without LastDueDate, or if it covers all instalments (X1)', () => {
  expect(faultCodes({ BlockInstallmentNo: 1 })).toEqual(['BlockInstallmentNo not-allowed']);
  expect(faultCodes({ BlockInstallmentNo: 4, LastDueDate: date('2025-04-01') })).toEqual([
    'BlockInstallmentNo out-of-range',
  ]);
});

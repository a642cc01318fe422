import { describe, expect, it } from 'vitest';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { formatMinorUnits } from '../../../../shared/lending/numbers/money.ts';
import { column, date, decimal, faultCodes, scheduleOf } from '../../../support/builders/lending-loan.ts';

const RUNNING = { LastDueDate: date('2025-02-01'), InstallmentsNo: 3, Amount: decimal(700) } as const;

describe('blocked amounts (X2)', () => {
  it('add BlockAmount to the first instalment and amortise the rest', () => {
    const schedule = scheduleOf({ ...RUNNING, IsLocked: true, BlockAmount: decimal(100) });
    expect(column(schedule, 'pmt')).toEqual(['305.01', '204.01', '204.02']);
    expect(column(schedule, 'interest')[0]).toBe('7.00');
  });

  it('add BlockInterestAmount to the first instalment, also during interest grace', () => {
    const blocked = { ...RUNNING, IsLocked: true, BlockInterestAmount: decimal('4.50') } as const;
    expect(column(scheduleOf(blocked), 'interest')[0]).toBe('11.50');
    expect(column(scheduleOf({ ...blocked, GracePeriodInterest: 1 }), 'interest').slice(0, 2)).toEqual([
      '4.50',
      '11.69',
    ]);
  });

  it('add BlockAmount to a fixed payment, and to an instalment in principal grace', () => {
    const blocked = { ...RUNNING, IsLocked: true, BlockAmount: decimal(100) } as const;
    expect(column(scheduleOf({ ...blocked, installmentValue: decimal(250) }), 'pmt')[0]).toBe('351.00');
    expect(column(scheduleOf({ ...blocked, GracePeriodPrincipal: 1 }), 'principal')[0]).toBe('100.00');
  });

  it('reject a BlockAmount above the amount less the residual', () => {
    const blocked = {
      ...RUNNING,
      IsLocked: true,
      BlockAmount: decimal('600.01'),
      ResidualValue: decimal(100),
    };
    expect(faultCodes(blocked)).toEqual(['BlockAmount out-of-range']);
    expect(scheduleOf({ ...blocked, BlockAmount: decimal(600) }).rows).toHaveLength(4);
  });

  it('ignore and report blocked amounts without IsLocked', () => {
    const schedule = scheduleOf({ ...RUNNING, BlockAmount: decimal(100), ActivationDate: undefined });
    expect(schedule.warnings).toEqual([{ code: 'no-effect', path: 'BlockAmount' }]);
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

  it('reproduces the remaining rows exactly from any row when the payment is fixed', () => {
    const whole = scheduleOf(contract);
    const payment = whole.rows[0]?.pmt ?? 0;
    for (const settled of [1, 2, 7, 15, 22]) {
      const last = whole.rows[settled - 1];
      const next = whole.rows[settled];
      if (last === undefined || next === undefined) throw new Error('no such row');
      const again = scheduleOf({
        ...contract,
        Amount: decimal(formatMinorUnits(next.remainingValue, 2)),
        LastDueDate: last.dueDate,
        BlockInstallmentNo: settled,
        installmentValue: decimal(formatMinorUnits(payment, 2)),
      });
      expect(again.rows).toEqual(whole.rows.slice(settled));
    }
  });

  it('recalculates the payment otherwise, which may differ by a few cents', () => {
    const six = { InstallmentsNo: 6 } as const;
    expect(column(scheduleOf(six), 'pmt')).toEqual([...Array.from({ length: 5 }, () => '172.55'), '172.53']);
    const again = {
      ...six,
      Amount: decimal('507.45'),
      LastDueDate: date('2025-04-01'),
      BlockInstallmentNo: 3,
    };
    expect(column(scheduleOf(again), 'pmt')).toEqual(['172.54', '172.54', '172.55']);
  });
});

describe('settled rows (X1)', () => {
  it('rejects BlockInstallmentNo without LastDueDate, or for all instalments', () => {
    expect(faultCodes({ BlockInstallmentNo: 1 })).toEqual(['BlockInstallmentNo not-allowed']);
    expect(faultCodes({ BlockInstallmentNo: 4, LastDueDate: date('2025-04-01') })).toEqual([
      'BlockInstallmentNo out-of-range',
    ]);
  });
});

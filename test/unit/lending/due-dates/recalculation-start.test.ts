import { describe, expect, it } from 'vitest';
import {
  column,
  date,
  decimal,
  dueDates,
  faultCodes,
  scheduleOf,
} from '../../../support/builders/lending-loan.ts';

describe('schedule with LastDueDate (D2)', () => {
  const RUNNING = { LastDueDate: date('2025-04-01'), Amount: decimal('507.45'), InstallmentsNo: 3 } as const;

  it('starts on LastDueDate and ignores ActivationDate', () => {
    const schedule = scheduleOf(RUNNING);
    expect(schedule.startDate).toBe(date('2025-04-01'));
    expect(dueDates(schedule)).toEqual(['2025-05-01', '2025-06-01', '2025-07-01']);
    expect(schedule.rows.map((row) => row.noDays)).toEqual([30, 31, 30]);
    expect(column(schedule, 'pmt')).toEqual(['172.54', '172.54', '172.55']);
    expect(schedule.warnings).toEqual([{ code: 'no-effect', path: 'ActivationDate' }]);
  });

  it('finds the first month from LastDueDate by InstallmentMethod (D3)', () => {
    const LastDueDate = date('2025-04-10');
    const first = (InstallmentMethod: string) =>
      dueDates(scheduleOf({ ...RUNNING, LastDueDate, InstallmentDay: 15, InstallmentMethod }))[0];
    expect(first('ActualMonth')).toBe('2025-04-15');
    expect(first('NextMonth')).toBe('2025-05-15');
  });

  it('follows settled rows by one period, whatever InstallmentMethod the contract began with (X1, X4)', () => {
    const terms = { PeriodicityType: 'Quarterly', InstallmentDay: 15, InstallmentsNo: 5 } as const;
    for (const InstallmentMethod of ['ActualMonth', 'NextMonth']) {
      const contract = { ...terms, InstallmentMethod, ActivationDate: date('2025-01-10') };
      const [, second, ...left] = dueDates(scheduleOf(contract));
      const settled = { LastDueDate: date(second ?? ''), BlockInstallmentNo: 2, ActivationDate: undefined };
      const again = scheduleOf({ ...contract, ...settled });
      expect(dueDates(again)).toEqual(left);
      expect(again.warnings).toEqual([{ code: 'no-effect', path: 'InstallmentMethod' }]);
    }
  });

  it('accepts a later FirstDueDate; an earlier one requires settled rows (X1)', () => {
    const later = scheduleOf({ ...RUNNING, FirstDueDate: date('2025-05-20') });
    expect(dueDates(later)).toEqual(['2025-05-20', '2025-06-01', '2025-07-01']);
    expect(faultCodes({ ...RUNNING, FirstDueDate: date('2025-04-01') })).toEqual(['LastDueDate date-order']);
  });

  it('starts a loan of periodicity Once on LastDueDate (D7)', () => {
    const once = { PeriodicityType: 'Once', InstallmentsNo: 1, MaturityDate: date('2025-07-01') } as const;
    expect(scheduleOf({ ...RUNNING, ...once }).rows.map((row) => row.noDays)).toEqual([91]);
  });

  it('calculates the rates of the remaining rows from LastDueDate on Amount (A4)', () => {
    const fromThere = scheduleOf({ ...RUNNING, LastDueDate: undefined, ActivationDate: date('2025-04-01') });
    const withCosts = scheduleOf({ ...RUNNING, ActivationDate: undefined, UpFrontValue: decimal(50) });
    expect(withCosts.eir).toBe(fromThere.eir);
    expect(withCosts.warnings).toEqual([{ code: 'no-effect', path: 'UpFrontValue' }]);
  });
});

import { describe, expect, it } from 'vitest';
import { BUILT_IN_SCHEDULE_TYPES } from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { INSTALLMENT_TYPE_IDS } from '../../../../shared/lending/request/repayment-schedule.ts';
import { column, decimal, scheduleOf } from '../../../support/builders/lending-loan.ts';

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('calculateRepaymentSchedule with an amount too small for its rows (M2, M3)', () => {
  it.each([
    ['EqualInstallments', '0.05', 12, '0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.05'],
    ['EqualInstallments', '0.10', 0, '0.01 0.01 0.01 0.01 0.01 0.01 0.01 0.01 0.01 0.01 0.00 0.00'],
    ['EqualPrincipal', '0.10', 12, '0.01 0.01 0.01 0.01 0.01 0.01 0.01 0.01 0.01 0.01 0.00 0.00'],
  ])('returns all rows, none of them negative: %s of %s at %i %%', (ScheduleType, amount, percent, parts) => {
    const terms = { ScheduleType, Amount: decimal(amount), InterestPercent: decimal(percent) };
    expect(column(scheduleOf({ ...terms, InstallmentsNo: 12 }), 'principal').join(' ')).toBe(parts);
  });
});

describe('ids (S7)', () => {
  it('are GUIDs that never change', () => {
    expect(INSTALLMENT_TYPE_IDS).toEqual({
      Regular: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c01',
      Grace: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c02',
      Residual: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c03',
      EarlyRepayment: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c04',
    });
    expect(BUILT_IN_SCHEDULE_TYPES.slice(0, 2).map(({ name, id }) => [name, id])).toEqual([
      ['EqualInstallments', '5d1f0c3e-8a42-4b7e-9c60-2f6d4e81b101'],
      ['EqualPrincipal', '5d1f0c3e-8a42-4b7e-9c60-2f6d4e81b102'],
    ]);
    const ids = [...Object.values(INSTALLMENT_TYPE_IDS), ...BUILT_IN_SCHEDULE_TYPES.map(({ id }) => id)];
    expect(ids.filter((id) => !GUID.test(id))).toEqual([]);
  });

  it('appear in the schedule and in every row', () => {
    const schedule = scheduleOf({ ScheduleType: 'ep' });
    expect(schedule.scheduleTypeId).toBe('5d1f0c3e-8a42-4b7e-9c60-2f6d4e81b102');
    expect(new Set(schedule.rows.map((row) => row.installmentTypeId))).toEqual(
      new Set([INSTALLMENT_TYPE_IDS.Regular]),
    );
    expect(schedule.rows.every((row) => !row.isEarlyRepayment)).toBe(true);
  });
});

describe('casing and parts of the answer (A5)', () => {
  it('are capitalised with rows and EIR if CalculateDAE is absent', () => {
    const { casing, show, dae, eir } = scheduleOf();
    expect({ casing, show, dae }).toEqual({ casing: 'capitalised', show: 'rows-with-eir', dae: undefined });
    expect(eir).toMatch(/^\d+\.\d{4}$/);
  });

  it('are lower case with rows only for CalculateDAE 0, the DAE only for 1, and both for 2', () => {
    const shapes = [0, 1, 2].map((CalculateDAE) => {
      const { casing, show, dae, eir } = scheduleOf({ CalculateDAE });
      return [casing, show, dae === undefined, eir === undefined];
    });
    expect(shapes).toEqual([
      ['lower', 'rows', true, true],
      ['lower', 'dae', false, true],
      ['lower', 'rows-with-dae', false, true],
    ]);
  });
});

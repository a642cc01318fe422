import { describe, expect, it } from 'vitest';
import { BUILT_IN_SCHEDULE_TYPES } from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { INSTALLMENT_TYPE_IDS } from '../../../../shared/lending/request/repayment-schedule.ts';
import {
  REQUEST_DAY,
  column,
  date,
  decimal,
  loan,
  scheduleOf,
} from '../../../support/builders/lending-loan.ts';

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('calculateRepaymentSchedule with equal installments (S4, M2, M3)', () => {
  it('repays 100 at 7 % in six months with five payments of 17.01 and a last one of 17.00', () => {
    const schedule = scheduleOf({
      Amount: decimal(100),
      InterestPercent: decimal(7),
      InstallmentsNo: 6,
      ActivationDate: date('2024-01-01'),
    });
    expect(column(schedule, 'pmt')).toEqual(['17.01', '17.01', '17.01', '17.01', '17.01', '17.00']);
    expect(column(schedule, 'interest')).toEqual(['0.58', '0.49', '0.39', '0.29', '0.20', '0.10']);
    expect(column(schedule, 'principal')).toEqual(['16.43', '16.52', '16.62', '16.72', '16.81', '16.90']);
    expect(schedule.rows.map((row) => row.noDays)).toEqual([31, 29, 31, 30, 31, 30]);
  });

  it('repays 1000 at 12 % in four months with 256.28, with the rounding difference in the last row', () => {
    const schedule = scheduleOf();
    expect(column(schedule, 'pmt')).toEqual(['256.28', '256.28', '256.28', '256.29']);
    expect(column(schedule, 'remainingValue')).toEqual(['1000.00', '753.72', '504.98', '253.75']);
    expect(column(schedule, 'totalInstallment')).toEqual(column(schedule, 'pmt'));
    expect(column(schedule, 'managementFee')).toEqual(['0.00', '0.00', '0.00', '0.00']);
  });

  it('returns all rows, none of them negative, if the amount is too small for its rows', () => {
    const schedule = scheduleOf({ Amount: decimal('0.05'), InstallmentsNo: 12 });
    expect(schedule.rows).toHaveLength(12);
    expect(column(schedule, 'principal').filter((part) => part !== '0.00')).toEqual(['0.05']);
    const roundedUp = scheduleOf({
      Amount: decimal('0.10'),
      InterestPercent: decimal(0),
      InstallmentsNo: 12,
    });
    expect(column(roundedUp, 'principal')).toEqual([
      ...Array.from({ length: 10 }, () => '0.01'),
      '0.00',
      '0.00',
    ]);
  });
});

describe('calculateRepaymentSchedule with equal principal (S4, S2 Linear)', () => {
  it('repays equal parts and the interest on the balance', () => {
    const schedule = scheduleOf({ ScheduleType: 'EqualPrincipal' });
    expect(column(schedule, 'principal')).toEqual(['250.00', '250.00', '250.00', '250.00']);
    expect(column(schedule, 'interest')).toEqual(['10.00', '7.50', '5.00', '2.50']);
    expect(column(schedule, 'pmt')).toEqual(['260.00', '257.50', '255.00', '252.50']);
  });

  it('adds the rounding difference to the last row', () => {
    const schedule = scheduleOf({ ScheduleType: 'EqualPrincipal', InstallmentsNo: 3 });
    expect(column(schedule, 'principal')).toEqual(['333.33', '333.33', '333.34']);
    const up = scheduleOf({ ScheduleType: 'EqualPrincipal', Amount: decimal('0.10'), InstallmentsNo: 12 });
    expect(column(up, 'principal').slice(8)).toEqual(['0.01', '0.01', '0.00', '0.00']);
  });
});

describe('rates (R3)', () => {
  it('may be zero', () => {
    const schedule = scheduleOf({ InterestPercent: decimal(0), Amount: decimal(100), InstallmentsNo: 3 });
    expect(column(schedule, 'interest')).toEqual(['0.00', '0.00', '0.00']);
    expect(column(schedule, 'pmt')).toEqual(['33.33', '33.33', '33.34']);
    expect(schedule.eir).toBe('0.0000');
  });

  it('may be negative if the balance stays positive in every period', () => {
    const schedule = scheduleOf({ InterestPercent: decimal(-12) });
    expect(column(schedule, 'interest')).toEqual(['-10.00', '-7.46', '-4.95', '-2.46']);
    expect(column(schedule, 'pmt')).toEqual(['243.78', '243.78', '243.78', '243.79']);
    expect(scheduleOf({ InterestPercent: decimal('-1199.99') }).rows).toHaveLength(4);
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

describe('calculateRepaymentSchedule', () => {
  it('returns the same answer for the same request and day', () => {
    const first = calculateRepaymentSchedule(loan(), { requestDay: REQUEST_DAY });
    expect(calculateRepaymentSchedule(loan(), { requestDay: REQUEST_DAY })).toEqual(first);
  });
});

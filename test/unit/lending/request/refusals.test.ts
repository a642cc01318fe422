import { describe, expect, it } from 'vitest';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { date, decimal, faultCodes, faultsOf, scheduleOf } from '../../../support/builders/lending-loan.ts';

describe('fields whose values mean the same as an absent field', () => {
  it('are accepted and do not change figures', () => {
    const schedule = scheduleOf({
      GracePeriodInterest: 0,
      GracePeriodPrincipal: 0,
      BlockInstallmentNo: 0,
      IsLocked: false,
      HolidayShift: false,
      DeferDueDate: false,
      RealInstallmentNo: 4,
      installmentValue: decimal(0),
      principalValue: decimal(0),
      ResidualValue: decimal(0),
      ResidualInInstallment: false,
      Commission: [],
      Insurance: [],
      MultipleInterestRates: [],
      BandedInterestRates: [],
      EarlyRepayments: [],
      AllowNegativeAmortisation: false,
      Explain: false,
    });
    expect(schedule.warnings).toEqual([]);
    expect(schedule.rows).toEqual(scheduleOf().rows);
  });
});

describe('fields out of range (M6)', () => {
  const refused: readonly (readonly [string, Partial<RepaymentScheduleRequest>])[] = [
    ['Amount out-of-range', { Amount: decimal(-1) }],
    ['Amount out-of-range', { Amount: decimal(Number.NaN) }],
    ['Amount amount-too-large', { Amount: decimal('1e30') }],
    ['Amount amount-too-large', { Amount: decimal('10000000000000.01') }],
    ['InstallmentsNo out-of-range', { InstallmentsNo: 1201 }],
    ['InstallmentsNo out-of-range', { InstallmentsNo: 2.5 }],
    ['InterestPercent out-of-range', { InterestPercent: decimal(100_001) }],
    ['InterestPercent out-of-range', { InterestPercent: decimal(Infinity) }],
    ['InterestPercent too-many-decimals', { InterestPercent: decimal('1e-31') }],
    ['UpFrontValue out-of-range', { UpFrontValue: decimal(-1) }],
    ['CalculateDAE out-of-range', { CalculateDAE: 3 }],
    ['GracePeriodInterest out-of-range', { GracePeriodInterest: -1 }],
    ['GracePeriodPrincipal out-of-range', { GracePeriodPrincipal: 0.5 }],
    ['RealInstallmentNo out-of-range', { RealInstallmentNo: 5 }],
    ['BlockInstallmentNo out-of-range', { BlockInstallmentNo: -1 }],
    ['installmentValue out-of-range', { installmentValue: decimal(-5) }],
    ['principalValue out-of-range', { principalValue: decimal(-5) }],
    ['ResidualValue out-of-range', { ResidualValue: decimal(-5) }],
    ['InterestCapitalization out-of-range', { InterestCapitalization: 2 }],
    ['HolidayMethod unknown-value', { HolidayMethod: 'Sideways' }],
    ['ProductType product-type-mismatch', { ProductType: 'credit card' }],
  ];

  it.each(refused)('report %s for %o', (code, changes) => {
    expect(faultCodes(changes)).toEqual([code]);
  });

  it('are accepted at their limits', () => {
    expect(scheduleOf({ InstallmentsNo: 1200 }).rows).toHaveLength(1200);
    expect(scheduleOf({ Amount: decimal('0.01') }).rows[0]?.remainingValue).toBe(1);
    expect(scheduleOf({ InterestPercent: decimal(100_000) }).rows).toHaveLength(4);
    expect(scheduleOf({ Amount: decimal('10000000000000') }).rows).toHaveLength(4);
  });
});

describe('faults (E1, E3)', () => {
  it('have status 400 only if a mandatory field is missing', () => {
    expect(faultsOf({ InterestPercent: undefined })[0]?.status).toBe(400);
    expect(faultsOf({ InstallmentsNo: 0 })[0]?.status).toBe(422);
  });

  it('include more rows than the caller accepts', () => {
    const [fault] = faultsOf({ InstallmentsNo: 121 }, 120);
    expect(fault).toMatchObject({ path: 'InstallmentsNo', code: 'too-many-rows' });
  });
});

describe('names (S1, S4)', () => {
  it('are found by case-insensitive name or code', () => {
    for (const ScheduleType of ['equalinstallments', 'EQUALINSTALLMENTS', 'ei', ' EqualInstallments ']) {
      expect(scheduleOf({ ScheduleType }).rows).toHaveLength(4);
    }
    for (const ProductType of ['TL', 'mg', 'c', 'term loan', 'MORTGAGE']) {
      expect(scheduleOf({ ProductType }).rows).toHaveLength(4);
    }
  });
});

describe('ignored fields (E5, X2)', () => {
  const withoutEffect: readonly (readonly [string, Partial<RepaymentScheduleRequest>])[] = [
    ['AdvanceAmount', { AdvanceAmount: decimal(100) }],
    ['ContractPeriod', { ContractPeriod: 4 }],
    ['InterestCapitalization', { InterestCapitalization: 1 }],
    ['CapitalPercent', { CapitalPercent: decimal(5) }],
    ['ExpiryDateForOD', { ExpiryDateForOD: date('2026-01-01') }],
    ['StartDateForUnusage', { StartDateForUnusage: date('2025-01-01') }],
    ['UnusedAmount', { UnusedAmount: decimal(400) }],
    ['HolidayMethod', { HolidayMethod: 'forward' }],
    ['DeferDueDate', { DeferDueDate: true }],
    ['BlockAmount', { BlockAmount: decimal(100), IsLocked: false }],
    ['BlockInterestAmount', { BlockInterestAmount: decimal(1) }],
    ['InstallmentMethod', { InstallmentMethod: 'NextMonth', FirstDueDate: date('2025-02-01') }],
    ['ResidualInInstallment', { ResidualInInstallment: true }],
    ['GraceType', { GraceType: 'Spread' }],
    ['BandMethod', { BandMethod: 'Whole' }],
    ['AllowNegativeAmortisation', { AllowNegativeAmortisation: true }],
  ];

  it.each(withoutEffect)('are reported and do not change figures: %s', (path, changes) => {
    const schedule = scheduleOf(changes);
    expect(schedule.warnings).toEqual([{ code: 'no-effect', path }]);
    expect(schedule.rows).toEqual(scheduleOf().rows);
  });
});

import { describe, expect, it } from 'vitest';
import {
  column,
  date,
  decimal,
  faultCodes,
  faultsOf,
  scheduleOf,
} from '../../../support/builders/lending-loan.ts';

describe('residual value (B1)', () => {
  it('is required by Balloon, which collects it with the last instalment by default (S4)', () => {
    const balloon = { ScheduleType: 'Balloon', ResidualValue: decimal(200) } as const;
    expect(scheduleOf(balloon).rows).toHaveLength(4);
    expect(scheduleOf({ ...balloon, ResidualInInstallment: false }).rows).toHaveLength(5);
    expect(faultsOf({ ScheduleType: 'Balloon' })[0]).toMatchObject({
      path: 'ResidualValue',
      code: 'missing',
      status: 400,
    });
  });
});

describe('fixed payment or principal (B2)', () => {
  it('must cover the interest unless AllowNegativeAmortisation is true', () => {
    const [fault] = faultsOf({ installmentValue: decimal(5) });
    expect(fault).toEqual({
      path: 'installmentValue',
      code: 'payment-below-interest',
      status: 422,
      message: 'must cover the interest of row 1, or AllowNegativeAmortisation must be true',
    });
  });

  it.each([
    ['EqualInstallments', 'principalValue', 'accepts only installmentValue'],
    ['EqualPrincipal', 'installmentValue', 'accepts only principalValue'],
    ['InterestOnly', 'installmentValue', 'accepts no fixed payment or principal'],
    ['CreditCard', 'principalValue', 'accepts no fixed payment or principal'],
  ])('is rejected by %s as %s', (ScheduleType, path, reason) => {
    const terms = ScheduleType === 'CreditCard' ? { CapitalPercent: decimal(10) } : {};
    const faults = faultsOf({ ScheduleType, [path]: decimal(200), ...terms });
    expect(faults.map(({ code, message, ...fault }) => [fault.path, code, message])).toEqual([
      [path, 'not-allowed', `must be left out: ${ScheduleType} ${reason}`],
    ]);
  });

  it('treats a fixed principal of 0 as absent', () => {
    expect(scheduleOf({ principalValue: decimal(0) }).rows).toEqual(scheduleOf().rows);
  });
});

it('repays the principal that remains when negative interest is capitalised (R3, G2)', () => {
  const schedule = scheduleOf({
    InterestPercent: decimal(-12),
    GracePeriodInterest: 2,
    GraceType: 'Capitalised',
    installmentValue: decimal(5000),
  });
  expect(column(schedule, 'principal')).toEqual(['990.00']);
  expect(schedule.rows.map((row) => row.capitalisedInterest)).toEqual([-1000]);
});

describe('the termination date of 30E/360 ISDA (C1)', () => {
  /** Row 3 is due on 28 February, which counts as the 30th except on the termination date. */
  const isda = {
    InterestCalculationMethod: '30E/360 ISDA',
    InstallmentDay: 31,
    ActivationDate: date('2024-11-30'),
    InstallmentsNo: 5,
  } as const;
  /** The days of each row, from its interest at 12 %. */
  const daysOf = (changes: Parameters<typeof scheduleOf>[0]) =>
    scheduleOf({ ...isda, ...changes }).rows.map((row) =>
      Math.round((row.interest * 360) / (row.remainingValue * 0.12)),
    );
  const paymentOf = (changes: Parameters<typeof scheduleOf>[0] = {}) =>
    column(scheduleOf({ ...isda, ...changes }), 'pmt')[0];

  it('is the last date of the contract for payments, but the own date of the last row shown (B6)', () => {
    expect(paymentOf()).toBe('206.04');
    expect(daysOf({})).toEqual([30, 30, 30, 30, 30]);
    const paid = column(scheduleOf({ ...isda, RealInstallmentNo: 3 }), 'pmt');
    expect(paid).toEqual(['206.04', '206.04', '611.62']);
    expect(daysOf({ RealInstallmentNo: 3 })).toEqual([30, 30, 28]);
    const settled = { LastDueDate: date('2025-01-31'), BlockInstallmentNo: 2, ActivationDate: undefined };
    expect(daysOf({ RealInstallmentNo: 3, ...settled })).toEqual([28]);
    expect(daysOf({ RealInstallmentNo: 4 })).toEqual([30, 30, 30, 30]);
  });

  it('is the maturity date, and the shifted date where interest accrues to it', () => {
    expect(daysOf({ MaturityDate: date('2026-02-28') }).at(-1)).toBe(328);
    expect(daysOf({ InstallmentsNo: 4, MaturityDate: date('2025-03-30') })).toEqual([30, 30, 30, 30]);
  });
});

describe('cards, deposits and single repayments (B3, B4, S4)', () => {
  it('CreditCard requires CapitalPercent from 0 to 100', () => {
    const card = { ScheduleType: 'CreditCard' } as const;
    expect(column(scheduleOf({ ...card, CapitalPercent: decimal(0) }), 'principal').at(-1)).toBe('1000.00');
    expect(faultCodes(card)).toEqual(['CapitalPercent missing']);
    for (const percent of ['-0.01', '100.01']) {
      const faults = faultCodes({ ...card, CapitalPercent: decimal(percent) });
      expect(faults).toEqual(['CapitalPercent out-of-range']);
    }
  });

  it('Deposit rejects commissions and other values of InterestCapitalization', () => {
    const fee = { SourceValue: decimal(1), FeePeriodicityType: 'Monthly', FeeDate: date('2025-01-01') };
    const deposit = { ScheduleType: 'Deposit', Commission: [{ ...fee, FeeName: 'F' }] } as const;
    expect(faultCodes({ ...deposit, InterestCapitalization: 2 })).toEqual([
      'InterestCapitalization out-of-range',
      'Commission not-allowed',
    ]);
  });

  it('Once has a single instalment', () => {
    const once = { ScheduleType: 'Once', InstallmentsNo: 1 } as const;
    expect(column(scheduleOf(once), 'pmt')).toEqual(['1010.00']);
    expect(faultCodes({ ScheduleType: 'Once' })).toEqual(['InstallmentsNo out-of-range']);
  });

  it('EffectiveRate requires a rate above -100 %', () => {
    const terms = { ScheduleType: 'EffectiveRate', Amount: decimal(30_000) } as const;
    expect(faultCodes({ ...terms, InterestPercent: decimal(-100) })).toEqual([
      'InterestPercent rate-too-low',
    ]);
    expect(scheduleOf({ ...terms, InterestPercent: decimal(-99) }).rows).toHaveLength(4);
  });
});

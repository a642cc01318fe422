import { describe, expect, it } from 'vitest';
import { INSTALLMENT_TYPE_IDS } from '../../../../shared/lending/request/repayment-schedule.ts';
import {
  column,
  date,
  decimal,
  dueDates,
  faultCodes,
  faultsOf,
  scheduleOf,
} from '../../../support/builders/lending-loan.ts';

function lockedPrincipal(principalValue: number): readonly string[] {
  const locked = { ScheduleType: 'EqualPrincipal', principalValue: decimal(principalValue) } as const;
  return column(scheduleOf(locked), 'principal');
}

describe('residual value (B1)', () => {
  it('adds a row on the last due date, without days and interest', () => {
    const schedule = scheduleOf({ ResidualValue: decimal(200) });
    expect(column(schedule, 'pmt')).toEqual(['207.02', '207.02', '207.02', '207.04', '200.00']);
    expect(schedule.rows.at(-1)).toMatchObject({
      InstallmentNo: 5,
      noDays: 0,
      installmentTypeId: INSTALLMENT_TYPE_IDS.Residual,
      remainingValue: 20_000,
      interest: 0,
      principal: 20_000,
      totalInstallment: 20_000,
    });
    expect(dueDates(schedule).slice(-2)).toEqual(['2025-05-01', '2025-05-01']);
  });

  it('is paid with the last instalment when ResidualInInstallment is true', () => {
    const schedule = scheduleOf({ ResidualValue: decimal(200), ResidualInInstallment: true });
    expect(column(schedule, 'pmt')).toEqual(['207.02', '207.02', '207.02', '407.04']);
  });

  it('is required by Balloon, which pays it with the last instalment by default (S4)', () => {
    const balloon = scheduleOf({ ScheduleType: 'Balloon', ResidualValue: decimal(200) });
    expect(column(balloon, 'pmt')).toEqual(['207.02', '207.02', '207.02', '407.04']);
    const ownRow = scheduleOf({
      ScheduleType: 'Balloon',
      ResidualValue: decimal(200),
      ResidualInInstallment: false,
    });
    expect(ownRow.rows).toHaveLength(5);
    expect(faultsOf({ ScheduleType: 'Balloon' })[0]).toMatchObject({
      path: 'ResidualValue',
      code: 'missing',
      status: 400,
    });
  });

  it('may equal the amount but not exceed it', () => {
    const all = scheduleOf({ ResidualValue: decimal(1000) });
    expect(column(all, 'pmt')).toEqual(['10.00', '10.00', '10.00', '10.00', '1000.00']);
    expect(faultCodes({ ResidualValue: decimal('1000.01') })).toEqual(['ResidualValue out-of-range']);
  });

  it('is not part of equal parts of principal', () => {
    const schedule = scheduleOf({ ScheduleType: 'EqualPrincipal', ResidualValue: decimal(200) });
    expect(column(schedule, 'principal')).toEqual(['200.00', '200.00', '200.00', '200.00', '200.00']);
  });
});

describe('fixed payment or principal (B2)', () => {
  it('leaves the remainder to the last instalment when the payment is lower than level', () => {
    expect(column(scheduleOf({ installmentValue: decimal(200) }), 'pmt')).toEqual([
      '200.00',
      '200.00',
      '200.00',
      '428.52',
    ]);
  });

  it('ends the schedule early when the payment is higher than level', () => {
    expect(column(scheduleOf({ installmentValue: decimal(300) }), 'pmt').at(-1)).toBe('122.48');
    expect(column(scheduleOf({ installmentValue: decimal(600) }), 'pmt')).toEqual(['600.00', '414.10']);
  });

  it('fixes the principal of EqualPrincipal', () => {
    expect(lockedPrincipal(200)).toEqual(['200.00', '200.00', '200.00', '400.00']);
    expect(lockedPrincipal(400)).toEqual(['400.00', '400.00', '200.00']);
  });

  it('starts after the grace period and stays when the rate changes', () => {
    const schedule = scheduleOf({
      InterestPercent: undefined,
      installmentValue: decimal(300),
      GracePeriodPrincipal: 1,
      MultipleInterestRates: [{ InterestRate: decimal(12), ToInstNo: 2 }, { InterestRate: decimal(24) }],
    });
    expect(column(schedule, 'pmt')).toEqual(['10.00', '300.00', '300.00', '432.68']);
  });

  it('keeps the residual until the last instalment', () => {
    const schedule = scheduleOf({ installmentValue: decimal(500), ResidualValue: decimal(200) });
    expect(column(schedule, 'pmt')).toEqual(['500.00', '315.10', '2.00', '2.00', '200.00']);
  });

  it('must cover the interest unless AllowNegativeAmortisation is true', () => {
    const low = { installmentValue: decimal(5) } as const;
    const [fault] = faultsOf(low);
    expect(fault).toMatchObject({ path: 'installmentValue', code: 'payment-below-interest', status: 422 });
    expect(fault?.message).toBe(
      'must cover the interest of row 1, or AllowNegativeAmortisation must be sent',
    );
    const schedule = scheduleOf({ ...low, AllowNegativeAmortisation: true });
    expect(column(schedule, 'principal')).toEqual(['-5.00', '-5.05', '-5.10', '1015.15']);
    expect(column(schedule, 'remainingValue')).toEqual(['1000.00', '1005.00', '1010.05', '1015.15']);
  });

  it('is rejected by schedule types that do not allow it', () => {
    const value = decimal(200);
    expect(faultCodes({ principalValue: value })).toEqual(['principalValue not-allowed']);
    expect(faultCodes({ ScheduleType: 'EqualPrincipal', installmentValue: value })).toEqual([
      'installmentValue not-allowed',
    ]);
    expect(faultCodes({ ScheduleType: 'InterestOnly', installmentValue: value })).toEqual([
      'installmentValue not-allowed',
    ]);
    expect(faultCodes({ installmentValue: value, principalValue: value })).toContain(
      'principalValue not-allowed',
    );
  });
});

describe('RealInstallmentNo (B6)', () => {
  it('ends the schedule early with the payment of all instalments; the last repays the rest', () => {
    const schedule = scheduleOf({ RealInstallmentNo: 2 });
    expect(column(schedule, 'pmt')).toEqual(['256.28', '761.26']);
    const parts = scheduleOf({ ScheduleType: 'EqualPrincipal', RealInstallmentNo: 3 });
    expect(column(parts, 'principal')).toEqual(['250.00', '250.00', '500.00']);
  });
});

describe('RealInstallmentNo with 30E/360 ISDA (B6, C1)', () => {
  it('keeps the payment of all instalments and ends the last paid one on the termination date', () => {
    const loan = {
      InterestCalculationMethod: '30E/360 ISDA',
      InstallmentDay: 31,
      ActivationDate: date('2024-11-30'),
      InstallmentsNo: 5,
    } as const;
    expect(column(scheduleOf(loan), 'pmt')[0]).toBe('206.04');
    expect(column(scheduleOf({ ...loan, RealInstallmentNo: 3 }), 'pmt')).toEqual([
      '206.04',
      '206.04',
      '611.62',
    ]);
  });
});

describe('cards, deposits, overdrafts and bullet loans (B3, B4, B5, S4)', () => {
  const THIRTY = { InterestCalculationMethod: '30/360' } as const;

  it('CreditCard repays a percentage of the balance, and the rest with the last instalment', () => {
    const card = { ScheduleType: 'CreditCard', ...THIRTY } as const;
    const schedule = scheduleOf({ ...card, CapitalPercent: decimal(10) });
    expect(column(schedule, 'principal')).toEqual(['100.00', '90.00', '81.00', '729.00']);
    expect(column(scheduleOf({ ...card, CapitalPercent: decimal(0) }), 'principal').at(-1)).toBe('1000.00');
    expect(faultCodes(card)).toEqual(['CapitalPercent missing']);
    expect(faultCodes({ ...card, CapitalPercent: decimal('100.01') })).toEqual([
      'CapitalPercent out-of-range',
    ]);
  });

  it('Deposit capitalises interest until maturity, or pays it each period', () => {
    const deposit = { ScheduleType: 'Deposit', InstallmentsNo: 3, ...THIRTY } as const;
    const capitalising = scheduleOf({ ...deposit, InterestCapitalization: 1 });
    expect(capitalising.rows.map((row) => row.capitalisedInterest)).toEqual([1000, 1010, undefined]);
    expect(column(capitalising, 'totalInstallment')).toEqual(['0.00', '0.00', '1030.30']);
    expect(column(capitalising, 'principal').at(-1)).toBe('1020.10');
    expect(column(scheduleOf(deposit), 'totalInstallment')).toEqual(['10.00', '10.00', '1010.00']);
    expect(faultCodes({ ...deposit, InterestCapitalization: 2 })).toEqual([
      'InterestCapitalization out-of-range',
    ]);
  });

  it('Deposit collects deferred interest after the grace period and continues to capitalise', () => {
    const deposit = { ScheduleType: 'Deposit', InterestCapitalization: 1, ...THIRTY } as const;
    const schedule = scheduleOf({ ...deposit, GracePeriodInterest: 2 });
    expect(column(schedule, 'interest')).toEqual(['0.00', '0.00', '20.00', '10.10']);
    expect(schedule.rows.map((row) => row.capitalisedInterest)).toEqual([
      undefined,
      undefined,
      1000,
      undefined,
    ]);
  });

  it('Deposit rejects commissions', () => {
    const fee = {
      SourceValue: decimal(1),
      FeePeriodicityType: 'Monthly',
      FeeDate: date('2025-01-01'),
      FeeName: 'F',
    };
    expect(faultCodes({ ScheduleType: 'Deposit', Commission: [fee] })).toEqual(['Commission not-allowed']);
  });

  it('Overdraft pays interest, and the principal on ExpiryDateForOD', () => {
    const overdraft = { ScheduleType: 'Overdraft', ...THIRTY } as const;
    const early = scheduleOf({ ...overdraft, ExpiryDateForOD: date('2025-03-15') });
    expect(dueDates(early)).toEqual(['2025-02-01', '2025-03-01', '2025-03-15']);
    expect(column(early, 'totalInstallment')).toEqual(['10.00', '10.00', '1004.67']);
    const onDue = scheduleOf({ ...overdraft, ExpiryDateForOD: date('2025-03-01') });
    expect(dueDates(onDue)).toEqual(['2025-02-01', '2025-03-01']);
    const late = scheduleOf({ ...overdraft, ExpiryDateForOD: date('2025-06-10') });
    expect(dueDates(late).at(-1)).toBe('2025-06-10');
    expect(late.rows).toHaveLength(4);
  });

  it('InterestOnly repays the principal at the end, and Once with its only instalment', () => {
    expect(column(scheduleOf({ ScheduleType: 'InterestOnly' }), 'pmt')).toEqual([
      '10.00',
      '10.00',
      '10.00',
      '1010.00',
    ]);
    const once = { ScheduleType: 'Once', InstallmentsNo: 1 } as const;
    expect(column(scheduleOf(once), 'pmt')).toEqual(['1010.00']);
    expect(faultCodes({ ScheduleType: 'Once' })).toEqual(['InstallmentsNo out-of-range']);
  });

  it('EffectiveRate accrues (1 + r)^f - 1', () => {
    const terms = {
      ScheduleType: 'EffectiveRate',
      Amount: decimal(30_000),
      InterestPercent: decimal(7),
    } as const;
    expect(column(scheduleOf({ ...terms, ...THIRTY }), 'interest')[0]).toBe('169.62');
    expect(faultCodes({ ...terms, InterestPercent: decimal(-100) })).toEqual([
      'InterestPercent rate-too-low',
    ]);
    expect(scheduleOf({ ...terms, InterestPercent: decimal(-99) }).rows).toHaveLength(4);
  });
});

import { describe, expect, it } from 'vitest';
import { toCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { findScheduleFaults } from '../../../../shared/lending/terms/validate-schedule-request.ts';
import { fee, premium } from '../../../support/builders/lending-charges.ts';
import { readRequestCases, readSentCases, typedFields } from '../../../support/builders/request-cases.ts';
import {
  date,
  decimal,
  faultCodes,
  faultsOf,
  loan,
  column,
  scheduleOf,
} from '../../../support/builders/lending-loan.ts';
import { columnsOf, outcomeWith, recordOf } from '../../../support/builders/schedule-type-records.ts';
import { calendarNamed } from '../../../support/builders/lending-calendar.ts';
import { INSTALLMENT_TYPE_IDS } from '../../../../shared/lending/request/repayment-schedule.ts';

type Changes = Partial<RepaymentScheduleRequest>;

const CARD = { ScheduleType: 'CreditCard', CapitalPercent: decimal(10) } as const;
const BLOCKED = {
  LastDueDate: date('2025-02-01'),
  Amount: decimal(700),
  InstallmentsNo: 3,
  IsLocked: true,
  ResidualValue: decimal(100),
} as const;
const NO_RATE = { InterestPercent: undefined } as const;

function withBands(...limits: readonly (readonly [min: number, max?: number])[]): Changes {
  const bands = limits.map(([min, max]) => ({
    Value: decimal(12),
    MinUtilizedAmount: decimal(min),
    MaxUtilizedAmount: max === undefined ? undefined : decimal(max),
  }));
  return { ...NO_RATE, BandedInterestRates: bands };
}

const HIGH = { InterestRate: decimal(1200), ToInstNo: 2 };
const HIGH_LATER = { InterestRate: decimal(1200), FromInstNo: 3 };
const OPEN = [{ ToInstNo: 2 }, { FromInstNo: 3 }];
const prepaid = (day: string, amount: number): Changes => ({
  EarlyRepayments: [{ Date: date(day), Amount: decimal(amount) }],
});

/** A schedule type with these columns after the balance. */
const after = (columns: string, changes: Parameters<typeof recordOf>[1] = {}) =>
  recordOf(columnsOf(`RemainingValue RemainingValue; ${columns}`), changes);

function faultPaths(changes: Changes): readonly string[] {
  return findScheduleFaults(loan(changes)).map(({ path }) => path);
}

describe('faults of the terms of a schedule (E3)', () => {
  it.each(
    readRequestCases<Changes>(`
Amount = 0 | Amount out-of-range must be more than zero
ScheduleType = "Tontine"
  ScheduleType unknown-schedule-type must be an active schedule type; known: EqualInstallments, EqualPrincipal, InterestOnly, Balloon, EffectiveRate, Once, Overdraft, Deposit, CreditCard, Leasing
PeriodicityType = "Fortnightly"
  PeriodicityType unknown-periodicity must be one of Once, Daily, Weekly, Biweekly, Semimonthly, Monthly, Bimonthly, Quarterly, Trimestrial, Semiannual, Semestrial, Annual, Yearly
GracePeriodInterest = 1; GraceType = "Never"
  GraceType unknown-value must be one of Deferred, Capitalised, Spread, Forgiven
Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","FeeDate":"2025-01-01","SourceValue":5,"SourcePercent":1}]
  Commission[0].SourceValue mutually-exclusive must have exactly one of SourceValue and SourcePercent, not both
Insurance = [{"InsuranceName":"A","InsurancePeriodicityType":"Monthly","InsuranceDate":"2025-01-01"}]
  Insurance[0].SourceValue mutually-exclusive must have exactly one of SourceValue and SourcePercent, but has neither
Amount = 1.001 | Amount too-many-decimals must have at most 2 decimals in this currency
Currency = "XXY" | Currency unknown-currency must be the ISO 4217 code of a currency
Precision = 11 | Precision out-of-range must be a whole number from 0 to 10
ProductType = "D"
  ProductType product-type-mismatch must be a product type that EqualInstallments serves: TL, MG, C
ProductType = "Pawn"
  ProductType unknown-product-type must be a product type that EqualInstallments serves: TL, MG, C
InterestCalculationMethod = "31/360"
  InterestCalculationMethod unknown-day-count must be one of 30/360, 30E/360, 30E/360 ISDA, 30/365, Actual/360, Actual/365, Actual/Actual
InstallmentsNo = 0 | InstallmentsNo out-of-range must be a whole number from 1 to 1200
PeriodicityType = "Once"; MaturityDate = "2026-01-01"
  InstallmentsNo out-of-range must be 1 with the periodicity Once
ScheduleType = "Once" | InstallmentsNo out-of-range must be at most 1 with this schedule type
ResidualValue = 1000.01 | ResidualValue out-of-range must be at most Amount, 1000.00
ScheduleType = "Balloon" | ResidualValue missing is missing; must be sent with Balloon
IsLocked = true; BlockAmount = 801; ResidualValue = 200
  BlockAmount out-of-range must be at most Amount less ResidualValue, 800.00
installmentValue = 300; principalValue = 1
  principalValue not-allowed must be left out when installmentValue is sent
installmentValue = 5
  installmentValue payment-below-interest must cover the interest of row 1, or AllowNegativeAmortisation must be true
principalValue = 200
  principalValue not-allowed must be left out: EqualInstallments accepts only installmentValue
ScheduleType = "EqualPrincipal"; installmentValue = 200
  installmentValue not-allowed must be left out: EqualPrincipal accepts only principalValue
ScheduleType = "InterestOnly"; installmentValue = 200
  installmentValue not-allowed must be left out: InterestOnly accepts no fixed payment or principal
ScheduleType = "CreditCard"; CapitalPercent = 10; principalValue = 200
  principalValue not-allowed must be left out: CreditCard accepts no fixed payment or principal
ScheduleType = "CreditCard" | CapitalPercent missing is missing; must be from 0 to 100 with this schedule type
ScheduleType = "CreditCard"; CapitalPercent = 101 | CapitalPercent out-of-range must be from 0 to 100
ScheduleType = "CreditCard"; CapitalPercent = -0.01 | CapitalPercent out-of-range must be from 0 to 100
GracePeriodPrincipal = 4 | GracePeriodPrincipal out-of-range must be a whole number from 0 to 3
GracePeriodInterest = 2; RealInstallmentNo = 2
  GracePeriodInterest out-of-range must be a whole number from 0 to 1
ScheduleType = "Overdraft"; ExpiryDateForOD = "2025-03-01"; GracePeriodInterest = 2
  GracePeriodInterest out-of-range must be at most 1: at least one installment must follow the grace period
ContractPeriod = 36526 | ContractPeriod out-of-range must be a whole number from 0 to 36525
ContractPeriod = 5 | ContractPeriod out-of-range must be 4, the periods of InstallmentsNo, or left out
AdvanceAmount = -1 | AdvanceAmount out-of-range must be zero or more
InterestPercent = null
  InterestPercent missing is missing; must be a number unless MultipleInterestRates or BandedInterestRates is sent
InterestPercent = -1200 | InterestPercent rate-too-low must leave a positive balance in every period
InterestPercent = -1200; InterestCalculationMethod = "Actual/365"
  InterestPercent rate-too-low must leave a positive balance in every period
InterestPercent = null; MultipleInterestRates = [{}]
  MultipleInterestRates[0].InterestRate missing is missing; must be an annual rate in percent
InterestPercent = null; MultipleInterestRates = [{"InterestRate":12,"FromInstNo":3,"ToInstNo":2}]
  MultipleInterestRates[0].ToInstNo out-of-range must not be below FromInstNo, 3
InterestPercent = null
  MultipleInterestRates = [{"InterestRate":12,"ToInstNo":2},{"InterestRate":12,"FromInstNo":2,"ToInstNo":4}]
  MultipleInterestRates[1].FromInstNo rates-overlap must be after the end of the previous range, 2
InterestPercent = null
  MultipleInterestRates = [{"InterestRate":12,"ToInstNo":2},{"InterestRate":12,"FromInstNo":4,"ToInstNo":4}]
  MultipleInterestRates[1].FromInstNo rates-incomplete must be 3: no row may be without a rate
InterestPercent = null; MultipleInterestRates = [{"InterestRate":12,"ToInstNo":3}]
  MultipleInterestRates[0].ToInstNo rates-incomplete must be 4 or left out: the ranges must cover every row
InterestPercent = null; MultipleInterestRates = [{"InterestRate":12}]
  BandedInterestRates = [{"Value":12,"MinUtilizedAmount":0}]
  BandedInterestRates not-allowed must be left out when MultipleInterestRates is sent
InterestPercent = null; BandedInterestRates = [{"Value":12,"MinUtilizedAmount":-1}]
  BandedInterestRates[0].MinUtilizedAmount out-of-range must be zero or more
InterestPercent = null; BandedInterestRates = [{"Value":12,"MinUtilizedAmount":0,"MaxUtilizedAmount":-1}]
  BandedInterestRates[0].MaxUtilizedAmount out-of-range must be zero or more
InterestPercent = null; BandedInterestRates = [{"Value":12,"MinUtilizedAmount":100,"MaxUtilizedAmount":100}]
  BandedInterestRates[0].MaxUtilizedAmount out-of-range must be more than MinUtilizedAmount
InterestPercent = null
  BandedInterestRates = [{"Value":12,"MinUtilizedAmount":0},{"Value":12,"MinUtilizedAmount":0}]
  BandedInterestRates[1].MinUtilizedAmount bands-overlap must differ from that of every other band
InterestPercent = null; BandedInterestRates = [{"Value":12,"MinUtilizedAmount":1}]
  BandedInterestRates[0].MinUtilizedAmount outside-bands must be 0 or null in one band: every part of the balance needs a rate
InterestPercent = null; BandedInterestRates = [{"Value":12,"MinUtilizedAmount":0,"MaxUtilizedAmount":999}]
  BandedInterestRates outside-bands must give a rate for every balance of the schedule
EarlyRepayments = [{"Date":"2025-02-16","Amount":0}]
  EarlyRepayments[0].Amount out-of-range must be more than zero
EarlyRepayments = [{"Date":"2025-05-02","Amount":1}]
  EarlyRepayments[0].Date date-order must be after 2025-01-01 and not after 2025-05-01
EarlyRepayments = [{"Date":"2025-01-16","Amount":1000},{"Date":"2025-01-17","Amount":1}]
  EarlyRepayments[1].Date date-order must be before 2025-01-16, when the loan is repaid
EarlyRepayments = [{"Date":"2025-01-16","Amount":1001},{"Date":"2025-01-16","Amount":1}]
  EarlyRepayments[1].Date date-order must be before 2025-01-16, when the loan is repaid
EarlyRepayments = [{"Date":"2025-02-15","Amount":5000},{"Date":"2025-03-15","Amount":10}]
  EarlyRepayments[1].Date date-order must be before 2025-02-15, when the loan is repaid
EarlyRepayments = [{"Date":"2025-05-01","Amount":1}]
  EarlyRepayments[0].Date date-order must be before 2025-05-01, when the loan is repaid
ScheduleType = "CreditCard"; CapitalPercent = 100; EarlyRepayments = [{"Date":"2025-02-16","Amount":1}]
  EarlyRepayments[0].Date date-order must be before 2025-02-01, when the loan is repaid
Amount = 9999999999999; InterestPercent = 100000; PeriodicityType = "Annual"
  Amount amount-too-large must be smaller: with the interest of one period it exceeds the largest supported amount
`),
  )('include $fault', ({ fault, changes }) => {
    const faults = faultsOf(changes).map(({ path, code, message }) => `${path} ${code} ${message}`);
    expect(faults).toContain(fault);
    expect(faults.filter((other) => other.split(' ')[0] === fault.split(' ')[0])).toEqual([fault]);
  });

  it('include rate bands if a formula reads the rate (R2, S2)', () => {
    const message =
      'must be left out: the formulas of Own type take one rate, from InterestPercent or MultipleInterestRates';
    const types = [
      'Interest = RemainingValue / 100; Principal Linear',
      'Interest Linear; Principal Linear; Rate = InterestPercent',
    ];
    for (const columns of types) {
      expect(outcomeWith(after(columns), withBands([0]))).toMatchObject({
        kind: 'refused',
        faults: [{ message }],
      });
    }
    const amounts = after('Interest Linear; Principal Linear; Half = Amount / 2');
    expect(outcomeWith(amounts, withBands([0])).kind).toBe('schedule');
  });

  const [ZERO, PART] = [{ installmentValue: decimal(0) }, { principalValue: decimal(300) }];
  it.each<[formula: string, fault: string, sufficient: Changes]>([
    ['LockedInstallment', 'installmentValue is missing; must', ZERO],
    ['LockedPrincipal', 'principalValue is missing; must', PART],
    ['LockedInstallment + LockedPrincipal', 'installmentValue is missing; it or principalValue must', PART],
  ])('include a missing fixed amount that the formula %s reads (S2)', (formula, fault, sufficient) => {
    const custom = { InstallmentValueCustom: true };
    const record = after(`Interest Linear; PMT = ${formula}; Principal Balance`, custom);
    const outcome = outcomeWith(record);
    const faults = outcome.kind === 'refused' ? outcome.faults : [];
    const found = faults.map(({ path, message }) => `${path} ${message}`);
    expect(found).toEqual([`${fault} be sent with Own type`]);
    expect(outcomeWith(record, sufficient).kind).toBe('schedule');
  });

  it('exclude an expiry and a capitalisation if the schedule type is unknown', () => {
    const unknown = { ScheduleType: 'None', CapitalPercent: decimal(10), InterestCapitalization: 1 } as const;
    expect(faultPaths(unknown)).toEqual(['ScheduleType']);
  });

  it('include the fields of an unknown schedule type', () => {
    const changes = { ScheduleType: 'None', installmentValue: decimal(-1), ...withBands([-1]) };
    expect(faultCodes(changes)).toEqual([
      'ScheduleType unknown-schedule-type',
      'BandedInterestRates[0].MinUtilizedAmount out-of-range',
      'installmentValue out-of-range',
    ]);
  });

  it('include faults of dates only for the supported years', () => {
    const early = { MaturityDate: toCalendarDate(1900, 1, 2) };
    expect(faultPaths({ ...early, ActivationDate: toCalendarDate(1900, 1, 1) })).toEqual(['MaturityDate']);
    expect(faultPaths({ ...early, ActivationDate: toCalendarDate(1899, 12, 31) })).toEqual([]);
    expect(faultPaths({ ActivationDate: toCalendarDate(2999, 12, 31) })).toEqual(['InstallmentsNo']);
    expect(faultPaths({ ActivationDate: toCalendarDate(3000, 1, 1) })).toEqual([]);
    expect(faultPaths({ ...early, ActivationDate: undefined })).toEqual([]);
  });
});

describe('faults of fields out of range (M6, E1, E3)', () => {
  it.each<[string, Changes]>([
    ['Amount out-of-range', { Amount: decimal(Number.NaN) }],
    ['Amount amount-too-large', { Amount: decimal('10000000000000.01') }],
    [
      'Amount amount-too-large',
      { Amount: decimal('1e13'), PeriodicityType: 'Annual', MultipleInterestRates: [HIGH, HIGH_LATER] },
    ],
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
    ['HolidayCountry unknown-calendar', { HolidayCountry: 'RO' }],
    ['InstallmentMethod unknown-value', { InstallmentMethod: 'SameMonth' }],
    ['InstallmentDay out-of-range', { InstallmentDay: 0 }],
    ['InstallmentDay out-of-range', { InstallmentDay: 32 }],
    ['FirstDueDate date-order', { FirstDueDate: date('2025-01-01') }],
    ['EarlyRepayments[0].Amount too-many-decimals', prepaid('2025-02-16', 0.001)],
    ['EarlyRepayments[0].Date date-order', prepaid('2025-01-01', 300)],
    ['EarlyRepayments[0].Date date-order', { installmentValue: decimal(600), ...prepaid('2025-04-15', 1) }],
    ['InterestPercent rate-too-low', { InterestPercent: decimal(-1200), MultipleInterestRates: OPEN }],
    ['InterestPercent out-of-range', { InterestPercent: decimal(2e5), MultipleInterestRates: OPEN }],
    ['MultipleInterestRates[0].ToInstNo out-of-range', { MultipleInterestRates: [{ ToInstNo: 5 }] }],
    ['MultipleInterestRates[0].FromInstNo out-of-range', { MultipleInterestRates: [{ FromInstNo: 0 }] }],
    ['ProductType product-type-mismatch', { ProductType: 'credit card' }],
    ['InterestPercent rate-too-low', { ScheduleType: 'EffectiveRate', InterestPercent: decimal(-100) }],
    ['BandedInterestRates[0].Value missing', { ...NO_RATE, BandedInterestRates: [{}] }],
    ['BandMethod unknown-value', { ...withBands([0]), BandMethod: 'Half' }],
    [
      'MultipleInterestRates[0].InterestRate rate-too-low',
      { ...NO_RATE, MultipleInterestRates: [{ InterestRate: decimal(-1200) }] },
    ],
    ['Commission not-allowed', { ScheduleType: 'Deposit', Commission: [fee()] }],
    ['BlockAmount out-of-range', { ...BLOCKED, BlockAmount: decimal('600.01') }],
  ])('consist of %s for %o', (code, changes) => {
    expect(faultCodes(changes)).toEqual([code]);
  });

  it('are absent at the limits', () => {
    expect(scheduleOf({ InstallmentsNo: 1200 }).rows).toHaveLength(1200);
    expect(scheduleOf({ Amount: decimal('0.01') }).rows[0]?.remainingValue).toBe(1);
    expect(scheduleOf({ InterestPercent: decimal(100_000) }).rows).toHaveLength(4);
    expect(scheduleOf({ InterestPercent: decimal('-1199.99') }).rows).toHaveLength(4);
    expect(scheduleOf(withBands([0, 1000])).rows).toHaveLength(4);
    expect(scheduleOf({ Amount: decimal('10000000000000') }).rows).toHaveLength(4);
    expect(scheduleOf({ ...BLOCKED, BlockAmount: decimal(600) }).rows).toHaveLength(4);
    const most = { ContractPeriod: 4, Precision: 10, GracePeriodInterest: 3, GracePeriodPrincipal: 3 };
    expect(scheduleOf({ ...most, ResidualValue: decimal(1000) }).rows).toHaveLength(5);
    expect(scheduleOf({ InterestPercent: decimal('1e-30') }).rows).toHaveLength(4);
    expect(scheduleOf({ ...CARD, CapitalPercent: decimal(100) }).rows[0]?.principal).toBe(100_000);
    expect(scheduleOf(prepaid('2025-02-16', 753.72)).rows.at(-1)?.principal).toBe(75_372);
    expect(scheduleOf({ ...CARD, CapitalPercent: decimal(0) }).rows[3]?.principal).toBe(100_000);
    const effective = { ScheduleType: 'EffectiveRate', InterestPercent: decimal(-99) };
    expect(scheduleOf({ ...effective, Amount: decimal(30_000) }).rows).toHaveLength(4);
  });

  it('have status 400 only if a mandatory field is missing', () => {
    expect(faultsOf({ InterestPercent: undefined })[0]?.status).toBe(400);
    expect(faultsOf({ InstallmentsNo: 0 })[0]?.status).toBe(422);
  });

  it('include more rows than the caller accepts', () => {
    const [fault] = faultsOf({ InstallmentsNo: 121 }, 120);
    expect(fault).toMatchObject({ path: 'InstallmentsNo', code: 'too-many-rows' });
  });

  it('exclude names in other letters and codes of schedule and product types (S1, S4)', () => {
    for (const ScheduleType of ['equalinstallments', 'EQUALINSTALLMENTS', 'ei', ' EqualInstallments ']) {
      expect(scheduleOf({ ScheduleType }).rows).toHaveLength(4);
    }
    for (const ProductType of ['TL', 'mg', 'c', 'term loan', 'MORTGAGE']) {
      expect(scheduleOf({ ProductType }).rows).toHaveLength(4);
    }
  });
});

const OVERDRAFT = { ScheduleType: 'Overdraft', ExpiryDateForOD: date('2025-03-01') } as const;
const ON_UNUSED = fee({ SourcePercent: decimal(1), PercentAppliedTo: 'UnusedAmount' });
const unusedUntilMarch = (charge: Parameters<typeof fee>[0]): Changes => ({
  UnusedAmount: decimal(400),
  ExpiryDateForOD: OVERDRAFT.ExpiryDateForOD,
  Commission: [ON_UNUSED, fee({ ...charge, IsForUnusage: true })],
});
const RUNNING = { LastDueDate: date('2025-02-01') } as const;
const FIRST = { InstallmentMethod: 'NextMonth', FirstDueDate: date('2025-02-01') } as const;
const RO = { calendars: { find: () => calendarNamed('RO') } };
const SHIFT = { HolidayShift: true, HolidayCountry: 'RO' } as const;
const HELD = { IsLocked: true, BlockInterestAmount: decimal(1), GracePeriodInterest: 2 } as const;
const MATURITY = { MaturityDate: date('2025-05-20') } as const;
const ONCE = { PeriodicityType: 'Once', InstallmentsNo: 1, FirstDueDate: date('2025-02-01') } as const;

const band = (value: number, min: number, max?: number) => ({
  Value: decimal(value),
  MinUtilizedAmount: decimal(min),
  MaxUtilizedAmount: max === undefined ? undefined : decimal(max),
});
const bands = (first: ReturnType<typeof band>, ...others: readonly ReturnType<typeof band>[]): Changes => ({
  InterestPercent: undefined,
  BandedInterestRates: [first, ...others],
});

describe('fields whose values mean the same as an absent field', () => {
  it('are accepted and do not change figures', () => {
    const [absent] = readSentCases(`as absent
      GracePeriodInterest = 0; GracePeriodPrincipal = 0; BlockInstallmentNo = 0; IsLocked = false; HolidayShift = false
      DeferDueDate = false; RealInstallmentNo = 4; installmentValue = 0; principalValue = 0; ResidualValue = 0
      ResidualInInstallment = false; Commission = []; Insurance = []; MultipleInterestRates = []; Explain = false
      BandedInterestRates = []; EarlyRepayments = []; AllowNegativeAmortisation = false; AdvanceAmount = 0
      ContractPeriod = 0; CapitalPercent = 0; InterestCapitalization = 0; Currency = "EUR"`);
    expect(Object.keys(absent?.sent ?? {})).toHaveLength(23);
    const schedule = scheduleOf(typedFields(absent?.sent ?? {}));
    expect(schedule.warnings).toEqual([]);
    expect(schedule.rows).toEqual(scheduleOf().rows);
  });
});

describe('ignored fields (E5, X2)', () => {
  it.each<[string, Changes]>([
    ['AdvanceAmount', { AdvanceAmount: decimal(100) }],
    ['Currency', { Currency: 'EUR', Precision: 2 }],
    ['InterestCapitalization', { InterestCapitalization: 1 }],
    ['CapitalPercent', { CapitalPercent: decimal(5) }],
    ['ExpiryDateForOD', { ExpiryDateForOD: date('2026-01-01') }],
    ['StartDateForUnusage', { StartDateForUnusage: date('2025-01-01') }],
    ['UnusedAmount', { UnusedAmount: decimal(400) }],
    ['HolidayMethod', { HolidayMethod: 'forward' }],
    ['HolidayCountry', { ...SHIFT, HolidayShift: false }],
    ['DeferDueDate', { DeferDueDate: true }],
    ['IsLocked', { IsLocked: true }],
    ['BlockAmount', { BlockAmount: decimal(100), IsLocked: false }],
    ['BlockInterestAmount', { BlockInterestAmount: decimal(1) }],
    ['InstallmentMethod', FIRST],
    ['ResidualInInstallment', { ResidualInInstallment: true }],
    ['GraceType', { GraceType: 'Spread' }],
    ['BandMethod', { BandMethod: 'Whole' }],
    ['AllowNegativeAmortisation', { AllowNegativeAmortisation: true }],
    ['InterestPercent', { MultipleInterestRates: [{ InterestRate: decimal(12) }] }],
  ])('are reported and do not change figures: %s', (path, changes) => {
    const schedule = scheduleOf(changes, RO);
    expect(schedule.warnings).toEqual([{ code: 'no-effect', path }]);
    expect(schedule.rows).toEqual(scheduleOf().rows);
  });

  it.each<[string, Changes]>([
    ['', { CalculateDAE: 1, UpFrontValue: decimal(10) }],
    ['UpFrontValue', { CalculateDAE: 0, UpFrontValue: decimal(10) }],
    ['', { CalculateDAE: 0, UpFrontValue: decimal(0) }],
    ['UpFrontValue', { ...RUNNING, ActivationDate: undefined, UpFrontValue: decimal(10) }],
    ['ActivationDate', RUNNING],
    ['', OVERDRAFT],
    ['MaturityDate', { ...OVERDRAFT, MaturityDate: date('2025-02-20') }],
    ['', unusedUntilMarch({ SourcePercent: decimal(1) })],
    ['Commission[1].IsForUnusage ExpiryDateForOD', unusedUntilMarch({})],
    ['', { GraceType: 'Spread', GracePeriodInterest: 1 }],
    ['', { AllowNegativeAmortisation: true, installmentValue: decimal(300) }],
    ['', CARD],
    ['', { ScheduleType: 'Deposit', InterestCapitalization: 1 }],
    ['', { IsLocked: true, BlockAmount: decimal(1) }],
    ['', { IsLocked: true, BlockInterestAmount: decimal(1) }],
    ['BlockInterestAmount', { ...HELD, GraceType: 'Forgiven' }],
    ['', { IsLocked: true, Commission: [fee({ BlockFeeAmount: decimal(1) })] }],
    ['', { IsLocked: true, Insurance: [premium({ BlockInsuranceAmount: decimal(1) })] }],
    ['IsLocked', { IsLocked: true, Commission: [fee({ BlockFeeAmount: decimal(0) })] }],
    ['', { ...bands(band(12, 0)), BandMethod: 'Whole' }],
    ['InterestPercent', { ...bands(band(12, 0)), InterestPercent: decimal(12) }],
    ['BandedInterestRates[0].MaxUtilizedAmount', bands(band(12, 0, 500), band(12, 600))],
    ['', bands(band(12, 0, 600), band(12, 600))],
    ['', bands(band(12, 0, 599.99), band(12, 600))],
    ['HolidayMethod HolidayCountry', { HolidayCountry: 'RO', HolidayMethod: 'Forward' }],
    ['', { ...SHIFT, HolidayMethod: 'Nearest', DeferDueDate: true }],
    ['HolidayCountry DeferDueDate', { ...SHIFT, HolidayMethod: 'NONE', DeferDueDate: true }],
    ['InstallmentMethod', { InstallmentMethod: 'NextMonth', PeriodicityType: 'Daily' }],
    ['InstallmentMethod', { InstallmentMethod: 'NextMonth', PeriodicityType: 'Semimonthly' }],
    ['', { InstallmentMethod: 'NextMonth' }],
    ['FirstDueDate', { ...ONCE, ...MATURITY }],
    ['', ONCE],
    ['', { ContractPeriod: 4 }],
    ['ContractPeriod', { ...ONCE, ContractPeriod: 36_525 }],
    ['', MATURITY],
    ['', { MultipleInterestRates: OPEN }],
  ])('are reported as "%s" for %j', (paths, changes) => {
    expect(
      scheduleOf(changes, RO)
        .warnings.map(({ path }) => path)
        .join(' '),
    ).toBe(paths);
  });

  it('include a maturity that the schedule type ignores (D5)', () => {
    const record = recordOf(undefined, { UseMaturityDate: false });
    for (const changes of [MATURITY, { ...ONCE, ...MATURITY }]) {
      const warnings = [{ code: 'no-effect', path: 'MaturityDate' }];
      expect(outcomeWith(record, changes)).toMatchObject({ kind: 'schedule', warnings });
    }
  });
});

describe('rate ranges and bands (R1, R2)', () => {
  it('use InterestPercent where a range has no rate', () => {
    const ranges = { MultipleInterestRates: [{ ToInstNo: 2 }, { InterestRate: decimal(24) }] };
    expect(column(scheduleOf(ranges), 'pmt')).toEqual(['256.28', '256.28', '260.09', '260.09']);
  });

  it('determine always the same one of several payments if the whole balance earns less in a higher band', () => {
    const rates = [12.09, 10.96, 8.16];
    const BandedInterestRates = [0, 161, 621].map((from, index) => ({
      MinUtilizedAmount: decimal(from),
      Value: decimal(rates[index] ?? 0),
    }));
    const terms = { Amount: decimal('2101.67'), InstallmentsNo: 25, BandedInterestRates };
    const schedule = scheduleOf({ ...NO_RATE, ...terms, BandMethod: 'Whole' });
    expect(new Set(column(schedule, 'pmt').slice(0, -1))).toEqual(new Set(['91.92']));
  });
});

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
  it('never change', () => {
    expect(INSTALLMENT_TYPE_IDS).toEqual({
      Regular: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c01',
      Grace: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c02',
      Residual: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c03',
      EarlyRepayment: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c04',
    });
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

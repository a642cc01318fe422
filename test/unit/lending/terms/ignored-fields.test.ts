import { describe, expect, it } from 'vitest';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { fee, premium } from '../../../support/builders/lending-charges.ts';
import { calendarNamed } from '../../../support/builders/lending-calendar.ts';
import { date, decimal, loan, REQUEST_DAY } from '../../../support/builders/lending-loan.ts';
import { LEVEL_COLUMNS, outcomeWith, recordOf } from '../../../support/builders/schedule-type-records.ts';

type Changes = Partial<RepaymentScheduleRequest>;

const calendars = { find: () => calendarNamed('RO') };

function scheduleOf(changes: Changes = {}) {
  const outcome = calculateRepaymentSchedule(loan(changes), { requestDay: REQUEST_DAY, calendars });
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome;
}

const CARD = { ScheduleType: 'CreditCard', CapitalPercent: decimal(10) } as const;
const OVERDRAFT = { ScheduleType: 'Overdraft', ExpiryDateForOD: date('2025-03-01') } as const;
const RUNNING = { LastDueDate: date('2025-02-01') } as const;
const FIRST = { InstallmentMethod: 'NextMonth', FirstDueDate: date('2025-02-01') } as const;
const SHIFT = { HolidayShift: true, HolidayCountry: 'RO' } as const;
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
      AdvanceAmount: decimal(0),
      ContractPeriod: 0,
      CapitalPercent: decimal(0),
      InterestCapitalization: 0,
      Currency: 'EUR',
    });
    expect(schedule.warnings).toEqual([]);
    expect(schedule.rows).toEqual(scheduleOf().rows);
  });
});

describe('ignored fields (E5, X2)', () => {
  it.each<[string, Changes]>([
    ['AdvanceAmount', { AdvanceAmount: decimal(100) }],
    ['ContractPeriod', { ContractPeriod: 4 }],
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
  ])('are reported and do not change figures: %s', (path, changes) => {
    const schedule = scheduleOf(changes);
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
    ['', { GraceType: 'Spread', GracePeriodInterest: 1 }],
    ['', { AllowNegativeAmortisation: true, installmentValue: decimal(300) }],
    ['', CARD],
    ['', { ScheduleType: 'Deposit', InterestCapitalization: 1 }],
    ['', { IsLocked: true, BlockAmount: decimal(1) }],
    ['', { IsLocked: true, BlockInterestAmount: decimal(1) }],
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
    ['', { InstallmentMethod: 'NextMonth' }],
    ['FirstDueDate', { ...ONCE, ...MATURITY }],
    ['', ONCE],
    ['', MATURITY],
  ])('are reported as "%s" for %j', (paths, changes) => {
    expect(
      scheduleOf(changes)
        .warnings.map(({ path }) => path)
        .join(' '),
    ).toBe(paths);
  });

  it('include a maturity that the schedule type ignores (D5)', () => {
    const record = recordOf(LEVEL_COLUMNS, { UseMaturityDate: false });
    for (const changes of [MATURITY, { ...ONCE, ...MATURITY }]) {
      const warnings = [{ code: 'no-effect', path: 'MaturityDate' }];
      expect(outcomeWith(record, changes)).toMatchObject({ kind: 'schedule', warnings });
    }
  });
});

/** Random loans without features that depend on the absolute amount, for relations between two schedules. */

import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { dayOf } from '../reference/dates.ts';
import { REFERENCE_DAY_COUNTS } from '../reference/day-count.ts';

const START = dayOf('2020-01-01');
const MINOR_PER_UNIT = 100;

/** New loans at one rate of at most 30 %, of 1000 or more, with grace, residual, shift and charges by value. */
export const plainLoan: fc.Arbitrary<RepaymentScheduleRequest> = fc
  .record({
    type: fc.constantFrom(
      'EqualInstallments',
      'EqualPrincipal',
      'InterestOnly',
      'Balloon',
      'CreditCard',
      'Leasing',
    ),
    minor: fc.integer({ min: 100_000, max: 100_000_000 }),
    rate: fc.integer({ min: 0, max: 30_000 }),
    rows: fc.integer({ min: 3, max: 40 }),
    periodicity: fc.constantFrom('Monthly', 'Monthly', 'Quarterly', 'Semestrial'),
    day: fc.integer({ min: 1, max: 31 }),
    start: fc.integer({ min: 0, max: 4_000 }),
    firstOffset: fc.option(fc.integer({ min: 5, max: 60 }), { nil: undefined }),
    dayCount: fc.constantFrom(...REFERENCE_DAY_COUNTS),
    gracePrincipal: fc.integer({ min: 0, max: 2 }),
    graceInterest: fc.integer({ min: 0, max: 2 }),
    graceType: fc.constantFrom('Deferred', 'Capitalised', 'Spread', 'Forgiven'),
    residualPercent: fc.constantFrom(0, 0, 20, 45),
    residualInRow: fc.boolean(),
    fee: fc.option(fc.integer({ min: 0, max: 5_000 }), { nil: undefined }),
    feeGrace: fc.integer({ min: 0, max: 3 }),
    feeUpfront: fc.boolean(),
    method: fc.constantFrom(
      undefined,
      'Forward',
      'Backward',
      'ModifiedForward',
      'ModifiedBackward',
      'Nearest',
    ),
    defers: fc.boolean(),
  })
  .map((terms): RepaymentScheduleRequest => {
    const start = (START + terms.start) as CalendarDate;
    const shift = { HolidayShift: true, HolidayCountry: 'Many Holidays', DeferDueDate: terms.defers };
    const fee = {
      FeeName: 'Fee',
      FeePeriodicityType: 'Quarterly',
      FeeDate: start,
      SourceValue: new Decimal(terms.fee ?? 0).div(MINOR_PER_UNIT),
      GracePeriodFee: terms.feeGrace,
      IsUpfront: terms.feeUpfront,
    };
    return {
      ScheduleType: terms.type,
      Amount: new Decimal(terms.minor).div(MINOR_PER_UNIT),
      InterestPercent: new Decimal(terms.rate).div(1_000),
      InstallmentsNo: terms.rows,
      PeriodicityType: terms.periodicity,
      InstallmentDay: terms.day,
      ActivationDate: start,
      FirstDueDate:
        terms.firstOffset === undefined ? undefined : ((start + terms.firstOffset) as CalendarDate),
      InterestCalculationMethod: terms.dayCount,
      GracePeriodPrincipal: terms.gracePrincipal,
      GracePeriodInterest: terms.graceInterest,
      GraceType: terms.graceType,
      ResidualValue: new Decimal(Math.floor((terms.minor * terms.residualPercent) / 100)).div(MINOR_PER_UNIT),
      ResidualInInstallment: terms.residualInRow,
      CapitalPercent: terms.type === 'CreditCard' ? new Decimal(7) : undefined,
      ...(terms.fee === undefined ? {} : { Commission: [fee] }),
      ...(terms.method === undefined ? {} : { ...shift, HolidayMethod: terms.method }),
    };
  });

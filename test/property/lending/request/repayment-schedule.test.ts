import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import {
  addDays,
  toCalendarDate,
  type CalendarDate,
} from '../../../../shared/lending/dates/calendar-date.ts';
import { DAY_COUNT_NAMES } from '../../../../shared/lending/dates/day-count.ts';
import { BUILT_IN_PERIODICITIES } from '../../../../shared/lending/dates/periodicity.ts';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../../../../shared/lending/request/repayment-schedule.ts';
import { difference } from '../../../support/reference/compare-with-reference.ts';
import { brokenInvariant } from '../../../support/reference/schedule-invariants.ts';

const START = toCalendarDate(2024, 1, 1);
const REQUEST_DAY = toCalendarDate(2024, 5, 17);

const REPEATING = BUILT_IN_PERIODICITIES.filter((periodicity) => periodicity.unit !== 'Once');

/** Usual rates, zero, negative rates, rates with many digits, and extreme rates. */
const ratePercent = fc.oneof(
  fc.integer({ min: 0, max: 40_000 }).map((hundredths) => new Decimal(hundredths).div(1000).toFixed()),
  fc.constant('0'),
  fc.integer({ min: -9_000, max: -1 }).map((hundredths) => new Decimal(hundredths).div(1000).toFixed()),
  fc.integer({ min: 1, max: 9_999_999 }).map((digits) => `7.${String(digits).padStart(15, '3')}`),
  fc.integer({ min: 100, max: 2_000 }).map(String),
);

interface Terms {
  readonly scheduleType: string;
  readonly minor: number;
  readonly upFront: number;
  readonly digits: number;
  readonly rate: string;
  readonly installments: number;
  readonly periodicity: (typeof REPEATING)[number];
  readonly day: number;
  readonly start: CalendarDate;
  readonly firstDueDate: CalendarDate | undefined;
  readonly dayCount: string;
  readonly calculateDae: number | undefined;
}

function termsWith(maxInstallments: number): fc.Arbitrary<Terms> {
  const start = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays(START, days - 6_000));
  return fc
    .record({
      scheduleType: fc.constantFrom('EqualInstallments', 'EqualPrincipal'),
      minor: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 100_000_000_00 })),
      upFrontShare: fc.integer({ min: 0, max: 20 }),
      digits: fc.constantFrom(0, 2, 2, 2, 3),
      rate: ratePercent,
      installments: fc.integer({ min: 1, max: maxInstallments }),
      periodicity: fc.constantFrom(...REPEATING),
      day: fc.oneof(fc.integer({ min: 1, max: 31 }), fc.constantFrom(29, 30, 31)),
      start,
      firstOffset: fc.option(fc.integer({ min: 1, max: 80 }), { nil: undefined }),
      dayCount: fc.constantFrom(...DAY_COUNT_NAMES),
      calculateDae: fc.constantFrom(undefined, 0, 1, 2),
    })
    .map(({ upFrontShare, firstOffset, ...terms }) => ({
      ...terms,
      upFront: Math.floor((terms.minor * upFrontShare) / 100),
      firstDueDate: firstOffset === undefined ? undefined : addDays(terms.start, firstOffset),
    }));
}

function requestOf(terms: Terms): RepaymentScheduleRequest {
  const unit = new Decimal(10).pow(-terms.digits);
  return {
    ScheduleType: terms.scheduleType,
    InterestPercent: new Decimal(terms.rate),
    Amount: new Decimal(terms.minor).times(unit),
    UpFrontValue: new Decimal(terms.upFront).times(unit),
    InstallmentsNo: terms.installments,
    PeriodicityType: terms.periodicity.name,
    InstallmentDay: terms.day,
    ActivationDate: terms.start,
    FirstDueDate: terms.firstDueDate,
    InterestCalculationMethod: terms.dayCount,
    Precision: terms.digits,
    CalculateDAE: terms.calculateDae,
  };
}

function scheduleOf(terms: Terms): RepaymentSchedule | undefined {
  const outcome = calculateRepaymentSchedule(requestOf(terms), { requestDay: REQUEST_DAY });
  if (outcome.kind === 'schedule') return outcome;
  const codes = outcome.faults.map((fault) => fault.code);
  expect(codes.every((code) => code === 'rate-too-low' || code === 'amount-too-large')).toBe(true);
  return undefined;
}

describe('calculateRepaymentSchedule for random terms', () => {
  it('equals a simple decimal calculation to the minor unit and satisfies M3, also at extreme rates', () => {
    let compared = 0;
    fc.assert(
      fc.property(termsWith(60), (terms) => {
        const schedule = scheduleOf(terms);
        if (schedule === undefined) return;
        compared += 1;
        const request = requestOf(terms);
        expect([difference(request), brokenInvariant(request, schedule)]).toEqual([undefined, undefined]);
      }),
      { numRuns: 400 },
    );
    expect(compared).toBeGreaterThan(250);
  });
});

describe('effective rates', () => {
  it('lie between the rounding boundaries around their last digit, calculated with 60 digits', () => {
    let compared = 0;
    fc.assert(
      fc.property(termsWith(12), (terms) => {
        const schedule = scheduleOf(terms);
        if ((schedule?.dae ?? schedule?.eir ?? null) === null) return;
        compared += 1;
        expect(difference(requestOf(terms), true)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
    expect(compared).toBeGreaterThan(90);
  });
});

describe('invalid input', () => {
  it('is refused with faults; the calculation never throws', () => {
    const wildCount = fc.oneof(
      fc.double(),
      fc.integer(),
      fc.constantFrom(0, -1, 1201, 10_000, Number.NaN, Infinity),
    );
    const wildAmount = fc.oneof(
      fc.double().map((value) => new Decimal(value)),
      fc
        .constantFrom('1e30', '-5', '0', '1e-300', '1e9000', 'NaN', 'Infinity')
        .map((text) => new Decimal(text)),
    );
    const request = fc.record(
      {
        ScheduleType: fc.oneof(fc.string(), fc.constant('EqualInstallments')),
        InterestPercent: fc.option(wildAmount, { nil: undefined }),
        Amount: wildAmount,
        InstallmentsNo: wildCount,
        PeriodicityType: fc.oneof(fc.string(), fc.constantFrom('Monthly', 'Once', 'Annual')),
        InstallmentDay: wildCount,
        CalculateDAE: wildCount,
        Precision: wildCount,
        Currency: fc.string(),
        UpFrontValue: wildAmount,
        ResidualValue: wildAmount,
        GracePeriodInterest: wildCount,
        CapitalPercent: wildAmount,
        ActivationDate: fc
          .integer({ min: -25_567, max: 376_200 })
          .map((day) => addDays(toCalendarDate(1970, 1, 1), day)),
        MaturityDate: fc
          .integer({ min: -25_567, max: 376_200 })
          .map((day) => addDays(toCalendarDate(1970, 1, 1), day)),
      },
      { requiredKeys: ['ScheduleType', 'Amount', 'InstallmentsNo', 'PeriodicityType', 'InstallmentDay'] },
    );
    const kinds = { schedule: 0, refused: 0 };
    fc.assert(
      fc.property(request, (wild) => {
        const outcome = calculateRepaymentSchedule(wild, { requestDay: REQUEST_DAY });
        kinds[outcome.kind] += 1;
        return outcome.kind === 'schedule' || outcome.faults.length > 0;
      }),
      { numRuns: 2_000 },
    );
    expect(kinds.refused).toBeGreaterThan(1_000);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  toCalendarDate,
  type CalendarDate,
} from '../../../../shared/lending/dates/calendar-date.ts';
import type { BusinessCalendar } from '../../../../shared/lending/calendars/business-calendar.ts';
import { BUILT_IN_PERIODICITIES, type Periodicity } from '../../../../shared/lending/dates/periodicity.ts';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import type { ScheduleDates } from '../../../../shared/lending/due-dates/schedule-dates.ts';
import { calendarsOf, datesFor } from '../../../support/reference/schedule-dates.ts';

const EARLIEST_START = toCalendarDate(2000, 1, 1);
const DAY_MS = 86_400_000;
const REPEATING = BUILT_IN_PERIODICITIES.filter((periodicity) => periodicity.unit !== 'Once');
const METHODS = ['Forward', 'Backward', 'ModifiedForward', 'ModifiedBackward', 'Nearest'] as const;
const UNSHIFTED = { HolidayShift: undefined, HolidayCountry: undefined, HolidayMethod: undefined } as const;

type Method = (typeof METHODS)[number];

interface Contract {
  readonly request: Partial<RepaymentScheduleRequest> & { readonly ActivationDate: CalendarDate };
  readonly periodicity: Periodicity;
  readonly method: Method;
  readonly calendar: BusinessCalendar;
}

/** A calendar with two weekend days a week and pseudo-random holidays, up to a third of all days. */
function calendarWith(weekendFrom: number, seed: number, share: number): BusinessCalendar {
  const isOff = (day: number) => [0, 1].includes((((day - weekendFrom) % 7) + 7) % 7);
  const isHoliday = (day: number) => Math.abs(day * 2_654_435 + seed * 40_503) % 100 < share;
  return { name: 'RANDOM', version: '1', isWorkingDay: (day) => !isOff(day) && !isHoliday(day) };
}

const contracts: fc.Arbitrary<Contract> = fc
  .record({
    periodicity: fc.constantFrom(...REPEATING),
    method: fc.constantFrom(...METHODS),
    weekendFrom: fc.integer({ min: 0, max: 6 }),
    seed: fc.integer({ min: 0, max: 99 }),
    share: fc.integer({ min: 0, max: 33 }),
    day: fc.oneof(fc.integer({ min: 1, max: 31 }), fc.constantFrom(29, 30, 31)),
    start: fc.integer({ min: 0, max: 10_000 }),
    firstOffset: fc.option(fc.integer({ min: 1, max: 70 }), { nil: undefined }),
    installments: fc.integer({ min: 2, max: 40 }),
    isDeferred: fc.boolean(),
    monthMethod: fc.constantFrom('ActualMonth', 'NextMonth', undefined),
  })
  .map((terms) => {
    const start = addDays(EARLIEST_START, terms.start);
    return {
      periodicity: terms.periodicity,
      method: terms.method,
      calendar: calendarWith(terms.weekendFrom, terms.seed, terms.share),
      request: {
        ActivationDate: start,
        FirstDueDate: terms.firstOffset === undefined ? undefined : addDays(start, terms.firstOffset),
        PeriodicityType: terms.periodicity.name,
        InstallmentDay: terms.day,
        InstallmentsNo: terms.installments,
        InstallmentMethod: terms.monthMethod,
        HolidayShift: true,
        HolidayCountry: 'RANDOM',
        HolidayMethod: terms.method,
        DeferDueDate: terms.isDeferred,
      },
    };
  });

function datesOf(
  { request, calendar }: Contract,
  changes: Partial<RepaymentScheduleRequest> = {},
): ScheduleDates {
  return datesFor({ ...request, ...changes }, { calendars: calendarsOf([calendar]) });
}

/** Due dates from the first one on, by the calendar of the host (D4). */
function plainDueDates({ request, periodicity }: Contract, first: number): readonly number[] {
  const { unit, count } = periodicity;
  const firstDay = new Date(first * DAY_MS);
  const months = unit === 'Years' ? count * 12 : count;
  return Array.from({ length: request.InstallmentsNo ?? 0 }, (_, row) => {
    if (row === 0) return first;
    if (unit === 'Days' || unit === 'Weeks') return first + row * count * (unit === 'Days' ? 1 : 7);
    const month = firstDay.getUTCMonth() + row * months;
    const lastDay = new Date(Date.UTC(firstDay.getUTCFullYear(), month + 1, 0)).getUTCDate();
    const day = Math.min(request.InstallmentDay ?? 0, lastDay);
    return Date.UTC(firstDay.getUTCFullYear(), month, day) / DAY_MS;
  });
}

function monthOf(day: number): number {
  return new Date(day * DAY_MS).getUTCMonth();
}

/** The shifted date by H1, found among the business days around it. */
function plainShift({ method, calendar }: Contract, due: number, start: number): number {
  const isOpen = (day: number) => calendar.isWorkingDay(addDays(EARLIEST_START, day - EARLIEST_START));
  if (isOpen(due)) return due;
  const near = Array.from({ length: 101 }, (_, index) => due - 50 + index).filter(isOpen);
  const later = near.find((day) => day > due) ?? Number.NaN;
  const earlier = near.findLast((day) => day < due) ?? Number.NaN;
  const chosen: Record<Method, number> = {
    Forward: later,
    Backward: earlier,
    ModifiedForward: monthOf(later) === monthOf(due) ? later : earlier,
    ModifiedBackward: monthOf(earlier) === monthOf(due) ? earlier : later,
    Nearest: due - earlier < later - due ? earlier : later,
  };
  return chosen[method] <= start ? later : chosen[method];
}

describe('planned and shifted due dates', () => {
  it('equal those of a simple calculation; shifts never affect planned dates (D4, H1)', () => {
    fc.assert(
      fc.property(contracts, (contract) => {
        const dates = datesOf(contract);
        expect(dates.dueDates).toEqual(datesOf(contract, UNSHIFTED).dueDates);
        expect(dates.dueDates).toEqual(plainDueDates(contract, dates.dueDates[0] ?? 0));
        const { ActivationDate } = contract.request;
        expect(dates.shownDates).toEqual(
          dates.dueDates.map((due) => plainShift(contract, due, ActivationDate)),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('increase from row to row; no shifted date precedes that of the previous row', () => {
    fc.assert(
      fc.property(contracts, (contract) => {
        const { accrualStart, accrualDates, dueDates, shownDates, startDate } = datesOf(contract);
        for (const row of dueDates.keys()) {
          expect(dueDates[row]).toBeGreaterThan(dueDates[row - 1] ?? startDate);
          expect(shownDates[row]).toBeGreaterThanOrEqual(shownDates[row - 1] ?? startDate + 1);
          expect(accrualDates[row]).toBeGreaterThanOrEqual(accrualDates[row - 1] ?? accrualStart + 1);
        }
      }),
      { numRuns: 300 },
    );
  });
});

function settledRowsOf({ request }: Contract, share: number): number {
  const most = (request.InstallmentsNo ?? 0) - 1;
  return Math.max(1, Math.round(share * most));
}

/**
 * Checks that the remaining rows have the same dates, except that no date is shifted to their start or an earlier day
 * (H1).
 */
function expectSameRows(contract: Contract, original: ScheduleDates, again: ScheduleDates): void {
  const { settledRows, startDate } = again;
  expect(again.dueDates).toEqual(original.dueDates.slice(settledRows));
  for (const [row, shown] of again.shownDates.entries()) {
    const before = original.shownDates[settledRows + row] ?? 0;
    const due = again.dueDates[row] ?? 0;
    const turned = before < due && before <= startDate;
    expect(shown).toBe(turned ? plainShift(contract, due, startDate) : before);
  }
}

describe('a recalculation with the original first due date (X1)', () => {
  const settled = fc.record({ contract: contracts, share: fc.double({ min: 0, max: 1, noNaN: true }) });

  it('returns the same dates and periods for the shifted date of the last settled row', () => {
    let moved = 0;
    fc.assert(
      fc.property(settled, ({ contract, share }) => {
        const original = datesOf(contract);
        const BlockInstallmentNo = settledRowsOf(contract, share);
        const LastDueDate = original.shownDates[BlockInstallmentNo - 1];
        const FirstDueDate = original.dueDates[0];
        const again = datesOf(contract, { BlockInstallmentNo, LastDueDate, FirstDueDate });
        expectSameRows(contract, original, again);
        expect(again.startDate).toBe(LastDueDate);
        expect(again.accrualStart).toBe(original.accrualDates[BlockInstallmentNo - 1]);
        const turned = again.shownDates[0] !== original.shownDates[BlockInstallmentNo] ? 1 : 0;
        expect(again.regularMonths.slice(turned)).toEqual(
          original.regularMonths.slice(BlockInstallmentNo + turned),
        );
        if (LastDueDate !== original.dueDates[BlockInstallmentNo - 1]) moved += 1;
      }),
      { numRuns: 600 },
    );
    expect(moved).toBeGreaterThan(100);
  });

  it('returns the same dates for the unshifted date of the last settled row, with and without shifting', () => {
    fc.assert(
      fc.property(settled, ({ contract, share }) => {
        const original = datesOf(contract);
        const BlockInstallmentNo = settledRowsOf(contract, share);
        const LastDueDate = original.dueDates[BlockInstallmentNo - 1];
        const members = { BlockInstallmentNo, LastDueDate, FirstDueDate: original.dueDates[0] };
        const again = datesOf(contract, members);
        expectSameRows(contract, original, again);
        expect(again.accrualStart).toBe(LastDueDate);
        const plain = datesOf(contract, { ...members, ...UNSHIFTED });
        expect(plain.dueDates).toEqual(again.dueDates);
        expect(plain.regularMonths).toEqual(
          datesOf(contract, UNSHIFTED).regularMonths.slice(BlockInstallmentNo),
        );
      }),
      { numRuns: 400 },
    );
  });

  it('counts months from the installment day without FirstDueDate', () => {
    let moved = 0;
    const monthly = settled.filter(({ contract }) => contract.periodicity.unit === 'Months');
    fc.assert(
      fc.property(monthly, ({ contract, share }) => {
        const original = datesOf(contract);
        // The first date may lie on any day; later ones lie on the installment day.
        const BlockInstallmentNo = Math.max(2, settledRowsOf(contract, share));
        if (BlockInstallmentNo >= original.dueDates.length) return;
        const LastDueDate = original.shownDates[BlockInstallmentNo - 1];
        const members = { FirstDueDate: undefined, InstallmentMethod: undefined };
        const again = datesOf(contract, { BlockInstallmentNo, LastDueDate, ...members });
        expectSameRows(contract, original, again);
        expect(again.accrualStart).toBe(original.accrualDates[BlockInstallmentNo - 1]);
        if (LastDueDate !== original.dueDates[BlockInstallmentNo - 1]) moved += 1;
      }),
      { numRuns: 300 },
    );
    expect(moved).toBeGreaterThan(50);
  });
});

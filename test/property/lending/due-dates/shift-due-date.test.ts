import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOLIDAY_METHODS, shiftDueDate } from '../../../../shared/lending/due-dates/shift-due-date.ts';
import {
  addDays,
  type CalendarDate,
  toCalendarDate,
  toDateParts,
} from '../../../../shared/lending/dates/calendar-date.ts';
import { BUILT_IN_CALENDARS } from '../../../../shared/lending/calendars/built-in-calendars.ts';
import { calendarNamed } from '../../../support/builders/lending-calendar.ts';

const NAMES = BUILT_IN_CALENDARS.map((data) => data.name);
const anyCalendar = fc
  .uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 8 })
  .map((names) => calendarNamed(names.join('+')));
const anyDate = fc
  .integer({ min: toCalendarDate(1990, 1, 1), max: toCalendarDate(2080, 12, 31) })
  .map((day) => day as CalendarDate);
const anyMethod = fc.constantFrom(...HOLIDAY_METHODS.filter((method) => method !== 'None'));
/** A due date and a start on or before it. */
const contract = fc.tuple(anyDate, fc.integer({ min: 0, max: 40 })).map(([due, days]) => ({
  due,
  start: addDays(due, -days),
}));

const monthOf = (date: CalendarDate): string => `${toDateParts(date).year}-${toDateParts(date).month}`;

describe('shiftDueDate (H1)', () => {
  it('returns a business day after the start, and does not shift it again', () => {
    fc.assert(
      fc.property(anyCalendar, contract, anyMethod, (calendar, { due, start }, method) => {
        const shifted = shiftDueDate(due, method, calendar, start);
        expect(calendar.isWorkingDay(shifted)).toBe(true);
        expect(shifted === due || shifted > start).toBe(true);
        expect(shiftDueDate(shifted, method, calendar, start)).toBe(shifted);
      }),
    );
  });

  it('does not skip a business day', () => {
    fc.assert(
      fc.property(anyCalendar, contract, anyMethod, (calendar, { due, start }, method) => {
        const shifted = shiftDueDate(due, method, calendar, start);
        const step = Math.sign(shifted - due);
        for (let day = due; day !== shifted; day = addDays(day, step)) {
          expect(calendar.isWorkingDay(day)).toBe(false);
        }
      }),
    );
  });

  it('stays in the month with the modified methods, unless the start prevents it', () => {
    fc.assert(
      fc.property(
        anyCalendar,
        anyDate,
        fc.constantFrom('ModifiedForward', 'ModifiedBackward'),
        (calendar, due, method) => {
          const shifted = shiftDueDate(due, method, calendar, addDays(due, -60));
          expect(monthOf(shifted)).toBe(monthOf(due));
        },
      ),
    );
  });

  it('shifts no farther with Nearest than forward or backward', () => {
    fc.assert(
      fc.property(anyCalendar, anyDate, (calendar, due) => {
        const start = addDays(due, -60);
        const moved = (method: 'Forward' | 'Backward' | 'Nearest'): number =>
          Math.abs(shiftDueDate(due, method, calendar, start) - due);
        expect(moved('Nearest')).toBe(Math.min(moved('Forward'), moved('Backward')));
      }),
    );
  });

  it('preserves the order of due dates', () => {
    fc.assert(
      fc.property(
        anyCalendar,
        anyDate,
        fc.integer({ min: 1, max: 20 }),
        anyMethod,
        (calendar, due, days, method) => {
          const start = addDays(due, -60);
          const later = shiftDueDate(addDays(due, days), method, calendar, start);
          expect(later).toBeGreaterThanOrEqual(shiftDueDate(due, method, calendar, start));
        },
      ),
    );
  });
});

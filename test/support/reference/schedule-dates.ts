import { addDays, formatCalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { BusinessCalendar } from '../../../shared/lending/calendars/business-calendar.ts';
import { findPeriodicity, type Periodicity } from '../../../shared/lending/dates/periodicity.ts';
import { Validation } from '../../../shared/lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import {
  planScheduleDates,
  type DateContext,
  type ScheduleDates,
} from '../../../shared/lending/due-dates/schedule-dates.ts';
import { date, loan, REQUEST_DAY } from '../builders/lending-loan.ts';
import { weekdays } from '../fakes/calendars.ts';

/** A calendar with weekends on Saturday and Sunday, and the given holidays. */
export function weekendCalendar(holidays: readonly string[] = [], name = 'WEEKENDS'): BusinessCalendar {
  const closed = new Set(holidays.map((text) => date(text)));
  return { name, version: '1', isWorkingDay: (day) => weekdays(day) && !closed.has(day) };
}

/** Looks calendars up by their case-insensitive name; has a default. */
export function calendarsOf(calendars: readonly BusinessCalendar[], defaultName?: string) {
  const find = (wanted: string) => calendars.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  return { find, defaultName };
}

export const ON_WORKING_DAYS = { HolidayShift: true, HolidayCountry: 'WEEKENDS' } as const;

/** The context of a calculation: the weekend calendar, the periodicity and the number of rows. */
export function contextOf(
  request: RepaymentScheduleRequest,
  changes: Partial<DateContext> & { readonly every?: Periodicity } = {},
): DateContext {
  const { every, ...others } = changes;
  return {
    periodicity: every ?? findPeriodicity(request.PeriodicityType),
    installmentsNo: request.InstallmentsNo,
    requestDay: REQUEST_DAY,
    useMaturityDate: true,
    usesExpiry: false,
    calendars: calendarsOf([weekendCalendar()]),
    ...others,
  };
}

function planned(
  ...[changes, context = {}]: [Partial<RepaymentScheduleRequest>, Parameters<typeof contextOf>[1]?]
) {
  const request = loan(changes);
  const validation = new Validation();
  const dates = planScheduleDates(request, contextOf(request, context), validation);
  return { dates, faults: validation.faults };
}

export function datesFor(...terms: Parameters<typeof planned>): ScheduleDates {
  const { dates, faults } = planned(...terms);
  if (dates === undefined || faults.length > 0) throw new Error(JSON.stringify(faults));
  return dates;
}

/** The faults of a loan with invalid dates, as `path code message`. */
export function dateFaults(...terms: Parameters<typeof planned>): readonly string[] {
  const { faults } = planned(...terms);
  if (faults.length === 0) throw new Error('the dates of the loan are valid');
  return faults.map(({ path, code, message }) => `${path} ${code} ${message}`);
}

export function texts(dates: readonly ReturnType<typeof date>[]): readonly string[] {
  return dates.map((day) => formatCalendarDate(day));
}

/** Days of each interest period (D6). */
export function accrualDays({ accrualStart, accrualDates }: ScheduleDates): readonly number[] {
  return accrualDates.map((to, row) => to - (accrualDates[row - 1] ?? accrualStart));
}

export function daysFrom(text: string, count: number): readonly string[] {
  return texts(Array.from({ length: count }, (_, offset) => addDays(date(text), offset)));
}

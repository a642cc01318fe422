import { formatCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import { dayCountNumerator, type DayCountName } from '../dates/day-count.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';
import type { Validation } from '../request/validation.ts';
import type { UnusedAmount } from './charge-terms.ts';

export type AccrualPeriods = Pick<
  ScheduleDates,
  'accrualStart' | 'accrualDates' | 'regularMonths' | 'rowCount' | 'termEnd'
>;

/** Day-count numerators of each row's overlap with the unused period (F5). A whole regular row counts whole months (C2). */
export function countUnusedDays(
  unused: UnusedAmount,
  periods: AccrualPeriods,
  dayCount: DayCountName,
  validation: Validation,
): Int32Array {
  const { accrualStart, accrualDates, regularMonths, rowCount, termEnd } = periods;
  const counts = new Int32Array(rowCount);
  if (unused.from === undefined && unused.to !== undefined && unused.to < accrualStart) {
    const earliest = formatCalendarDate(accrualStart);
    const message = `must be on or after ${earliest}, the start of the schedule`;
    validation.reject('ExpiryDateForOD', 'date-order', message);
    return counts;
  }
  let start = accrualStart;
  for (let row = 0; row < rowCount; row += 1) {
    const end = accrualDates[row] as CalendarDate;
    const from = unused.from !== undefined && unused.from > start ? unused.from : start;
    const to = unused.to !== undefined && unused.to < end ? unused.to : end;
    if (from < to) {
      counts[row] = dayCountNumerator(dayCount, {
        from,
        to,
        regularMonths: from === start && to === end ? (regularMonths[row] as number) : 0,
        endsOnTermination: row === rowCount - 1 && to === end && termEnd === undefined,
      });
    }
    start = end;
  }
  return counts;
}

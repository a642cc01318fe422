/** For how much of each row an unused amount costs (F5). */

import { formatCalendarDate } from '../dates/calendar-date.ts';
import type { UnusedAmount } from './charge-terms.ts';
import { dayCountNumerator, type DayCountName } from '../dates/day-count.ts';
import type { Findings } from '../request/refusal.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';

/** The periods that interest accrues over. */
export type AccrualPeriods = Pick<
  ScheduleDates,
  'accrualStart' | 'accrualDates' | 'regularMonths' | 'rowCount'
>;

/**
 * Day-count numerator of each row's overlap with the time of unusage; it counts as a regular period when it is the
 * row's whole one (C2). An end before the start of the schedule is refused.
 */
export function unusedDaysOf(
  unused: UnusedAmount,
  periods: AccrualPeriods,
  dayCount: DayCountName,
  findings: Findings,
): Int32Array {
  const { accrualStart, accrualDates, regularMonths, rowCount } = periods;
  const counts = new Int32Array(rowCount);
  if (unused.from === undefined && unused.to !== undefined && unused.to < accrualStart) {
    const earliest = formatCalendarDate(accrualStart);
    findings.refuse('ExpiryDateForOD', 'date-order', `must be on or after ${earliest}, the start`);
    return counts;
  }
  let start = accrualStart;
  for (let row = 0; row < rowCount; row += 1) {
    const end = accrualDates[row] ?? start;
    const from = unused.from !== undefined && unused.from > start ? unused.from : start;
    const to = unused.to !== undefined && unused.to < end ? unused.to : end;
    if (from < to) {
      counts[row] = dayCountNumerator(dayCount, {
        from,
        to,
        regularMonths: from === start && to === end ? (regularMonths[row] ?? 0) : 0,
        endsOnTermination: row === rowCount - 1 && to === end,
      });
    }
    start = end;
  }
  return counts;
}

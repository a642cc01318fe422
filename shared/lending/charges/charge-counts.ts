/**
 * How many charges of an item each row collects (F3). The dates of charges are counted and not listed, because a daily
 * fee over a thousand years has hundreds of thousands of them.
 */

import { toDateParts, type CalendarDate } from '../dates/calendar-date.ts';
import {
  dayAfterSteps,
  daysPerPeriod,
  stepOf,
  stepsPerPeriod,
  type Periodicity,
} from '../dates/periodicity.ts';

/** The start and due dates with which charges are compared; they are not shifted for holidays (F3). */
interface ChargeDates {
  /** Where the first row begins; in a recalculation LastDueDate before any shift (X1). */
  readonly start: CalendarDate;
  readonly dueDates: readonly CalendarDate[];
  readonly rowCount: number;
  /** True if LastDueDate was sent (X1): settled rows have collected charges in arrears on the start date. */
  readonly isRecalculation: boolean;
  /** True: rows are due at the start of their periods and collect upfront charges of their own date (B7). */
  readonly isInAdvance: boolean;
}

interface DatedCharge {
  readonly periodicity: Periodicity;
  readonly firstDate: CalendarDate;
  readonly isUpfront: boolean;
}

/**
 * Number of charges that each row collects (index from 0). Charge k falls on firstDate + k periods, k from 0 upfront
 * and from 1 in arrears. In arrears a row collects what falls up to its due date, upfront what falls before it, or also
 * on it if payments are in advance (B7). A charge on the start date belongs to the first row; in a recalculation only if
 * that row collects what falls before its due date. A charge with the periodicity Once falls on firstDate, and the first
 * due date on or after it collects it.
 */
export function countCharges(dates: ChargeDates, charge: DatedCharge): Int32Array {
  const counts = new Int32Array(dates.rowCount);
  if (charge.periodicity.unit === 'Once') countOnce(counts, dates, charge);
  else if (stepsPerPeriod(charge.periodicity) > 0) countByMonths(counts, dates, charge);
  else countByDays(counts, dates, charge);
  return counts;
}

function countOnce(counts: Int32Array, dates: ChargeDates, { firstDate }: DatedCharge): void {
  const { start, dueDates, isRecalculation } = dates;
  const isBefore = isRecalculation ? firstDate <= start : firstDate < start;
  const row = isBefore ? -1 : dueDates.findIndex((dueDate) => dueDate >= firstDate);
  if (row >= 0 && row < counts.length) counts[row] = 1;
}

function countByDays(counts: Int32Array, dates: ChargeDates, charge: DatedCharge): void {
  const { firstDate, isUpfront } = charge;
  const { start, dueDates } = dates;
  const step = daysPerPeriod(charge.periodicity);
  const beforeFirst = isUpfront ? -1 : 0;
  const isLater = isUpfront && !dates.isInAdvance;
  const lastOnStart = isLater || !dates.isRecalculation ? start - 1 : start;
  let before = Math.max(beforeFirst, Math.floor((lastOnStart - firstDate) / step));
  for (let row = 0; row < counts.length; row += 1) {
    const dueDate = dueDates[row] as CalendarDate;
    const lastDay = isLater ? dueDate - 1 : dueDate;
    const last = Math.max(beforeFirst, Math.floor((lastDay - firstDate) / step));
    counts[row] = last - before;
    before = last;
  }
}

/** Month units: each charge falls on the day of month of the first one, limited to the end of the month (F3, D10). */
function countByMonths(counts: Int32Array, dates: ChargeDates, charge: DatedCharge): void {
  const { isUpfront } = charge;
  const isLater = isUpfront && !dates.isInAdvance;
  const { periodicity, firstDate } = charge;
  const first = toDateParts(firstDate);
  const firstStep = stepOf(periodicity, first);
  const stepsPerCharge = stepsPerPeriod(periodicity);
  const least = isUpfront ? -1 : 0;
  const countUntil = (date: CalendarDate, isDayCollected: boolean): number => {
    const parts = toDateParts(date);
    const steps = stepOf(periodicity, parts) - firstStep;
    const chargeDate = parts.day === first.day ? date : dayAfterSteps(periodicity, parts, 0, first.day);
    const isReached = isDayCollected ? chargeDate <= date : chargeDate < date;
    return Math.max(least, Math.floor((isReached ? steps : steps - 1) / stepsPerCharge));
  };
  let before = countUntil(dates.start, !isLater && dates.isRecalculation);
  for (let row = 0; row < counts.length; row += 1) {
    const last = countUntil(dates.dueDates[row] as CalendarDate, !isLater);
    counts[row] = last - before;
    before = last;
  }
}

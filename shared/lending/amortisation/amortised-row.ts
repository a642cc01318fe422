/** A row of a schedule after interest and principal are known, before charges are added and a spelling is chosen. */

import type { CalendarDate } from '../dates/calendar-date.ts';

/** What a row is: see the installment types of rule S7. */
export type RowKind = 'regular' | 'grace' | 'residual' | 'early';

/** One row; amounts are minor units. */
export interface AmortisedRow {
  readonly kind: RowKind;
  /** InstallmentNo as shown; an early repayment carries the number of the row before it (X3). */
  readonly no: number;
  /** Index (from 0) into the schedule's dates of the due row that this row is, or lies before. */
  readonly index: number;
  /** Interest accrues from here to `to` (H3); equal dates in rows without interest. */
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  /** Date as shown, moved off holidays (H1). */
  readonly dueDate: CalendarDate;
  /** Numerator of the day-count fraction of the row. */
  readonly count: number;
  /** Principal outstanding at the start of the row. */
  readonly remaining: number;
  /** Interest that the balance earned in the row, collected or not. */
  readonly accrued: number;
  /** Interest collected with the row: accrued, less what grace or capitalisation keeps back, plus what was kept back. */
  readonly interest: number;
  /** Interest that joins the balance. */
  readonly capitalised: number;
  readonly principal: number;
}

/** A row's interest and principal, before charges are added and fields are named for the reply. */

import type { CalendarDate } from '../dates/calendar-date.ts';
import type { RequestFault, FaultCode } from '../request/validation.ts';

export type RowKind = 'regular' | 'grace' | 'residual' | 'prepayment';

/** Amounts are minor units. */
export interface AmortisedRow {
  readonly kind: RowKind;
  /** InstallmentNo as shown; a prepayment has the number of the due row that precedes it (X3). */
  readonly no: number;
  /** Index (from 0) of the due row; for a prepayment, of the due row in whose period or on whose date it is made. */
  readonly index: number;
  /** Interest accrues from this date to `to` (H3). Both are equal in a residual row and a prepayment on a due date. */
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  readonly dueDate: CalendarDate;
  /** Numerator of the day-count fraction of the row. */
  readonly count: number;
  /** Balance before the row. */
  readonly remaining: number;
  readonly accrued: number;
  /** Accrued interest, less what is held back, plus earlier deferred and blocked interest (G2, B4, X2). */
  readonly interest: number;
  /** Accrued interest that is added to the balance (G2, B4). */
  readonly capitalised: number;
  readonly principal: number;
  /** What a prepayment exceeds the balance by; only in the last row, and only if it does (X3). */
  readonly overpaid?: number;
}

export type RowFault = RequestFault & { readonly kind: 'fault' };

/** A fault found while rows are calculated: the request is valid, but has no schedule (422, E1). */
export function createRowFault(path: string, code: FaultCode, message: string): RowFault {
  return { kind: 'fault', path, code, message, status: 422 };
}

export function createBandFault(): RowFault {
  const message = 'must give a rate for every balance of the schedule';
  return createRowFault('BandedInterestRates', 'outside-bands', message);
}

export function isRowFault(result: number | { readonly row: AmortisedRow } | RowFault): result is RowFault {
  return typeof result === 'object' && 'kind' in result;
}

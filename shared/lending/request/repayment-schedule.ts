/** The result of a schedule calculation, before its fields are named and encoded for the reply. */

import type { CalendarDate } from '../dates/calendar-date.ts';
import type { RequestFault, RequestWarning } from './validation.ts';

/** Which of the interface's two spellings the answer uses (A5). */
export type Casing = 'lower' | 'capitalised';

/** Which parts of the answer are shown (A5): all rows without DAE, the DAE alone, rows with DAE, or rows with EIR. */
export type ShownParts = 'rows' | 'dae' | 'rows-with-dae' | 'rows-with-eir';

/** Amounts are safe integers of minor units, never -0. pmt is interest + principal; the total adds charges (M3). */
export interface ScheduleRow {
  readonly InstallmentNo: number;
  readonly dueDate: CalendarDate;
  /** Calendar days of the period over which interest accrues (D6). */
  readonly noDays: number;
  readonly installmentTypeId: string;
  readonly remainingValue: number;
  readonly pmt: number;
  readonly interest: number;
  readonly principal: number;
  readonly managementFee: number;
  readonly totalInstallment: number;
  /** Present only if the request contains insurances, or a formula column counts as one (F4). */
  readonly insurance?: number;
  /** Charges of the row in no annual rate, and those that only annual rates count; in simulations, if there are any (Q8). */
  readonly onlyInRows?: number;
  readonly onlyInRate?: number;
  /** Capitalised interest; present only if there is any (M3). */
  readonly capitalisedInterest?: number;
  /** The rest of a prepayment above the balance; only in the last row, and only if there is one (X3). */
  readonly overpaid?: number;
  /** Amounts of the additional columns, in the order of the schedule's `extraColumns` (F4). */
  readonly columns?: readonly number[];
  readonly isEarlyRepayment: boolean;
  readonly explanation?: readonly FigureExplanation[];
}

/** The holiday calendar of the due dates (H2), so that the figures can be reproduced. */
export interface UsedCalendar {
  readonly name: string;
  readonly version: string;
}

export interface RepaymentSchedule {
  readonly casing: Casing;
  readonly show: ShownParts;
  /** Number of decimals of every amount in the rows (M2). */
  readonly currencyDigits: number;
  readonly scheduleTypeId: string;
  /** First day of the schedule; in a recalculation LastDueDate (D2). */
  readonly startDate: CalendarDate;
  /** Names of the additional columns of the rows, in order (F4); absent if there are none. */
  readonly extraColumns?: readonly string[];
  readonly rows: readonly ScheduleRow[];
  /** Percent with four decimals; null if A4 gives no rate; undefined if the request does not select it (A1, A5). */
  readonly dae?: string | null;
  /** The effective interest rate, in the same form as `dae` (A2). */
  readonly eir?: string | null;
  readonly calendar?: UsedCalendar;
  readonly warnings: readonly RequestWarning[];
}

export type ScheduleOutcome =
  | ({ readonly kind: 'schedule' } & RepaymentSchedule)
  | { readonly kind: 'refused'; readonly faults: readonly RequestFault[] };

/** The published ids of the instalment types (S7), the same on every node and in every version. */
export const INSTALLMENT_TYPE_IDS = {
  Regular: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c01',
  Grace: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c02',
  Residual: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c03',
  EarlyRepayment: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c04',
};

export type ExplainedFigure =
  | 'remainingValue'
  /** The payment, or the equal part of the principal, in force in the row; absent if the row does not depend on one. */
  | 'payment'
  /** Present only if a grace period, blocked interest or capitalisation changes the `interest` that is collected. */
  | 'accruedInterest'
  | 'interest'
  | 'capitalisedInterest'
  | 'principal'
  | 'pmt'
  /** One commission if it has a `name`, otherwise the sum of the row's commissions. */
  | 'managementFee'
  /** One insurance if it has a `name`, otherwise the sum of the row's insurances. */
  | 'insurance'
  | 'column'
  /** Present only in the row of a prepayment above the balance. */
  | 'overpaid'
  | 'totalInstallment';

/**
 * The figure is the rounded value of its formula (M2). `round()` rounds in the same way, `%` means a hundredth, and a
 * word is only a label for the number after it.
 */
export interface FigureExplanation {
  readonly figure: ExplainedFigure;
  readonly name?: string;
  /** In minor units. */
  readonly amount: number;
  /** Days by the day count. */
  readonly days?: number;
  /** Denominator of `days`/`basis`; absent if Actual/Actual splits the days between years of different length. */
  readonly basis?: number;
  readonly dayCount?: string;
  /** Percentages as plain decimal text, in the order of the formula: one, or one for each slice or band (R2). */
  readonly rates?: readonly string[];
  /** Amount to which the percentages apply, in minor units. */
  readonly base?: number;
  /** The formula with numbers in place of names, such as `1000.00 * 12 % * 30/360 = 10.00`. */
  readonly formula: string;
}

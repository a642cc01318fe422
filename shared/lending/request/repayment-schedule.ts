/** The answer of a schedule calculation, before a spelling or an encoding is chosen for it. */

import type { CalendarDate } from '../dates/calendar-date.ts';
import type { Fault, Warning } from './refusal.ts';
import type { FigureExplanation } from './row-explanation.ts';

/** Which of the interface's two spellings the answer uses (A5). */
export type Casing = 'lower' | 'capitalised';

/** Which parts of the answer are shown (A5): all rows without DAE, the DAE alone, rows with DAE, or rows with EIR. */
export type ShownParts = 'rows' | 'dae' | 'rows-with-dae' | 'rows-with-eir';

/**
 * One installment. Amounts are whole numbers of the currency's minor units, always safe integers and never -0.
 * pmt = interest + principal; totalInstallment = pmt + managementFee + insurance (M3).
 */
export interface ScheduleRow {
  readonly InstallmentNo: number;
  readonly dueDate: CalendarDate;
  /** Calendar days of the period that interest accrues over (D6). */
  readonly noDays: number;
  readonly installmentTypeId: string;
  /** Principal outstanding when the period starts. */
  readonly remainingValue: number;
  readonly pmt: number;
  readonly interest: number;
  readonly principal: number;
  readonly managementFee: number;
  readonly totalInstallment: number;
  /** Present only when the request sent insurances (F4). */
  readonly insurance?: number;
  /** Interest that joined the balance; present only when that occurs (M3). */
  readonly capitalisedInterest?: number;
  /** Amounts of the additional columns, in the order of the schedule's `extraColumns` (F4). */
  readonly columns?: readonly number[];
  readonly isEarlyRepayment: boolean;
  /** How the figures came about; present only when the request asks for it (S6, Explain). */
  readonly explanation?: readonly FigureExplanation[];
}

/** The holiday calendar that moved the due dates (H2), told so that the figures can be repeated. */
export interface UsedCalendar {
  readonly name: string;
  readonly version: string;
}

/** A whole schedule. */
export interface RepaymentSchedule {
  readonly casing: Casing;
  readonly show: ShownParts;
  /** Decimal digits of every amount in the rows (M2). */
  readonly currencyDigits: number;
  readonly scheduleTypeId: string;
  /** Day on which the loan is drawn and interest begins (D2). */
  readonly startDate: CalendarDate;
  /** Names of the columns that rows show beside those of the contract, in order (F4); absent: none. */
  readonly extraColumns?: readonly string[];
  readonly rows: readonly ScheduleRow[];
  /** Percent with four decimals; null when no rate exists; undefined when it was not asked for (A1, A5). */
  readonly dae?: string | null;
  /** As `dae`, for the effective interest rate (A2). */
  readonly eir?: string | null;
  /** Present when due dates were held against a calendar. */
  readonly calendar?: UsedCalendar;
  readonly warnings: readonly Warning[];
}

/** The outcome of a calculation: a schedule, or all the reasons why there is none. */
export type ScheduleOutcome =
  | ({ readonly kind: 'schedule' } & RepaymentSchedule)
  | { readonly kind: 'refused'; readonly faults: readonly Fault[] };

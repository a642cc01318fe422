/** What the formulas of a row are calculated from, and what they give. */

import type { CalendarDate } from '../dates/calendar-date.ts';
import type { CompiledScheduleType } from '../schedule-types/compiled-schedule-type.ts';
import type { FormulaValue, MoneyFormat } from '../formula/formula-values.ts';
import type { PlacedCharges } from '../charges/schedule-charges.ts';
import type { InterestFrom } from './repayment-plan.ts';
import type { RowNotes } from './row-notes.ts';

/** A row, or a part of one before an early repayment, whose interest is asked for. */
export interface FormulaRow {
  readonly index: number;
  /** Original row number. */
  readonly no: number;
  readonly count: number;
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  readonly interest: InterestFrom;
  /** False of a part before an early repayment: the due row collects the charges, once (X3). */
  readonly collectsCharges: boolean;
}

/** What the formulas of a schedule read besides its rows. */
export interface FormulaSetting {
  readonly compiled: CompiledScheduleType;
  readonly money: MoneyFormat;
  readonly dayCountDenominator: number;
  /** Inputs that are the same in every row, by slot. */
  readonly inputs: readonly (readonly [slot: number, value: FormulaValue])[];
  readonly charges: PlacedCharges;
  /** Where the request asks for explanations: what takes the formulas with their numbers put in (S6). */
  readonly notes: RowNotes | undefined;
}

/** Charges and additional columns of a due row, in minor units. */
export interface FormulaFigures {
  readonly managementFee: number;
  readonly insurance: number;
  /** Amounts of the additional columns in their order, hidden ones included. */
  readonly columns: readonly number[];
}

/**
 * A compiled schedule type: methods resolved, formulas compiled, order of calculation fixed. Created once by
 * `compileScheduleType`; the row loop does not read the catalogue record.
 */

import type { FormulaFailure, FormulaScope, FormulaValue } from '../formula/scope.ts';
import type { ScheduleType } from './schedule-type.ts';

/** The formula of a column. */
export interface CompiledFormula {
  /** Name of the column, for explanations and faults (`formula-failed`). */
  readonly column: string;
  /** The expression as spelled in the record, for explanations. */
  readonly text: string;
  /** Slots of the names in it. */
  readonly slotsRead: ReadonlySet<number>;
  /** The exact value in major units, not yet rounded, or a failure. Never throws. */
  readonly evaluate: (scope: FormulaScope) => FormulaValue | FormulaFailure;
  /** The expression with the values of the scope in place of the names, for explanations. */
  readonly withValues: (scope: FormulaScope) => string;
}

/** How interest accrues (S2). */
export type InterestMethod =
  | { readonly kind: 'Linear' }
  | { readonly kind: 'EffectiveRate' }
  | { readonly kind: 'Formula'; readonly formula: CompiledFormula };

/**
 * The payment of a row: the level payment (S5), the sum of interest and principal, or a formula whose value less the
 * interest is the principal. Level and Formula require the principal method Balance.
 */
export type PaymentMethod =
  | { readonly kind: 'Level' }
  | { readonly kind: 'Sum' }
  | { readonly kind: 'Formula'; readonly formula: CompiledFormula };

/**
 * The principal of a row (S2): the payment less interest, equal parts, a percentage of the balance (B3), nothing before
 * the last row, or a formula. The last row repays the remainder with every method (M3).
 */
export type PrincipalMethod =
  | { readonly kind: 'Balance' }
  | { readonly kind: 'EqualParts' }
  | { readonly kind: 'CapitalPercent' }
  | { readonly kind: 'AtMaturity' }
  | { readonly kind: 'Formula'; readonly formula: CompiledFormula };

/** The sum to which the amount of a formula is added: managementFee (Fee), insurance, or none. */
export type CountsAs =
  | { readonly kind: 'Nothing' }
  | { readonly kind: 'Fee'; readonly fee: string }
  | { readonly kind: 'Insurance'; readonly insuranceClass: string };

/** The content of an additional column: one commission, the insurances of one class, or a formula. */
export type ExtraMethod =
  | { readonly kind: 'Fee'; readonly fee: string }
  | { readonly kind: 'Insurance'; readonly insuranceClass: string }
  | { readonly kind: 'Formula'; readonly formula: CompiledFormula; readonly countsAs: CountsAs };

/** An additional column. Its amount is rounded like every other (M2). */
export interface ExtraColumn {
  /** Field name in the row, spelled the same in both casings. */
  readonly name: string;
  /** Its slot in formulas. */
  readonly slot: number;
  /** False: the column is calculated and counted, but is not shown in the row (S1). */
  readonly display: boolean;
  readonly method: ExtraMethod;
}

/**
 * One step of a row. ManagementFee and Insurance begin each row at zero. `charges` calculates all commissions and
 * insurances of the request: it adds them to ManagementFee and Insurance and fills the additional Fee and
 * Insurance columns. `column` evaluates an additional Formula column; when it counts as a fee or an insurance, its
 * rounded amount is added to that sum immediately, so that ManagementFee and Insurance in a later formula are the sums so
 * far.
 */
export type RowStep =
  | { readonly kind: 'interest' }
  | { readonly kind: 'payment' }
  | { readonly kind: 'principal' }
  | { readonly kind: 'charges' }
  | { readonly kind: 'column'; readonly column: ExtraColumn };

/** Whether charges are upfront by default (F1). Names are in lower case. */
export interface UpfrontDefaults {
  readonly fees: boolean;
  readonly insurances: boolean;
  readonly byFee: ReadonlyMap<string, boolean>;
  readonly byInsuranceClass: ReadonlyMap<string, boolean>;
}

/** A compiled schedule type. */
export interface CompiledScheduleType {
  readonly type: ScheduleType;
  readonly interest: InterestMethod;
  readonly payment: PaymentMethod;
  readonly principal: PrincipalMethod;
  /** Additional columns in the record's order, including hidden ones. */
  readonly extras: readonly ExtraColumn[];
  /**
   * Steps of a row in their order. Each of interest, payment, principal and charges occurs exactly once, interest
   * before payment and principal; payment before principal, unless the payment kind is Sum: then it comes directly
   * after principal and only adds the two. The balance (RemainingValue) is known before the first step. Charges cannot be
   * a percentage of a figure that is calculated after them (F2).
   */
  readonly steps: readonly RowStep[];
  /**
   * False if there are no formulas, as in every built-in type; interest, payment and principal then do not need a
   * scope.
   */
  readonly hasFormulas: boolean;
  /** Names of inputs and columns that any formula reads, as spelled in INPUT_NAMES and by the columns. */
  readonly namesRead: ReadonlySet<string>;
  readonly upfront: UpfrontDefaults;
  /** Length of the slots that the formulas read. */
  readonly slotCount: number;
}

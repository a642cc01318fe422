/**
 * A schedule type made ready for calculation: methods resolved, formulas compiled, order of calculation fixed. Made
 * once by `compileScheduleType`; the row loop reads nothing else of the catalogue record.
 */

import type { FormulaFailure, FormulaScope, FormulaValue } from '../formula/scope.ts';
import type { ScheduleType } from './schedule-type.ts';

/** The formula of a column. */
export interface CompiledFormula {
  /** Name of the column, for explanations and faults (`formula-failed`). */
  readonly column: string;
  /** The expression as the record spells it, for explanations. */
  readonly text: string;
  /** Slots of the names in it. */
  readonly slotsRead: ReadonlySet<number>;
  /** The value in major units, exact and not yet rounded, or why there is none. Never throws. */
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
 * What a row pays: the level payment (S5), the sum of interest and principal, or a formula whose value less the
 * interest is the principal. Level and Formula come with the principal method Balance and with no other.
 */
export type PaymentMethod =
  | { readonly kind: 'Level' }
  | { readonly kind: 'Sum' }
  | { readonly kind: 'Formula'; readonly formula: CompiledFormula };

/**
 * What a row repays (S2): what is left of the payment after interest, equal parts, a percentage of the balance
 * (B3), nothing before the last row, or a formula. The last row takes what is left with every method (M3).
 */
export type PrincipalMethod =
  | { readonly kind: 'Balance' }
  | { readonly kind: 'EqualParts' }
  | { readonly kind: 'CapitalPercent' }
  | { readonly kind: 'AtMaturity' }
  | { readonly kind: 'Formula'; readonly formula: CompiledFormula };

/** Where the amount of a formula goes: into managementFee, into insurance, or nowhere (shown only). */
export type CountsAs =
  | { readonly kind: 'Nothing' }
  | { readonly kind: 'Fee'; readonly fee: string }
  | { readonly kind: 'Insurance'; readonly insuranceClass: string };

/** What an additional column shows: one commission, the insurances of one class, or a formula. */
export type ExtraMethod =
  | { readonly kind: 'Fee'; readonly fee: string }
  | { readonly kind: 'Insurance'; readonly insuranceClass: string }
  | { readonly kind: 'Formula'; readonly formula: CompiledFormula; readonly countsAs: CountsAs };

/** A column beyond those of the contract's row. Its amount is money, rounded as every other (M2). */
export interface ExtraColumn {
  /** Field name in the row, spelled the same in both casings. */
  readonly name: string;
  /** Where formulas read it. */
  readonly slot: number;
  /** False: calculated and counted, but not part of the row (S1). */
  readonly display: boolean;
  readonly method: ExtraMethod;
}

/**
 * One step of a row. ManagementFee and Insurance begin each row at zero. `charges` calculates all commissions and
 * insurances of the request at once: it adds them to ManagementFee and Insurance and fills the additional Fee and
 * Insurance columns. `column` evaluates an additional Formula column; when it counts as a fee or an insurance, its
 * rounded amount is added to that sum at once, so that ManagementFee and Insurance in a later formula are the sums so
 * far.
 */
export type RowStep =
  | { readonly kind: 'interest' }
  | { readonly kind: 'payment' }
  | { readonly kind: 'principal' }
  | { readonly kind: 'charges' }
  | { readonly kind: 'column'; readonly column: ExtraColumn };

/** Whether charges are due upfront when a request does not say so (F1). Names are in lower case. */
export interface UpfrontDefaults {
  readonly fees: boolean;
  readonly insurances: boolean;
  readonly byFee: ReadonlyMap<string, boolean>;
  readonly byInsuranceClass: ReadonlyMap<string, boolean>;
}

/** A schedule type, ready for calculation. */
export interface CompiledScheduleType {
  readonly type: ScheduleType;
  readonly interest: InterestMethod;
  readonly payment: PaymentMethod;
  readonly principal: PrincipalMethod;
  /** Additional columns in the record's order, hidden ones included. */
  readonly extras: readonly ExtraColumn[];
  /**
   * Steps of a row in their order. Each of interest, payment, principal and charges occurs exactly once, interest
   * before payment and principal; payment before principal, unless the payment kind is Sum: then it comes directly
   * after principal and only adds the two. The balance (RemainingValue) is known before the first step.
   */
  readonly steps: readonly RowStep[];
  /** False: no formula at all, as in every built-in type; interest, payment and principal need no scope. */
  readonly hasFormulas: boolean;
  /**
   * The first of interest, payment and principal that a formula calculates from charges; undefined: charges come after
   * all three. A percentage of a figure that is not known before it (F2) cannot be charged with this type.
   */
  readonly chargesBefore: 'interest' | 'payment' | 'principal' | undefined;
  /** Names of inputs and columns that any formula reads, as spelled in INPUT_NAMES and by the columns. */
  readonly namesRead: ReadonlySet<string>;
  readonly upfront: UpfrontDefaults;
  /** Length of the slots that the formulas read. */
  readonly slotCount: number;
}

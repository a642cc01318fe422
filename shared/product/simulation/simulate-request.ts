/**
 * The request of `PLAT_BP_Simulate` as the simulation reads it. Field names are those of the interface, section 4.4.
 *
 * Conventions: a field that is absent or null in the message is undefined (M6), and an empty list may be undefined too;
 * amounts, rates and formula inputs are exact decimals (M1); names are case-insensitive. The values are not yet
 * validated against the product.
 */

import type { Decimal } from 'decimal.js';
import type { InterestRateRange } from '../../lending/request/repayment-schedule-request.ts';
import type { NamedFigure } from '../catalogue/item-filters.ts';

/** A simulation request. */
export interface SimulateRequest {
  readonly productCode: string;
  /** Contract amount in major units of the product's currency, the down payment included (Q1). */
  readonly amount: Decimal;
  /** Number of periods of the product's periodicity (Q6). */
  readonly loanPeriod: number;
  /** Name or code of a schedule type that is attached to the product (Q2). */
  readonly scheduleType: string;
  readonly downPayment?: Decimal | undefined;
  /** Id of an option, see INTEREST_OPTION_IDS (Q3). */
  readonly interestType?: string | undefined;
  /** Name of the same option (Q3). */
  readonly interestTypeName?: string | undefined;
  /** Optional discounts to apply (Q5). */
  readonly optional?: readonly OptionalFeature[] | undefined;
  /** Optional discounts to apply (Q5). */
  readonly discount?: readonly ChosenDiscount[] | undefined;
  /** Figures for the filters of interest-commission items (L3). */
  readonly jsonFilterCommission?: readonly NamedFigure[] | undefined;
  readonly jsonInsuranceFilter?: readonly NamedFigure[] | undefined;
  readonly jsonDiscountFilter?: readonly NamedFigure[] | undefined;
  readonly jsonInputFormula?: FormulaInputs | undefined;
  /** Rates by instalment range, which replace those of a Collection interest (Q7). */
  readonly jsonMultipleInterestRates?: readonly InterestRateRange[] | undefined;
  /** Desired instalment value: a fixed instalment; zero: not fixed (B2). */
  readonly installmentValue?: Decimal | undefined;
  /** Desired principal value: a fixed principal; zero: not fixed (B2). */
  readonly principalValue?: Decimal | undefined;
}

/** An optional discount by its name or its id. */
export interface OptionalFeature {
  readonly Name?: string | undefined;
  /** GUID of a discount. */
  readonly ProductDiscountId?: string | undefined;
}

/** An optional discount by its name or its id; ProductCode, if present, must be that of the request. */
export interface ChosenDiscount extends OptionalFeature {
  readonly ProductCode?: string | undefined;
}

/** A value for an argument of formulas. */
export interface FormulaInput {
  /** Name of the argument, case-insensitive. */
  readonly name: string;
  readonly value: Decimal;
}

/** Parts of jsonInputFormula, each an object of arguments. */
export const FORMULA_INPUT_PARTS = [
  'interestInput',
  'commissionInput',
  'insuranceInput',
  'discountInput',
] as const;
export type FormulaInputPart = (typeof FORMULA_INPUT_PARTS)[number];

/** Arguments of banking formulas, by what the formula prices (Q7). */
export type FormulaInputs = { readonly [Part in FormulaInputPart]?: readonly FormulaInput[] | undefined };

/** A schedule type: its settings, its product types, and its columns compiled to steps of a row (S1, S2, S4). */

import type { DayCountName } from '../dates/day-count.ts';
import type { RoundingMode } from '../numbers/rounding.ts';
import type { FormulaFailure, FormulaScope, FormulaValue } from '../formula/scope.ts';

export const SCHEDULE_TYPE_STATUSES = ['Draft', 'Active', 'VersionDraft', 'Closed'] as const;

export type ScheduleTypeStatus = (typeof SCHEDULE_TYPE_STATUSES)[number];

export const MEASUREMENT_UNITS = ['Days', 'Months'] as const;

type MeasurementUnit = (typeof MEASUREMENT_UNITS)[number];

export interface ScheduleType {
  /** Published id, shown as ScheduleTypeId (S7). */
  readonly id: string;
  readonly code: string;
  readonly name: string;
  /** Codes of the product types that can use it, the default first (S4). */
  readonly productTypes: readonly ProductTypeCode[];
  readonly dayCount: DayCountName;
  /** True if a request may fix the payment or the principal (B2). */
  readonly installmentValueCustom: boolean;
  /** True if MaturityDate replaces the last due date (D5). */
  readonly useMaturityDate: boolean;
  /** Days allows day and week units, Months allows month and year units, null allows any (S1). */
  readonly measurementUnit: MeasurementUnit | null;
  readonly rounding: RoundingMode;
  /** Maximum number of instalments of a request, 1 for Once; null for that of all schedules (M6). */
  readonly maximumInstallments: number | null;
  /** True if ResidualValue is mandatory (S4, Balloon). */
  readonly residualRequired: boolean;
  /** True if a residual is paid in the last row unless the request says otherwise (B1). */
  readonly residualInInstallment: boolean;
  /** False if commissions and insurances are refused (B4). */
  readonly acceptsCharges: boolean;
  /** True if ExpiryDateForOD ends the schedule (B5). */
  readonly useExpiryDate: boolean;
  /** True if InterestCapitalization 1 adds interest to the balance (B4). */
  readonly interestCapitalization: boolean;
}

export function isProductType(productType: string): boolean {
  return findProductType(productType) !== undefined;
}

export function servesProductType(type: ScheduleType, productType: string): boolean {
  const code = findProductType(productType);
  return code !== undefined && type.productTypes.includes(code);
}

export type ProductTypeCode = 'TL' | 'MG' | 'C' | 'OD' | 'BA' | 'D' | 'CC' | 'LS';

export const PRODUCT_TYPE_NAMES: Readonly<Record<ProductTypeCode, string>> = {
  TL: 'Term Loan',
  MG: 'Mortgage',
  C: 'Credit',
  OD: 'Overdraft',
  BA: 'Bank Account',
  D: 'Deposit',
  CC: 'Credit Card',
  LS: 'Leasing',
};

/** All codes, in the order in which messages list them. */
export const PRODUCT_TYPE_CODES = Object.keys(PRODUCT_TYPE_NAMES) as readonly ProductTypeCode[];

/** The code of a product type by its code or name, ignoring case; undefined if unknown. */
export function findProductType(codeOrName: string): ProductTypeCode | undefined {
  return CODES_BY_NAME.get(codeOrName.trim().toLowerCase());
}

const CODES_BY_NAME = new Map(
  PRODUCT_TYPE_CODES.flatMap((code) =>
    [code, PRODUCT_TYPE_NAMES[code]].map((name) => [name.toLowerCase(), code] as const),
  ),
);

// A compiled schedule type: methods resolved, formulas compiled, order of calculation fixed. `compileScheduleType`
// creates it; the row loop does not read the catalogue record.

export interface CompiledFormula {
  readonly column: string;
  readonly text: string;
  readonly slotsRead: ReadonlySet<number>;
  /** The exact value in major units, not yet rounded, or a failure. Never throws. */
  readonly evaluate: (scope: FormulaScope) => FormulaValue | FormulaFailure;
  /** The expression with the values of the scope in place of the names, for explanations. */
  readonly withValues: (scope: FormulaScope) => string;
}

export type InterestMethod =
  | { readonly kind: 'Linear' }
  | { readonly kind: 'EffectiveRate' }
  | { readonly kind: 'Formula'; readonly formula: CompiledFormula };

/** Level (S5), sum of interest and principal, or a formula; Level and Formula require the principal method Balance. */
export type PaymentMethod =
  | { readonly kind: 'Level' }
  | { readonly kind: 'Sum' }
  | { readonly kind: 'Formula'; readonly formula: CompiledFormula };

/** How rows repay principal (S2, B3); the last row repays the rest with every method (M3). */
export type PrincipalMethod =
  | { readonly kind: 'Balance' }
  | { readonly kind: 'EqualParts' }
  | { readonly kind: 'CapitalPercent' }
  | { readonly kind: 'AtMaturity' }
  | { readonly kind: 'Formula'; readonly formula: CompiledFormula };

/** The sum to which the amount of a formula is added: managementFee (kind Fee), insurance, or none. */
export type CountsAs =
  | { readonly kind: 'Nothing' }
  | { readonly kind: 'Fee'; readonly fee: string }
  | { readonly kind: 'Insurance'; readonly insuranceClass: string };

/** The content of an additional column: one commission, the insurances of one class, or a formula. */
export type ExtraMethod =
  | { readonly kind: 'Fee'; readonly fee: string }
  | { readonly kind: 'Insurance'; readonly insuranceClass: string }
  | { readonly kind: 'Formula'; readonly formula: CompiledFormula; readonly countsAs: CountsAs };

export interface ExtraColumn {
  /** Field name in the row, spelled the same in both casings. */
  readonly name: string;
  readonly slot: number;
  /** False if the column is calculated and counted, but is not shown in the row (S2). */
  readonly display: boolean;
  readonly method: ExtraMethod;
}

/**
 * ManagementFee and Insurance begin each row at zero. `charges` adds all commissions and insurances of the request to
 * them and fills the additional Fee and Insurance columns. `column` adds its amount to them at once if it counts as a
 * charge, so that later formulas read the sums so far.
 */
export type RowStep =
  | { readonly kind: 'interest' }
  | { readonly kind: 'payment' }
  | { readonly kind: 'principal' }
  | { readonly kind: 'charges' }
  | { readonly kind: 'column'; readonly column: ExtraColumn };

/** Whether charges are upfront if the request does not say (F1). Names are in lower case. */
export interface UpfrontDefaults {
  readonly fees: boolean;
  readonly insurances: boolean;
  readonly byFee: ReadonlyMap<string, boolean>;
  readonly byInsuranceClass: ReadonlyMap<string, boolean>;
}

export interface CompiledScheduleType {
  readonly type: ScheduleType;
  readonly interest: InterestMethod;
  readonly payment: PaymentMethod;
  readonly principal: PrincipalMethod;
  readonly extras: readonly ExtraColumn[];
  /**
   * Interest, payment, principal and charges occur once each. Payment precedes principal, but a payment of kind Sum
   * directly follows it. Charges cannot be a percentage of a figure that is calculated after them (F2).
   */
  readonly steps: readonly RowStep[];
  /** False in every built-in type; interest, payment and principal then need no scope. */
  readonly hasFormulas: boolean;
  /** Names of inputs and columns that any formula reads, as spelled in INPUT_NAMES and by the columns. */
  readonly namesRead: ReadonlySet<string>;
  readonly upfront: UpfrontDefaults;
  readonly slotCount: number;
}

/** True if a formula of the type gives a commission or an insurance (S2). */
export function hasChargeFormulas(compiled: CompiledScheduleType | undefined): boolean {
  const methods = compiled?.extras.map(({ method }) => method) ?? [];
  return methods.some((method) => method.kind === 'Formula' && method.countsAs.kind !== 'Nothing');
}

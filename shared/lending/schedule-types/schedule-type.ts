/** The settings of a schedule type, which apply to all its schedules (S1). */

import type { DayCountName } from '../dates/day-count.ts';
import { findProductType, type ProductTypeCode } from './product-types.ts';
import type { RoundingMode } from '../numbers/rounding.ts';

/** Status of a schedule type; only Active ones can be used in calculations (S1). */
export const SCHEDULE_TYPE_STATUSES = ['Draft', 'Active', 'VersionDraft', 'Closed'] as const;

/** One of {@link SCHEDULE_TYPE_STATUSES}. */
export type ScheduleTypeStatus = (typeof SCHEDULE_TYPE_STATUSES)[number];

/** Units to which a schedule type can limit the periodicity (S1). */
export const MEASUREMENT_UNITS = ['Days', 'Months'] as const;

/** One of {@link MEASUREMENT_UNITS}. */
export type MeasurementUnit = (typeof MEASUREMENT_UNITS)[number];

/** The settings of a schedule type; its columns are in the compiled schedule type. */
export interface ScheduleType {
  /** Published id, shown as ScheduleTypeId (S7). */
  readonly id: string;
  readonly code: string;
  readonly name: string;
  /** Codes of the product types that can use it, the default first (S4). */
  readonly productTypes: readonly ProductTypeCode[];
  readonly dayCount: DayCountName;
  /** True: a request may fix the payment or the principal (B2). */
  readonly installmentValueCustom: boolean;
  /** True: MaturityDate replaces the last due date (D5). */
  readonly useMaturityDate: boolean;
  /** Days allows day and week units, Months allows month and year units, null allows any (S1). */
  readonly measurementUnit: MeasurementUnit | null;
  readonly rounding: RoundingMode;
  /** Maximum number of installments of a request, 1 for Once; null: that of all schedules (M6). */
  readonly maximumInstallments: number | null;
  /** True: ResidualValue is mandatory (S4, Balloon). */
  readonly residualRequired: boolean;
  /** Default for whether a residual is paid in the last row (B1). */
  readonly residualInInstallment: boolean;
  /** False: commissions and insurances are refused (B4). */
  readonly acceptsCharges: boolean;
  /** True: ExpiryDateForOD is used as the maturity date (B5). */
  readonly useExpiryDate: boolean;
  /** True: InterestCapitalization 1 adds interest to the balance (B4). */
  readonly interestCapitalization: boolean;
}

/** True if there is a product type with that code or name, ignoring case. */
export function isProductType(productType: string): boolean {
  return findProductType(productType) !== undefined;
}

/** True if a product type, given by code or name and ignoring case, may use the schedule type. */
export function servesProductType(type: ScheduleType, productType: string): boolean {
  const code = findProductType(productType);
  return code !== undefined && type.productTypes.includes(code);
}

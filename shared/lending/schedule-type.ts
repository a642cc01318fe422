/** What a schedule type says about every schedule that is calculated with it (S1). */

import type { DayCountName } from './day-count.ts';
import type { RoundingMode } from './rounding.ts';

/** Life of a schedule type; only Active ones calculate (S1). */
type ScheduleTypeStatus = 'Draft' | 'Active' | 'VersionDraft' | 'Closed';

/** A record of the schedule type catalogue. */
export interface ScheduleType {
  /** Published id, shown as ScheduleTypeId (S7). */
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly status: ScheduleTypeStatus;
  /** Codes of the product types that may use it, the type's own first (S4). */
  readonly productTypes: readonly ProductTypeCode[];
  readonly dayCount: DayCountName;
  /** True: level payment; false: equal parts of principal. */
  readonly isWithEqualInstallments: boolean;
  /** True: a caller may lock the payment (B2). */
  readonly installmentValueCustom: boolean;
  /** True: MaturityDate replaces the last due date (D5). */
  readonly useMaturityDate: boolean;
  /** Days takes day and week units, Months month and year units, null any (S1). */
  readonly measurementUnit: 'Days' | 'Months' | null;
  readonly rounding: RoundingMode;
}

/** Product types that schedule types are made for. */
type ProductTypeCode = 'TL' | 'MG' | 'C' | 'OD' | 'BA' | 'D' | 'CC' | 'LS';

/** Names of the product types, accepted in place of their codes (S4). */
const PRODUCT_TYPE_NAMES: Readonly<Record<ProductTypeCode, string>> = {
  TL: 'Term Loan',
  MG: 'Mortgage',
  C: 'Credit',
  OD: 'Overdraft',
  BA: 'Bank Account',
  D: 'Deposit',
  CC: 'Credit Card',
  LS: 'Leasing',
};

/** The Active schedule type of that name or code in any case, or undefined (S1). */
export function findScheduleType(name: string, known: readonly ScheduleType[]): ScheduleType | undefined {
  const wanted = name.trim().toLowerCase();
  return known.find(
    (type) =>
      type.status === 'Active' && (type.name.toLowerCase() === wanted || type.code.toLowerCase() === wanted),
  );
}

/** True when there is a product type of that code or name in any case. */
export function isProductType(productType: string): boolean {
  const wanted = productType.trim().toLowerCase();
  return Object.entries(PRODUCT_TYPE_NAMES).some((names) =>
    names.some((name) => name.toLowerCase() === wanted),
  );
}

/** True when a product type, by code or name in any case, may use the schedule type. */
export function servesProductType(type: ScheduleType, productType: string): boolean {
  const wanted = productType.trim().toLowerCase();
  return type.productTypes.some(
    (code) => code.toLowerCase() === wanted || PRODUCT_TYPE_NAMES[code].toLowerCase() === wanted,
  );
}

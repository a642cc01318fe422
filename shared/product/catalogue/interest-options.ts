/** The options of the interest type with their fixed, published ids (Q3). */

import type { InterestType } from './list-records.ts';

/** Id of each option; ids never change. */
export const INTEREST_OPTION_IDS: Readonly<Record<InterestType, string>> = {
  Fixed: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a101',
  Variable: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a102',
  Collection: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a103',
  BankingFormula: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a104',
};

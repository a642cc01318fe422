/** Product types of schedule types (S4). */

/** Codes of the product types. */
export type ProductTypeCode = 'TL' | 'MG' | 'C' | 'OD' | 'BA' | 'D' | 'CC' | 'LS';

/** Names of the product types, accepted in place of their codes. */
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

/** The product type with that code or name, ignoring case; undefined if there is none. */
export function findProductType(codeOrName: string): ProductTypeCode | undefined {
  const wanted = codeOrName.trim().toLowerCase();
  return PRODUCT_TYPE_CODES.find(
    (code) => code.toLowerCase() === wanted || PRODUCT_TYPE_NAMES[code].toLowerCase() === wanted,
  );
}

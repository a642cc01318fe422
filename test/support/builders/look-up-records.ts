/** Builds a small catalogue for look-ups: the product P and lists. */

import { createLendingCatalogue } from '../../../shared/lending/schedule-types/lending-catalogue.ts';
import type { CatalogueRecord } from '../../../shared/product/catalogue/catalogue-record.ts';
import { buildCatalogueView } from '../../../shared/product/validation/build-catalogue.ts';
import type { CatalogueView } from '../../../shared/product/catalogue/catalogue-view.ts';
import type {
  CustomListRecord,
  InsuranceListRecord,
  InterestRecord,
} from '../../../shared/product/catalogue/list-records.ts';
import type {
  ProductInsuranceItem,
  ProductRecord,
} from '../../../shared/product/catalogue/product-record.ts';
import { date } from './lending-loan.ts';
import { interest as plainInterest, product as plainProduct } from '../worlds/simulated-product.ts';

export const LOOK_UP_DAY = date('2026-01-15');
const ACTIVE_LIST = { Status: 'Active', Version: 1 } as const;

/** The product P without interests, charges and documents, with changes. */
export const product = (changes: Partial<ProductRecord>): ProductRecord =>
  plainProduct({
    product: {
      Code: 'P',
      Id: '0f8fad5b-d9cb-469f-a165-70867728950e',
      Name: 'Product',
      PaymentScheduleTypes: ['EqualInstallments'],
      InterestsAndCommissions: [],
      Insurances: [],
      Discounts: [],
      ...changes,
    },
  });

/** An Active Fixed interest without values, with changes; its code is its name. */
export const interest = (changes: Partial<InterestRecord> & { readonly Name: string }): InterestRecord =>
  plainInterest({
    Id: '0f8fad5b-d9cb-469f-a165-708677289502',
    Code: changes.Name,
    IsGeneral: false,
    Values: [],
    ...changes,
  });

/** An insurance list without insurances, Active unless changed. */
export const insurances = (changes: Partial<InsuranceListRecord> = {}): InsuranceListRecord => ({
  ...ACTIVE_LIST,
  Code: 'INS',
  Id: '0f8fad5b-d9cb-469f-a165-708677289503',
  Name: 'Insurances',
  Insurances: [],
  ...changes,
});

/** An insurance item with a code that refers to the insurance list INS, with changes. */
export const insuranceItem = (
  Code: string,
  changes: Partial<ProductInsuranceItem> = {},
): ProductInsuranceItem => ({
  Id: '0f8fad5b-d9cb-469f-a165-708677289505',
  Name: `Item ${Code}`,
  Code,
  InsuranceList: 'ins',
  StartDate: null,
  EndDate: null,
  Filters: [],
  ...changes,
});

/** Builds a catalogue of products, an interest list I and other lists, without validating them. */
export function catalogueOf(
  products: readonly ProductRecord[],
  interests: readonly InterestRecord[] = [],
  others: readonly CatalogueRecord[] = [],
): CatalogueView {
  const lending = createLendingCatalogue({});
  if (lending.kind !== 'catalogue') throw new Error(JSON.stringify(lending.faults));
  const list = {
    ...ACTIVE_LIST,
    Code: 'I',
    Id: '0f8fad5b-d9cb-469f-a165-708677289504',
    Name: 'Interests',
    Interests: interests,
  };
  const records: readonly CatalogueRecord[] = [
    ...products.map((record) => ({ kind: 'product', source: 'test', record }) as const),
    { kind: 'interest-list', source: 'test', record: list },
    ...others,
  ];
  return buildCatalogueView(records, lending.catalogue);
}

/** Catalogue records of lists. */
export const insuranceRecord = (record: InsuranceListRecord): CatalogueRecord => ({
  kind: 'insurance-list',
  source: 'test',
  record,
});
export const customRecord = (record: CustomListRecord): CatalogueRecord => ({
  kind: 'custom-list',
  source: 'test',
  record,
});

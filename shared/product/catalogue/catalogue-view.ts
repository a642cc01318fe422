/** What look-ups and simulations see of a catalogue: records by their code on a day, wherever they are kept. */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { CatalogueEntry } from '../../lending/schedule-types/catalogue-entry.ts';
import type { LendingCatalogue } from '../../lending/schedule-types/lending-catalogue.ts';
import { type CatalogueRecord, codeKey, type RecordKind, type RecordsByKind } from './catalogue-record.ts';
import type {
  CommissionListRecord,
  CustomListRecord,
  DiscountListRecord,
  InsuranceListRecord,
  InterestListRecord,
} from './list-records.ts';
import type { ProductInsuranceItem, ProductRecord } from './product-record.ts';
import type { ItemFilter } from './record-parts.ts';
import { listInForce, type ListVersion } from './validity.ts';

/** A catalogue as it is at the moment. Codes and ids are found in any case (L1); undefined: there is none. */
export interface CatalogueView {
  /** The Approved version of a product that is valid on the day (L1). */
  product(code: string, day: CalendarDate): ProductRecord | undefined;
  /** The product version of that id, when it is Approved and valid on the day (L1). */
  productById(id: string, day: CalendarDate): ProductRecord | undefined;
  /** Of a list's Active versions the one with the highest number (L2). */
  interestList(code: string): InterestListRecord | undefined;
  commissionList(code: string): CommissionListRecord | undefined;
  insuranceList(code: string): InsuranceListRecord | undefined;
  discountList(code: string): DiscountListRecord | undefined;
  /** The version with the highest number. */
  customList(code: string): CustomListRecord | undefined;
  /** Schedule types, periodicities and calendars, built-in ones included. */
  readonly lending: LendingCatalogue;
}

/** An insurance item of a product with its list. */
export interface ListedInsuranceItem {
  readonly item: ProductInsuranceItem;
  readonly list: InsuranceListRecord;
}

/** The insurance items of a product with their lists; an item whose list is not in force is not Active (L2). */
export function insuranceItemsInForce(
  { Insurances }: ProductRecord,
  catalogue: Pick<CatalogueView, 'insuranceList'>,
): readonly ListedInsuranceItem[] {
  return Insurances.flatMap((item) => {
    const list = catalogue.insuranceList(item.InsuranceList);
    return list === undefined ? [] : [{ item, list }];
  });
}

/** All filters of insurance items and of the single insurances of their lists. */
export function insuranceFilters(items: readonly ListedInsuranceItem[]): readonly ItemFilter[] {
  return items.flatMap(({ item, list }) => [
    ...item.Filters,
    ...list.Insurances.flatMap(({ Filters }) => Filters),
  ]);
}

/** A record of a known kind, and where it stands. */
type EntryOf<Kind extends RecordKind> = CatalogueEntry<RecordsByKind[Kind]>;

/** How lists are found by their code. */
export type FindLists = Omit<CatalogueView, 'product' | 'productById' | 'lending'>;

/** Lists by code, of which the version in force answers. */
export function findLists(records: readonly CatalogueRecord[]): FindLists {
  return {
    interestList: findInForce(recordsOfKind(records, 'interest-list')),
    commissionList: findInForce(recordsOfKind(records, 'commission-list')),
    insuranceList: findInForce(recordsOfKind(records, 'insurance-list')),
    discountList: findInForce(recordsOfKind(records, 'discount-list')),
    customList: findInForce(recordsOfKind(records, 'custom-list')),
  };
}

/** The records of one kind, in catalogue order. */
function recordsOfKind<Kind extends RecordKind>(
  records: readonly CatalogueRecord[],
  kind: Kind,
): readonly RecordsByKind[Kind][] {
  return entriesOfKind(records, kind).map(({ record }) => record);
}

/** The entries of one kind, in catalogue order. */
export function entriesOfKind<Kind extends RecordKind>(
  records: readonly CatalogueRecord[],
  kind: Kind,
): readonly EntryOf<Kind>[] {
  const found: readonly unknown[] = records.filter((entry) => entry.kind === kind);
  // The compiler does not see that a kind decides the record when the kind is itself a parameter.
  return found as readonly EntryOf<Kind>[];
}

function findInForce<List extends ListVersion & { readonly Code: string }>(
  lists: readonly List[],
): (code: string) => List | undefined {
  const versions = Map.groupBy(lists, ({ Code }) => codeKey(Code));
  const inForce = new Map([...versions].map(([code, found]) => [code, listInForce(found)]));
  return (code) => inForce.get(codeKey(code));
}

/** Lists but for those that are in a set of faulty records. */
export function soundLists(lists: FindLists, faulty: ReadonlySet<unknown>): FindLists {
  const sound =
    <List>(find: (code: string) => List | undefined) =>
    (code: string): List | undefined => {
      const list = find(code);
      return faulty.has(list) ? undefined : list;
    };
  return {
    interestList: sound(lists.interestList),
    commissionList: sound(lists.commissionList),
    insuranceList: sound(lists.insuranceList),
    discountList: sound(lists.discountList),
    customList: sound(lists.customList),
  };
}

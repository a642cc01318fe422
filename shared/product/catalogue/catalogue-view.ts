/** How requests read the catalogue, independent of its storage: records by code and day. */

import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import {
  createLendingCatalogue,
  type CatalogueEntry,
  type LendingCatalogue,
} from '../../lending/schedule-types/lending-catalogue.ts';
import {
  codeKey,
  identifyRecord,
  type CatalogueRecord,
  type ListKind,
  type RecordKind,
  type RecordsByKind,
} from './catalogue-record.ts';
import type { InsuranceListRecord } from './list-records.ts';
import type { ProductInsuranceItem, ProductRecord } from './product-record.ts';
import type { ItemFilter } from './record-kinds.ts';
import { selectListVersion, type ListVersion } from './version-in-force.ts';

/** Kinds whose records are compiled together into one {@link LendingCatalogue}. */
export const LENDING_KINDS: ReadonlySet<RecordKind> = new Set(['schedule-type', 'periodicity', 'calendar']);

export interface ListsInForce {
  /** Finds the Active version with the highest number (L2). Custom lists have no status: the highest number counts. */
  list<Kind extends ListKind>(kind: Kind, code: string | null): RecordsByKind[Kind] | undefined;
}

/** The current catalogue. It matches codes and ids case-insensitively (L1); undefined means not found. */
export interface CatalogueView extends ListsInForce {
  /** The Approved version of a product that is valid on the day (L1). */
  product(code: string, day: CalendarDate): ProductRecord | undefined;
  /** The product version with the id, if it is Approved and valid on the day (L1). */
  productById(id: string, day: CalendarDate): ProductRecord | undefined;
  /** The codes of all products, as {@link codeKey} normalises them, in their order as text. */
  productCodes(): readonly string[];
  readonly lending: LendingCatalogue;
}

export interface ListedInsuranceItem {
  readonly item: ProductInsuranceItem;
  readonly list: InsuranceListRecord;
}

/** Pairs each insurance item of a product with its list; leaves out items whose list is not in force (L2). */
export function findInsuranceItems(
  { Insurances }: ProductRecord,
  catalogue: ListsInForce,
): readonly ListedInsuranceItem[] {
  return Insurances.flatMap((item) => {
    const list = catalogue.list('insurance-list', item.InsuranceList);
    return list === undefined ? [] : [{ item, list }];
  });
}

export function collectInsuranceFilters(items: readonly ListedInsuranceItem[]): readonly ItemFilter[] {
  return items.flatMap(({ item, list }) => [
    ...item.Filters,
    ...list.Insurances.flatMap(({ Filters }) => Filters),
  ]);
}

export function selectEntries<Kind extends RecordKind>(
  records: readonly CatalogueRecord[],
  kind: Kind,
): readonly CatalogueEntry<RecordsByKind[Kind]>[] {
  const found: readonly unknown[] = records.filter((entry) => entry.kind === kind);
  // The compiler cannot derive the record type from a kind that is a type parameter.
  return found as readonly CatalogueEntry<RecordsByKind[Kind]>[];
}

export function compileLending(
  records: readonly CatalogueRecord[],
  otherCalendars: OtherCalendars | undefined,
) {
  const scheduleTypes = selectEntries(records, 'schedule-type');
  const periodicities = selectEntries(records, 'periodicity');
  const calendars = selectEntries(records, 'calendar');
  return createLendingCatalogue({ scheduleTypes, periodicities, calendars }, otherCalendars);
}

export function indexLists(records: readonly CatalogueRecord[]): ListsInForce {
  const byCode = Map.groupBy(records, (entry) => `${entry.kind}/${codeKey(identifyRecord(entry).code)}`);
  const versions = [...byCode].map(([place, entries]) => {
    const found: unknown = selectListVersion(entries.map(({ record }) => record as ListVersion));
    return [place, found] as const;
  });
  const inForce = new Map(versions);
  return {
    // The compiler cannot derive the record type from a kind that is a type parameter.
    list: <Kind extends ListKind>(kind: Kind, code: string | null) =>
      (code === null ? undefined : inForce.get(`${kind}/${codeKey(code)}`)) as
        | RecordsByKind[Kind]
        | undefined,
  };
}

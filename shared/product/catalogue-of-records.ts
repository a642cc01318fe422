/** A catalogue that is held in memory as a whole: that of a folder, and of tests. */

import type { OtherCalendars } from '../lending/calendars/business-calendar.ts';
import type { CatalogueFault } from '../lending/catalogue-entry.ts';
import { createLendingCatalogue, type LendingCatalogue } from '../lending/lending-catalogue.ts';
import type { CatalogueRecord } from './catalogue-records.ts';
import type { CatalogueView } from './catalogue-view.ts';
import { checkCatalogue } from './check-catalogue.ts';
import { answeringVersion, answersOn } from './product-versions.ts';
import { codeKey } from './record-identity.ts';
import { entriesOfKind, findLists } from './records-of-kind.ts';

/** A catalogue, or everything that is wrong with it. */
export type RecordsOutcome =
  | { readonly kind: 'catalogue'; readonly catalogue: CatalogueView }
  | { readonly kind: 'refused'; readonly faults: readonly CatalogueFault[] };

/**
 * The catalogue of these records and the built-in ones, checked as a whole. `otherCalendars` finds countries that are
 * not built in. `partial`: schedule types, periodicities and calendars with members that could not be read, whose other
 * members are checked too; with any of them the caller refuses the catalogue. Never throws.
 */
export function catalogueOfRecords(
  records: readonly CatalogueRecord[],
  otherCalendars?: OtherCalendars,
  partial: readonly CatalogueRecord[] = [],
): RecordsOutcome {
  const lending = lendingOf([...records, ...partial], otherCalendars);
  // What names a faulty schedule type or periodicity is not at fault itself: without these only the rest is checked.
  const isWhole = lending.kind === 'catalogue' && partial.length === 0;
  const names = isWhole ? lending.catalogue : undefined;
  const faults = [
    ...(lending.kind === 'refused' ? lending.faults : []),
    ...checkCatalogue(records, { lending: names, otherCalendars }),
  ];
  if (names === undefined || faults.length > 0) return { kind: 'refused', faults };
  return { kind: 'catalogue', catalogue: viewOfRecords(records, names) };
}

/** The view of records that are not checked here. */
export function viewOfRecords(records: readonly CatalogueRecord[], lending: LendingCatalogue): CatalogueView {
  return { ...findLists(records), ...productsOfRecords(records), lending };
}

/** Products by code and by id. */
function productsOfRecords(
  records: readonly CatalogueRecord[],
): Pick<CatalogueView, 'product' | 'productById'> {
  const products = entriesOfKind(records, 'product').map(({ record }) => record);
  const byCode = Map.groupBy(products, ({ Code }) => codeKey(Code));
  const byId = new Map(products.map((product) => [codeKey(product.Id), product]));
  return {
    product: (code, day) => answeringVersion(byCode.get(codeKey(code)) ?? [], day),
    productById: (id, day) => {
      const product = byId.get(codeKey(id));
      return product !== undefined && answersOn(product, day) ? product : undefined;
    },
  };
}

function lendingOf(records: readonly CatalogueRecord[], otherCalendars: OtherCalendars | undefined) {
  return createLendingCatalogue(
    {
      scheduleTypes: entriesOfKind(records, 'schedule-type'),
      periodicities: entriesOfKind(records, 'periodicity'),
      calendars: entriesOfKind(records, 'calendar'),
    },
    otherCalendars,
  );
}

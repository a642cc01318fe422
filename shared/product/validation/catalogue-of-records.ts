/** A catalogue that is held in memory as a whole: that of a folder, and of tests. */

import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import {
  createLendingCatalogue,
  type LendingCatalogue,
} from '../../lending/schedule-types/lending-catalogue.ts';
import { type CatalogueRecord, codeKey, type RecordKind } from '../catalogue/catalogue-record.ts';
import { type CatalogueView, selectEntries, indexLists } from '../catalogue/catalogue-view.ts';
import { checkCatalogue } from './check-catalogue.ts';
import { collectCharges } from '../catalogue/catalogue-charges.ts';
import { selectProductVersion, answersOn } from '../catalogue/validity.ts';

/** A catalogue, or everything that is wrong with it. */
export type RecordsOutcome =
  | { readonly kind: 'catalogue'; readonly catalogue: CatalogueView }
  | { readonly kind: 'refused'; readonly faults: readonly CatalogueFault[] };

/** What calculations look names up in. */
const LENDING_KINDS: readonly RecordKind[] = ['schedule-type', 'periodicity', 'calendar'];

/** What is known of records whose shape is wrong. */
interface PartlyRead {
  /** Records with members that could not be read. */
  readonly partial: readonly CatalogueRecord[];
  /** Kinds of which there may be records of any name. */
  readonly unknown: ReadonlySet<RecordKind>;
}

/**
 * The catalogue of these records and the built-in ones, checked as a whole. `otherCalendars` finds countries that are
 * not built in. What could be read in part only is checked too, and known by name; with any of it the caller refuses the
 * catalogue. Never throws.
 */
export function buildCatalogue(
  records: readonly CatalogueRecord[],
  otherCalendars?: OtherCalendars,
  { partial, unknown }: PartlyRead = { partial: [], unknown: new Set() },
): RecordsOutcome {
  const lending = compileLending([...records, ...partial], otherCalendars);
  // What names a faulty schedule type or periodicity is not at fault itself: without these only the rest is checked.
  const others = partial.filter(({ kind }) => !LENDING_KINDS.includes(kind));
  const isRead = others.length === partial.length && LENDING_KINDS.every((kind) => !unknown.has(kind));
  const isWhole = lending.kind === 'catalogue' && isRead;
  const names = isWhole ? lending.catalogue : undefined;
  const faults = [
    ...(lending.kind === 'refused' ? lending.faults : []),
    ...checkCatalogue([...records, ...others], { lending: names, otherCalendars, unknown }),
  ];
  if (names === undefined || faults.length > 0 || partial.length > 0) return { kind: 'refused', faults };
  return { kind: 'catalogue', catalogue: buildCatalogueView(records, names) };
}

/** The view of records that are not checked here. */
export function buildCatalogueView(
  records: readonly CatalogueRecord[],
  lending: LendingCatalogue,
): CatalogueView {
  const lists = indexLists(records);
  const knownCharges = collectCharges(records, lists);
  return { ...lists, ...indexProducts(records), lending: { ...lending, knownCharges } };
}

/** Products by code and by id. */
function indexProducts(records: readonly CatalogueRecord[]): Pick<CatalogueView, 'product' | 'productById'> {
  const products = selectEntries(records, 'product').map(({ record }) => record);
  const byCode = Map.groupBy(products, ({ Code }) => codeKey(Code));
  const byId = new Map(products.map((product) => [codeKey(product.Id), product]));
  return {
    product: (code, day) => selectProductVersion(byCode.get(codeKey(code)) ?? [], day),
    productById: (id, day) => {
      const product = byId.get(codeKey(id));
      return product !== undefined && answersOn(product, day) ? product : undefined;
    },
  };
}

function compileLending(records: readonly CatalogueRecord[], otherCalendars: OtherCalendars | undefined) {
  return createLendingCatalogue(
    {
      scheduleTypes: selectEntries(records, 'schedule-type'),
      periodicities: selectEntries(records, 'periodicity'),
      calendars: selectEntries(records, 'calendar'),
    },
    otherCalendars,
  );
}

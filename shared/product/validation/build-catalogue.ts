/** Builds a catalogue that is completely in memory, such as that of a folder. */

import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import type { LendingCatalogue } from '../../lending/schedule-types/lending-catalogue.ts';
import { collectCharges } from '../catalogue/catalogue-charges.ts';
import { type CatalogueRecord, codeKey, type RecordKind } from '../catalogue/catalogue-record.ts';
import {
  compileLending,
  indexLists,
  selectEntries,
  type CatalogueView,
} from '../catalogue/catalogue-view.ts';
import { isValidOn, selectProductVersion } from '../catalogue/valid-versions.ts';
import { checkCatalogue } from './check-catalogue.ts';

/** A catalogue, or all of its faults. */
export type CatalogueBuild =
  | { readonly kind: 'catalogue'; readonly catalogue: CatalogueView }
  | { readonly kind: 'refused'; readonly faults: readonly CatalogueFault[] };

/** Kinds whose records are compiled together. */
const LENDING_KINDS: readonly RecordKind[] = ['schedule-type', 'periodicity', 'calendar'];

/**
 * Builds and validates the catalogue of these records and the built-in ones. `otherCalendars` finds countries that are not
 * built in. Kinds in `unknown` may have records that could not be read: references to them are valid. Never throws.
 */
export function buildCatalogue(
  records: readonly CatalogueRecord[],
  otherCalendars?: OtherCalendars,
  unknown: ReadonlySet<RecordKind> = new Set(),
): CatalogueBuild {
  const lending = compileLending(records, otherCalendars);
  // A reference to a faulty schedule type or periodicity is not a fault: without them only the rest is checked.
  const isRead = LENDING_KINDS.every((kind) => !unknown.has(kind));
  const names = lending.kind === 'catalogue' && isRead ? lending.catalogue : undefined;
  const faults = [
    ...(lending.kind === 'refused' ? lending.faults : []),
    ...checkCatalogue(records, { lending: names, otherCalendars, unknown }),
  ];
  if (names === undefined || faults.length > 0) return { kind: 'refused', faults };
  return { kind: 'catalogue', catalogue: buildCatalogueView(records, names) };
}

/** Builds the view of a catalogue without validating its records. */
export function buildCatalogueView(
  records: readonly CatalogueRecord[],
  lending: LendingCatalogue,
): CatalogueView {
  const lists = indexLists(records);
  const knownCharges = collectCharges(records, lists);
  const products = selectEntries(records, 'product').map(({ record }) => record);
  const byCode = Map.groupBy(products, ({ Code }) => codeKey(Code));
  const byId = new Map(products.map((product) => [codeKey(product.Id), product]));
  return {
    ...lists,
    product: (code, day) => selectProductVersion(byCode.get(codeKey(code)) ?? [], day),
    productById: (id, day) => {
      const product = byId.get(codeKey(id));
      return product !== undefined && isValidOn(product, day) ? product : undefined;
    },
    lending: { ...lending, knownCharges },
  };
}

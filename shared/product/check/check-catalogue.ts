/** Builds and checks a whole catalogue in memory. Drafts may be incomplete: only their keys and GUIDs are checked. */

import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import type { CatalogueFault, LendingCatalogue } from '../../lending/schedule-types/lending-catalogue.ts';
import { collectCharges } from '../catalogue/charges-by-name.ts';
import {
  codeKey,
  identifyRecord,
  isSameCode,
  recordKey,
  type CatalogueRecord,
  type RecordKind,
} from '../catalogue/catalogue-record.ts';
import {
  compileLending,
  indexLists,
  LENDING_KINDS,
  selectEntries,
  type CatalogueView,
} from '../catalogue/catalogue-view.ts';
import { findOverlaps, isValidOn, selectProductVersion } from '../catalogue/version-in-force.ts';
import type { CheckContext, Place } from './check-fields.ts';
import { checkList, collectChargeNames } from './check-lists.ts';
import { checkProduct } from './check-product.ts';

type CatalogueBuild =
  | { readonly kind: 'catalogue'; readonly catalogue: CatalogueView }
  | { readonly kind: 'refused'; readonly faults: readonly CatalogueFault[] };

/** Never throws. `unknown` has the kinds of which not all records could be read: references to them count as valid. */
export function buildCatalogue(
  records: readonly CatalogueRecord[],
  otherCalendars?: OtherCalendars,
  unknown: ReadonlySet<RecordKind> = new Set(),
): CatalogueBuild {
  const lending = compileLending(records, otherCalendars);
  // If schedule types, periodicities or calendars are faulty or unread, references to them are not checked.
  const isRead = [...LENDING_KINDS].every((kind) => !unknown.has(kind));
  const names = lending.kind === 'catalogue' && isRead ? lending.catalogue : undefined;
  const faults = [
    ...(lending.kind === 'refused' ? lending.faults : []),
    ...checkCatalogue(records, { lending: names, otherCalendars, unknown }),
  ];
  if (names === undefined || faults.length > 0) return { kind: 'refused', faults };
  return { kind: 'catalogue', catalogue: buildCatalogueView(records, names) };
}

/** Does not check `records`, unlike {@link buildCatalogue}. */
export function buildCatalogueView(
  records: readonly CatalogueRecord[],
  lending: LendingCatalogue,
): CatalogueView {
  const lists = indexLists(records);
  const knownCharges = collectCharges(records, lists);
  const products = selectEntries(records, 'product').map(({ record }) => record);
  const byCode = Map.groupBy(products, ({ Code }) => codeKey(Code));
  const byId = new Map(products.map((product) => [codeKey(product.Id), product]));
  const productCodes = [...byCode.keys()].toSorted();
  return {
    ...lists,
    product: (code, day) => selectProductVersion(byCode.get(codeKey(code)) ?? [], day),
    productById: (id, day) => {
      const product = byId.get(codeKey(id));
      return product !== undefined && isValidOn(product, day) ? product : undefined;
    },
    productCodes: () => productCodes,
    lending: { ...lending, knownCharges },
  };
}

/** Finds all faults except those of {@link compileLending}. Each names its record and field, and says what to do. */
export function checkCatalogue(
  records: readonly CatalogueRecord[],
  context: CheckContext,
): readonly CatalogueFault[] {
  const faults: CatalogueFault[] = [];
  checkIdentities(records, faults);
  checkVersions(records, faults);
  const lists = indexLists(records);
  const productCodes = new Set(selectEntries(records, 'product').map(({ record }) => codeKey(record.Code)));
  const mayExist = (kind: RecordKind): boolean => context.unknown?.has(kind) === true;
  const place: Omit<Place, 'report'> = {
    ...context,
    hasProduct: (code) => productCodes.has(codeKey(code)) || mayExist('product'),
    hasList: (kind, code) => lists.list(kind, code) !== undefined || mayExist(kind),
    charges: collectChargeNames(records, mayExist),
  };
  for (const entry of records) {
    const at = { ...place, report: createReporter(entry, faults) };
    if (entry.kind === 'product') checkProduct(entry.record, at);
    else checkList(entry, at);
  }
  return faults;
}

function createReporter(entry: CatalogueRecord, faults: CatalogueFault[]): Place['report'] {
  const { source } = entry;
  return (field, message) =>
    void faults.push({ source, record: describeRecord(entry), message: `${field} ${message}` });
}

/** Describes a record in messages: `TL-STD`, or `TL-STD version 2`. */
export function describeRecord(entry: CatalogueRecord): string {
  if (entry.kind === 'schedule-type') return entry.record.PaymentScheduleTypeName;
  const { code, version } = identifyRecord(entry);
  return version === 1 ? code : `${code} version ${version}`;
}

/** At most one Approved version of a product may be valid on any day (L1). */
function checkVersions(records: readonly CatalogueRecord[], faults: CatalogueFault[]): void {
  const products = records.filter((entry) => entry.kind === 'product');
  for (const entries of Map.groupBy(products, ({ record }) => codeKey(record.Code)).values()) {
    const versions = entries.map((entry) => ({ ...entry.record, entry }));
    for (const [one, other] of findOverlaps(versions)) {
      if (one.Version === other.Version) continue;
      const text = `must not share a day with ${describeRecord(one.entry)} in ${one.entry.source}: only one version may be Approved on a day, so end one before the other starts`;
      createReporter(other.entry, faults)('StartDate', text);
    }
  }
}

interface GuidField {
  readonly entry: CatalogueRecord;
  readonly field: string;
  readonly id: string;
}

function checkIdentities(records: readonly CatalogueRecord[], faults: CatalogueFault[]): void {
  const recordByKey = new Map<string, CatalogueRecord>();
  const firstById = new Map<string, GuidField>();
  for (const entry of records) {
    const report = createReporter(entry, faults);
    const key = recordKey(identifyRecord(entry));
    const same = recordByKey.get(key);
    if (same === undefined) recordByKey.set(key, entry);
    // Compiling schedule types, periodicities and calendars reports their repeated names.
    else if (!LENDING_KINDS.has(entry.kind)) {
      const text = `is also in ${same.source}; give this one another Code or Version`;
      report('Version', `must differ: ${describeRecord(entry)} ${text}`);
    }
    for (const found of collectGuids(entry)) {
      const first = firstById.get(found.id);
      if (first === undefined) firstById.set(found.id, found);
      else if (!mayShareId(first, found)) {
        const place = `${first.field} of ${describeRecord(first.entry)} in ${first.entry.source}`;
        report(found.field, `must be unique: this GUID is also ${place}`);
      }
    }
  }
}

/** An item keeps its GUID in other versions of its record. Every other GUID must be unique. */
function mayShareId(one: GuidField, other: GuidField): boolean {
  const [known, found] = [identifyRecord(one.entry), identifyRecord(other.entry)];
  const isItem = one.field.includes('.') && other.field.includes('.');
  const isSameFamily = known.kind === found.kind && isSameCode(known.code, found.code);
  return isItem && isSameFamily && one.entry !== other.entry;
}

function collectGuids(entry: CatalogueRecord): readonly GuidField[] {
  const { record } = entry;
  const toGuid = (field: string, id: string): GuidField => ({ entry, field, id: id.toLowerCase() });
  if ('PaymentScheduleTypeId' in record)
    return [toGuid('PaymentScheduleTypeId', record.PaymentScheduleTypeId)];
  if (!('Id' in record)) return [];
  const guids = [toGuid('Id', record.Id)];
  for (const [list, items] of Object.entries(record) as readonly (readonly [string, unknown])[]) {
    if (!Array.isArray(items)) continue;
    for (const [place, { Id }] of (items as readonly { readonly Id?: string }[]).entries()) {
      if (Id !== undefined) guids.push(toGuid(`${list}[${place}].Id`, Id));
    }
  }
  return guids;
}

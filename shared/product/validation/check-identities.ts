/** Checks that records are unique by code and version, and by GUID (L1). */

import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import {
  type CatalogueRecord,
  identifyRecord,
  isSameCode,
  recordKey,
} from '../catalogue/catalogue-record.ts';
import { describeRecord, type ReportFault, createReporter } from './check-context.ts';

/** A GUID, in lower case, and its field of a record. */
interface GuidField {
  readonly entry: CatalogueRecord;
  readonly field: string;
  readonly id: string;
}

/** Reports records that share code and version, or a GUID, with another. */
export function checkIdentities(records: readonly CatalogueRecord[], faults: CatalogueFault[]): void {
  const recordByKey = new Map<string, CatalogueRecord>();
  const firstById = new Map<string, GuidField>();
  for (const entry of records) {
    const report = createReporter(entry, faults);
    checkKey(entry, recordByKey, report);
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

/** Names of schedule types, periodicities and calendars are checked when these are compiled. */
function checkKey(
  entry: CatalogueRecord,
  recordByKey: Map<string, CatalogueRecord>,
  report: ReportFault,
): void {
  const key = recordKey(identifyRecord(entry));
  const other = recordByKey.get(key);
  if (other === undefined) {
    recordByKey.set(key, entry);
  } else if (isVersioned(entry)) {
    const text = `is also in ${other.source}; give this one another Code or Version`;
    report('Version', `must differ: ${describeRecord(entry)} ${text}`);
  }
}

/** Items keep their GUIDs in later versions of their record; otherwise GUIDs are unique. */
function mayShareId(one: GuidField, other: GuidField): boolean {
  const [known, found] = [identifyRecord(one.entry), identifyRecord(other.entry)];
  const isItem = one.field.includes('.') && other.field.includes('.');
  const isSameFamily = known.kind === found.kind && isSameCode(known.code, found.code);
  return isItem && isSameFamily && one.entry !== other.entry;
}

function isVersioned({ kind }: CatalogueRecord): boolean {
  return kind !== 'schedule-type' && kind !== 'periodicity' && kind !== 'calendar';
}

/** Collects the GUIDs of a record and of its items. */
function collectGuids(entry: CatalogueRecord): readonly GuidField[] {
  const { record } = entry;
  const toGuid = (field: string, id: string): GuidField => ({ entry, field, id: id.toLowerCase() });
  if ('PaymentScheduleTypeId' in record) {
    return [toGuid('PaymentScheduleTypeId', record.PaymentScheduleTypeId)];
  }
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

/** Records are unique by code and version, and by GUID (L1). */

import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import { type CatalogueRecord, codeKey, identifyRecord, recordKey } from '../catalogue/catalogue-record.ts';
import { describeRecord, type ReportFault, createReporter } from './check-context.ts';

/** A GUID and its field. */
interface HeldId {
  readonly field: string;
  readonly id: string;
}

/** The first occurrence of a GUID. */
interface Holder {
  readonly entry: CatalogueRecord;
  readonly field: string;
}

/** Reports records that share code and version, or a GUID, with another. */
export function checkIdentities(records: readonly CatalogueRecord[], faults: CatalogueFault[]): void {
  const ownerByKey = new Map<string, CatalogueRecord>();
  const holderById = new Map<string, Holder>();
  for (const entry of records) {
    const report = createReporter(entry, faults);
    const isNamed = !['Code', 'Version'].some((field) => entry.unread?.has(field));
    if (isNamed) checkName(entry, ownerByKey, report);
    for (const { field, id } of collectIds(entry)) {
      const holder = holderById.get(id);
      if (holder === undefined) holderById.set(id, { entry, field });
      else if (!mayShareId(holder, { entry, field })) {
        const place = `${holder.field} of ${describeRecord(holder.entry)} in ${holder.entry.source}`;
        report(field, `must be a GUID of its own: this one is also ${place}`);
      }
    }
  }
}

/** Names of schedule types, periodicities and calendars are checked when these are compiled. */
function checkName(
  entry: CatalogueRecord,
  ownerByKey: Map<string, CatalogueRecord>,
  report: ReportFault,
): void {
  const key = recordKey(identifyRecord(entry));
  const owner = ownerByKey.get(key);
  if (owner === undefined) {
    ownerByKey.set(key, entry);
  } else if (isVersioned(entry)) {
    const text = `is also in ${owner.source}; give this one another Code or Version`;
    report('Version', `must differ: ${describeRecord(entry)} ${text}`);
  }
}

/** Items keep their GUIDs in later versions of their record; otherwise GUIDs are unique. */
function mayShareId(one: Holder, other: Holder): boolean {
  const [known, found] = [identifyRecord(one.entry), identifyRecord(other.entry)];
  const isItem = one.field.includes('.') && other.field.includes('.');
  const isOneFamily = known.kind === found.kind && codeKey(known.code) === codeKey(found.code);
  return isItem && isOneFamily && one.entry !== other.entry;
}

function isVersioned({ kind }: CatalogueRecord): boolean {
  return kind !== 'schedule-type' && kind !== 'periodicity' && kind !== 'calendar';
}

/** The GUIDs of a record and of its items, in lower case. */
function collectIds({ record }: CatalogueRecord): readonly HeldId[] {
  if ('PaymentScheduleTypeId' in record) return [held('PaymentScheduleTypeId', record.PaymentScheduleTypeId)];
  if (!('Id' in record)) return [];
  const ids = [held('Id', record.Id)];
  for (const [list, items] of Object.entries(record) as readonly (readonly [string, unknown])[]) {
    if (!Array.isArray(items)) continue;
    for (const [place, { Id }] of (items as readonly { readonly Id?: string }[]).entries()) {
      if (Id !== undefined) ids.push(held(`${list}[${place}].Id`, Id));
    }
  }
  return ids;
}

function held(field: string, id: string): HeldId {
  return { field, id: id.toLowerCase() };
}

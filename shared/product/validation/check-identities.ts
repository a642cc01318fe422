/** No two records may be taken for one another: codes with versions, and GUIDs (L1). */

import { assertNever } from '../../lending/numbers/assert-never.ts';
import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import { type CatalogueRecord, codeKey, identityOf, recordKey } from '../catalogue/catalogue-record.ts';
import { recordName, type Report, reporterOf } from './check-context.ts';

/** A GUID and the member that holds it. */
interface HeldId {
  readonly member: string;
  readonly id: string;
}

/** Where a GUID was met first. */
interface Holder {
  readonly entry: CatalogueRecord;
  readonly member: string;
}

/** Reports what has the code and version, or the GUID, of something else. */
export function checkIdentities(records: readonly CatalogueRecord[], faults: CatalogueFault[]): void {
  const ownerByKey = new Map<string, CatalogueRecord>();
  const holderById = new Map<string, Holder>();
  for (const entry of records) {
    const report = reporterOf(entry, faults);
    const isNamed = !['Code', 'Version'].some((member) => entry.unread?.has(member));
    if (isNamed) checkName(entry, ownerByKey, report);
    for (const { member, id } of heldIds(entry)) {
      const holder = holderById.get(id);
      if (holder === undefined) holderById.set(id, { entry, member });
      else if (!maySharePlace(holder, { entry, member })) {
        const place = `${holder.member} of ${recordName(holder.entry)} in ${holder.entry.source}`;
        report(member, `must be a GUID of its own: this one is also ${place}`);
      }
    }
  }
}

/** Names of schedule types, periodicities and calendars are checked where these are compiled. */
function checkName(entry: CatalogueRecord, ownerByKey: Map<string, CatalogueRecord>, report: Report): void {
  const key = recordKey(identityOf(entry));
  const owner = ownerByKey.get(key);
  if (owner === undefined) {
    ownerByKey.set(key, entry);
  } else if (isVersioned(entry)) {
    const text = `is also in ${owner.source}; give this one another Code or Version`;
    report('Version', `must differ: ${recordName(entry)} ${text}`);
  }
}

/** Items keep their ids from one version of a record to the next; nothing else may share one. */
function maySharePlace(one: Holder, other: Holder): boolean {
  const [known, found] = [identityOf(one.entry), identityOf(other.entry)];
  const isItem = one.member.includes('.') && other.member.includes('.');
  const isOneFamily = known.kind === found.kind && codeKey(known.code) === codeKey(found.code);
  return isItem && isOneFamily && one.entry !== other.entry;
}

function isVersioned({ kind }: CatalogueRecord): boolean {
  return kind !== 'schedule-type' && kind !== 'periodicity' && kind !== 'calendar';
}

/** The GUIDs that a record gives away, in lower case. */
function heldIds(entry: CatalogueRecord): readonly HeldId[] {
  switch (entry.kind) {
    case 'product': {
      const { Id, InterestsAndCommissions, Insurances } = entry.record;
      return [
        own(Id),
        ...ofItems('InterestsAndCommissions', InterestsAndCommissions),
        ...ofItems('Insurances', Insurances),
      ];
    }
    case 'interest-list':
      return [own(entry.record.Id), ...ofItems('Interests', entry.record.Interests)];
    case 'commission-list':
      return [own(entry.record.Id), ...ofItems('Commissions', entry.record.Commissions)];
    case 'insurance-list':
      return [own(entry.record.Id), ...ofItems('Insurances', entry.record.Insurances)];
    case 'discount-list':
      return [own(entry.record.Id), ...ofItems('Discounts', entry.record.Discounts)];
    case 'schedule-type':
      return [{ member: 'PaymentScheduleTypeId', id: entry.record.PaymentScheduleTypeId.toLowerCase() }];
    case 'custom-list':
    case 'periodicity':
    case 'calendar':
      return [];
    default:
      return assertNever(entry);
  }
}

function own(id: string): HeldId {
  return { member: 'Id', id: id.toLowerCase() };
}

function ofItems(list: string, items: readonly { readonly Id: string }[]): readonly HeldId[] {
  return items.map(({ Id }, place) => ({ member: `${list}[${place}].Id`, id: Id.toLowerCase() }));
}

/** How checks tell what is wrong: the record, the member, and what to do. */

import type { CatalogueFault } from '../lending/catalogue-entry.ts';
import type { CatalogueRecord } from './catalogue-records.ts';
import { identityOf } from './record-identity.ts';

/** Tells a fault of one record. `message` goes on from the member's name: `must ...` or `names ...`. */
export type Report = (member: string, message: string) => void;

/** The reporter of a record. */
export function reporterOf(entry: CatalogueRecord, faults: CatalogueFault[]): Report {
  const { source, unread } = entry;
  return (member, message) => {
    if (unread !== undefined && isUnread(member, unread)) return;
    faults.push({ source, record: recordName(entry), message: `${member} ${message}` });
  };
}

/** True for a member that could not be read as a whole: it, what it stands in, or a part of it. */
function isUnread(member: string, unread: ReadonlySet<string>): boolean {
  return [...unread].some((other) => isWithin(member, other) || isWithin(other, member));
}

function isWithin(member: string, other: string): boolean {
  return member === other || member.startsWith(`${other}.`) || member.startsWith(`${other}[`);
}

/** The reporter of what stands below a member, such as `Values[0]`. */
export function below(place: string, report: Report): Report {
  return (member, message) => report(`${place}.${member}`, message);
}

/** `TL-STD`, or `TL-STD version 2`. */
export function recordName(entry: CatalogueRecord): string {
  if (entry.unread?.has('Code') === true) return '';
  if (entry.kind === 'schedule-type') return entry.record.PaymentScheduleTypeName;
  const { code, version } = identityOf(entry);
  return version === 1 ? code : `${code} version ${version}`;
}

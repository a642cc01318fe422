/** How checks tell what is wrong: the record, the member, and what to do. */

import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import type { CatalogueRecord } from '../catalogue/catalogue-records.ts';
import { identityOf } from '../catalogue/record-identity.ts';

/** Tells a fault of one record. `message` goes on from the member's name: `must ...` or `names ...`. */
export type Report = (member: string, message: string) => void;

/** In members that could not be read, such as `Values[]`: all items, as far as they are told of as a whole. */
const ANY_ITEM = '[]';

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
  return [...unread].some((other) =>
    other.includes(ANY_ITEM) ? isOfItem(member, other) : isWithin(member, other) || isWithin(other, member),
  );
}

/** True for the same member of any item of a list, but not for what stands below it. */
function isOfItem(member: string, pattern: string): boolean {
  const place = pattern.indexOf(ANY_ITEM) + 1;
  const [before, after] = [pattern.slice(0, place), pattern.slice(place)];
  const index = member.slice(before.length, member.length - after.length);
  return member.startsWith(before) && member.endsWith(after) && /^\d+$/.test(index);
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

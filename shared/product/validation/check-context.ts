/** What checks of records look names up in. */

import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import type { LendingCatalogue } from '../../lending/schedule-types/lending-catalogue.ts';
import {
  type CatalogueRecord,
  identifyRecord,
  type RecordKind,
  type ListKind,
} from '../catalogue/catalogue-record.ts';
import type { ListsInForce } from '../catalogue/catalogue-view.ts';

/** What names in records are looked up in. */
export interface CheckContext {
  /** Undefined: schedule types, periodicities and calendars are faulty themselves, and names of them are not looked at. */
  readonly lending: LendingCatalogue | undefined;
  readonly otherCalendars?: OtherCalendars | undefined;
  /** Kinds of which there may be records of any name, because a code, or a whole file, could not be read. */
  readonly unknown?: ReadonlySet<RecordKind> | undefined;
}

/** What checks of single records look up. */
export interface RecordContext extends CheckContext {
  /** Lists in force without faults of their own. */
  readonly soundLists: ListsInForce;
  /** Whether a product, or a list in force, has the code, or may have it because not all records could be read. */
  readonly hasProduct: (code: string) => boolean;
  readonly hasList: (kind: ListKind, code: string) => boolean;
  readonly charges: ChargeNames;
}

/** Names of commissions and insurances of Active lists, and of their types and classes, in lower case. */
export interface ChargeNames {
  readonly Commission: { has(name: string): boolean };
  readonly CommissionType: { has(name: string): boolean };
  readonly Insurance: { has(name: string): boolean };
  readonly InsuranceClass: { has(name: string): boolean };
}

/** Tells a fault of one record. `message` goes on from the field's name: `must ...` or `names ...`. */
export type ReportFault = (field: string, message: string) => void;

/** In fields that could not be read, such as `Values[]`: all items, as far as they are told of as a whole. */
const ANY_ITEM = '[]';

/** The reporter of a record. */
export function createReporter(entry: CatalogueRecord, faults: CatalogueFault[]): ReportFault {
  const { source, unread } = entry;
  return (field, message) => {
    if (unread !== undefined && isUnread(field, unread)) return;
    faults.push({ source, record: describeRecord(entry), message: `${field} ${message}` });
  };
}

/** True for a field that could not be read as a whole: it, what it stands in, or a part of it. */
function isUnread(field: string, unread: ReadonlySet<string>): boolean {
  return [...unread].some((other) =>
    other.includes(ANY_ITEM) ? isOfItem(field, other) : isWithin(field, other) || isWithin(other, field),
  );
}

/** True for the same field of any item of a list, but not for what stands below it. */
function isOfItem(field: string, pattern: string): boolean {
  const place = pattern.indexOf(ANY_ITEM) + 1;
  const [before, after] = [pattern.slice(0, place), pattern.slice(place)];
  const index = field.slice(before.length, field.length - after.length);
  return field.startsWith(before) && field.endsWith(after) && /^\d+$/.test(index);
}

function isWithin(field: string, other: string): boolean {
  return field === other || field.startsWith(`${other}.`) || field.startsWith(`${other}[`);
}

/** The reporter of what stands below a field, such as `Values[0]`. */
export function below(place: string, report: ReportFault): ReportFault {
  return (field, message) => report(`${place}.${field}`, message);
}

/** `TL-STD`, or `TL-STD version 2`. */
export function describeRecord(entry: CatalogueRecord): string {
  if (entry.unread?.has('Code') === true) return '';
  if (entry.kind === 'schedule-type') return entry.record.PaymentScheduleTypeName;
  const { code, version } = identifyRecord(entry);
  return version === 1 ? code : `${code} version ${version}`;
}

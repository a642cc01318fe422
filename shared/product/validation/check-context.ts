/** The context of the checks of a record, and the reporting of its faults. */

import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import type { LendingCatalogue } from '../../lending/schedule-types/lending-catalogue.ts';
import {
  type CatalogueRecord,
  identifyRecord,
  type RecordKind,
  type ListKind,
} from '../catalogue/catalogue-record.ts';

/** The context of the checks of a catalogue. */
export interface CheckContext {
  /** Undefined when schedule types, periodicities or calendars are faulty: references to them are then not checked. */
  readonly lending: LendingCatalogue | undefined;
  readonly otherCalendars?: OtherCalendars | undefined;
  /** Kinds with records that could not be read. */
  readonly unknown?: ReadonlySet<RecordKind> | undefined;
}

/** The context of the checks of a single record. */
export interface RecordContext extends CheckContext {
  /** True when a product, or a list in force, has the code, or may have it because not all records could be read. */
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

/** Reports a fault of one record. `message` continues the field's name: `must ...` or `names ...`. */
export type ReportFault = (field: string, message: string) => void;

/** Creates the reporter of a record. */
export function createReporter(entry: CatalogueRecord, faults: CatalogueFault[]): ReportFault {
  const { source } = entry;
  return (field, message) =>
    void faults.push({ source, record: describeRecord(entry), message: `${field} ${message}` });
}

/** Creates the reporter of the fields of a part of the record, such as `Values[0]`. */
export function nestReport(part: string, report: ReportFault): ReportFault {
  return (field, message) => report(`${part}.${field}`, message);
}

/** Checks each item of a list with the reporter of its fields. */
export function checkItems<Item>(
  list: string,
  items: readonly Item[],
  report: ReportFault,
  checkItem: (item: Item, reportItem: ReportFault) => void,
): void {
  for (const [place, item] of items.entries()) checkItem(item, nestReport(`${list}[${place}]`, report));
}

/** Describes a record in messages: `TL-STD`, or `TL-STD version 2`. */
export function describeRecord(entry: CatalogueRecord): string {
  if (entry.kind === 'schedule-type') return entry.record.PaymentScheduleTypeName;
  const { code, version } = identifyRecord(entry);
  return version === 1 ? code : `${code} version ${version}`;
}

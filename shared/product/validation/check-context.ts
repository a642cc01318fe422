/** What checks of records look names up in. */

import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import type { LendingCatalogue } from '../../lending/schedule-types/lending-catalogue.ts';
import type { RecordKind } from '../catalogue/catalogue-records.ts';
import type { FindLists } from '../catalogue/records-of-kind.ts';

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
  readonly lists: FindLists;
  /** The same but for lists with faults of their own. */
  readonly soundLists: FindLists;
  readonly hasProduct: (code: string) => boolean;
  readonly hasCustomList: (code: string) => boolean;
  /** False: a list of that kind is missed when it is not found. */
  readonly mayExist: (kind: RecordKind) => boolean;
  readonly charges: ChargeNames;
}

/** Names of commissions and insurances of Active lists, and of their types and classes, in lower case. */
export interface ChargeNames {
  readonly Commission: { has(name: string): boolean };
  readonly CommissionType: { has(name: string): boolean };
  readonly Insurance: { has(name: string): boolean };
  readonly InsuranceClass: { has(name: string): boolean };
}

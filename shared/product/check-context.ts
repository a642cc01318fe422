/** What checks of records look names up in. */

import type { OtherCalendars } from '../lending/calendars/business-calendar.ts';
import type { LendingCatalogue } from '../lending/lending-catalogue.ts';
import type { FindLists } from './records-of-kind.ts';

/** What names in records are looked up in. */
export interface CheckContext {
  /** Undefined: schedule types, periodicities and calendars are faulty themselves, and names of them are not looked at. */
  readonly lending: LendingCatalogue | undefined;
  readonly otherCalendars?: OtherCalendars | undefined;
}

/** What checks of single records look up. */
export interface RecordContext extends CheckContext {
  readonly lists: FindLists;
  readonly hasProduct: (code: string) => boolean;
  readonly hasCustomList: (code: string) => boolean;
  readonly charges: ChargeNames;
}

/** Names of commissions and insurances of Active lists, and of their types and classes, in lower case. */
export interface ChargeNames {
  readonly Commission: ReadonlySet<string>;
  readonly CommissionType: ReadonlySet<string>;
  readonly Insurance: ReadonlySet<string>;
  readonly InsuranceClass: ReadonlySet<string>;
}

/**
 * What an institution keeps in its product catalogue: one record per version of a product or of a list, as JSON files
 * and as messages. Member names are those of the interface where it has one. The shapes that read records fill in the
 * defaults: in here every member is present, `null` says "none" and a list may be empty.
 * Products: product-record.ts; lists: list-records.ts; what both are made of: record-parts.ts.
 * Days are texts `yyyy-mm-dd` that exist; ranges of days include both ends and null leaves an end open (L1).
 */

import type { PeriodicityRecord } from '../../lending/schedule-types/catalogue-periodicities.ts';
import type { CalendarRecord } from '../../lending/calendars/catalogue-calendars.ts';
import type { ScheduleTypeRecord } from '../../lending/schedule-types/schedule-type-record.ts';
import type {
  CommissionListRecord,
  CustomListRecord,
  DiscountListRecord,
  InsuranceListRecord,
  InterestListRecord,
} from './list-records.ts';
import type { ProductRecord } from './product-record.ts';

/** Records by kind; a kind is also part of a message key, and its plural the name of its folder. */
export interface RecordsByKind {
  readonly product: ProductRecord;
  readonly 'interest-list': InterestListRecord;
  readonly 'commission-list': CommissionListRecord;
  readonly 'insurance-list': InsuranceListRecord;
  readonly 'discount-list': DiscountListRecord;
  readonly 'custom-list': CustomListRecord;
  readonly 'schedule-type': ScheduleTypeRecord;
  readonly periodicity: PeriodicityRecord;
  readonly calendar: CalendarRecord;
}

export type RecordKind = keyof RecordsByKind;

/** A record with its kind; `source` is the file, or other place, that it stands in. */
export type CatalogueRecord = {
  readonly [Kind in RecordKind]: {
    readonly kind: Kind;
    readonly source: string;
    readonly record: RecordsByKind[Kind];
    /**
     * Members that could not be read, in whose place something harmless stands; `Values[]` is each item of Values, but
     * not what stands below it. Absent: the record is whole.
     */
    readonly unread?: ReadonlySet<string>;
  };
}[RecordKind];

/**
 * The records of a product catalogue (docs/catalogue.md). Products and lists have every field; `null` means "none".
 * Their days are valid dates `yyyy-mm-dd`; ranges of days include both ends, and null leaves an end open (L1).
 */

import type { CalendarRecord } from '../../lending/calendars/catalogue-calendars.ts';
import type { PeriodicityRecord } from '../../lending/schedule-types/lending-catalogue.ts';
import type { ScheduleTypeRecord } from '../../lending/schedule-types/schedule-type-record.ts';
import type {
  CommissionListRecord,
  CustomListRecord,
  DiscountListRecord,
  InsuranceListRecord,
  InterestListRecord,
} from './list-records.ts';
import type { LimitListRecord } from './limit-list.ts';
import type { NotificationTemplateRecord } from './notification-template.ts';
import type { ProductRecord } from './product-record.ts';

/** The kind is part of the message key; its plural is the name of the folder. */
export interface RecordsByKind {
  readonly product: ProductRecord;
  readonly 'interest-list': InterestListRecord;
  readonly 'commission-list': CommissionListRecord;
  readonly 'insurance-list': InsuranceListRecord;
  readonly 'discount-list': DiscountListRecord;
  readonly 'limit-list': LimitListRecord;
  readonly 'custom-list': CustomListRecord;
  readonly 'notification-template': NotificationTemplateRecord;
  readonly 'schedule-type': ScheduleTypeRecord;
  readonly periodicity: PeriodicityRecord;
  readonly calendar: CalendarRecord;
}

export type RecordKind = keyof RecordsByKind;

/** Kinds of which the Active version with the highest number is in force. */
export type ListKind = Extract<RecordKind, `${string}-list` | 'notification-template'>;

/** `source` is where the record comes from, such as a file or a message key. */
export type CatalogueRecord = {
  readonly [Kind in RecordKind]: {
    readonly kind: Kind;
    readonly source: string;
    readonly record: RecordsByKind[Kind];
  };
}[RecordKind];

/** The fields that an index needs from a record, and that its message has outside the compressed body. */
export interface RecordIdentity {
  readonly kind: RecordKind;
  readonly code: string;
  readonly version: number;
  /** GUID in lower case; null for kinds without an id. */
  readonly id: string | null;
  readonly status: string | null;
  readonly validFrom: string | null;
  readonly validTo: string | null;
}

export const KIND_FOLDERS: Readonly<Record<RecordKind, string>> = {
  product: 'products',
  'interest-list': 'interest-lists',
  'commission-list': 'commission-lists',
  'insurance-list': 'insurance-lists',
  'discount-list': 'discount-lists',
  'limit-list': 'limit-lists',
  'custom-list': 'custom-lists',
  'notification-template': 'notification-templates',
  'schedule-type': 'schedule-types',
  periodicity: 'periodicities',
  calendar: 'calendars',
};

export const RECORD_KINDS = Object.keys(KIND_FOLDERS) as readonly RecordKind[];

export function identifyRecord({ kind, record }: CatalogueRecord): RecordIdentity {
  // The catalogue keeps only one version of a schedule type, periodicity or calendar: version 1.
  const bare = { kind, version: 1, id: null, status: null, validFrom: null, validTo: null };
  if ('name' in record) return { ...bare, code: record.name };
  if ('PaymentScheduleCode' in record) {
    const { PaymentScheduleCode, PaymentScheduleTypeId, Status } = record;
    return { ...bare, code: PaymentScheduleCode, id: PaymentScheduleTypeId.toLowerCase(), status: Status };
  }
  const versioned = { ...bare, code: record.Code, version: record.Version };
  if (!('Id' in record)) return versioned;
  const { Id, Status } = record;
  const identified = { ...versioned, id: Id.toLowerCase(), status: Status };
  if (!('StartDate' in record)) return identified;
  return { ...identified, validFrom: record.StartDate, validTo: record.EndDate };
}

/** Normalises a code, name or id for comparisons: trimmed and in lower case (L1). */
export function codeKey(code: string): string {
  return code.trim().toLowerCase();
}

/** True if both codes or names have the same {@link codeKey}; false if `one` is absent. */
export function isSameCode(one: string | null | undefined, other: string): boolean {
  return one !== null && one !== undefined && codeKey(one) === codeKey(other);
}

/** The key of a record's messages, `<kind>/<code in lower case>/<version>`. */
export function recordKey(record: Pick<RecordIdentity, 'kind' | 'code' | 'version'>): string {
  return `${record.kind}/${codeKey(record.code)}/${record.version}`;
}

/**
 * The readable part of a catalogue record that violates its schema, so that an editor gets schema violations and
 * semantic faults together. Fields with a fault are left out or replaced with placeholders; faults that depend on
 * them are not reported.
 */

import { keepDigits } from '../../platform/json.ts';
import type { z } from 'zod';
import type { RecordKind } from '../../product/catalogue/catalogue-record.ts';
import { fieldPath, isRecord, valueAt } from '../json/faults.ts';

/** A record with placeholders. */
export interface PartialRecord<Shaped> {
  readonly record: Shaped;
  /** Fields whose faults are not reported. */
  readonly unread: ReadonlySet<string>;
}

/** The readable part of a record; undefined if it is too small. */
export function partialRecord<Shaped>(
  kind: RecordKind,
  shape: z.ZodType<Shaped>,
  wrong: { readonly error: z.ZodError; readonly item: unknown },
): PartialRecord<Shaped> | undefined {
  const placeholders = PLACEHOLDERS[kind];
  return placeholders === undefined
    ? repairedRecord(shape, wrong.item)
    : recordWithout(shape, wrong, placeholders);
}

/** Placeholders of one kind of record. */
interface Placeholders {
  /** Values of mandatory fields; other fields are left out. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Fields that depend on an unreadable field; `column` means all columns. */
  readonly hides: Readonly<Record<string, readonly string[]>>;
}

const SCHEDULE_TYPE: Placeholders = {
  values: {
    PaymentScheduleTypeId: '00000000-0000-0000-0000-000000000000',
    PaymentScheduleCode: '',
    PaymentScheduleTypeName: '',
    // Whether the columns have to be complete depends on the status.
    Status: 'Draft',
    ProductTypes: [],
    ScheduleInterestCalculationType: '',
    IsWithEqualInstallments: false,
    InstallmentValueCustom: false,
    UseMaturityDate: false,
    PaymentScheduleTypeDetails: [],
  },
  hides: {
    PaymentScheduleTypeDetails: ['column'],
    IsWithEqualInstallments: ['column'],
    InstallmentValueCustom: ['column'],
    AcceptsCharges: ['column'],
  },
};

const PERIODICITY: Placeholders = {
  values: { name: '', unit: 'Days' },
  hides: { unit: ['count'] },
};

const CALENDAR: Placeholders = { values: { name: '', version: '1', holidays: [] }, hides: {} };

/** Kinds of records for calculations; records of products are repaired field by field. */
const PLACEHOLDERS: Readonly<Partial<Record<RecordKind, Placeholders>>> = {
  'schedule-type': SCHEDULE_TYPE,
  periodicity: PERIODICITY,
  calendar: CALENDAR,
};

/** Removes wrong and unknown fields; undefined if the rest is not a record. */
function recordWithout<Shaped>(
  shape: z.ZodType<Shaped>,
  { error, item }: { readonly error: z.ZodError; readonly item: unknown },
  placeholders: Placeholders,
): PartialRecord<Shaped> | undefined {
  if (!isRecord(item)) return undefined;
  const copy = copyOf(item);
  const unread = new Set<string>();
  for (const issue of error.issues) {
    const [field] = issue.path;
    if (issue.code === 'unrecognized_keys') removeFields(copy, issue.path, issue.keys);
    else if (typeof field === 'string') unread.add(field);
  }
  for (const field of unread) {
    if (field in placeholders.values) copy[field] = placeholders.values[field];
    else delete copy[field];
  }
  const read = shape.safeParse(copy);
  if (!read.success) return undefined;
  const hidden = [...unread].flatMap((field) => placeholders.hides[field] ?? []);
  return { record: read.data, unread: new Set([...unread, ...hidden]) };
}

/** Copies a record of a JSON file, in which `structuredClone` refuses numbers with many digits. */
function copyOf(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(item), keepDigits) as Record<string, unknown>;
}

/** Removes fields of the value at a path. */
function removeFields(value: unknown, path: readonly PropertyKey[], names: readonly string[]): void {
  const place = valueAt(value, path);
  for (const name of names) if (isRecord(place)) Reflect.deleteProperty(place, name);
}

/** Placeholder for a mandatory text. */
const UNREAD = 'unread';
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Placeholders of other mandatory fields, by their names. */
const FIELD_PLACEHOLDERS: Readonly<Record<string, unknown>> = {
  Id: NO_ID,
  ReportId: NO_ID,
  Status: 'Approved',
  Type: 'Fixed',
  AppliedToDimension: 'Interest',
  PeriodType: 'Months',
  Value: 0,
  Values: [],
  Expression: '0',
  Display: {},
  GeneralData: { PeriodicityType: UNREAD },
  Availability: { Currency: UNREAD, PeriodType: 'Months' },
};

/** Fields whose faults depend on another field. */
const HIDES: Readonly<Record<string, readonly string[]>> = {
  Type: ['CollectionInterests', 'BandedInterests', 'Formula', 'UseBankingFormula'],
  CollectionInterests: ['BandedInterests'],
  BandedInterests: ['CollectionInterests'],
  Formula: ['UseBankingFormula', 'DiscountValue'],
  UseBankingFormula: ['Formula'],
  Expression: ['Inputs'],
  Inputs: ['Expression'],
  ValueIsPercent: ['Values', 'Percent', 'PercentAppliedTo', 'Formula'],
  ValueIsPercentage: ['Values', 'PercentAppliedTo', 'Formula'],
  IsForUnusage: ['ValueIsPercent', 'PercentAppliedTo'],
  PeriodicityType: ['PercentAppliedTo'],
  Percent: ['Values'],
  AppliedToDimension: ['InterestType', 'Commission', 'CommissionType', 'Insurance', 'InsuranceClass'],
  IsPercentage: ['DiscountValue', 'Formula'],
  DiscountValue: ['Formula'],
  InterestList: ['CommissionList'],
  CommissionList: ['InterestList'],
  StartDate: ['EndDate'],
  MinUtilizedAmount: ['MaxUtilizedAmount'],
};
/** Lists whose items are compared with each other, unless one of them cannot be read. */
const COMPARED = /^(.*\b(?:Values|CollectionInterests|BandedInterests))\[\d+\]/;
/** Paths of the faults of these comparisons, below the list. */
const COMPARED_AT = ['[]', '[].InterestStartPeriod'];
/** Fields that ranges and defaults use to find other interests. */
const REFERENCED = /^Interests\[\d+\]\.(?:Name|Type|Status|IsPenalty|IsDefault)$/;
const REFERRING = ['CollectionInterests', 'IsDefault'];
/** Placeholder for a filter. */
const ANY_FILTER = { Name: UNREAD, From: 0 };

/** Maximum number of repair rounds: one for each level of mandatory fields, and one for replaced items. */
const MAX_ROUNDS = 8;

/** Repairs a record with placeholders; undefined if too little of it can be read. */
function repairedRecord<Shaped>(shape: z.ZodType<Shaped>, item: unknown): PartialRecord<Shaped> | undefined {
  if (!isRecord(item)) return undefined;
  const copy = copyOf(item);
  const unread = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const read = shape.safeParse(copy);
    if (read.success) return { record: read.data, unread: withHidden(unread, copy) };
    for (const issue of read.error.issues) repair(copy, issue, unread);
  }
  return undefined;
}

/** Removes a wrong value; if it is mandatory, the next round inserts a placeholder. */
function repair(copy: Record<string, unknown>, issue: z.core.$ZodIssue, unread: Set<string>): void {
  if (issue.code === 'unrecognized_keys') {
    removeFields(copy, issue.path, issue.keys);
    return;
  }
  const { path } = issue;
  const name = path.at(-1);
  const place = valueAt(copy, path.slice(0, -1));
  if (typeof name === 'number' && Array.isArray(place)) {
    // The other items keep their positions, which messages contain.
    unread.add(fieldPath(path));
    place[name] = itemPlaceholder(path.at(-2), issue);
    return;
  }
  if (name === undefined || !isRecord(place)) return;
  const isMissing = unread.has(fieldPath(path)) || Reflect.get(place, name) === undefined;
  unread.add(fieldPath(path));
  if (isMissing) Reflect.set(place, name, structuredClone(FIELD_PLACEHOLDERS[String(name)] ?? UNREAD));
  else Reflect.deleteProperty(place, name);
}

/** Placeholder for an item of a list; the next round inserts the fields of an object. */
function itemPlaceholder(list: PropertyKey | undefined, issue: z.core.$ZodIssue): unknown {
  if (list === 'Filters') return { ...ANY_FILTER };
  const expected = issue.code === 'invalid_type' ? issue.expected : 'string';
  if (expected === 'object') return {};
  return expected === 'number' ? 0 : UNREAD;
}

function withHidden(unread: ReadonlySet<string>, copy: Record<string, unknown>): ReadonlySet<string> {
  const further = [...unread].flatMap((path) => {
    const dot = path.lastIndexOf('.') + 1;
    const hidden = HIDES[path.slice(dot).replace(/\[\d+\]$/, '')] ?? [];
    const compared = COMPARED.exec(path)?.[1];
    return [
      ...hidden.map((name) => path.slice(0, dot) + name),
      ...(compared === undefined ? [] : COMPARED_AT.map((at) => compared + at)),
      ...(REFERENCED.test(path) ? referringFields(copy['Interests']) : []),
    ];
  });
  return new Set([...unread, ...further]);
}

function referringFields(interests: unknown): readonly string[] {
  const count = Array.isArray(interests) ? interests.length : 0;
  return Array.from({ length: count }, (_, place) =>
    REFERRING.map((name) => `Interests[${place}].${name}`),
  ).flat();
}

/**
 * What can be read of a catalogue record whose shape is wrong, so that an editor learns everything at once: not first
 * what cannot be read and then what has no meaning. Fields with a fault are left out, or harmless placeholders replace
 * them, and no fault is reported of what depends on them.
 */

import type { z } from 'zod';
import type { RecordKind } from '../../product/catalogue/catalogue-record.ts';
import { fieldPath, isRecord } from '../json/faults.ts';

/** A record with placeholders. */
export interface PartialRecord<Shaped> {
  readonly record: Shaped;
  /** Fields about which no fault can be established. */
  readonly unread: ReadonlySet<string>;
}

/** The readable part of a record of a kind; undefined when too little of it can be read. */
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

/** Placeholders for the fields of one kind of records. */
interface Placeholders {
  /** Of mandatory fields; others are left out. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What else no fault can be established about when a field cannot be read; `column`: all columns. */
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

/** The kinds of records that calculations use; those of products are repaired field by field. */
const PLACEHOLDERS: Readonly<Partial<Record<RecordKind, Placeholders>>> = {
  'schedule-type': SCHEDULE_TYPE,
  periodicity: PERIODICITY,
  calendar: CALENDAR,
};

/** The record without its wrong fields, unknown ones included; undefined when that leaves no record. */
function recordWithout<Shaped>(
  shape: z.ZodType<Shaped>,
  { error, item }: { readonly error: z.ZodError; readonly item: unknown },
  placeholders: Placeholders,
): PartialRecord<Shaped> | undefined {
  if (!isRecord(item)) return undefined;
  const copy: Record<string, unknown> = structuredClone(item);
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

/** Removes fields of the value at a path. */
function removeFields(value: unknown, path: readonly PropertyKey[], names: readonly string[]): void {
  const place = path.reduce<unknown>(
    (at, part) => (typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined),
    value,
  );
  for (const name of names) if (isRecord(place)) Reflect.deleteProperty(place, name);
}

/** Placeholder of a mandatory text. */
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

/** Fields about which no fault can be established while another one is unread. */
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
/** Items that are compared with one another: with an unread one among them they are not compared. */
const COMPARED = /^(.*\b(?:Values|CollectionInterests|BandedInterests))\[\d+\]/;
/** Where faults of comparisons are reported; empty: at the items themselves. */
const COMPARED_AT = ['[]', '[].InterestStartPeriod'];
/** Fields by which ranges and defaults find other interests. */
const FINDING = /^Interests\[\d+\]\.(?:Name|Type|Status|IsPenalty|IsDefault)$/;
const FOUND = ['CollectionInterests', 'IsDefault'];
/** Placeholder of a filter, of which there are three kinds. */
const ANY_FILTER = { Name: UNREAD, From: 0 };

/** Repairs are needed once for each level at which fields are mandatory, and for items that have to be replaced. */
const MAX_ROUNDS = 8;

/** The record with placeholders; undefined when too little of it can be read. */
function repairedRecord<Shaped>(shape: z.ZodType<Shaped>, item: unknown): PartialRecord<Shaped> | undefined {
  if (!isRecord(item)) return undefined;
  const copy: Record<string, unknown> = structuredClone(item);
  const unread = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const read = shape.safeParse(copy);
    if (read.success) return { record: read.data, unread: withHidden(unread, copy) };
    for (const issue of read.error.issues) repair(copy, issue, unread);
  }
  return undefined;
}

/** Leaves out what is wrong; what is missing then, because it is mandatory, gets a placeholder in the next round. */
function repair(copy: Record<string, unknown>, issue: z.core.$ZodIssue, unread: Set<string>): void {
  if (issue.code === 'unrecognized_keys') {
    removeFields(copy, issue.path, issue.keys);
    return;
  }
  const { path } = issue;
  const name = path.at(-1);
  const place = path.slice(0, -1).reduce<unknown>(valueAt, copy);
  if (typeof name === 'number' && Array.isArray(place)) {
    // The others keep their places, which messages report.
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

/** Placeholder of an item of a list; the fields of an object get their own in the next round. */
function itemPlaceholder(list: PropertyKey | undefined, issue: z.core.$ZodIssue): unknown {
  if (list === 'Filters') return { ...ANY_FILTER };
  const expected = issue.code === 'invalid_type' ? issue.expected : 'string';
  if (expected === 'object') return {};
  return expected === 'number' ? 0 : UNREAD;
}

function valueAt(value: unknown, part: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
}

function withHidden(unread: ReadonlySet<string>, copy: Record<string, unknown>): ReadonlySet<string> {
  const further = [...unread].flatMap((path) => {
    const dot = path.lastIndexOf('.') + 1;
    const hidden = HIDES[path.slice(dot).replace(/\[\d+\]$/, '')] ?? [];
    const compared = COMPARED.exec(path)?.[1];
    return [
      ...hidden.map((name) => path.slice(0, dot) + name),
      ...(compared === undefined ? [] : COMPARED_AT.map((at) => compared + at)),
      ...(FINDING.test(path) ? foundByOthers(copy['Interests']) : []),
    ];
  });
  return new Set([...unread, ...further]);
}

function foundByOthers(interests: unknown): readonly string[] {
  const count = Array.isArray(interests) ? interests.length : 0;
  return Array.from({ length: count }, (_, place) =>
    FOUND.map((name) => `Interests[${place}].${name}`),
  ).flat();
}

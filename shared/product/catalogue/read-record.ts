/** Checks records of any kind against their schemas (docs/catalogue.md, docs/schedule-types.md). */

import type { z } from 'zod';
import type { CatalogueFault, PeriodicityRecord } from '../../lending/schedule-types/lending-catalogue.ts';
import type { CalendarRecord } from '../../lending/calendars/catalogue-calendars.ts';
import type { ScheduleTypeRecord } from '../../lending/schedule-types/schedule-type-record.ts';
import { anyList, anyNumber, anyText } from '../../platform/json-kinds.ts';
import { recordOf, setFlag } from './record-kinds.ts';
import type { CatalogueRecord, RecordKind, RecordsByKind } from './catalogue-record.ts';
import { fieldPath, valueAt } from '../../platform/problem.ts';
import {
  COMMISSION_LIST_SHAPE,
  CUSTOM_LIST_SHAPE,
  DISCOUNT_LIST_SHAPE,
  INSURANCE_LIST_SHAPE,
  INTEREST_LIST_SHAPE,
} from './list-records.ts';
import { LIMIT_LIST_SHAPE } from './limit-list.ts';
import { NOTIFICATION_TEMPLATE_SHAPE } from './notification-template.ts';
import { PRODUCT_SHAPE } from './product-record.ts';

/** Slashes, backslashes, `..`, control characters and outer blanks, which message keys and paths must not contain. */
const UNSAFE_IN_KEY = /[/\\\p{Cc}]|\.\.|^\s+\S|\S\s+$/u;
/** A name that is part of a message key. Compiling the catalogue refuses an empty one. */
const keyText = () =>
  anyText().refine((value) => !UNSAFE_IN_KEY.test(value), {
    error: 'must not have slashes, backslashes, two dots together, control characters, or blanks at its ends',
  });
const optionalText = () => anyText().nullish();
const optionalCount = () => anyNumber().nullish();

const scheduleColumn = recordOf({
  PaymentScheduleTypeDetailId: anyText(),
  ColumnRepaymentSchedule: anyText(),
  CalculationMethod: anyText(),
  Fee: optionalText(),
  InsuranceClass: optionalText(),
  Source: optionalText(),
  Formula: optionalText(),
  Display: setFlag().nullish(),
  IsUpfront: setFlag().nullish(),
});

const SCHEDULE_TYPE_SHAPE: z.ZodType<ScheduleTypeRecord> = recordOf({
  PaymentScheduleTypeId: anyText(),
  PaymentScheduleCode: keyText(),
  PaymentScheduleTypeName: anyText(),
  Status: anyText(),
  ProductTypes: anyList(anyText()),
  ScheduleInterestCalculationType: anyText(),
  IsWithEqualInstallments: setFlag(),
  InstallmentValueCustom: setFlag(),
  UseMaturityDate: setFlag(),
  MeasurementUnit: optionalText(),
  Rounding: optionalText(),
  MaximumInstallments: optionalCount(),
  ResidualRequired: setFlag().nullish(),
  ResidualInInstallment: setFlag().nullish(),
  AcceptsCharges: setFlag().nullish(),
  UseExpiryDate: setFlag().nullish(),
  InterestCapitalization: setFlag().nullish(),
  PaymentScheduleTypeDetails: anyList(scheduleColumn),
});

const PERIODICITY_SHAPE: z.ZodType<PeriodicityRecord> = recordOf({
  name: keyText(),
  count: optionalCount(),
  unit: anyText(),
});

const CALENDAR_SHAPE: z.ZodType<CalendarRecord> = recordOf({
  name: keyText(),
  version: anyText(),
  weekend: anyList(anyText()).optional(),
  holidays: anyList(anyText()),
  base: anyText().optional(),
});

export const RECORD_SHAPES: { readonly [Kind in RecordKind]: z.ZodType<RecordsByKind[Kind]> } = {
  product: PRODUCT_SHAPE,
  'interest-list': INTEREST_LIST_SHAPE,
  'commission-list': COMMISSION_LIST_SHAPE,
  'insurance-list': INSURANCE_LIST_SHAPE,
  'discount-list': DISCOUNT_LIST_SHAPE,
  'limit-list': LIMIT_LIST_SHAPE,
  'custom-list': CUSTOM_LIST_SHAPE,
  'notification-template': NOTIFICATION_TEMPLATE_SHAPE,
  'schedule-type': SCHEDULE_TYPE_SHAPE,
  periodicity: PERIODICITY_SHAPE,
  calendar: CALENDAR_SHAPE,
};

type ReadRecord =
  | { readonly kind: 'record'; readonly entry: CatalogueRecord }
  | {
      readonly kind: 'invalid';
      readonly faults: readonly CatalogueFault[];
      readonly paths: readonly string[];
    };

/** Checks a parsed JSON value against the schema of its kind. `paths` are the fields with faults. Never throws. */
export function readCatalogueRecord(kind: RecordKind, value: unknown, source: string): ReadRecord {
  const read = RECORD_SHAPES[kind].safeParse(value, { jitless: true });
  if (!read.success) {
    const { issues } = read.error;
    const names = ['PaymentScheduleTypeName', 'name', 'Code'].map((field) => valueAt(value, [field]));
    const record = names.find((name) => typeof name === 'string') ?? '';
    const faults = issues.map((issue) => ({ source, record, message: describeIssue(issue, value) }));
    return { kind: 'invalid', faults, paths: issues.flatMap(issuePaths).map(fieldPath) };
  }
  return { kind: 'record', entry: { kind, source, record: read.data } as CatalogueRecord };
}

function issuePaths(issue: z.core.$ZodIssue): readonly (readonly PropertyKey[])[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
}

/** Describes an issue by the name of its column, if any: `column VatOnFees Fee must be text, not a number`. */
function describeIssue(issue: z.core.$ZodIssue, item: unknown): string {
  const [first, index, ...rest] = issue.path;
  const column =
    first === 'PaymentScheduleTypeDetails' && index !== undefined
      ? valueAt(item, [first, index, 'ColumnRepaymentSchedule'])
      : undefined;
  const isColumn = typeof column === 'string';
  const field = fieldPath(isColumn ? rest : issue.path);
  const text =
    issue.code === 'unrecognized_keys'
      ? `must not have the unknown field ${issue.keys.join(', ')}`
      : issue.message;
  return [isColumn ? `column ${column}` : '', field, text].filter((part) => part !== '').join(' ');
}

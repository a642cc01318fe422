/** Reads one record of any kind, from a file or from a message, with everything that is wrong with its shape. */

import type { z } from 'zod';
import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import type { CatalogueRecord, RecordKind, RecordsByKind } from '../../product/catalogue/catalogue-record.ts';
import { faultsOfRecord, memberPath } from './record-files.ts';
import { repairedRecord } from './partial-record.ts';
import { PARTLY_READ, partialRecord } from './catalogue-stand-ins.ts';
import {
  COMMISSION_LIST_SHAPE,
  CUSTOM_LIST_SHAPE,
  DISCOUNT_LIST_SHAPE,
  INSURANCE_LIST_SHAPE,
  INTEREST_LIST_SHAPE,
} from './list-fields.ts';
import { PRODUCT_SHAPE } from './product-fields.ts';
import { CALENDAR_SHAPE, PERIODICITY_SHAPE, SCHEDULE_TYPE_SHAPE } from './lending-fields.ts';

/** The shapes of all kinds of records. */
export const RECORD_SHAPES: { readonly [Kind in RecordKind]: z.ZodType<RecordsByKind[Kind]> } = {
  product: PRODUCT_SHAPE,
  'interest-list': INTEREST_LIST_SHAPE,
  'commission-list': COMMISSION_LIST_SHAPE,
  'insurance-list': INSURANCE_LIST_SHAPE,
  'discount-list': DISCOUNT_LIST_SHAPE,
  'custom-list': CUSTOM_LIST_SHAPE,
  'schedule-type': SCHEDULE_TYPE_SHAPE,
  periodicity: PERIODICITY_SHAPE,
  calendar: CALENDAR_SHAPE,
};

/** A record that was read, or why its shape is not that of its kind. */
export type ReadRecord =
  | { readonly kind: 'record'; readonly entry: CatalogueRecord }
  | {
      readonly kind: 'invalid';
      readonly faults: readonly CatalogueFault[];
      /** Where the faults are, such as `Interests[0].Values`; empty: the record itself. */
      readonly paths: readonly string[];
      /** At most one: what can be read of it, with stand-ins, so that the rest can be checked. */
      readonly partial: readonly CatalogueRecord[];
    };

/** Reads a value such as `JSON.parse` answers; `source` is where it stands. Never throws. */
export function readCatalogueRecord(kind: RecordKind, value: unknown, source: string): ReadRecord {
  const read = RECORD_SHAPES[kind].safeParse(value);
  if (!read.success) {
    const paths = read.error.issues.flatMap(pathsOf).map(memberPath);
    const partial = partOf(kind, { error: read.error, item: value }, source);
    return { kind: 'invalid', faults: faultsOfRecord(read.error, value, source), paths, partial };
  }
  // The shape that was chosen by the kind answers the record of that kind.
  return { kind: 'record', entry: { kind, source, record: read.data } as CatalogueRecord };
}

function partOf(
  kind: RecordKind,
  wrong: { readonly error: z.ZodError; readonly item: unknown },
  source: string,
): readonly CatalogueRecord[] {
  const standIns = PARTLY_READ[kind];
  const shape: z.ZodType = RECORD_SHAPES[kind];
  const part =
    standIns === undefined ? repairedRecord(shape, wrong.item) : partialRecord(shape, wrong, standIns);
  return part === undefined ? [] : [{ kind, source, ...part } as CatalogueRecord];
}

/** A member that is not known is itself the place. */
function pathsOf(issue: z.core.$ZodIssue): readonly (readonly PropertyKey[])[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
}

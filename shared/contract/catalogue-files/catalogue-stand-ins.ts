/**
 * What can still be read of a catalogue record whose shape is wrong: an editor learns everything at once, not first what
 * cannot be read and then what has no meaning. Harmless values stand in for the members with a fault.
 */

import type { z } from 'zod';
import type { RecordKind } from '../../product/catalogue/catalogue-record.ts';
import { isRecord } from '../json/faults.ts';

/** Values for the members of one kind of records. */
interface StandIns {
  /** For mandatory members; others are left out. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What nothing can be told of when a member cannot be read, beside the member itself; `column`: all columns. */
  readonly hides: Readonly<Record<string, readonly string[]>>;
}

/** A record with stand-ins. */
export interface PartialRecord<Shaped> {
  readonly record: Shaped;
  /** Members of which nothing can be told. */
  readonly unread: ReadonlySet<string>;
}

const SCHEDULE_TYPE_STAND_INS: StandIns = {
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

const PERIODICITY_STAND_INS: StandIns = {
  values: { name: '', unit: 'Days' },
  hides: { unit: ['count'] },
};

const CALENDAR_STAND_INS: StandIns = { values: { name: '', version: '1', holidays: [] }, hides: {} };

/** The kinds of records that calculations take; of the others members are repaired one by one. */
export const PARTLY_READ: Readonly<Partial<Record<RecordKind, StandIns>>> = {
  'schedule-type': SCHEDULE_TYPE_STAND_INS,
  periodicity: PERIODICITY_STAND_INS,
  calendar: CALENDAR_STAND_INS,
};

/** The record without what is wrong with it, unknown members included; undefined when that leaves no record. */
export function partialRecord<Shaped>(
  shape: z.ZodType<Shaped>,
  { error, item }: { readonly error: z.ZodError; readonly item: unknown },
  standIns: StandIns,
): PartialRecord<Shaped> | undefined {
  if (!isRecord(item)) return undefined;
  const copy: Record<string, unknown> = structuredClone(item);
  const unread = new Set<string>();
  for (const issue of error.issues) {
    const [member] = issue.path;
    if (issue.code === 'unrecognized_keys') removeMembers(copy, issue.path, issue.keys);
    else if (typeof member === 'string') unread.add(member);
  }
  for (const member of unread) {
    if (member in standIns.values) copy[member] = standIns.values[member];
    else delete copy[member];
  }
  const read = shape.safeParse(copy);
  if (!read.success) return undefined;
  const hidden = [...unread].flatMap((member) => standIns.hides[member] ?? []);
  return { record: read.data, unread: new Set([...unread, ...hidden]) };
}

/** Removes members of what stands at a place. */
export function removeMembers(value: unknown, path: readonly PropertyKey[], names: readonly string[]): void {
  const place = path.reduce<unknown>(
    (at, part) => (typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined),
    value,
  );
  for (const name of names) if (isRecord(place)) Reflect.deleteProperty(place, name);
}

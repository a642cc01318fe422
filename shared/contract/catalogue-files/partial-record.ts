/**
 * What can still be read of a product or a list whose shape is wrong: members with a fault are left out, or something
 * harmless stands in for them, and so nothing is told of what depends on them.
 */

import type { z } from 'zod';
import { memberPath } from './record-files.ts';
import { type PartialRecord, removeMembers } from './catalogue-stand-ins.ts';
import { isRecord } from '../json/faults.ts';

/** What stands in for a text that is mandatory. */
const UNREAD = 'unread';
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** For other mandatory members, by their names. */
const STAND_INS: Readonly<Record<string, unknown>> = {
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

/** Members beside an unread one of which nothing can be told. */
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
/** Items that are compared with one another: with an unread one among them nothing is told of how they compare. */
const COMPARED = /^(.*\b(?:Values|CollectionInterests|BandedInterests))\[\d+\]/;
/** Where items are told to compare badly; empty: of the items themselves. */
const COMPARED_AT = ['[]', '[].InterestStartPeriod'];
/** Members by which ranges and defaults find other interests. */
const FINDING = /^Interests\[\d+\]\.(?:Name|Type|Status|IsPenalty|IsDefault)$/;
const FOUND = ['CollectionInterests', 'IsDefault'];
/** Stands in for a filter, of which there are three kinds. */
const ANY_FILTER = { Name: UNREAD, From: 0 };

/** Repairs are needed once for each level at which members are mandatory, and for items that have to be replaced. */
const MOST_ROUNDS = 8;

/** The record with stand-ins; undefined when too little of it can be read. */
export function repairedRecord<Shaped>(
  shape: z.ZodType<Shaped>,
  item: unknown,
): PartialRecord<Shaped> | undefined {
  if (!isRecord(item)) return undefined;
  const copy: Record<string, unknown> = structuredClone(item);
  const unread = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const read = shape.safeParse(copy);
    if (read.success) return { record: read.data, unread: withHidden(unread, copy) };
    for (const issue of read.error.issues) repair(copy, issue, unread);
  }
  return undefined;
}

/** Leaves out what is wrong; what is missing then, because it is mandatory, gets a stand-in the next time. */
function repair(copy: Record<string, unknown>, issue: z.core.$ZodIssue, unread: Set<string>): void {
  if (issue.code === 'unrecognized_keys') {
    removeMembers(copy, issue.path, issue.keys);
    return;
  }
  const { path } = issue;
  const name = path.at(-1);
  const place = path.slice(0, -1).reduce<unknown>(valueAt, copy);
  if (typeof name === 'number' && Array.isArray(place)) {
    // The others keep their places, which messages tell.
    unread.add(memberPath(path));
    place[name] = itemStandIn(path.at(-2), issue);
    return;
  }
  if (name === undefined || !isRecord(place)) return;
  const isMissing = unread.has(memberPath(path)) || Reflect.get(place, name) === undefined;
  unread.add(memberPath(path));
  if (isMissing) Reflect.set(place, name, structuredClone(STAND_INS[String(name)] ?? UNREAD));
  else Reflect.deleteProperty(place, name);
}

/** What stands in for an item of a list; the members of an object get their own the next time. */
function itemStandIn(list: PropertyKey | undefined, issue: z.core.$ZodIssue): unknown {
  if (list === 'Filters') return { ...ANY_FILTER };
  const expected = issue.code === 'invalid_type' ? issue.expected : 'string';
  if (expected === 'object') return {};
  return expected === 'number' ? 0 : UNREAD;
}

function valueAt(value: unknown, part: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
}

function withHidden(unread: ReadonlySet<string>, copy: Record<string, unknown>): ReadonlySet<string> {
  const hidden = [...unread].flatMap((path) => {
    const dot = path.lastIndexOf('.') + 1;
    const beside = HIDES[path.slice(dot).replace(/\[\d+\]$/, '')] ?? [];
    const compared = COMPARED.exec(path)?.[1];
    return [
      ...beside.map((name) => path.slice(0, dot) + name),
      ...(compared === undefined ? [] : COMPARED_AT.map((at) => compared + at)),
      ...(FINDING.test(path) ? foundByOthers(copy['Interests']) : []),
    ];
  });
  return new Set([...unread, ...hidden]);
}

function foundByOthers(interests: unknown): readonly string[] {
  const count = Array.isArray(interests) ? interests.length : 0;
  return Array.from({ length: count }, (_, place) =>
    FOUND.map((name) => `Interests[${place}].${name}`),
  ).flat();
}

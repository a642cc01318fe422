/** Compares two records field by field, with paths that are easy to find in the file. */

import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../shared/api/json/faults.ts';

/** A field that differs; a value is undefined if the field is absent on that side. */
export interface FieldDifference {
  /** Such as `Interests[Standard].Values[0].Value`; empty for the whole value. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Fields that identify the items of a list, in order of preference. */
const IDENTIFYING_FIELDS = ['Id', 'PaymentScheduleTypeDetailId', 'ReportId', 'Code', 'Name'] as const;
const TITLE_FIELDS = ['Name', 'InsuranceName', 'ColumnRepaymentSchedule', 'DisplayName', 'Code'] as const;

/** Copies a value as JSON would transmit it: fields that are undefined are left out. */
export function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** Lists how two JSON values differ, in the order of their fields. `path` is the prefix of all paths. */
export function compareFields(from: unknown, to: unknown, path = ''): readonly FieldDifference[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (isRecord(from) && isRecord(to)) {
    return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) =>
      compareFields(from[name], to[name], path === '' ? name : `${path}.${name}`),
    );
  }
  if (Array.isArray(from) && Array.isArray(to)) return compareLists(from, to, path);
  return [{ path, from, to }];
}

function compareLists(
  from: readonly unknown[],
  to: readonly unknown[],
  path: string,
): readonly FieldDifference[] {
  const naming = IDENTIFYING_FIELDS.find(
    (field) => identifiesItems(from, field) && identifiesItems(to, field),
  );
  if (naming === undefined) {
    const length = Math.max(from.length, to.length);
    return Array.from({ length }, (_, place) =>
      compareFields(from[place], to[place], `${path}[${place}]`),
    ).flat();
  }
  const before = new Map(from.map((item) => [readField(item, naming), item]));
  const after = new Map(to.map((item) => [readField(item, naming), item]));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const differences = names.flatMap((name) => {
    const item = after.get(name) ?? before.get(name);
    return compareFields(before.get(name), after.get(name), `${path}[${describeItem(item)}]`);
  });
  if (differences.length > 0) return differences;
  return [{ path: `${path} (order)`, from: from.map(describeItem), to: to.map(describeItem) }];
}

function identifiesItems(items: readonly unknown[], field: string): boolean {
  const names = items.map((item) => readField(item, field));
  return names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
}

function describeItem(item: unknown): string {
  const names = [...TITLE_FIELDS, ...IDENTIFYING_FIELDS].map((field) => readField(item, field));
  return names.find((name) => typeof name === 'string') ?? '?';
}

function readField(item: unknown, field: string): unknown {
  return isRecord(item) ? item[field] : undefined;
}

/** In which members two records differ, in words that a person finds in the file. */

import { isDeepStrictEqual } from 'node:util';

/** A member that differs; undefined: one side does not have it. */
export interface MemberDifference {
  /** Such as `Interests[Standard].Values[0].Value`; empty: the value as a whole. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Members by which items of a list are told apart, best first. */
const NAMING_MEMBERS = ['Id', 'PaymentScheduleTypeDetailId', 'ReportId', 'Code', 'Name'] as const;
/** Members that call an item, in the paths. */
const CALLING_MEMBERS = ['Name', 'InsuranceName', 'ColumnRepaymentSchedule', 'DisplayName', 'Code'] as const;

type Members = Readonly<Record<string, unknown>>;

/** A value as JSON sees it: what is undefined is not there. */
export function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** The differences from one JSON value to another, in the order of the members. */
export function memberDifferences(from: unknown, to: unknown, path = ''): readonly MemberDifference[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (isMembers(from) && isMembers(to)) {
    return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) =>
      memberDifferences(from[name], to[name], path === '' ? name : `${path}.${name}`),
    );
  }
  if (Array.isArray(from) && Array.isArray(to)) return listDifferences(from, to, path);
  return [{ path, from, to }];
}

function listDifferences(
  from: readonly unknown[],
  to: readonly unknown[],
  path: string,
): readonly MemberDifference[] {
  const naming = NAMING_MEMBERS.find((member) => tellsApart(from, member) && tellsApart(to, member));
  if (naming === undefined) {
    const length = Math.max(from.length, to.length);
    return Array.from({ length }, (_, place) =>
      memberDifferences(from[place], to[place], `${path}[${place}]`),
    ).flat();
  }
  const before = new Map(from.map((item) => [memberOf(item, naming), item]));
  const after = new Map(to.map((item) => [memberOf(item, naming), item]));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const differences = names.flatMap((name) => {
    const item = after.get(name) ?? before.get(name);
    return memberDifferences(before.get(name), after.get(name), `${path}[${callOf(item)}]`);
  });
  if (differences.length > 0) return differences;
  return [{ path: `${path} in the order`, from: from.map(callOf), to: to.map(callOf) }];
}

/** True when every item has that member as text, each another. */
function tellsApart(items: readonly unknown[], member: string): boolean {
  const names = items.map((item) => memberOf(item, member));
  return names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
}

function callOf(item: unknown): string {
  const names = [...CALLING_MEMBERS, ...NAMING_MEMBERS].map((member) => memberOf(item, member));
  return names.find((name) => typeof name === 'string') ?? '?';
}

function memberOf(item: unknown, member: string): unknown {
  return isMembers(item) ? item[member] : undefined;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

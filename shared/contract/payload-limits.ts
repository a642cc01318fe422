/**
 * Holds a payload that no definition has read, because it came in Avro, against the limits of the definition: length
 * of texts and lists, years of dates. Numbers have the same limits in the Avro schema. Derived from the definition, so
 * that a request meets the same limits in either format.
 */

import { calendarDateOf, EARLIEST_YEAR, LATEST_YEAR } from '../lending/calendar-date.ts';
import type { Fault } from '../platform/problem.ts';
import type { JsonSchema } from './json-schema.ts';
import { tooManyItems } from './known-members.ts';
import { EXISTING_DATE, isDateSchema, NOT_EMPTY, TOO_LONG } from './member-kinds.ts';
import { shapeFault } from './request-faults.ts';

/** Notes what of a value of the payload is beyond its limits. */
export type LimitCheck = (value: unknown, path: string, faults: Fault[]) => void;

const EARLIEST_DATE = calendarDateOf(EARLIEST_YEAR, 1, 1);
const LATEST_DATE = calendarDateOf(LATEST_YEAR, 12, 31);

/** Compiles the check of a definition's JSON Schema; undefined where it has no limit. Absent members pass. */
export function compileLimits(schema: JsonSchema): LimitCheck | undefined {
  if (isDateSchema(schema)) return checkDate;
  if (schema.items !== undefined) return listCheck(schema.items, schema.maxItems ?? 0);
  if (schema.properties !== undefined) return recordCheck(schema.properties);
  return schema.maxLength === undefined ? undefined : textCheck(schema.maxLength);
}

function checkDate(value: unknown, path: string, faults: Fault[]): void {
  const day = value as number;
  if (day < EARLIEST_DATE || day > LATEST_DATE) faults.push(shapeFault(path, 'invalid-date', EXISTING_DATE));
}

function textCheck(maxLength: number): LimitCheck {
  return (value, path, faults) => {
    const { length } = value as string;
    if (length === 0) faults.push(shapeFault(path, 'empty', NOT_EMPTY));
    else if (length > maxLength) faults.push(shapeFault(path, 'too-long', TOO_LONG));
  };
}

function listCheck(itemSchema: JsonSchema, maxItems: number): LimitCheck {
  const checkItem = compileLimits(itemSchema);
  return (value, path, faults) => {
    const items = value as readonly unknown[];
    if (items.length > maxItems) {
      faults.push(tooManyItems(path, maxItems));
      return;
    }
    for (const [index, item] of items.entries()) checkItem?.(item, `${path}[${index}]`, faults);
  };
}

function recordCheck(properties: Readonly<Record<string, JsonSchema>>): LimitCheck {
  const checks: (readonly [string, LimitCheck])[] = [];
  for (const [name, member] of Object.entries(properties)) {
    const check = compileLimits(member);
    if (check !== undefined) checks.push([name, check]);
  }
  return (value, path, faults) => {
    const members = value as Readonly<Record<string, unknown>>;
    for (const [name, check] of checks) {
      const member = members[name];
      if (member !== undefined) check(member, `${path}.${name}`, faults);
    }
  };
}

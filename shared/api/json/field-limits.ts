/** Checks payloads from Avro against the limits in their JSON Schema, so that Avro and JSON have the same limits. */

import { toCalendarDate, MIN_YEAR, MAX_YEAR } from '../../lending/dates/calendar-date.ts';
import { type Fault, joinPath } from '../../platform/problem.ts';
import type { JsonSchema } from './json-schema.ts';
import { tooManyItems } from './unknown-fields.ts';
import {
  EMPTY_NAME,
  EXISTING_DATE,
  isDateSchema,
  GUID,
  isGuidSchema,
  LONG_NAME,
  MAX_TEXT_LENGTH,
  type NamedDecimal,
  NOT_A_GUID,
  NOT_EMPTY,
  tooLong,
  tooManyFigures,
} from './field-kinds.ts';
import { shapeFault } from './faults.ts';

type LimitCheck = (value: unknown, path: string, faults: Fault[]) => void;

const EARLIEST_DATE = toCalendarDate(MIN_YEAR, 1, 1);
const LATEST_DATE = toCalendarDate(MAX_YEAR, 12, 31);

/** Creates a check that adds a fault for each exceeded limit; undefined for a kind without limits, such as numbers. */
export function compileLimits(schema: JsonSchema): LimitCheck | undefined {
  const { items, maxItems = 0, properties, maxProperties, maxLength } = schema;
  if (isDateSchema(schema)) return checkDate;
  if (isGuidSchema(schema)) return checkGuid;
  if (items !== undefined) return listCheck(items, maxItems);
  if (properties !== undefined) return recordCheck(properties);
  if (maxProperties !== undefined) return figuresCheck(maxProperties);
  if (maxLength === undefined) return undefined;
  return (value, path, faults) => {
    const { length } = value as string;
    if (length === 0) faults.push(shapeFault(path, 'empty', NOT_EMPTY));
    else if (length > maxLength) faults.push(shapeFault(path, 'too-long', tooLong(maxLength)));
  };
}

function checkDate(value: unknown, path: string, faults: Fault[]): void {
  const day = value as number;
  if (day < EARLIEST_DATE || day > LATEST_DATE) faults.push(shapeFault(path, 'invalid-date', EXISTING_DATE));
}

function checkGuid(value: unknown, path: string, faults: Fault[]): void {
  if (!GUID.test(value as string)) faults.push(shapeFault(path, 'wrong-type', NOT_A_GUID));
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

/** Checks the list into which `figuresByName` reads an object. */
function figuresCheck(mostFigures: number): LimitCheck {
  return (value, path, faults) => {
    const figures = value as readonly NamedDecimal[];
    if (figures.length > mostFigures) {
      faults.push(shapeFault(path, 'too-many-items', tooManyFigures(mostFigures)));
      return;
    }
    if (figures.some(({ name }) => name === '')) faults.push(shapeFault(path, 'empty', EMPTY_NAME));
    if (figures.some(({ name }) => name.length > MAX_TEXT_LENGTH))
      faults.push(shapeFault(path, 'too-long', LONG_NAME));
  };
}

function recordCheck(properties: Readonly<Record<string, JsonSchema>>): LimitCheck {
  const checks = Object.entries(properties).flatMap(([name, field]) => {
    const check = compileLimits(field);
    return check === undefined ? [] : [[name, check] as const];
  });
  return (value, path, faults) => {
    const record = value as Readonly<Record<string, unknown>>;
    for (const [name, check] of checks) {
      const field = record[name];
      if (field !== undefined) check(field, joinPath(path, name), faults);
    }
  };
}

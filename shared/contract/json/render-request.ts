/**
 * Writes the request of a calculation as JSON, for callers of the log that send JSON: the inverse of reading it.
 * Members that are undefined are left out; decimals keep every digit.
 */

import { Decimal } from 'decimal.js';
import type { z } from 'zod';
import { formatCalendarDate, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import { REQUEST_MEMBER } from './faults-beside-shape.ts';
import { jsonSchemaOf, type JsonSchema } from './json-schema.ts';
import { isDateSchema, type NamedDecimal } from './field-kinds.ts';

/** Makes the writer of `{"jsonParam":{...}}`. Members of a payload that the definition does not know are not written. */
export function requestRenderer(members: z.ZodObject): (request: unknown) => string {
  const schema = jsonSchemaOf(members);
  return (request) => `{${JSON.stringify(REQUEST_MEMBER)}:${recordText(schema, request as object)}}`;
}

/** As {@link requestRenderer}, of an action whose members stand at the top of the body. */
export function bodyRenderer(members: z.ZodObject): (request: unknown) => string {
  const schema = jsonSchemaOf(members);
  return (request) => recordText(schema, request as object);
}

function recordText(schema: JsonSchema, record: object): string {
  const sent = new Map(Object.entries(record));
  const members = Object.entries(schema.properties ?? {})
    .filter(([name]) => sent.get(name) !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${valueText(member, sent.get(name))}`);
  return `{${members.join(',')}}`;
}

function valueText(schema: JsonSchema, value: unknown): string {
  if (value instanceof Decimal) return value.toString();
  if (isDateSchema(schema)) return `"${formatCalendarDate(value as CalendarDate)}"`;
  const { items, properties, maxProperties } = schema;
  if (maxProperties !== undefined) return figuresText(value as readonly NamedDecimal[]);
  if (items !== undefined) return `[${(value as unknown[]).map((item) => valueText(items, item)).join(',')}]`;
  return properties === undefined ? JSON.stringify(value) : recordText(schema, value as object);
}

function figuresText(figures: readonly NamedDecimal[]): string {
  return `{${figures.map(({ name, value }) => `${JSON.stringify(name)}:${value.toString()}`).join(',')}}`;
}

/** Writes the fields of a request as JSON, the inverse of reading them: decimals keep every digit. */

import { Decimal } from 'decimal.js';
import { formatCalendarDate, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import { isDateSchema, type NamedDecimal } from './field-kinds.ts';
import type { JsonSchema } from './json-schema.ts';

/** Makes the writer of the records of a schema. Fields that are undefined, or not in the schema, are left out. */
export function createJsonWriter(schema: JsonSchema): (record: unknown) => string {
  return (record) => recordText(schema, record as object);
}

function recordText(schema: JsonSchema, record: object): string {
  const sent = new Map(Object.entries(record));
  const fields = Object.entries(schema.properties ?? {})
    .filter(([name]) => sent.get(name) !== undefined)
    .map(([name, field]) => `${JSON.stringify(name)}:${valueText(field, sent.get(name))}`);
  return `{${fields.join(',')}}`;
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

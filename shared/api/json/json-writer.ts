/** Writes values as JSON according to the JSON Schema of their definition. Decimals keep all digits. */

import { Decimal } from 'decimal.js';
import { formatCalendarDate, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import { isDateSchema, type NamedDecimal } from './field-kinds.ts';
import type { JsonSchema } from './json-schema.ts';

type Writer = (value: unknown) => string;

/** Compiles the writer of a schema. It writes an absent required field as null, because Avro decodes null as absent. */
export function createJsonWriter(schema: JsonSchema): Writer {
  if (isDateSchema(schema)) return (value) => `"${formatCalendarDate(value as CalendarDate)}"`;
  if (schema.maxProperties !== undefined) return (value) => figuresText(value as readonly NamedDecimal[]);
  if (schema.items !== undefined) return listWriter(schema.items);
  if (schema.properties !== undefined) return recordWriter(schema);
  return scalarText;
}

/** ASCII strings that JSON writes without escapes. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

/** The JSON of a scalar or Decimal. Plain strings, the bulk of an explained schedule, avoid slow JSON.stringify. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string' && PLAIN_TEXT.test(value)) return `"${value}"`;
  return value instanceof Decimal ? value.toString() : JSON.stringify(value);
}

const PLAIN_DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** The JSON of a figure; `null` if it is absent. Throws RangeError on text that is not a plain decimal (a bug). */
export function decimalText(figure: string | null | undefined): string {
  if (figure === null || figure === undefined) return 'null';
  if (!PLAIN_DECIMAL.test(figure)) throw new RangeError('a figure must be plain decimal text');
  return figure;
}

function listWriter(itemSchema: JsonSchema): Writer {
  const writeItem = createJsonWriter(itemSchema);
  return (value) => `[${(value as unknown[]).map((item) => writeItem(item)).join(',')}]`;
}

function recordWriter({ properties = {}, required = [] }: JsonSchema): Writer {
  const fields = Object.entries(properties).map(([name, field]) => ({
    name,
    label: `${JSON.stringify(name)}:`,
    write: createJsonWriter(field),
    isRequired: required.includes(name),
  }));
  return (value) => {
    const record = value as Readonly<Record<string, unknown>>;
    let text = '';
    for (const { name, label, write, isRequired } of fields) {
      const field = record[name] ?? null;
      if (field === null && !isRequired) continue;
      text += `${text === '' ? '' : ','}${label}${field === null ? 'null' : write(field)}`;
    }
    return `{${text}}`;
  };
}

function figuresText(figures: readonly NamedDecimal[]): string {
  return `{${figures.map(({ name, value }) => `${JSON.stringify(name)}:${value.toString()}`).join(',')}}`;
}

/** Kinds of request fields. Each parses JSON into a domain type. Messages never quote a value, which may be secret. */

import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { MIN_YEAR, MAX_YEAR, parseCalendarDate } from '../../lending/dates/calendar-date.ts';
import {
  anyList,
  anyText,
  type ErrorText,
  flagOf,
  mustBe,
  SHOWN_NUMERIC_FLAG,
} from '../../platform/json-kinds.ts';
import { isAbsent, type ShapeFaultCode } from './faults.ts';
import type { JsonSchema } from './json-schema.ts';

/** Maximum length of a name or code, in UTF-16 code units. Names in catalogues are much shorter. */
export const MAX_TEXT_LENGTH = 200;

const DAY_PATTERN = '(19|2[0-9])[0-9]{2}-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01])';
const TIME_PATTERN =
  '([01][0-9]|2[0-3]):[0-5][0-9](:([0-5][0-9]|60)([.,][0-9]{1,9})?)?([Zz]|[+-][0-9]{2}:?[0-9]{2})?';
const DATE_PATTERN = `^${DAY_PATTERN}([Tt ]${TIME_PATTERN})?$`;

export const EXISTING_DATE = `must be an existing date such as 2024-01-31, from ${MIN_YEAR} to ${MAX_YEAR}`;

interface DecimalSize {
  readonly precision: number;
  readonly scale: number;
}

/** Sizes of amounts and percentages in the Avro schemas. */
const AMOUNT: DecimalSize = { precision: 38, scale: 18 };
const PERCENT: DecimalSize = { precision: 30, scale: 20 };

const MAX_COUNT = 2_147_483_647;

/** The range of a number, for documents. The reader does not check it: the engine does, and refuses with 422. */
export type NumberRange = Pick<JsonSchema, 'minimum' | 'maximum' | 'exclusiveMinimum'>;

/** An amount of money, as the exact decimal that was sent (M1). Numbers sent as strings are refused (M6). */
export const amount = (range: NumberRange = {}) => decimal(AMOUNT, 'amount-too-large', range);

/** A rate or share in percent, read like an {@link amount}. */
export const percent = (range: NumberRange = {}) => decimal(PERCENT, 'out-of-range', range);

function decimal({ precision, scale }: DecimalSize, tooLargeCode: ShapeFaultCode, range: NumberRange) {
  const largest = `must have at most ${precision - scale} digits before the decimal point`;
  const finest = `must have at most ${scale} decimals`;
  return z
    .unknown()
    .meta({ type: 'number', ...range })
    .transform((value, context) => {
      const exact = exactDecimal(value);
      if (exact === undefined) return refuseType(context, value, 'a number');
      if (exact.e >= precision - scale) return refuse(context, value, tooLargeCode, largest);
      if (exact.decimalPlaces() > scale) return refuse(context, value, 'too-many-decimals', finest);
      return exact;
    });
}

/** Stands for a raw number that is not 0, but so close to 0 that Decimal reads it as 0. */
const SMALLEST = new Decimal('1e-9000000000000000');

function exactDecimal(value: unknown): Decimal | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? new Decimal(value) : undefined;
  if (!JSON.isRawJSON(value)) return undefined;
  const exact = new Decimal(value.rawJSON);
  return exact.isZero() ? SMALLEST : exact;
}

function refuseType(context: z.RefinementCtx, value: unknown, what: string): never {
  return refuse(context, value, isAbsent(value) ? 'missing' : 'wrong-type', mustBe(what)({ input: value }));
}

/** A whole number of at most 2^31 - 1 in absolute value. `unit` names what it counts, for messages. */
export const count = (range: NumberRange = {}, unit?: string) => {
  const number = unit === undefined ? 'number' : `number of ${unit}`;
  return z
    .unknown()
    .meta({ type: 'integer', minimum: -MAX_COUNT, maximum: MAX_COUNT, ...range })
    .transform((value, context) => {
      if (typeof value === 'number' && Number.isFinite(value)) return wholeNumber(value, context, number);
      const exact = exactDecimal(value);
      if (exact === undefined) return refuseType(context, value, `a ${number}`);
      return wholeNumber(exact.isInteger() ? exact.toNumber() : Number.NaN, context, number);
    });
};

function wholeNumber(value: number, context: z.RefinementCtx, number = 'number'): number {
  if (!Number.isInteger(value)) return refuse(context, value, 'out-of-range', `must be a whole ${number}`);
  if (Math.abs(value) <= MAX_COUNT) return value;
  return refuse(context, value, 'out-of-range', `must be at most ${MAX_COUNT} in absolute value`);
}

/** Reports a fault in a zod transformation, which may return the result in place of a value. */
export function refuse(
  context: z.RefinementCtx,
  input: unknown,
  code: ShapeFaultCode,
  message: string,
): never {
  context.issues.push({ code: 'custom', input, message, params: { code } });
  return z.NEVER;
}

const mustBeFlag: ErrorText = (issue) => {
  const isNumber = typeof issue.input === 'number' && Number.isFinite(issue.input);
  return isNumber ? 'must be one of true, false, 1 and 0' : mustBe('one of true, false, 1 and 0')(issue);
};

/** A flag: true, false, 1 or 0 (M6). */
export const flag = () => flagOf(mustBeFlag);

/** A flag that documents show as the number 0 or 1. */
export const flagNumber = () => flagOf(mustBeFlag, SHOWN_NUMERIC_FLAG);

/** The kind of flag that a schema describes; undefined if the field is not a flag. */
export function flagKind({ type, minimum, maximum }: JsonSchema): 'flag' | 'numeric-flag' | undefined {
  const types = new Set([type].flat());
  if (types.has('boolean')) return 'flag';
  return types.has('integer') && minimum === 0 && maximum === 1 ? 'numeric-flag' : undefined;
}

/** A numeric option that also accepts true and false for 1 and 0 (M6). The engine refuses other numbers. */
export const numericFlag = () =>
  z
    .union([z.number().meta({ type: 'integer' }), z.boolean()], {
      error: mustBe('one of 1, 0, true and false'),
    })
    .meta(SHOWN_NUMERIC_FLAG)
    .transform((value, context) => wholeNumber(Number(value), context));

export const NOT_EMPTY = 'must not be empty; leave it out or send null where it does not apply';
export const tooLong = (maxLength: number) => `must have at most ${maxLength} characters`;

/** An object, which messages call `what`. Unknown fields are dropped. */
export function objectOf<Shape extends z.ZodRawShape>(shape: Shape, what = 'an object') {
  return z.object(shape, { error: mustBe(what) });
}

/** Gives the fields that `texts` names their descriptions. */
export function described<Shape extends z.ZodRawShape>(texts: Partial<Texts<Shape>>, shape: Shape): Shape {
  const fields = Object.entries<string>(texts as Texts<Shape>).map(([name, text]) => {
    const kind = shape[name] as z.ZodType;
    const isOptional = kind instanceof z.ZodOptional;
    return [name, isOptional ? (kind.unwrap() as z.ZodType).describe(text).optional() : kind.describe(text)];
  });
  return { ...shape, ...(Object.fromEntries(fields) as Shape) };
}

export const requestOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  objectOf(shape, 'an object with the fields of the request');

export const namedObject = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.object(shape).meta({ id });

/** The texts with the figures that they name in braces, such as `{criteria}`. */
export const withFigures = <Text>(texts: Text, figures: Readonly<Record<string, unknown>>): Text =>
  JSON.parse(
    JSON.stringify(texts).replaceAll(/\{(\w+)\}/g, (_, name: string) => String(figures[name])),
  ) as Text;

/** Makes named objects whose fields have the descriptions that `texts` has under their ids. */
export const namedIn =
  <Id extends string>(texts: Readonly<Record<Id, object>>) =>
  <Shape extends z.ZodRawShape>(id: Id, shape: Shape) =>
    namedObject(id, described(texts[id], shape));

/** A time in ISO 8601, only for answers. */
export const dateTime = () => z.string().meta({ format: 'date-time' });

export const strictNamed = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });

/** The same for objects that have no further fields. */
export const strictIn =
  <Id extends string>(texts: Readonly<Record<Id, object>>) =>
  <Shape extends z.ZodRawShape>(id: Id, shape: Shape) =>
    strictNamed(id, described(texts[id], shape));

type Texts<Shape> = Readonly<Record<keyof Shape, string>>;

export const termsOf = <Shape extends z.ZodRawShape>(texts: Texts<Shape>, shape: Shape) =>
  requestOf(described(texts, shape));

export const itemOf = <Shape extends z.ZodRawShape>(texts: Texts<Shape>, shape: Shape) =>
  fieldsOf(texts, shape);

/** An object of which some fields have a text in `texts`. */
export const fieldsOf = <Shape extends z.ZodRawShape>(
  texts: Partial<Texts<Shape>>,
  shape: Shape,
  what?: string,
) => objectOf(described(texts, shape), what);

/** A name or code of 1 to 200 characters. Documents and forms show the `known` names; a catalogue may have others. */
export const text = (known: readonly string[] = [], maxLength = MAX_TEXT_LENGTH) => {
  const name = anyText()
    .min(1, { error: NOT_EMPTY })
    .max(maxLength, { error: tooLong(maxLength) });
  return known.length === 0 ? name : name.meta({ examples: [...known] });
};

/** One of `names`, which documents list. The reader accepts any text: the engine checks the name, ignoring case. */
export const nameOf = (title: string, names: readonly string[]) =>
  text()
    .meta({ enum: [...names] })
    .meta({ id: title });

const GUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
export const GUID = new RegExp(GUID_PATTERN);

export const NOT_A_GUID = 'must be a GUID such as 0f8fad5b-d9cb-469f-a165-70867728950e';

export const guid = () => anyText('a GUID as text').regex(GUID, { error: NOT_A_GUID });

export function isGuidSchema(schema: { readonly pattern?: string }): boolean {
  return schema.pattern === GUID_PATTERN;
}

export interface NamedDecimal {
  readonly name: string;
  readonly value: Decimal;
}

/** An object whose field names the caller chooses, such as `{"Margin": 2.5}`, read as a list; undefined if empty. */
export const figuresByName = (mostFigures: number) => {
  const figure = amount();
  return z
    .unknown()
    .meta({
      id: 'FiguresByName',
      type: 'object',
      propertyNames: { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH },
      additionalProperties: { type: 'number' },
      maxProperties: mostFigures,
    })
    .transform((sent, context): readonly NamedDecimal[] | undefined => {
      if (sent === undefined || sent === null) return undefined;
      if (typeof sent !== 'object' || Array.isArray(sent) || JSON.isRawJSON(sent)) {
        return refuse(context, sent, 'wrong-type', mustBe('an object of numbers')({ input: sent }));
      }
      const entries = Object.entries(sent);
      if (entries.length > mostFigures) {
        return refuse(context, undefined, 'too-many-items', tooManyFigures(mostFigures));
      }
      const list = entries.flatMap(([name, value]) => {
        if (name === '') refuse(context, undefined, 'empty', EMPTY_NAME);
        if (name.length > MAX_TEXT_LENGTH) refuse(context, undefined, 'too-long', LONG_NAME);
        const read = figure.safeParse(value);
        if (read.success) return [{ name, value: read.data }];
        for (const issue of read.error.issues) context.issues.push({ ...issue, input: value, path: [name] });
        return [];
      });
      return list.length === 0 ? undefined : list;
    });
};

export const EMPTY_NAME = 'must not have a field without a name';
export const LONG_NAME = `must have fields with names of at most ${MAX_TEXT_LENGTH} characters`;
export function tooManyFigures(mostFigures: number): string {
  return `must have at most ${mostFigures} fields`;
}

/** A calendar date (D1): `yyyy-mm-dd`, `yyyy-m-d` or an ISO date-time, of which only the date counts. */
export const date = () =>
  anyText('a date such as 2024-01-31')
    .meta({ pattern: DATE_PATTERN, examples: ['2024-01-31'] })
    .transform((value, context) => {
      const parsed = parseCalendarDate(value);
      if (parsed !== undefined) return parsed;
      return refuse(context, value, 'invalid-date', EXISTING_DATE);
    });

export function isDateSchema(schema: { readonly pattern?: string }): boolean {
  return schema.pattern === DATE_PATTERN;
}

/** A field that may be left out; null means the same (M6). */
export const optional = <Kind extends z.ZodType>(kind: Kind) =>
  kind.nullish().transform((value) => value ?? undefined);

/** A list that may be left out; an empty one means the same (R1). One longer than `maxItems` is refused unread. */
export const optionalList = <Item extends z.ZodType>(item: Item, maxItems: number) =>
  anyList(item)
    .max(maxItems)
    .nullish()
    .transform((items) => (items === null || items?.length === 0 ? undefined : items));

const MAX_NAMED_FIGURES = 100;

const namedFigure = objectOf({
  name: text().describe('Name of the figure, case-insensitive.'),
  value: amount().describe('The figure.'),
}).meta({ id: 'NamedFigure' });

export const namedFigures = () => optionalList(namedFigure, MAX_NAMED_FIGURES);

/** A list that some callers send as an empty string instead of leaving it out. Documents show only the list. */
export const emptyTextOr = <List extends z.ZodType>(list: List) =>
  z
    .preprocess((sent) => (sent === '' ? undefined : sent), list)
    .optional()
    .meta({ type: ['array', 'null'] });

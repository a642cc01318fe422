/**
 * The kinds of fields of catalogue records. Reading gives an absent optional field its default. An unknown field is a
 * fault, because a misspelt setting would have no effect. Look-ups return each field that has a description.
 */

import { z } from 'zod';
import { isGuid } from '../../lending/schedule-types/activation-checks.ts';
import { formatCalendarDate, parseCalendarDate } from '../../lending/dates/calendar-date.ts';
import {
  anyList,
  anyNumber,
  anyText,
  flagOf,
  mustBe,
  oneOf,
  countOrNull,
  dayObject,
  figureOrNull,
  flagOrNull,
  plainText,
  textOrNull,
  yesOrNo,
} from '../../platform/json-kinds.ts';

const MAX_NAME_LENGTH = 200;
const MAX_TEXT_LENGTH = 10_000;
/** Maximum number of items of a list in a record. Checks compare items with each other, so this limits their work. */
const MAX_ITEMS = 1000;
/** Codes are parts of message keys and file names, so they cannot contain a path. */
const CODE = /^(?!.*\.\.)[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?$/;

const NOT_A_CODE =
  'must have 1 to 64 letters, digits, blanks, single dots, underscores or hyphens, with a letter or digit at both ends';
const NOT_NEGATIVE = { error: 'must not be below 0' };
const WHOLE = { error: 'must be a whole number' };

/** Status of lists, their items and the items' values: only Active ones are returned (L2). */
const ITEM_STATUSES = ['Active', 'Draft', 'Closed'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** What a schema reads, with all fields readonly. */
export type RecordOf<Schema extends z.ZodType> = Fixed<z.output<Schema>>;
type Fixed<Value> = Value extends object ? { readonly [Key in keyof Value]: Fixed<Value[Key]> } : Value;

export interface ValidDays {
  readonly ValidFrom: string | null;
  readonly ValidTo: string | null;
}

export const recordOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, { error: mustBe('an object') });

interface Answer {
  readonly kind: z.ZodType;
  readonly convert?: ((value: never) => unknown) | undefined;
}

declare const ANSWER: unique symbol;
interface Answered<Given> {
  readonly [ANSWER]: Given;
}
type AnswerFields<Shape> = {
  [
    Field in keyof Shape as Shape[Field] extends Answered<unknown> ? Field : never
  ]: Shape[Field] extends Answered<infer Given> ? Given : never;
};

const ANSWERS = new WeakMap<z.core.$ZodType, Answer>();

function answersOf(record: z.ZodObject): readonly (readonly [string, Answer])[] {
  return Object.entries(record.shape).flatMap(([field, kind]) => {
    const answer = ANSWERS.get(kind);
    return answer === undefined ? [] : [[field, answer] as const];
  });
}

/** Returns, for each field that look-ups return, its schema in their answers. */
export function answerFields<Shape extends z.ZodRawShape>(record: z.ZodObject<Shape>) {
  const fields = answersOf(record).map(([field, { kind }]) => [field, kind] as const);
  return Object.fromEntries(fields) as AnswerFields<Shape>;
}

/** Creates the function that selects and converts the {@link answerFields} of a record, in the order of its schema. */
export function answerOf<Schema extends z.ZodObject>(schema: Schema) {
  const answers = answersOf(schema);
  return (record: RecordOf<Schema>): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      answers.map(([field, { convert }]) => {
        const value = record[field as keyof RecordOf<Schema>] as never;
        return [field, convert === undefined ? value : convert(value)];
      }),
    );
}

function answered<Kind extends z.ZodType, Given extends z.ZodType>(
  create: () => Kind,
  answer: (description: string) => Given,
  convert?: Answer['convert'],
) {
  function field(): Kind;
  function field(description: string): Kind & Answered<Given>;
  function field(description?: string): Kind {
    const kind = create();
    if (description !== undefined) ANSWERS.set(kind, { kind: answer(description), convert });
    return kind;
  }
  return field;
}

/** Wraps a day `yyyy-mm-dd` in an object, as answers do (interface 2.2). Null means an open end. */
export function toInvariantDate(day: string | null): { readonly invariantDate: string } | null {
  return day === null ? null : { invariantDate: day };
}

export const text = (longest: number) =>
  anyText().max(longest, { error: `must have at most ${longest} characters` });

/** Text of 1 to 200 characters, not only blanks. */
export const name = answered(
  () => text(MAX_NAME_LENGTH).regex(/\S/, { error: 'must not be empty' }),
  plainText,
);

/** Text of at most 10,000 characters, or null. */
export const maybeText = answered(() => maybe(text(MAX_TEXT_LENGTH)), textOrNull);

export const code = answered(() => anyText().regex(CODE, { error: NOT_A_CODE }), plainText);

/** A GUID, which reading converts to lower case. */
export const recordId = answered(
  () =>
    anyText('a GUID')
      .refine(isGuid, { error: 'must be a GUID such as 0b6f7c52-3d0e-4a57-9f5c-8f4f6c1d2a01' })
      .transform((value) => value.toLowerCase()),
  plainText,
);

export const maybeSigned = answered(() => maybe(anyNumber()), figureOrNull);

/** A number that is not below 0, or null. */
export const maybeNumber = answered(() => maybe(anyNumber().min(0, NOT_NEGATIVE)), figureOrNull);

/** A whole number that is not below 0, or null. */
export const maybeCount = answered(() => maybe(anyNumber().int(WHOLE).min(0, NOT_NEGATIVE)), countOrNull);

export const flagOrFalse = answered(() => orDefault(setFlag(), false), yesOrNo);

/** Like flagOrFalse, but the published schema of the answer allows null. */
export const interestFlag = answered(() => orDefault(setFlag(), false), flagOrNull);

export const maybeFlag = answered(() => maybe(setFlag()), flagOrNull);

export const setFlag = () => flagOf('true or false');

export const maybeDay = answered(
  () =>
    maybe(
      anyText('a day such as 2024-01-31').refine(isDay, {
        error: 'must be an existing day written like 2024-01-31',
      }),
    ),
  dayObject,
  toInvariantDate,
);

/** Days are compared as strings, so each day has only one accepted spelling. */
function isDay(value: string): boolean {
  const day = parseCalendarDate(value);
  return day !== undefined && formatCalendarDate(day) === value;
}

export const word = <Word extends string>(words: readonly Word[]) => answered(() => oneOf(words), plainText);

export const maybeWord = <Word extends string>(words: readonly Word[]) =>
  answered(() => maybe(oneOf(words)), textOrNull);

/** An absent status means Active. */
export const itemStatus = answered(() => orDefault(oneOf(ITEM_STATUSES), 'Active'), plainText);

/** A whole number from 1, which is the default. */
export const version = () =>
  orDefault(
    anyNumber()
      .int(WHOLE)
      .min(1, { error: 'must be at least 1' })
      .max(2_147_483_647, { error: 'must be at most 2147483647' }),
    1,
  );

/** A list of at most 1000 items; absent or null becomes an empty one. */
export const items = <Item extends z.ZodType>(item: Item) =>
  anyList(item)
    .max(MAX_ITEMS, { error: `must have at most ${MAX_ITEMS} items` })
    .nullish()
    .transform((list) => list ?? []);

export const maybe = <Kind extends z.ZodType>(kind: Kind) => orDefault(kind, null);

export const orDefault = <Kind extends z.ZodType, const Default>(kind: Kind, standard: Default) =>
  kind.nullish().transform((value): NonNullable<z.output<Kind>> | Default => value ?? standard);

const formula = recordOf({
  Name: name(),
  /** In the grammar of schedule types' formulas (S2). It must use exactly the names in Inputs, ignoring case. */
  Expression: text(MAX_TEXT_LENGTH),
  Inputs: items(name()),
});
/** An expression whose arguments the caller sends (Q7). */
export type FormulaRecord = RecordOf<typeof formula>;

export const maybeFormula = () => maybe(formula);

/** A condition on a figure of a request (L3): an inclusive range (null: no bound), a set, or a custom list's code. */
export type ItemFilter =
  | { readonly Name: string; readonly From: number | null; readonly To: number | null }
  | { readonly Name: string; readonly Values: readonly number[] }
  | { readonly Name: string; readonly List: string };

const filter = recordOf({
  Name: name(),
  From: anyNumber().nullish(),
  To: anyNumber().nullish(),
  Values: anyList(anyNumber(), 'a list of numbers').nullish(),
  List: code().nullish(),
}).transform(({ Name, From, To, Values, List }, context): ItemFilter => {
  const isRange = typeof From === 'number' || typeof To === 'number';
  const isSet = Array.isArray(Values);
  const isList = typeof List === 'string';
  if (Number(isRange) + Number(isSet) + Number(isList) !== 1) {
    const message = 'must have From or To or both, or Values, or List, and only one of the three';
    context.issues.push({ code: 'custom', input: Name, message });
    return z.NEVER;
  }
  if (isSet) return { Name, Values };
  return isList ? { Name, List } : { Name, From: From ?? null, To: To ?? null };
});

export const filters = () => items(filter);

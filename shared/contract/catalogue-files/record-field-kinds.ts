/**
 * The kinds of fields of catalogue records. Reading replaces absent fields with null, false or an empty list, so that later
 * code need not check; reading the result again changes nothing. Unknown fields are faults: a misspelt setting would
 * otherwise have no effect. A field with a description is part of a look-up's answer, see {@link answerFields}.
 */

import { z } from 'zod';
import { isGuid } from '../../lending/schedule-types/activation-checks.ts';
import { formatCalendarDate, parseCalendarDate } from '../../lending/dates/calendar-date.ts';
import type { FormulaRecord, ItemFilter } from '../../product/catalogue/record-parts.ts';
import { ITEM_STATUSES } from '../../product/catalogue/record-parts.ts';
import { anyList, anyNumber, anyText, flagOf, mustBe, oneOf } from '../json/field-kinds.ts';
import {
  countOrNull,
  dayObject,
  figureOrNull,
  flagOrNull,
  plainText,
  textOrNull,
  yesOrNo,
} from '../json/reply-kinds.ts';

/** Maximum length of names and of human-readable texts, in UTF-16 code units. */
const MAX_NAME_LENGTH = 200;
const MAX_TEXT_LENGTH = 10_000;
/** Maximum number of items in any list of a record; limits the work of checks, which compare items with each other. */
const MAX_ITEMS = 1000;
/** Codes are parts of message keys and file names, so they cannot contain a path. */
const CODE = /^(?!.*\.\.)[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?$/;

/** Message about a text that is not a code. */
const NOT_A_CODE =
  'must have 1 to 64 letters, digits, blanks, single dots, underscores or hyphens, with a letter or digit at both ends';
const NOT_NEGATIVE = { error: 'must not be below 0' };
const WHOLE = { error: 'must be a whole number' };

/** A record or an item with these fields and no others. */
export const recordOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, { error: mustBe('an object') });

/** How look-ups answer the fields of records. */
const ANSWERS = new WeakMap<z.core.$ZodType, z.ZodType>();

/** The fields of a record that look-ups return: those with a description, each as it is answered. */
export function answerFields(record: z.ZodObject): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(record.shape).flatMap(([field, kind]) => {
      const answer = ANSWERS.get(kind);
      return answer === undefined ? [] : [[field, answer]];
    }),
  );
}

function answeredAs<Kind extends z.ZodType>(
  kind: Kind,
  answer: (description: string) => z.ZodType,
  description: string | undefined,
): Kind {
  if (description !== undefined) ANSWERS.set(kind, answer(description));
  return kind;
}

/** A mandatory name, which must not be blank. */
export const name = (description?: string) =>
  answeredAs(text(MAX_NAME_LENGTH).regex(/\S/, { error: 'must not be empty' }), plainText, description);

/** An optional text. */
export const maybeText = (description?: string) =>
  answeredAs(maybe(text(MAX_TEXT_LENGTH)), textOrNull, description);

/** The code of a record. */
export const code = (description?: string) =>
  answeredAs(anyText().regex(CODE, { error: NOT_A_CODE }), plainText, description);

/** A GUID, which reading converts to lower case. */
export const recordId = (description?: string) =>
  answeredAs(
    anyText('a GUID')
      .refine(isGuid, { error: 'must be a GUID such as 0b6f7c52-3d0e-4a57-9f5c-8f4f6c1d2a01' })
      .transform((value) => value.toLowerCase()),
    plainText,
    description,
  );

/** An optional number of any sign. */
export const maybeSigned = (description?: string) =>
  answeredAs(maybe(anyNumber()), figureOrNull, description);

/** An optional number from 0. */
export const maybeNumber = (description?: string) =>
  answeredAs(maybe(anyNumber().min(0, NOT_NEGATIVE)), figureOrNull, description);

/** An optional whole number from 0. */
export const maybeCount = (description?: string) =>
  answeredAs(maybe(anyNumber().int(WHOLE).min(0, NOT_NEGATIVE)), countOrNull, description);

/** A flag, false by default. */
export const flagOrFalse = (description?: string) =>
  answeredAs(orDefault(setFlag(), false), yesOrNo, description);

/** An optional flag. */
export const maybeFlag = (description?: string) => answeredAs(maybe(setFlag()), flagOrNull, description);

/** A mandatory flag. */
export const setFlag = () => flagOf('true or false');

/** An optional day `yyyy-mm-dd`; absent: an open end. */
export const maybeDay = (description?: string) =>
  answeredAs(
    maybe(
      anyText('a day such as 2024-01-31').refine(isDay, {
        error: 'must be an existing day written like 2024-01-31',
      }),
    ),
    dayObject,
    description,
  );

/** Days are compared as strings, so each day has only one accepted spelling. */
function isDay(value: string): boolean {
  const day = parseCalendarDate(value);
  return day !== undefined && formatCalendarDate(day) === value;
}

/** A string that must be one of the words; case matters. */
export const word = <Word extends string>(words: readonly Word[], description?: string) =>
  answeredAs(oneOf(words), plainText, description);

/** Like `word`, but optional. */
export const maybeWord = <Word extends string>(words: readonly Word[], description?: string) =>
  answeredAs(maybe(oneOf(words)), textOrNull, description);

/** The status of an item, Active by default. */
export const itemStatus = (description?: string) =>
  answeredAs(orDefault(oneOf(ITEM_STATUSES), 'Active'), plainText, description);

/** The version of a record, 1 by default. */
export const version = () =>
  orDefault(
    anyNumber()
      .int(WHOLE)
      .min(1, { error: 'must be at least 1' })
      .max(2_147_483_647, { error: 'must be at most 2147483647' }),
    1,
  );

/** A list, empty by default. */
export const items = <Item extends z.ZodType>(item: Item) =>
  anyList(item)
    .max(MAX_ITEMS, { error: `must have at most ${MAX_ITEMS} items` })
    .nullish()
    .transform((list) => list ?? []);

/** An optional field, null by default. */
export const maybe = <Kind extends z.ZodType>(kind: Kind) => orDefault(kind, null);

const orDefault = <Kind extends z.ZodType, const Default>(kind: Kind, standard: Default) =>
  kind.nullish().transform((value): NonNullable<z.output<Kind>> | Default => value ?? standard);

/** An optional formula. */
export const maybeFormula = (): z.ZodType<FormulaRecord | null> =>
  maybe(recordOf({ Name: name(), Expression: text(MAX_TEXT_LENGTH), Inputs: items(name()) }));

/** The conditions of an item (L3). */
export const filters = () => items(filter());

function filter(): z.ZodType<ItemFilter> {
  const parts = recordOf({
    Name: name(),
    From: anyNumber().nullish(),
    To: anyNumber().nullish(),
    Values: anyList(anyNumber(), 'a list of numbers').nullish(),
    List: code().nullish(),
  });
  return parts.transform(({ Name, From, To, Values, List }, context): ItemFilter => {
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
}

const text = (longest: number) =>
  anyText().max(longest, { error: `must have at most ${longest} characters` });

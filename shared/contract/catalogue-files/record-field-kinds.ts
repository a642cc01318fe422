/**
 * The kinds of fields that records of the product catalogue are made of. Reading fills in what may be left out: null,
 * false or an empty list, so that no code behind the border asks whether a field is there. What was read once reads the
 * same again. Unknown fields are a fault: a misspelt setting would otherwise have no effect.
 */

import { z } from 'zod';
import { isGuid } from '../../lending/schedule-types/activation-checks.ts';
import { formatCalendarDate, parseCalendarDate } from '../../lending/dates/calendar-date.ts';
import type { FormulaRecord, ItemFilter } from '../../product/catalogue/record-parts.ts';
import { ITEM_STATUSES } from '../../product/catalogue/record-parts.ts';
import { wanted } from '../json/field-kinds.ts';

/** Maximum length of names and of human-readable texts, in UTF-16 code units. */
const MAX_NAME_LENGTH = 200;
const MAX_TEXT_LENGTH = 10_000;
/** Most items of any list of a record: bounds the work of checks, which compare items with one another. */
const MAX_ITEMS = 1000;
/** Codes are parts of message keys and of file names: nothing that leads elsewhere in a path. */
const CODE = /^(?!.*\.\.)[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?$/;

/** Message about a text that is not a code. */
const NOT_A_CODE =
  'must have 1 to 64 letters, digits, blanks, single dots, underscores or hyphens, with a letter or digit at both ends';

/** A record or an item with these fields and no others. */
export const recordOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, { error: wanted('an object') });

/** A name: mandatory, and not blank. */
export const name = () => text(MAX_NAME_LENGTH).regex(/\S/, { error: 'must not be empty' });

/** A text that may be left out. */
export const maybeText = () => maybe(text(MAX_TEXT_LENGTH));

/** The code of a record. */
export const code = () =>
  z.string({ error: wanted('text') }).regex(CODE, {
    error: NOT_A_CODE,
  });

/** A GUID, in lower case once it is read. */
export const recordId = () =>
  z
    .string({ error: wanted('a GUID') })
    .refine(isGuid, { error: 'must be a GUID such as 0b6f7c52-3d0e-4a57-9f5c-8f4f6c1d2a01' })
    .transform((value) => value.toLowerCase());

/** Any number. */
export const number = () => z.number({ error: wanted('a number') });

/** A number from 0 that may be left out. */
export const maybeNumber = () => maybe(number().min(0, { error: 'must not be below 0' }));

/** A whole number from 0 that may be left out. */
export const maybeCount = () =>
  maybe(number().int({ error: 'must be a whole number' }).min(0, { error: 'must not be below 0' }));

/** A {@link setFlag} that is false when it is left out. */
export const flagOrFalse = () =>
  setFlag()
    .nullish()
    .transform((value) => value ?? false);

/** A flag that may also be unknown. */
export const maybeFlag = () => maybe(setFlag());

/** true and 1, false and 0 are interchangeable (M6). */
export function setFlag() {
  return z
    .literal([true, false, 0, 1], { error: wanted('true or false') })
    .transform((value) => value === true || value === 1);
}

/** A day `yyyy-mm-dd` that may be left out: an open end. */
export const maybeDay = () =>
  maybe(
    z
      .string({ error: wanted('a day such as 2024-01-31') })
      .refine(isDay, { error: 'must be an existing day written like 2024-01-31' }),
  );

/** Days are compared as texts, so that only one way of writing a day is accepted. */
function isDay(value: string): boolean {
  const day = parseCalendarDate(value);
  return day !== undefined && formatCalendarDate(day) === value;
}

/** One of a few words, in their exact spelling. */
export const oneOf = <Word extends string>(words: readonly Word[]) => {
  const choice = `one of ${words.join(', ')}`;
  const other = wanted(choice);
  return z.enum(words, {
    error: (issue) => (typeof issue.input === 'string' ? `must be ${choice}` : other(issue)),
  });
};

/** Active by default. */
export const itemStatus = () =>
  oneOf(ITEM_STATUSES)
    .nullish()
    .transform((value) => value ?? 'Active');

/** The version of a record: 1 by default. */
export const version = () =>
  number()
    .int({ error: 'must be a whole number' })
    .min(1, { error: 'must be at least 1' })
    .max(2_147_483_647, { error: 'must be at most 2147483647' })
    .nullish()
    .transform((value) => value ?? 1);

/** A list that may be left out: then it is empty. */
export const items = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item, { error: wanted('a list') })
    .max(MAX_ITEMS, { error: `must have at most ${MAX_ITEMS} items` })
    .nullish()
    .transform((list) => list ?? []);

/** A field that may be left out: then it is null. */
export const maybe = <Kind extends z.ZodType>(kind: Kind) =>
  kind.nullish().transform((value) => value ?? null);

/** A formula that may be left out. */
export const maybeFormula = (): z.ZodType<FormulaRecord | null> =>
  maybe(recordOf({ Name: name(), Expression: text(MAX_TEXT_LENGTH), Inputs: items(name()) }));

/** The conditions of an item (L3). */
export const filters = () => items(filter());

function filter(): z.ZodType<ItemFilter> {
  const parts = recordOf({
    Name: name(),
    From: number().nullish(),
    To: number().nullish(),
    Values: z.array(number(), { error: wanted('a list of numbers') }).nullish(),
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

function text(longest: number) {
  return z
    .string({ error: wanted('text') })
    .max(longest, { error: `must have at most ${longest} characters` });
}

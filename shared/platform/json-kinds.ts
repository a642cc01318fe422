/** Schemas of values in requests, catalogue records and answers. Their messages never quote the value. */

import { z } from 'zod';
import { BINARY_DIGITS } from './parse-json.ts';

export type ErrorText = (issue: { readonly input?: unknown }) => string;

function describeType(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'true or false';
  if (typeof value === 'number' || JSON.isRawJSON(value)) return 'a number';
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Creates the message about a value that is missing, or is not `what`, such as `a number`. */
export function mustBe(what: string): ErrorText {
  return ({ input }) => {
    if (input === undefined || input === null) return `is missing; must be ${what}`;
    if (JSON.isRawJSON(input) && what.endsWith('number'))
      return `must be ${what} with at most ${BINARY_DIGITS} significant digits`;
    const isTooLarge = typeof input === 'number' && !Number.isFinite(input);
    return isTooLarge ? 'is too large to be read as a number' : `must be ${what}, not ${describeType(input)}`;
  };
}

/** Any text. Messages call it `what`. */
export const anyText = (what = 'text') => z.string({ error: mustBe(what) });

/** A string that must be one of the words in the same case. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  const choice = `one of ${words.join(', ')}`;
  const other = mustBe(choice);
  return z.enum(words, {
    error: (issue) => (typeof issue.input === 'string' ? `must be ${choice}` : other(issue)),
  });
}

export const anyNumber = () => z.number({ error: mustBe('a number') });

/** A list of any length. Messages call it `what`. */
export const anyList = <Item extends z.ZodType>(item: Item, what = 'a list') =>
  z.array(item, { error: mustBe(what) });

/** The OpenAPI document shows a flag with one type, that of the interface (section 4); readers accept both (M6). */
const SHOWN_FLAG = { type: 'boolean', enum: undefined } as const;
export const SHOWN_NUMERIC_FLAG = {
  type: 'integer',
  minimum: 0,
  maximum: 1,
  enum: undefined,
  anyOf: undefined,
} as const;

/** A flag: true and 1, false and 0 are interchangeable (M6). Messages call it `what`. */
export const flagOf = (
  what: string | ErrorText,
  shown: typeof SHOWN_FLAG | typeof SHOWN_NUMERIC_FLAG = SHOWN_FLAG,
) =>
  z
    .literal([true, false, 0, 1], { error: typeof what === 'string' ? mustBe(what) : what })
    .meta(shown)
    .transform((value) => value === true || value === 1);

const MAX_INT32 = 2_147_483_647;

export const plainText = (description: string) => z.string().describe(description);
/** From `minimum` to 2^31 - 1. */
export const wholeNumber = (description: string, minimum = 0) =>
  z.int().min(minimum).max(MAX_INT32).describe(description);

export const countOrNull = (description: string) => wholeNumber(description).nullable().describe(description);
export const yesOrNo = (description: string) => z.boolean().describe(description);
export const textOrNull = (description: string) => z.string().nullable().describe(description);
export const figureOrNull = (description: string) => z.number().nullable().describe(description);
export const flagOrNull = (description: string) => z.boolean().nullable().describe(description);

/** A day such as `{"invariantDate": "2024-01-31"}`; null for an open end. */
export const dayObject = (description: string) => invariantDate.nullable().describe(description);

const invariantDate = z
  .strictObject({ invariantDate: z.string().describe('The day, as 2024-01-31.') })
  .meta({ id: 'InvariantDate' });

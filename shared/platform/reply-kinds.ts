/** Kinds of fields in answers; fields that a catalogue record does not have are null. */

import { z } from 'zod';

/** Largest whole number that clients read into 32 bits. */
const MAX_INT32 = 2_147_483_647;

export const plainText = (description: string) => z.string().describe(description);
/** A whole number from `minimum`, 0 by default. */
export const wholeNumber = (description: string, minimum = 0) =>
  z.int().min(minimum).max(MAX_INT32).describe(description);

export const countOrNull = (description: string) => wholeNumber(description).nullable().describe(description);
export const yesOrNo = (description: string) => z.boolean().describe(description);
export const textOrNull = (description: string) => z.string().nullable().describe(description);
export const figureOrNull = (description: string) => z.number().nullable().describe(description);
export const flagOrNull = (description: string) => z.boolean().nullable().describe(description);

/** A day as an object; null for an open end. */
export const dayObject = (description: string) => invariantDate.nullable().describe(description);

const invariantDate = z
  .strictObject({ invariantDate: z.string().describe('The day, as 2024-01-31.') })
  .meta({ id: 'InvariantDate' });

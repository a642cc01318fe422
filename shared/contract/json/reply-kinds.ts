/** Kinds of fields in answers; fields that a catalogue record does not have are null. */

import { z } from 'zod';

export const plainText = (description: string) => z.string().describe(description);
export const yesOrNo = (description: string) => z.boolean().describe(description);
export const textOrNull = (description: string) => z.string().nullable().describe(description);
export const figureOrNull = (description: string) => z.number().nullable().describe(description);
export const flagOrNull = (description: string) => z.boolean().nullable().describe(description);

/** A day as an object; null for an open end. */
export const dayObject = (description: string) =>
  z
    .strictObject({ invariantDate: z.string().describe('The day, as 2024-01-31.') })
    .nullable()
    .describe(description);

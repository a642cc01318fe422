/** What the answers of product look-ups are made of. */

import { z } from 'zod';

/** Texts, figures and flags of the catalogue; what a record does not say is null. */
export const textOrNull = (description: string) => z.string().nullable().describe(description);
export const figureOrNull = (description: string) => z.number().nullable().describe(description);
export const flagOrNull = (description: string) => z.boolean().nullable().describe(description);
export const plainText = (description: string) => z.string().describe(description);
export const yesOrNo = (description: string) => z.boolean().describe(description);

/** A day in an object of its own; null where a range has no end. */
export const dayObject = (description: string) =>
  z
    .strictObject({ invariantDate: z.string().describe('The day, as 2024-01-31.') })
    .nullable()
    .describe(description);

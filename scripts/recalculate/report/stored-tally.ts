/** A tally as it stands in a checkpoint: amounts as text, since JSON has no numbers of their size. */

import { z } from 'zod';
import type { Tally } from './tally.ts';

const count = z.number().int().min(0);
const digits = z.number().int().min(0).max(20);
const amount = z
  .string()
  .regex(/^-?\d{1,60}$/)
  .transform((text) => BigInt(text));
const sums = z.object({ principal: amount, interest: amount, fees: amount, total: amount });
const currency = z.string().max(3).nullable();

/** Reads what {@link storedTally} wrote. */
export const tallyShape = z.object({
  calculated: count,
  failed: count,
  warned: count,
  rows: count,
  compared: count,
  changed: count,
  formerUnreadable: count,
  // Absent in a checkpoint of before it was kept.
  formerUnreadableLines: z.array(count).default([]),
  failuresByCode: z.array(z.tuple([z.string(), count])).transform((entries) => new Map(entries)),
  totals: z
    .array(
      z.object({
        currency,
        digits,
        contracts: count,
        after: sums,
        compared: count,
        before: sums,
        difference: sums,
      }),
    )
    .transform((list) => new Map(list.map((item) => [`${item.currency ?? ''}/${item.digits}`, item]))),
  movers: z.array(
    z.object({
      line: count,
      id: z.union([z.string(), z.number()]),
      currency,
      digits,
      before: amount,
      after: amount,
    }),
  ),
});

/** The tally as a value that JSON can hold. */
export function storedTally(tally: Tally): unknown {
  const plain = { ...tally, failuresByCode: [...tally.failuresByCode], totals: [...tally.totals.values()] };
  return JSON.parse(
    JSON.stringify(plain, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  );
}

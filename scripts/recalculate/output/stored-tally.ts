/** The tally of a run in its checkpoint, with amounts as strings, because JSON numbers cannot represent them exactly. */

import { z } from 'zod';
import { CHANGE_BINS } from '../../../shared/portfolio/change-distribution.ts';
import { type Tally, totalsKey } from '../../../shared/portfolio/tally.ts';

const count = z.number().int().min(0);
const digits = z.number().int().min(0).max(20);
const id = z.union([z.string(), z.number()]);
const amount = z
  .string()
  .regex(/^-?\d{1,60}$/)
  .transform((text) => BigInt(text));
const sums = z.object({ principal: amount, interest: amount, fees: amount, total: amount });
const currency = z.string().max(3).nullable();
const totals = z.object({
  currency,
  digits,
  contracts: count,
  after: sums,
  compared: count,
  before: sums,
  difference: sums,
});
const movers = z.array(z.object({ line: count, id, currency, digits, before: amount, after: amount }));
const changes = z.object({ bins: z.array(count).length(CHANGE_BINS), withoutBase: count });
const fieldCount = z.object({ path: z.string(), code: z.string(), count });
const fieldCounts = z.object({
  fields: z.array(z.tuple([z.string(), fieldCount])).transform((entries) => new Map(entries)),
  others: count,
});

/** Restores a tally from the value of {@link storedTally}. */
export const tallyShape = z.object({
  calculated: count,
  failed: count,
  warned: count,
  rows: count,
  compared: count,
  changed: count,
  otherLength: count,
  formerUnreadable: count,
  formerUnreadableLines: z.array(count),
  failuresByCode: z.array(z.tuple([z.string(), count])).transform((entries) => new Map(entries)),
  failedFields: fieldCounts,
  ignoredFields: fieldCounts,
  firstFailures: z.array(z.object({ line: count, id: id.optional(), code: z.string(), reason: z.string() })),
  totals: z
    .array(totals)
    .transform((list) => new Map(list.map((entry) => [totalsKey(entry), entry] as const))),
  paymentChanges: changes,
  totalChanges: changes,
  rises: movers,
  falls: movers,
}) satisfies z.ZodType<Tally>;

/** The tally as a JSON value. */
export function storedTally(tally: Tally): unknown {
  const { totals: byCurrency } = tally;
  return JSON.parse(
    JSON.stringify({ ...tally, totals: [...byCurrency.values()] }, (_, value: unknown) => {
      if (value instanceof Map) return [...value];
      return typeof value === 'bigint' ? String(value) : value;
    }),
  );
}

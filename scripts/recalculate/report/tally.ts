/**
 * The results of a recalculation so far: counts, exact totals by currency, and the changes compared with previous
 * schedules. It is stored in checkpoints, with amounts as strings, because JSON numbers cannot represent them exactly.
 */

import { z } from 'zod';
import { type Comparison, magnitude } from './comparison.ts';
import { NO_SUMS, plus, type ScheduleSums } from './schedule-sums.ts';

const count = z.number().int().min(0);
const digits = z.number().int().min(0).max(20);
const amount = z
  .string()
  .regex(/^-?\d{1,60}$/)
  .transform((text) => BigInt(text));
const sums = z.object({ principal: amount, interest: amount, fees: amount, total: amount });
/** ISO code of the requests in capitals; null without one. */
const currency = z.string().max(3).nullable();

/** Totals of the contracts with the same currency and number of digits; amounts in minor units. */
const totalsShape = z.object({
  currency,
  digits,
  contracts: count,
  after: sums,
  /** The contracts that were compared with a previous schedule, with its sums and the change. */
  compared: count,
  before: sums,
  difference: sums,
});
export type CurrencyTotals = z.output<typeof totalsShape>;

/** A contract whose total changes; amounts in minor units of `digits` decimals. */
const moverShape = z.object({
  line: count,
  id: z.union([z.string(), z.number()]),
  currency,
  digits,
  before: amount,
  after: amount,
});
export type Mover = z.output<typeof moverShape>;

/** Restores a tally from the value of {@link storedTally}. */
export const tallyShape = z.object({
  calculated: count,
  /** Failed contracts and refused lines. */
  failed: count,
  /** Contracts with ignored fields. */
  warned: count,
  /** Instalments of all schedules. */
  rows: count,
  compared: count,
  changed: count,
  formerUnreadable: count,
  /** The first lines with an invalid previous schedule; absent in old checkpoints. */
  formerUnreadableLines: z.array(count).default([]),
  failuresByCode: z.array(z.tuple([z.string(), count])).transform((entries) => new Map(entries)),
  totals: z
    .array(totalsShape)
    .transform((list) => new Map(list.map((totals) => [totalsKey(totals), totals] as const))),
  /** The contracts whose totals change most, the largest change first. */
  movers: z.array(moverShape),
});
export type Tally = z.output<typeof tallyShape>;

/** A schedule to be counted. */
export interface CountedSchedule {
  readonly line: number;
  readonly id: string | number;
  readonly currency: string | null;
  readonly digits: number;
  readonly rows: number;
  readonly sums: ScheduleSums;
  readonly hasWarnings: boolean;
  /** `none` if there is no previous schedule, `unreadable` if it is not a list of instalments. */
  readonly comparison: Comparison | 'none' | 'unreadable';
}

/** Maximum number of listed lines with an invalid previous schedule. */
const MAX_LISTED_LINES = 10;
const MAX_MOVERS = 10;
/** The maximum number of decimals of a currency. Changes in all currencies are ordered by their amounts scaled to it. */
const COMMON_DIGITS = 12;

export function emptyTally(): Tally {
  return {
    calculated: 0,
    failed: 0,
    warned: 0,
    rows: 0,
    compared: 0,
    changed: 0,
    formerUnreadable: 0,
    formerUnreadableLines: [],
    failuresByCode: new Map(),
    totals: new Map(),
    movers: [],
  };
}

/** The tally as a JSON value. */
export function storedTally(tally: Tally): unknown {
  const plain = { ...tally, failuresByCode: [...tally.failuresByCode], totals: [...tally.totals.values()] };
  return JSON.parse(
    JSON.stringify(plain, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  );
}

export function countFailure(tally: Tally, code: string): void {
  tally.failed += 1;
  tally.failuresByCode.set(code, (tally.failuresByCode.get(code) ?? 0) + 1);
}

export function countSchedule(tally: Tally, schedule: CountedSchedule): void {
  const { comparison } = schedule;
  tally.calculated += 1;
  tally.rows += schedule.rows;
  if (schedule.hasWarnings) tally.warned += 1;
  const totals = totalsOf(tally, schedule);
  totals.contracts += 1;
  totals.after = plus(totals.after, schedule.sums);
  if (comparison === 'none') return;
  if (comparison === 'unreadable') {
    tally.formerUnreadable += 1;
    if (tally.formerUnreadableLines.length < MAX_LISTED_LINES) {
      tally.formerUnreadableLines.push(schedule.line);
    }
    return;
  }
  tally.compared += 1;
  if (comparison.isChanged) tally.changed += 1;
  totals.compared += 1;
  totals.before = plus(totals.before, comparison.before);
  totals.difference = plus(totals.difference, comparison.difference);
  const { line, id, currency: code, digits: decimals } = schedule;
  const { before, after } = comparison;
  const mover = { line, id, currency: code, digits: decimals, before: before.total, after: after.total };
  addMover(tally.movers, mover);
}

/** At most one for each currency of ISO 4217 and number of digits. */
function totalsOf(tally: Tally, schedule: CountedSchedule): CurrencyTotals {
  const key = totalsKey(schedule);
  const known = tally.totals.get(key);
  if (known !== undefined) return known;
  const totals = {
    currency: schedule.currency,
    digits: schedule.digits,
    contracts: 0,
    after: NO_SUMS,
    compared: 0,
    before: NO_SUMS,
    difference: NO_SUMS,
  };
  tally.totals.set(key, totals);
  return totals;
}

function totalsKey({
  currency: code,
  digits: decimals,
}: Pick<CurrencyTotals, 'currency' | 'digits'>): string {
  return `${code ?? ''}/${decimals}`;
}

/** Inserts the contract by the absolute value of its change; equal changes keep the order of the input. */
function addMover(movers: Mover[], mover: Mover): void {
  const size = sizeOf(mover);
  if (size === 0n) return;
  const behind = movers.findIndex((known) => sizeOf(known) < size);
  if (behind === -1 && movers.length >= MAX_MOVERS) return;
  movers.splice(behind === -1 ? movers.length : behind, 0, mover);
  if (movers.length > MAX_MOVERS) movers.pop();
}

function sizeOf({ before, after, digits: decimals }: Mover): bigint {
  return magnitude(after - before) * 10n ** BigInt(COMMON_DIGITS - decimals);
}

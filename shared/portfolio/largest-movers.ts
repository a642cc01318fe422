/** The contracts of a portfolio whose totals change most, in bounded memory. */

import { magnitude } from './comparison.ts';

/** A contract whose total changes; amounts in minor units of `digits` decimals. */
export interface Mover {
  readonly line: number;
  readonly id: string | number;
  readonly currency: string | null;
  readonly digits: number;
  readonly before: bigint;
  readonly after: bigint;
}

/** Maximum number of listed rises, and of listed falls. */
const MAX_MOVERS = 10;
/** The maximum number of decimals of a currency. Changes in all currencies are ordered by their amounts scaled to it. */
const COMMON_DIGITS = 12;

/** Adds a contract to the rises or to the falls, which keep only the largest ones. */
export function keepMover(movers: Mover[], mover: Mover): void {
  keepFirst(movers, mover, movesMore, MAX_MOVERS);
}

/** The contracts that rise or fall most, by the absolute value of the change; equal changes in the order of the input. */
export function largestMovers(
  { rises, falls }: { readonly rises: readonly Mover[]; readonly falls: readonly Mover[] },
  count = MAX_MOVERS,
): readonly Mover[] {
  const largest: Mover[] = [];
  for (const mover of [...rises, ...falls]) keepFirst(largest, mover, movesMore, Math.min(count, MAX_MOVERS));
  return largest;
}

/** Adds an item to a list in order that keeps only its first items. */
export function keepFirst<Item>(
  list: Item[],
  item: Item,
  isBefore: (one: Item, other: Item) => boolean,
  max: number,
): void {
  const last = list.at(-1);
  if (list.length >= max && last !== undefined && !isBefore(item, last)) return;
  const behind = list.findIndex((known) => isBefore(item, known));
  list.splice(behind === -1 ? list.length : behind, 0, item);
  if (list.length > max) list.pop();
}

function movesMore(one: Mover, other: Mover): boolean {
  const [size, otherSize] = [sizeOf(one), sizeOf(other)];
  return size > otherSize || (size === otherSize && one.line < other.line);
}

function sizeOf({ before, after, digits }: Mover): bigint {
  return magnitude(after - before) * 10n ** BigInt(COMMON_DIGITS - digits);
}

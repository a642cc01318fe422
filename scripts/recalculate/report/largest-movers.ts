/** The contracts whose total changes most, in a list that never grows beyond its limit. */

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

const MAX_MOVERS = 10;
/** Enough for every currency, so that amounts of different ones can be put in an order (by figure, not by worth). */
const COMMON_DIGITS = 12;

/** Puts the contract where it belongs; of equal changes the one that comes first in the input stays before. */
export function addMover(movers: Mover[], mover: Mover): void {
  const size = sizeOf(mover);
  if (size === 0n) return;
  const last = movers.at(-1);
  if (movers.length >= MAX_MOVERS && last !== undefined && sizeOf(last) >= size) return;
  let at = movers.length;
  while (at > 0) {
    const before = movers[at - 1];
    if (before === undefined || sizeOf(before) >= size) break;
    at -= 1;
  }
  movers.splice(at, 0, mover);
  if (movers.length > MAX_MOVERS) movers.pop();
}

function sizeOf({ before, after, digits }: Mover): bigint {
  return magnitude(after - before) * 10n ** BigInt(COMMON_DIGITS - digits);
}

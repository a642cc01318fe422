/** Finds a root of a function between two whole numbers at which the function has opposite signs (A4). */

import { absoluteValue } from './fixed-root.ts';

/** The number value * 2^-bits. A `sign` other than 0 is proven; `value` only guides the search and may be inexact. */
export interface SignedValue {
  readonly sign: -1 | 0 | 1;
  readonly value: bigint;
  readonly bits: bigint;
}

/** An end of the bracket. Each step that moves the other end again halves its weight (Illinois method). */
interface End {
  readonly at: bigint;
  readonly weight: bigint;
}

/** Every third step bisects the bracket, unless the bracket has halved since the start of the previous third step. */
const STEPS_PER_ROUND = 3;

/**
 * Returns the upper of two neighbouring whole numbers between which the function changes its sign, or a number with
 * sign 0 if the search meets one; undefined after `maxSteps` steps. The signs at `low` and `high` must be opposite.
 */
export function bracketedRoot(
  valueAt: (at: bigint) => SignedValue,
  low: bigint,
  high: bigint,
  maxSteps: number,
): bigint | undefined {
  const first = valueAt(low);
  const last = valueAt(high);
  const bits = first.bits > last.bits ? first.bits : last.bits;
  let below: End = { at: low, weight: scaledWeight(first, bits) };
  let above: End = { at: high, weight: scaledWeight(last, bits) };
  let widthBefore = high - low;
  let previous = 0;
  for (let step = 1; above.at - below.at > 1n; step += 1) {
    if (step > maxSteps) return undefined;
    const width = above.at - below.at;
    const isRoundOver = step % STEPS_PER_ROUND === 0;
    const isHalved = 2n * width <= widthBefore;
    if (isRoundOver) widthBefore = width;
    const at = below.at + (isRoundOver && !isHalved ? width / 2n : secantShare(below, above));
    const next = valueAt(at);
    if (next.sign === 0) return at;
    const end = { at, weight: scaledWeight(next, bits) };
    const isRepeated = next.sign === previous;
    if (next.sign === first.sign) {
      below = end;
      if (isRepeated) above = { ...above, weight: above.weight / 2n };
    } else {
      above = end;
      if (isRepeated) below = { ...below, weight: below.weight / 2n };
    }
    previous = next.sign;
  }
  return above.at;
}

/** Distance from the low end at which the line through both ends crosses zero, kept strictly inside the bracket. */
function secantShare(below: End, above: End): bigint {
  const width = above.at - below.at;
  const weight = below.weight + above.weight;
  const share = weight === 0n ? width / 2n : (width * below.weight) / weight;
  if (share < 1n) return 1n;
  return share < width ? share : width - 1n;
}

function scaledWeight({ value, bits }: SignedValue, scale: bigint): bigint {
  return (absoluteValue(value) << scale) >> bits;
}

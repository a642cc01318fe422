/**
 * How many rates may lie beyond a given one (A4). By Laguerre's extension of Descartes' rule of signs the worth of
 * flows is zero at no more rates above s than the sums of its discounted flows up to each time change their sign at s,
 * and the two numbers differ by an even one; below s the sums run from the last flow backwards.
 */

import type { SignedFlows } from './signed-flows.ts';

/** Relative error of one rounded operation, taken twice as large as it is. */
const ROUNDING = 2 ** -52;
/** Roundings of a discounted flow besides those of its exponent. */
const ROUNDINGS_OF_FLOW = 8;

/**
 * Changes of sign of the sums at s, ln(1 + r), seen towards higher rates (1; s at least 0) or lower ones (-1; s at most
 * 0). Undefined where a sum is too close to zero to have a sign in floating point.
 */
export function changesBeyond(
  { amounts, years }: SignedFlows,
  rate: number,
  direction: 1 | -1,
): number | undefined {
  const count = amounts.length;
  const reference = years[direction === 1 ? 0 : count - 1] ?? 0;
  let sum = 0;
  let doubt = 0;
  let changes = 0;
  let sign = 0;
  for (let turn = 0; turn < count; turn += 1) {
    const index = direction === 1 ? turn : count - 1 - turn;
    const time = years[index] ?? 0;
    const worth = (amounts[index] ?? 0) * Math.exp(-rate * (time - reference));
    const exponentDoubt = 2 * Math.abs(rate) * (time + reference);
    sum += worth;
    doubt += (Math.abs(worth) * (exponentDoubt + ROUNDINGS_OF_FLOW) + Math.abs(sum)) * ROUNDING;
    if (Math.abs(sum) <= doubt) return undefined;
    if (sign !== 0 && Math.sign(sum) !== sign) changes += 1;
    sign = Math.sign(sum);
  }
  return changes;
}

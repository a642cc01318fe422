/** Narrowing of a range of rates whose ends differ in the sign of the flows' worth, down to one step (A4). */

import type { Boundary, RateSteps, WeighedBoundary } from './rate-steps.ts';
import type { SolverEffort } from './solver-effort.ts';

/**
 * Trial rates along secants, before plain halving. The worth of a plain loan is convex in 1 + r, and a range within
 * 2^-36 of its size is so narrow that a round of two secants at least halves the exponent of its width, up to the
 * longest time in years. Eight rounds of at most three trial rates reach the last digit of the highest rate there is;
 * halving alone would take hundreds.
 */
const MOST_SECANTS = 30;

/** The ends of a range, with their distances from zero on one scale. */
interface Range {
  readonly low: WeighedBoundary;
  readonly high: WeighedBoundary;
  readonly lowWeight: bigint;
  readonly highWeight: bigint;
}

/** Where a range is cut: where the line between its ends is zero, twice as far from the nearer end, in the middle. */
const CUTS = ['secant', 'beyond', 'middle'] as const;
type Cut = (typeof CUTS)[number];

/**
 * The step between two boundaries of opposite sign at which the sign changes; undefined when the effort runs out. In
 * rounds of two secants, so that both ends close in, and a halving where they did not halve the range.
 */
export function narrowedStep(
  steps: RateSteps,
  from: bigint,
  to: bigint,
  effort: SolverEffort,
): bigint | undefined {
  if (to - from === 1n) return to;
  const low = steps.weighed(from);
  const high = steps.weighed(to);
  const bits = (low.value ?? high.value)?.bits ?? 0n;
  let range: Range = { low, high, lowWeight: weightOf(low, bits), highWeight: weightOf(high, bits) };
  let widthBefore = to - from;
  for (let turn = 0; effort.left > 0 && widthOf(range) > 1n; turn += 1) {
    const cut = turn < MOST_SECANTS ? (CUTS[turn % CUTS.length] ?? 'middle') : 'middle';
    if (cut === 'middle' && turn < MOST_SECANTS && 2n * widthOf(range) <= widthBefore) continue;
    if (cut === 'secant') widthBefore = widthOf(range);
    const next = steps.weighed(range.low.below + shareOf(range, cut));
    if (next.sign === 0) return roundedAway(next);
    const weight = weightOf(next, bits);
    range =
      next.sign === range.low.sign
        ? { ...range, low: next, lowWeight: weight }
        : { ...range, high: next, highWeight: weight };
  }
  return widthOf(range) === 1n ? range.high.below : undefined;
}

/** A rate on the boundary itself is rounded away from zero. */
export function roundedAway({ below }: Boundary): bigint {
  return below >= 0n ? below + 1n : below;
}

function widthOf({ low, high }: Range): bigint {
  return high.below - low.below;
}

/** How far above its low end a range of more than one step is cut, strictly inside it. */
function shareOf(range: Range, cut: Cut): bigint {
  const { lowWeight, highWeight } = range;
  const width = widthOf(range);
  const middle = width / 2n;
  const weight = lowWeight + highWeight;
  if (cut === 'middle' || weight === 0n) return middle;
  const secant = (width * lowWeight) / weight;
  if (cut === 'secant') return inside(secant, width);
  const isLowNearer = lowWeight < highWeight;
  const beyond = isLowNearer ? 2n * secant + 1n : width - (2n * width * highWeight) / weight - 1n;
  const isPastMiddle = isLowNearer ? beyond > middle : beyond < middle;
  return isPastMiddle ? middle : inside(beyond, width);
}

function inside(share: bigint, width: bigint): bigint {
  if (share < 1n) return 1n;
  return share < width ? share : width - 1n;
}

/** How far the worth lies from zero, with `bits` bits after the point; zero at or under -100 percent. */
function weightOf({ value }: WeighedBoundary, bits: bigint): bigint {
  if (value === undefined) return 0n;
  const size = value.value < 0n ? -value.value : value.value;
  return (size << bits) >> value.bits;
}

/**
 * The rate between two others at which the worth of flows has opposite signs (A4), in binary floating point. It only
 * says where to look: which digits are published is proven in effective-rate.ts.
 *
 * h(s) = ln(gained) - ln(lost), the worths of the flows above and below zero at s = ln(1 + r), is zero at a rate. The
 * slope of each logarithm is minus the mean time of its flows.
 */

import type { SignedFlows } from './signed-flows.ts';
import { SEARCH_ITERATIONS, type SolverEffort } from './solver-effort.ts';

/** Steps along the tangent before halvings finish what they do not. */
const MOST_TANGENT_STEPS = 12;
/** Width or step, relative to 1 + |s|, that ends the refinement. */
const LAST_STEP = 1e-14;

/** A rate s that was tried. */
interface TrialRate {
  readonly rate: number;
  readonly height: number;
  readonly slope: number;
}

/** Flows of one sign as sizes, ascending in time. */
interface OneSidedFlows {
  readonly sizes: readonly number[];
  readonly years: readonly number[];
}

/** ln(1 + r) between `near` and `far`, along the tangent and by halving; null when the signs there are the same. */
export function rateBetween(
  flows: SignedFlows,
  near: number,
  far: number,
  effort: SolverEffort,
): number | null {
  const gained = flowsOfSign(flows, 1);
  const lost = flowsOfSign(flows, -1);
  const tried = (rate: number): TrialRate => {
    effort.spend();
    return trialRate(gained, lost, rate);
  };
  let low = tried(near);
  let high = tried(far);
  if (low.height > 0 === high.height > 0) return null;
  let best = Math.abs(low.height) < Math.abs(high.height) ? low : high;
  for (let turn = 0; effort.spent < SEARCH_ITERATIONS; turn += 1) {
    const least = LAST_STEP * (1 + Math.abs(best.rate));
    const tangent = best.rate - best.height / best.slope;
    const isInside = (tangent - low.rate) * (tangent - high.rate) < 0;
    const isNear = isInside && Math.abs(tangent - best.rate) <= least;
    if (best.height === 0 || isNear || Math.abs(high.rate - low.rate) <= least) break;
    best = tried(isInside && turn < MOST_TANGENT_STEPS ? tangent : (low.rate + high.rate) / 2);
    if (best.height > 0 === low.height > 0) low = best;
    else high = best;
  }
  return best.rate;
}

function flowsOfSign({ amounts, years }: SignedFlows, sign: 1 | -1): OneSidedFlows {
  const indices = amounts.flatMap((amount, index) => (amount * sign > 0 ? [index] : []));
  return {
    sizes: indices.map((index) => Math.abs(amounts[index] ?? 0)),
    years: indices.map((index) => years[index] ?? 0),
  };
}

function trialRate(gained: OneSidedFlows, lost: OneSidedFlows, rate: number): TrialRate {
  const plus = worthAt(gained, rate);
  const minus = worthAt(lost, rate);
  return {
    rate,
    height: Math.log(plus.worth / minus.worth) - rate * (plus.reference - minus.reference),
    slope: minus.meanTime - plus.meanTime,
  };
}

/**
 * What flows are worth at the time of the one that discounting leaves largest, so that no rate is beyond what a number
 * holds, and their mean time.
 */
function worthAt(
  { sizes, years }: OneSidedFlows,
  rate: number,
): { readonly worth: number; readonly reference: number; readonly meanTime: number } {
  const reference = (rate > 0 ? years[0] : years.at(-1)) ?? 0;
  let worth = 0;
  let moment = 0;
  for (let index = 0; index < sizes.length; index += 1) {
    const time = years[index] ?? 0;
    const discounted = (sizes[index] ?? 0) * Math.exp(-rate * (time - reference));
    worth += discounted;
    moment += discounted * time;
  }
  return { worth, reference, meanTime: moment / worth };
}

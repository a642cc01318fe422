/**
 * The rate nearest zero of flows that change their sign more than once, so that several rates may exist (A4).
 *
 * h(s) = ln(gained) - ln(lost), the worths of the flows above and below zero at s = ln(1 + r), is zero at a rate. The
 * slope of each logarithm is minus the mean time of its flows, and a mean time never grows with s. So the means at
 * the ends of a segment bound the slope of h within it, and tell that a segment holds no rate, or just one.
 */

import { yearsOfPayments, type FlowFactors } from './flow-factors.ts';
import { holdsNone, lowestPoint, ROUNDING_OF_HEIGHT, slopesBetween, type TrialRate } from './rate-segment.ts';
import { SEARCH_ITERATIONS, type SolverEffort } from './solver-effort.ts';

/**
 * Lowest ln(1 + r) that is searched. Far below what is published as -100 percent, yet a last payment of one cent a day
 * after the others outweighs the largest amounts only there, and such a rate exists.
 */
export const LOWEST_LOG_RATE = -20_000;
/** ln(1 + r) of 1e260, above which no rate is given: its digits would not fit a JSON number. */
export const HIGHEST_LOG_RATE = 600;

/** Trial rates on either side of zero, before what is left is told by the signs at the ends of its segments. */
const MOST_TRIALS_PER_SIDE = 50;
/** Each segment is this many times as wide as the one before it. */
const SEGMENT_GROWTH = 4;
/** Width, relative to 1 + |s|, at which a segment is not divided any more. */
const LEAST_WIDTH = 1e-8;
/** Secant steps to the rate at which h turns, and the distance between the first two. */
const MOST_TURNING_STEPS = 12;
const TURNING_DISTANCE = 1e-6;
/** Steps along the tangent before halvings finish what they do not. */
const MOST_TANGENT_STEPS = 12;
/** Width or step, relative to 1 + |s|, that ends the refinement. */
const LAST_STEP = 1e-14;

/** Rates of either sign that differ by no more than this share are as near to zero: the one above it counts. */
const TIE = 1e-9;

interface Search {
  readonly gained: OneSidedFlows;
  readonly lost: OneSidedFlows;
  readonly longest: number;
  readonly effort: SolverEffort;
  /** Effort at which the division of segments ends. */
  limit: number;
}

/** Flows of one sign as sizes, ascending in time. */
interface OneSidedFlows {
  readonly sizes: readonly number[];
  readonly years: readonly number[];
}

/** ln(1 + r) of the rate nearest zero; null when there is none. */
export function nearestLogRate(flows: FlowFactors, effort: SolverEffort): number | null {
  const search = searchOf(flows, effort);
  if (search.gained.sizes.length === 0 || search.lost.sizes.length === 0) return null;
  const zero = tryRate(search, 0);
  const above = outwardRate(search, zero, HIGHEST_LOG_RATE);
  const mirrored = above === null ? LOWEST_LOG_RATE : Math.log(2 - Math.exp(above));
  const below = outwardRate(search, zero, mirrored > LOWEST_LOG_RATE ? mirrored : LOWEST_LOG_RATE);
  if (above === null || below === null) return above ?? below;
  return Math.expm1(above) <= -Math.expm1(below) * (1 + TIE) ? above : below;
}

function searchOf(flows: FlowFactors, effort: SolverEffort): Search {
  const years = yearsOfPayments(flows);
  return {
    gained: flowsOfSign(flows, years, 1),
    lost: flowsOfSign(flows, years, -1),
    longest: flows.lastYears,
    effort,
    limit: 0,
  };
}

function flowsOfSign(flows: FlowFactors, times: readonly number[], sign: 1 | -1): OneSidedFlows {
  const sizes: number[] = [];
  const years: number[] = [];
  const add = (amount: number, time: number): void => {
    if (amount * sign <= 0) return;
    sizes.push(amount * sign);
    years.push(time);
  };
  add(-flows.drawn, 0);
  for (const [index, amount] of flows.amounts.entries()) add(amount, times[index] ?? 0);
  return { sizes, years };
}

/** The rate nearest zero between zero and `limit`, in segments of growing width; null when there is none. */
function outwardRate(search: Search, zero: TrialRate, limit: number): number | null {
  search.limit = search.effort.spent + MOST_TRIALS_PER_SIDE;
  const last = tryRate(search, limit);
  let near = zero;
  let width = 1 / Math.max(1, search.longest);
  while (near !== last && !holdsNone(near, last)) {
    const next = near.rate + Math.sign(limit) * width;
    const far = Math.abs(next) < Math.abs(limit) ? tryRate(search, next) : last;
    const found = nearestWithin(search, near, far);
    if (found !== null) return found;
    near = far;
    width *= SEGMENT_GROWTH;
  }
  return null;
}

/** Divides the segment from `near` to `far`, nearer part first, until each part holds no rate, or just one. */
function nearestWithin(search: Search, near: TrialRate, far: TrialRate): number | null {
  if (near.height === 0) return near.rate;
  if (holdsNone(near, far)) return null;
  const changes = near.height > 0 !== far.height > 0;
  const slopes = slopesBetween(near, far);
  if (changes && (slopes.least > 0 || slopes.greatest < 0)) return onlyRate(search, near, far);
  const isNarrow = Math.abs(far.rate - near.rate) <= LEAST_WIDTH * (1 + Math.abs(near.rate));
  if (isNarrow || search.effort.spent >= search.limit) {
    if (changes) return onlyRate(search, near, far);
    return isNarrow ? touchingRate(near, far) : null;
  }
  const middle = tryRate(search, changes ? (near.rate + far.rate) / 2 : lowestPoint(near, far));
  return nearestWithin(search, near, middle) ?? nearestWithin(search, middle, far);
}

/** Where h comes within rounding of zero between two neighbouring rates and turns there; null where it stays clear. */
function touchingRate(near: TrialRate, far: TrialRate): number | null {
  const nearest = Math.abs(near.height) < Math.abs(far.height) ? near : far;
  if (Math.abs(nearest.height) > ROUNDING_OF_HEIGHT) return null;
  return slopeAt(near) > 0 === slopeAt(far) > 0 ? null : nearest.rate;
}

/**
 * The rate next to `logRate` at which h touches zero as it turns, where two rates of the flows have met in one: h is
 * flat there and says little about the place, but its slope changes sign. Null where h turns clear of zero.
 */
export function touchingLogRate(flows: FlowFactors, logRate: number, effort: SolverEffort): number | null {
  if (effort.left < 2) return null;
  const search = searchOf(flows, effort);
  let before = tryRate(search, logRate - TURNING_DISTANCE * (1 + Math.abs(logRate)));
  let last = tryRate(search, logRate);
  for (let turn = 0; turn < MOST_TURNING_STEPS && effort.left > 0; turn += 1) {
    const step = (slopeAt(last) * (last.rate - before.rate)) / (slopeAt(before) - slopeAt(last));
    if (!Number.isFinite(step) || Math.abs(step) <= LAST_STEP) break;
    before = last;
    last = tryRate(search, last.rate + step);
  }
  return Math.abs(last.height) <= ROUNDING_OF_HEIGHT ? last.rate : null;
}

function slopeAt(trial: TrialRate): number {
  return trial.lostTime - trial.gainedTime;
}

/** The rate between two trial rates of opposite sign, along the tangent and by halving. */
function onlyRate(search: Search, first: TrialRate, second: TrialRate): number {
  let low = first;
  let high = second;
  let best = Math.abs(first.height) < Math.abs(second.height) ? first : second;
  for (let turn = 0; search.effort.spent < SEARCH_ITERATIONS; turn += 1) {
    const least = LAST_STEP * (1 + Math.abs(best.rate));
    const tangent = best.rate - best.height / slopeAt(best);
    const isInside = (tangent - low.rate) * (tangent - high.rate) < 0;
    const isNear = isInside && Math.abs(tangent - best.rate) <= least;
    if (best.height === 0 || isNear || Math.abs(high.rate - low.rate) <= least) break;
    best = tryRate(search, isInside && turn < MOST_TANGENT_STEPS ? tangent : (low.rate + high.rate) / 2);
    if (best.height > 0 === low.height > 0) low = best;
    else high = best;
  }
  return best.rate;
}

function tryRate({ gained, lost, effort }: Search, rate: number): TrialRate {
  effort.spend();
  const plus = worthAt(gained, rate);
  const minus = worthAt(lost, rate);
  return {
    rate,
    logGained: Math.log(plus.worth) - rate * plus.reference,
    logLost: Math.log(minus.worth) - rate * minus.reference,
    height: Math.log(plus.worth / minus.worth) - rate * (plus.reference - minus.reference),
    gainedTime: plus.meanTime,
    lostTime: minus.meanTime,
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

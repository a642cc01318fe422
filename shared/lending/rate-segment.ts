/**
 * What two trial rates tell about the rates between them (A4). With h = ln(gained) - ln(lost) the slope of h is the
 * mean time of the lost flows less that of the gained ones, and both means fall as the rate grows.
 */

/** A rate s = ln(1 + r) that was tried. */
export interface TrialRate {
  readonly rate: number;
  /** Logarithms of what the flows above and below zero are worth. */
  readonly logGained: number;
  readonly logLost: number;
  /** Their difference h, zero at a rate of the flows. */
  readonly height: number;
  /** Mean times in years of the flows above and below zero, each weighted by its worth. */
  readonly gainedTime: number;
  readonly lostTime: number;
}

/** Bounds of the slope of h between two trial rates. */
interface Slopes {
  readonly least: number;
  readonly greatest: number;
}

/** |h| that rounding alone may cause: two rates that have met in one touch zero within it. */
export const ROUNDING_OF_HEIGHT = 1e-14;
/** As above for the difference of two logarithms of worths. */
const ROUNDING_OF_LOGARITHM = 1e-12;
/** A division stays this share of the width away from both ends. */
const EDGE = 0.1;

/** Bounds of the slope of h between two trial rates in any order. */
export function slopesBetween(first: TrialRate, second: TrialRate): Slopes {
  const [left, right] = first.rate < second.rate ? [first, second] : [second, first];
  return { least: right.lostTime - left.gainedTime, greatest: left.lostTime - right.gainedTime };
}

/**
 * True when no rate lies between two trial rates: the least worth of one side exceeds the greatest of the other, or h
 * has one sign at both ends and cannot fall to zero in between. A zero at an end counts as a rate.
 */
export function holdsNone(first: TrialRate, second: TrialRate): boolean {
  const [left, right] = first.rate < second.rate ? [first, second] : [second, first];
  const least = right.logGained - left.logLost;
  const greatest = left.logGained - right.logLost;
  if (least > ROUNDING_OF_LOGARITHM || greatest < -ROUNDING_OF_LOGARITHM) return true;
  if (left.height * right.height <= 0) return false;
  const slopes = slopesBetween(left, right);
  if (slopes.least >= 0 || slopes.greatest <= 0) return true;
  const { clearance } = crossing(left, right);
  return clearance > ROUNDING_OF_HEIGHT;
}

/** The rate between two of one sign where h may come nearest to zero. */
export function lowestPoint(first: TrialRate, second: TrialRate): number {
  const [left, right] = first.rate < second.rate ? [first, second] : [second, first];
  const width = right.rate - left.rate;
  const { distance } = crossing(left, right);
  const inside = Math.min(Math.max(distance, EDGE * width), (1 - EDGE) * width);
  return left.rate + (Number.isNaN(inside) ? width / 2 : inside);
}

/**
 * Where the steepest lines from both ends towards zero cross, and how far from zero they do; h cannot lie nearer. Both
 * ends have one sign.
 */
function crossing(
  left: TrialRate,
  right: TrialRate,
): { readonly distance: number; readonly clearance: number } {
  const { least, greatest } = slopesBetween(left, right);
  const width = right.rate - left.rate;
  const isAbove = left.height > 0;
  const falling = isAbove ? least : -greatest;
  const rising = isAbove ? greatest : -least;
  const from = Math.abs(left.height);
  const to = Math.abs(right.height);
  const distance = (to - rising * width - from) / (falling - rising);
  return { distance, clearance: from + falling * distance };
}

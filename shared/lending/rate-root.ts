/**
 * A first estimate of an effective rate in binary floating point (A4). It only says where to look: which digits are
 * published is decided exactly, in effective-rate.ts.
 *
 * The unknown is the logarithm s = ln(1 + r); a payment t years after the start is worth payment * exp(-s t).
 */

import { yearsOf, type RateFlows } from './rate-flows.ts';

/**
 * Lowest ln(1 + r) that is searched. Far below what is published as -100 percent, yet a last payment of one cent a day
 * after the others outweighs the largest amounts only there, and such a rate exists.
 */
const LOWEST_LOG_RATE = -20_000;
/** ln(1 + r) of 1e260, above which no rate is given: its digits would not fit a JSON number. */
const HIGHEST_LOG_RATE = 600;
/** Newton's step halves its error's exponent; bisection takes over where it fails. Both end well before this. */
const MOST_ITERATIONS = 200;
/** A Newton step below this leaves an error of the size of its square. */
const LAST_STEP = 1e-9;
/** Bound of the search for the root nearest zero among several. */
const MOST_SEARCH_STEPS = 2_000;
/** Halvings of a search window, to a width of about 1e-8. */
const MOST_HALVINGS = 24;
/** Width of the first search window on either side of zero. */
const FIRST_WINDOW = 0.125;

/** ln(1 + r) of the rate nearest zero at which the payments are worth what was drawn; null when there is none. */
export function logRateNearestZero(flows: RateFlows): number | null {
  const times = flows.payments.map((_, index) => yearsOf(flows, index));
  if (flows.payments.every((payment) => payment >= 0)) return monotoneRoot(flows, times);
  const above = outwardRoot(flows, times, HIGHEST_LOG_RATE);
  const below = outwardRoot(flows, times, LOWEST_LOG_RATE);
  if (above === null || below === null) return above ?? below;
  return Math.abs(Math.expm1(above)) <= Math.abs(Math.expm1(below)) ? above : below;
}

/**
 * Payments of one sign have exactly one root. ln(value of the payments) is convex and nearly straight in s, so
 * Newton's method converges in a few steps, kept inside a bracket.
 */
function monotoneRoot(flows: RateFlows, times: readonly number[]): number | null {
  if (!flows.payments.some((payment) => payment > 0)) return null;
  let low = LOWEST_LOG_RATE;
  let high = HIGHEST_LOG_RATE;
  let rate = 0;
  const target = Math.log(flows.drawn);
  for (let iteration = 0; iteration < MOST_ITERATIONS; iteration += 1) {
    let value = 0;
    let moment = 0;
    for (const [index, payment] of flows.payments.entries()) {
      const time = times[index] ?? 0;
      const worth = payment * Math.exp(-rate * time);
      value += worth;
      moment += worth * time;
    }
    const excess = Math.log(value) - target;
    if (excess > 0) low = rate;
    else high = rate;
    const newton = rate + (excess * value) / moment;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    const isClose = Math.abs(next - rate) <= LAST_STEP * (1 + Math.abs(rate));
    rate = next;
    if (isClose || high - low <= LAST_STEP) break;
  }
  return rate > HIGHEST_LOG_RATE - 1 ? null : rate;
}

/** The root nearest zero between zero and `limit`, searched in windows of growing width; null when there is none. */
function outwardRoot(flows: RateFlows, times: readonly number[], limit: number): number | null {
  const search: Search = { flows, times, budget: { steps: MOST_SEARCH_STEPS } };
  const direction = Math.sign(limit);
  let near = probe(search, 0);
  for (let width = FIRST_WINDOW; Math.abs(near.rate) < Math.abs(limit); width *= 2) {
    const far = probe(search, near.rate + direction * width);
    const root = nearestRoot(search, near, far, MOST_HALVINGS);
    if (root !== null) return root;
    near = far;
  }
  return null;
}

interface Search {
  readonly flows: RateFlows;
  readonly times: readonly number[];
  readonly budget: { steps: number };
}

/**
 * Worth of the payments above zero, and of those below it with what was drawn, as logarithms: at a rate near -100
 * percent the worth of a late payment is far beyond what a number holds. Each falls as the rate grows.
 */
interface Probe {
  readonly rate: number;
  readonly logGained: number;
  readonly logLost: number;
}

/** Halves [near, far], nearer half first, leaving out every part whose bounds have one sign. */
function nearestRoot(search: Search, near: Probe, far: Probe, halvings: number): number | null {
  const [left, right] = near.rate < far.rate ? [near, far] : [far, near];
  if (right.logGained > left.logLost || left.logGained < right.logLost) return null;
  if (halvings === 0 || search.budget.steps <= 0) {
    const changes = near.logGained > near.logLost !== far.logGained > far.logLost;
    return changes ? (near.rate + far.rate) / 2 : null;
  }
  const middle = probe(search, (near.rate + far.rate) / 2);
  return nearestRoot(search, near, middle, halvings - 1) ?? nearestRoot(search, middle, far, halvings - 1);
}

function probe({ flows, times, budget }: Search, rate: number): Probe {
  budget.steps -= 1;
  const greatestExponent = Math.max(0, -rate * (times.at(-1) ?? 0));
  let gained = 0;
  let lost = flows.drawn * Math.exp(-greatestExponent);
  for (const [index, payment] of flows.payments.entries()) {
    const worth = payment * Math.exp(-rate * (times[index] ?? 0) - greatestExponent);
    if (worth >= 0) gained += worth;
    else lost -= worth;
  }
  return {
    rate,
    logGained: Math.log(gained) + greatestExponent,
    logLost: Math.log(lost) + greatestExponent,
  };
}

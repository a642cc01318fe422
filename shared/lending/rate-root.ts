/**
 * A first estimate of an annual rate in binary floating point (A4). It only says where to look: which digits are
 * published is proven in effective-rate.ts.
 *
 * The unknown is the logarithm s = ln(1 + r); a payment t years after the start is worth payment * exp(-s t).
 */

import type { FlowFactors, Moments } from './flow-factors.ts';
import { HIGHEST_LOG_RATE, LOWEST_LOG_RATE } from './nearest-root.ts';
import type { SolverEffort } from './solver-effort.ts';

/** Steps by curvature, each of which cubes the error near the root; the usual loan takes three. */
const MOST_CURVED_STEPS = 30;
/** Halvings after them: enough to bring the whole range of rates down to a width of 1e-12. */
const MOST_HALVINGS = 55;
/** After a step of this share of the longest time, the next one would be within 1e-15 of it. */
const LAST_STEP = 1e-5;

/**
 * A plain loan has exactly one rate. ln(worth of the payments) falls and is convex in s; its slope is the mean time of
 * the payments and its curvature their variance, so that a parabola through both hits the root almost at once. The
 * steps are kept inside a bracket, and halvings finish what they do not: {@link MOST_CURVED_STEPS} +
 * {@link MOST_HALVINGS} trial rates at most. The answer is ln(1 + r); null above what is searched.
 */
export function logRateOfPlainLoan(flows: FlowFactors, effort: SolverEffort): number | null {
  const target = Math.log(flows.drawn);
  const longest = Math.max(1, flows.lastYears);
  let low = LOWEST_LOG_RATE;
  let high = HIGHEST_LOG_RATE + 1;
  let rate = 0;
  let moments = flows.atZero;
  for (let turn = 0; turn < MOST_CURVED_STEPS + MOST_HALVINGS; turn += 1) {
    effort.spend();
    const { logExcess, step } = curvedStep(moments, target);
    if (logExcess > 0) low = rate;
    else high = rate;
    const curved = rate + step;
    const isInside = curved > low && curved < high;
    if (Math.abs(step) * longest <= LAST_STEP || logExcess === 0) {
      rate = isInside ? curved : rate;
      break;
    }
    rate = isInside && turn < MOST_CURVED_STEPS ? curved : (low + high) / 2;
    moments = momentsAt(flows, rate);
  }
  return rate > HIGHEST_LOG_RATE ? null : rate;
}

/**
 * How far the payments are worth more than the target, as a logarithm, and the step in s to where a parabola of the
 * same value, slope and curvature is zero (the tangent, where the parabola misses zero).
 */
function curvedStep(
  { worth, first, second }: Moments,
  target: number,
): { readonly logExcess: number; readonly step: number } {
  const logExcess = Math.log(worth) - target;
  const mean = first / worth;
  const variance = Math.max(0, second / worth - mean * mean);
  const discriminant = mean * mean - 2 * variance * logExcess;
  const step = (2 * logExcess) / (mean + (discriminant > 0 ? Math.sqrt(discriminant) : mean));
  return { logExcess, step };
}

function momentsAt(flows: FlowFactors, rate: number): Moments {
  const { amounts, gapOf, extraOf, unitsPerYear } = flows;
  const gap = discounts(
    flows.gaps.map((units) => units / unitsPerYear),
    rate,
  );
  const extra = discounts(
    flows.extras.map(({ days, yearDays }) => days / yearDays),
    rate,
  );
  const { years: gapYears, factors: gapFactors } = gap;
  const { years: extraYears, factors: extraFactors } = extra;
  const hasExtras = flows.extras.length > 0;
  let discount = 1;
  let unitYears = 0;
  let worth = 0;
  let first = 0;
  let second = 0;
  for (let index = 0; index < amounts.length; index += 1) {
    const gapIndex = gapOf[index] ?? 0;
    discount *= gapFactors[gapIndex] ?? 0;
    unitYears += gapYears[gapIndex] ?? 0;
    let payment = (amounts[index] ?? 0) * discount;
    let time = unitYears;
    if (hasExtras) {
      const extraIndex = extraOf[index] ?? 0;
      payment *= extraFactors[extraIndex] ?? 0;
      time += extraYears[extraIndex] ?? 0;
    }
    worth += payment;
    first += payment * time;
    second += payment * time * time;
  }
  return { worth, first, second };
}

/** Discount factors of some spans of years. */
function discounts(
  spans: readonly number[],
  rate: number,
): { readonly years: Float64Array; readonly factors: Float64Array } {
  const years = new Float64Array(spans.length);
  const factors = new Float64Array(spans.length);
  for (let index = 0; index < spans.length; index += 1) {
    const span = spans[index] ?? 0;
    years[index] = span;
    factors[index] = Math.exp(-rate * span);
  }
  return { years, factors };
}

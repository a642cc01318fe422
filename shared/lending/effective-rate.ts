/**
 * A rate as it is published: percent, rounded half up to a number of decimals, each digit proven (A1-A4). A rate is
 * right when the flows' worth changes sign between the two rounding boundaries around it.
 */

import { flowFactors } from './flow-factors.ts';
import { formatMinorUnits } from './money.ts';
import { narrowedStep, roundedAway } from './narrowed-step.ts';
import { nearestRates } from './nearest-root.ts';
import type { RateFlows } from './rate-flows.ts';
import { logRateOfPlainLoan } from './rate-root.ts';
import type { LoneRate } from './rates-apart.ts';
import { RateSteps, type RateProblem, type RateScale } from './rate-steps.ts';
import { SolverEffort } from './solver-effort.ts';

/** Bits of ln(1 + r) as estimated in floating point, and of r, that are trusted; what lies below is searched for. */
const TRUSTED_LOG_BITS = 36n;
const TRUSTED_BITS = 48n;
/** Widenings of the range around the estimate, each to sixteen times the width. */
const MOST_WIDENINGS = 12;
const WIDENING = 16n;
/** Trial rates of a round: both boundaries, and both again for their worth where the range between is narrowed. */
const TRIALS_PER_ROUND = 4;
/** Distances from ln(1 + r), in parts of 1 + |ln(1 + r)|, at which a rate within a step is told from its neighbours. */
const DISTANCES = [1e-14, 1e-12, 1e-10, 1e-8];

/** DAE and EIR: percent a year with four decimals (A1, A2). */
const EFFECTIVE_RATE: RateScale = { percentDecimals: 4, unitsAdded: { numerator: 1n, denominator: 1n } };

/** A rate with what it took to find it. */
export interface SolvedRate {
  /** Percent text with the decimals of the scale; null when there is no rate (A4). */
  readonly percent: string | null;
  /** Trial rates, at most MOST_ITERATIONS. */
  readonly iterations: number;
}

/**
 * The effective rate nearest zero at which the payments are worth what was drawn, as percent text with four decimals;
 * null when nothing was drawn or no rate exists (A4).
 */
export function percentOfFlows(flows: RateFlows): string | null {
  return flows.drawn > 0 ? solveRate(flows, EFFECTIVE_RATE).percent : null;
}

/** The rate nearest zero of any flows. Above 1e260 there is none; never more than MOST_ITERATIONS trial rates. */
export function solveRate(flows: RateFlows, scale: RateScale): SolvedRate {
  const problem: RateProblem = { flows, factors: flowFactors(flows), effort: new SolverEffort() };
  const steps = new RateSteps(problem, scale);
  const step = problem.factors.isPlainLoan
    ? stepOfPlainLoan(problem, steps)
    : stepAmongSeveral(problem, steps);
  const percent = step === undefined ? null : formatMinorUnits(step, scale.percentDecimals);
  return { percent, iterations: problem.effort.spent };
}

function stepOfPlainLoan(problem: RateProblem, steps: RateSteps): bigint | undefined {
  const rate = logRateOfPlainLoan(problem.factors, problem.effort);
  if (rate === null) return undefined;
  return stepAround(problem, steps, {
    rate,
    low: Number.NEGATIVE_INFINITY,
    high: Number.POSITIVE_INFINITY,
  });
}

/**
 * The step of the rate nearest zero where several may exist: the worth changes its sign within the step's half-open
 * surroundings, and both boundaries are so near that no other rate lies between them; or it does so between two rates
 * next to the estimate. Of two at the same distance the one above zero counts.
 */
function stepAmongSeveral(problem: RateProblem, steps: RateSteps): bigint | undefined {
  let nearest: bigint | undefined;
  for (const lone of nearestRates(problem)) {
    const step =
      lone.touching === undefined
        ? (stepAround(problem, steps, lone) ?? stepNextTo(problem, steps, lone))
        : steps.holding(lone.touching, steps.near(lone.rate));
    if (step === undefined) return undefined;
    if (nearest === undefined || distanceOf(step) < distanceOf(nearest)) nearest = step;
  }
  return nearest;
}

function distanceOf(step: bigint): bigint {
  return step < 0n ? -step : step;
}

/** The step of a rate with another one so near that they share a step, or neighbouring ones. */
function stepNextTo(problem: RateProblem, steps: RateSteps, lone: LoneRate): bigint | undefined {
  const { rate, low, high } = lone;
  if (steps.near(low) === steps.near(high)) return steps.near(rate);
  for (const part of DISTANCES) {
    const distance = part * (1 + Math.abs(rate));
    const before = steps.nextTo(Math.exp(Math.max(low, rate - distance)));
    const after = steps.nextTo(Math.exp(Math.min(high, rate + distance)));
    if (before === undefined || after === undefined) return undefined;
    if (before.sign * after.sign >= 0) continue;
    if (before.step === after.step) return before.step;
    const first = steps.boundary(before.step);
    if (first.sign === 0) return roundedAway(first);
    if (first.sign !== before.sign) return before.step;
    if (before.step + 1n === after.step) return after.step;
    const last = steps.boundary(after.step - 1n);
    if (last.sign === first.sign) return after.step;
    return narrowedStep(steps, first.below, last.below, problem.effort);
  }
  return undefined;
}

/** The step within which the worth changes its sign, at the estimate or near it, where no other rate is as near. */
function stepAround(problem: RateProblem, steps: RateSteps, lone: LoneRate): bigint | undefined {
  const estimate = steps.near(lone.rate);
  const size = estimate < 0n ? -estimate : estimate;
  const growth = estimate - steps.least;
  let width = ((size < growth ? size : growth) >> TRUSTED_LOG_BITS) + (size >> TRUSTED_BITS);
  const isLone = (below: bigint): boolean =>
    problem.factors.isPlainLoan || steps.isBetween(below, lone.low, lone.high);
  for (
    let widening = 0;
    widening <= MOST_WIDENINGS && problem.effort.left >= TRIALS_PER_ROUND;
    widening += 1
  ) {
    if (!isLone(estimate - 1n - width) || !isLone(estimate + width)) return undefined;
    const low = steps.boundary(estimate - 1n - width);
    const high = steps.boundary(estimate + width);
    if (low.sign === 0) return roundedAway(low);
    if (high.sign === 0) return roundedAway(high);
    if (low.sign !== high.sign) return narrowedStep(steps, low.below, high.below, problem.effort);
    width = width * WIDENING + 1n;
  }
  return undefined;
}

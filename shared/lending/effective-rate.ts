/**
 * A rate as it is published: percent, rounded half up to a number of decimals, each digit proven (A1-A4). A rate is
 * right when the flows' worth changes sign between the two rounding boundaries around it.
 */

import { flowFactors } from './flow-factors.ts';
import { formatMinorUnits } from './money.ts';
import { narrowedStep, roundedAway } from './narrowed-step.ts';
import { touchingLogRate } from './nearest-root.ts';
import type { RateFlows } from './rate-flows.ts';
import { logRateNearestZero } from './rate-root.ts';
import { RateSteps, type RateProblem, type RateScale } from './rate-steps.ts';
import { SolverEffort } from './solver-effort.ts';

/** Bits of ln(1 + r) as estimated in floating point, and of r, that are trusted; what lies below is searched for. */
const TRUSTED_LOG_BITS = 36n;
const TRUSTED_BITS = 48n;
/** Widenings of the range around the estimate, each to sixteen times the width. */
const MOST_WIDENINGS = 12;
/** Furthest that a range may reach to either side where flows may have another rate, in parts of the whole. */
const FURTHEST_AMONG_SEVERAL = 2e-5;
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
  const logRate = logRateNearestZero(problem.factors, problem.effort);
  const step = logRate === null ? undefined : provenStep(problem, scale, logRate);
  const percent = step === undefined ? null : formatMinorUnits(step, scale.percentDecimals);
  return { percent, iterations: problem.effort.spent };
}

/**
 * The step that the estimate lies near, proven: the worth changes its sign within the step's half-open surroundings, or
 * twice within them and once close to the estimate. Only where the worth touches zero without changing its sign, as
 * where two rates have met in one, there is nothing to prove but that it is zero to 14 digits.
 */
function provenStep(problem: RateProblem, scale: RateScale, logRate: number): bigint | undefined {
  const steps = new RateSteps(problem, scale);
  const step = stepAround(problem, steps, steps.near(logRate));
  if (step !== undefined || problem.factors.isPlainLoan) return step;
  const within = stepAmongSeveral(steps, logRate);
  if (within !== undefined) return within;
  const touching = touchingLogRate(problem.factors, logRate, problem.effort);
  return touching === null ? undefined : steps.near(touching);
}

/** The step of a rate next to which there is another one: the signs close to the estimate on either side differ. */
function stepAmongSeveral(steps: RateSteps, logRate: number): bigint | undefined {
  for (const part of DISTANCES) {
    const distance = part * (1 + Math.abs(logRate));
    const low = steps.nextTo(Math.exp(logRate - distance));
    const high = steps.nextTo(Math.exp(logRate + distance));
    if (low === undefined || high === undefined || low.step !== high.step) return undefined;
    if (low.sign !== high.sign) return low.step;
  }
  return undefined;
}

/** The step within which the worth changes its sign, at the estimate or near it. */
function stepAround(problem: RateProblem, steps: RateSteps, estimate: bigint): bigint | undefined {
  const size = estimate < 0n ? -estimate : estimate;
  const growth = estimate - steps.least;
  let width = ((size < growth ? size : growth) >> TRUSTED_LOG_BITS) + (size >> TRUSTED_BITS);
  const furthest = problem.factors.isPlainLoan ? undefined : width + steps.stepsIn(FURTHEST_AMONG_SEVERAL);
  for (
    let widening = 0;
    widening <= MOST_WIDENINGS && problem.effort.left >= TRIALS_PER_ROUND;
    widening += 1
  ) {
    if (furthest !== undefined && width > furthest) return undefined;
    const low = steps.boundary(estimate - 1n - width);
    const high = steps.boundary(estimate + width);
    if (low.sign === 0) return roundedAway(low);
    if (high.sign === 0) return roundedAway(high);
    if (low.sign !== high.sign) return narrowedStep(steps, low.below, high.below, problem.effort);
    width = width * WIDENING + 1n;
  }
  return undefined;
}

/**
 * Rates as they are published: in percent, rounded half up (A1-A4). Each digit is proven, because the net present value
 * has different signs at the two rounding boundaries around the rate.
 */

import { bracketedRoot, type SignedValue } from '../numbers/bracketed-root.ts';
import type { ExactRatio } from '../numbers/exact-ratio.ts';
import { absoluteValue } from '../numbers/fixed-root.ts';
import { estimateLogRate, floatingSign, prepareFlows } from './floating-present-value.ts';
import {
  MAX_ITERATIONS,
  MAX_LOG_RATE,
  isolateRates,
  type IsolatedRate,
  type RateProblem,
} from './isolated-rates.ts';
import { formatMinorUnits } from '../numbers/money.ts';
import { netPresentValue } from './net-present-value.ts';
import { mergeFlows, type RateFlows } from './rate-flows.ts';
import { divideRounded } from '../numbers/rounding.ts';

interface RateScale {
  readonly percentDecimals: number;
  /** Periods of a year if the rates of the periods are added instead of compounded (A3); otherwise 1. */
  readonly unitsAdded: ExactRatio;
}

interface SolvedRate {
  /** Percent text with the decimals of the scale; null if no rate is found (A4). */
  readonly percent: string | null;
  readonly iterations: number;
}

const EFFECTIVE: RateScale = { percentDecimals: 4, unitsAdded: { numerator: 1n, denominator: 1n } };

/** The effective rate in percent with four decimals; null if none is found or the first flow is not paid out (A4). */
export function solveEffectiveRate(flows: RateFlows): string | null {
  return (flows.flows[0]?.amount ?? 0) < 0 ? solveRate(flows, EFFECTIVE).percent : null;
}

/** Finds the rate nearest to zero, or the positive one of two that are equally near when rounded (A4). */
export function solveRate(rateFlows: RateFlows, scale: RateScale): SolvedRate {
  const steps = new RateSteps(scale);
  const effort = { iterations: 0, floatingFlows: 0, exactFlows: 0, brackets: 0 };
  const problem: RateProblem = { flows: prepareFlows(mergeFlows(rateFlows)), effort };
  let nearest: bigint | undefined;
  for (const rate of isolateRates(problem)) {
    const published = publishedStep(problem, steps, rate);
    if (published === undefined) return { percent: null, iterations: effort.iterations };
    if (nearest === undefined || isNearer(published, nearest)) nearest = published;
  }
  const percent = nearest === undefined ? null : formatMinorUnits(nearest, scale.percentDecimals);
  return { percent, iterations: effort.iterations };
}

function isNearer(step: bigint, other: bigint): boolean {
  const [size, otherSize] = [absoluteValue(step), absoluteValue(other)];
  return size === otherSize ? step > other : size < otherSize;
}

/** Steps of 10^-percentDecimals percent, counted from zero. */
class RateSteps {
  /** The step at or next above -100 percent. */
  readonly least: bigint;
  /** The growth factor 1 as a whole number; `#half` is half a step on the same scale. */
  readonly #whole: bigint;
  readonly #half: bigint;

  constructor({ percentDecimals, unitsAdded }: RateScale) {
    this.#whole = 2n * 10n ** BigInt(percentDecimals + 2) * unitsAdded.numerator;
    this.#half = unitsAdded.denominator;
    this.least = -this.#whole / (2n * this.#half);
  }

  rounded({ numerator, denominator }: ExactRatio): bigint {
    return divideRounded((numerator - denominator) * this.#whole, 2n * this.#half * denominator, 'HALF_UP');
  }

  near(logRate: number): bigint {
    return BigInt(Math.round((Math.expm1(logRate) * Number(this.#whole)) / Number(2n * this.#half)));
  }

  /** The growth factor at the boundary between `step` and the next one. */
  boundary(step: bigint): ExactRatio {
    return { numerator: this.#whole + (2n * step + 1n) * this.#half, denominator: this.#whole };
  }
}

/** Bits of the estimated ln(1 + r) that are trusted; the remaining bits are searched. */
const TRUSTED_LOG_BITS = 36n;
/** Bits of r, calculated from that estimate, that are trusted. */
const TRUSTED_BITS = 48n;
/** While the boundaries tried do not enclose the rate, their distance from the estimate grows by this factor. */
const WIDENING = 16n;

const BEYOND_ANY_STEP = 10n ** 300n;

/** The step to which a rate is rounded; undefined if it takes too many trial rates or is too large to be published. */
function publishedStep(
  { flows, effort }: RateProblem,
  steps: RateSteps,
  { low, high, bracket }: IsolatedRate,
): bigint | undefined {
  const first = low === undefined ? steps.least : steps.rounded(low);
  const last = high === undefined ? BEYOND_ANY_STEP : steps.rounded(high);
  if (first >= last) return last;
  const countTrial = (): void => {
    effort.iterations += 1;
  };
  const logRate = estimateLogRate(flows, bracket, countTrial);
  if (logRate > MAX_LOG_RATE) return undefined;
  // The steps to which the rate may be rounded. The sign at the boundary above a step excludes all steps on one side.
  const range = { low: first, high: last };
  const exclude = (step: bigint, sign: number): void => {
    if (sign === bracket.lowSign) range.low = step + 1n;
    else range.high = step;
    if (sign === 0) range.low = range.high = awayFromZero(step);
  };
  const tryBoundary = (step: bigint): void => {
    countTrial();
    const growth = steps.boundary(step);
    exclude(step, floatingSign(flows, growth) || netPresentValue(flows, growth).sign);
  };
  const near = steps.near(logRate);
  const estimate = near < first ? first : near > last ? last : near;
  const growth = estimate - steps.least;
  const size = absoluteValue(estimate);
  let width = ((size < growth ? size : growth) >> TRUSTED_LOG_BITS) + (size >> TRUSTED_BITS);
  for (let isHeld = false; !isHeld && range.low < range.high; width = width * WIDENING + 1n) {
    const [below, above] = [estimate - 1n - width, estimate + width];
    if (below >= range.low) tryBoundary(below);
    if (above < range.high) tryBoundary(above);
    isHeld = range.low > below && range.high <= above;
  }
  if (range.low >= range.high) return range.low;
  const valueAt = (step: bigint): SignedValue => {
    // At and beyond the ends of the bracket the signs are known.
    if (step < first) return { sign: bracket.lowSign, value: 0n, bits: 0n };
    if (step >= last) return { sign: bracket.lowSign === 1 ? -1 : 1, value: 0n, bits: 0n };
    countTrial();
    const value = netPresentValue(flows, steps.boundary(step));
    if (value.sign === 0) exclude(step, 0);
    return value;
  };
  const step = bracketedRoot(valueAt, range.low - 1n, range.high, MAX_ITERATIONS - effort.iterations - 2);
  return range.low === range.high ? range.low : step;
}

function awayFromZero(step: bigint): bigint {
  return step >= 0n ? step + 1n : step;
}

/**
 * Brackets that contain exactly one rate each; one of them contains the rate nearest to zero (A4).
 *
 * Amounts with one change of sign have one rate (Descartes' rule of signs, which holds for discounted cash flows
 * too). Otherwise brackets of s = ln(1 + r) are examined in the order of their distance from a rate of zero. In each
 * the net present value is a Taylor series with an error bound: the bracket has no rate where the value cannot be
 * zero, at most one where the slope cannot be zero, and is halved otherwise. Where floating point cannot distinguish
 * the value from zero, because several rates lie close together or coincide, whole numbers decide
 * (repeated-rates.ts).
 */

import { numberToRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { ROUNDING, type PreparedFlows } from './floating-present-value.ts';
import { netPresentValue } from './net-present-value.ts';
import type { RateFlows } from './rate-flows.ts';
import { findDominantOrder, separateRates, type FoundRate, type IsolatedRate } from './repeated-rates.ts';
import type { SolverEffort } from './solver-effort.ts';

/** The cash flows, also prepared for trial rates, and the effort spent so far. */
export interface RateProblem {
  readonly flows: RateFlows;
  readonly prepared: PreparedFlows;
  readonly effort: SolverEffort;
}

/** ln(1 + r) for 1 + r = 1e260. No higher rate is published: its digits would not fit a JSON number. */
export const MAX_LOG_RATE = 260 * Math.LN10;
/**
 * Lowest ln(1 + r) that is searched. It is far below the highest rate published as -100 percent, because a last payment
 * of one cent, a day after the others, can lead to a rate this low.
 */
const MIN_LOG_RATE = -20_000;
/** Below this ln(1 + r) the growth factor underflows; such rates are published as -100 percent. */
const MIN_GROWTH_LOG = -600;

/** The rate of cash flows that add up to zero. */
const RATE_OF_ZERO: IsolatedRate = {
  low: { numerator: 1n, denominator: 1n },
  high: { numerator: 1n, denominator: 1n },
  bracket: { low: 0, high: 0, lowSign: 1 },
};

/**
 * The rate nearest to zero, or two of opposite sign when only their exact digits decide which is nearer; none when
 * there is no rate, or when it cannot be proven which one is nearest.
 */
export function isolateRates(problem: RateProblem): readonly IsolatedRate[] {
  const { flows, prepared, effort } = problem;
  if (prepared.signChanges === 0) return [];
  if (prepared.signChanges === 1) {
    const bracket = {
      low: MIN_GROWTH_LOG,
      high: MAX_LOG_RATE + 1,
      lowSign: prepared.lastSign,
    } as const;
    return [{ low: undefined, high: undefined, bracket }];
  }
  if (flows.flows.reduce((sum, { amount }) => sum + BigInt(amount), 0n) === 0n) return [RATE_OF_ZERO];
  const pending = [toBracket(0, MAX_LOG_RATE), toBracket(MIN_LOG_RATE, 0)];
  const firstWidth = FIRST_WIDTH / ((prepared.years.at(-1) ?? 0) - (prepared.years[0] ?? 0));
  const found: FoundRate[] = [];
  for (;;) {
    pending.sort((a, b) => nearDistance(b) - nearDistance(a));
    const nearest = pending.pop();
    const reached = Math.min(...found.map(farDistance));
    if (nearest === undefined || nearDistance(nearest) >= reached) return provenRates(found);
    const parts = splitWide(nearest, firstWidth);
    if (parts !== undefined) {
      pending.push(...parts);
      continue;
    }
    effort.countBracket(prepared.amounts.length);
    if (effort.isExhausted) return [];
    const rates = examineBracket(problem, nearest);
    if (rates === undefined) pending.push(...halves(nearest));
    else found.push(...rates);
  }
}

/** A bracket of ln(1 + r) on one side of zero. */
interface Bracket {
  readonly centre: number;
  readonly radius: number;
}

function toBracket(low: number, high: number): Bracket {
  return { centre: (low + high) / 2, radius: (high - low) / 2 };
}

/** Width of the brackets next to zero, multiplied by the years between the first and the last flow. */
const FIRST_WIDTH = 2;

/** Splits a bracket that is much wider than its distance from zero; undefined for a narrower one. */
function splitWide({ centre, radius }: Bracket, firstWidth: number): readonly Bracket[] | undefined {
  const width = Math.abs(centre) - radius + firstWidth;
  if (radius <= width) return undefined;
  const inwards = centre > 0 ? -1 : 1;
  return [
    { centre: centre + inwards * (radius - width / 2), radius: width / 2 },
    { centre: centre - (inwards * width) / 2, radius: radius - width / 2 },
  ];
}

function halves({ centre, radius }: Bracket): readonly Bracket[] {
  const half = radius / 2;
  return [
    { centre: centre - half, radius: half },
    { centre: centre + half, radius: half },
  ];
}

/** Larger than `distanceFromZero` of any rate below 100 percent. */
const DISTANCE_OF_DOUBLING = 1e6;

/**
 * A measure that orders rates r of both signs by |r|: -ln(1 - |r|) below 100 percent, and larger values from 100
 * percent on.
 */
function distanceFromZero(logRate: number): number {
  if (logRate <= 0) return -logRate;
  const rate = Math.expm1(logRate);
  return rate < 1 ? -Math.log1p(-rate) : DISTANCE_OF_DOUBLING + logRate;
}

function nearDistance({ centre, radius }: Bracket): number {
  return distanceFromZero(centre > 0 ? centre - radius : centre + radius);
}

function farDistance(found: FoundRate): number {
  if ('unprovenAt' in found) return distanceFromZero(found.unprovenAt);
  return Math.max(distanceFromZero(found.bracket.low), distanceFromZero(found.bracket.high));
}

/** Rates whose distances from zero differ by less than this share are compared by their exact digits. */
const CLOSENESS = 1e-9;

/** The rates that may be nearest to zero; none if an unproven rate might be nearer. */
function provenRates(found: readonly FoundRate[]): readonly IsolatedRate[] {
  const proven = found.filter((rate) => 'bracket' in rate);
  const reached = Math.min(...proven.map(farDistance));
  if (found.some((rate) => 'unprovenAt' in rate && farDistance(rate) <= reached)) return [];
  const limit = reached * (1 + CLOSENESS);
  return proven.filter(({ bracket }) => nearDistance(toBracket(bracket.low, bracket.high)) <= limit);
}

/** A series whose coefficients add up to less than this multiple of its error cannot be distinguished from zero. */
const ERRORS_OF_BLUR = 1024;

/** The rates of a bracket; undefined when it must be halved. */
function examineBracket(problem: RateProblem, bracket: Bracket): readonly FoundRate[] | undefined {
  const series = seriesAt(problem.prepared, bracket);
  if (series === undefined) return undefined;
  const { coefficients, error } = series;
  const order = findDominantOrder(coefficients, error);
  if (order === 0) return [];
  if (order === 1) return rateBetweenEnds(problem.flows, bracket, series);
  const sum = coefficients.reduce((total, coefficient) => total + Math.abs(coefficient), 0);
  return sum <= ERRORS_OF_BLUR * error ? ratesInBlur(problem, bracket) : undefined;
}

/** The rate of a bracket in which the slope has one sign, if the signs at its ends differ. */
function rateBetweenEnds(
  flows: RateFlows,
  { centre, radius }: Bracket,
  { coefficients, error }: Series,
): readonly FoundRate[] {
  const signAt = (end: -1 | 1): number | undefined => {
    const value = coefficients.reduceRight((sum, coefficient) => sum * end + coefficient, 0);
    if (Math.abs(value) > error) return Math.sign(value);
    const growth = growthFactor(centre + end * radius);
    return growth === undefined ? undefined : netPresentValue(flows, growth).sign;
  };
  const [lowSign, highSign] = [signAt(-1), signAt(1)];
  if (lowSign === undefined || highSign === undefined) return [{ unprovenAt: centre }];
  if (lowSign * highSign > 0) return [];
  const low = highSign === 0 ? centre + radius : centre - radius;
  const high = lowSign === 0 ? centre - radius : centre + radius;
  const bracket = { low, high, lowSign: (lowSign || -highSign) > 0 ? 1 : -1 } as const;
  return [
    { low: growthFactor(low), high: growthFactor(high) ?? { numerator: 0n, denominator: 1n }, bracket },
  ];
}

/** 1 + r as a fraction; undefined where it is published as -100 percent. */
function growthFactor(logRate: number): ExactRatio | undefined {
  return logRate < MIN_GROWTH_LOG ? undefined : numberToRatio(Math.exp(logRate));
}

/**
 * The net present value at centre + u * radius for |u| <= 2, times some positive function: the sum of coefficients[j] *
 * u^j, as fractions of the sum of all absolute values at the centre. The errors of the coefficients, each times 2^j,
 * add up to no more than `error`; so do those of the value and of each derivative over its factorial, as no binomial
 * coefficient of j exceeds 2^j.
 */
interface Series {
  readonly coefficients: readonly number[];
  readonly error: number;
}

/** Up to how many radii from the centre a series is valid. */
const MARGIN = 2;
/** Highest power of u. */
const DEGREE = 20;
/** Exponent above which a flow is left out and its whole size counts as error. */
const MAX_REACH = 6;
/** Largest relative error caused by omitted flows and higher powers; above it, the bracket is too wide. */
const MAX_ERROR = 1e-11;

/** The series in floating point; undefined when the bracket is too wide for it. */
function seriesAt(flows: PreparedFlows, { centre, radius }: Bracket): Series | undefined {
  const { amounts, years } = flows;
  const { values, size, meanTime, reference } = valuesAt(flows, centre);
  const coefficients = Array.from({ length: DEGREE + 1 }, () => 0);
  const timeError = 4 * (Math.abs(centre) + radius);
  let leftOut = 0;
  let rounded = 0;
  for (let index = 0; index < values.length; index += 1) {
    const time = years[index] ?? 0;
    const value = values[index] ?? 0;
    const exponent = (meanTime - time) * radius;
    const reach = Math.abs(exponent) * MARGIN;
    if (reach > MAX_REACH) {
      leftOut += Math.abs(amounts[index] ?? 0) * Math.exp(reach - centre * (time - reference));
      continue;
    }
    const greatest = Math.abs(value) * Math.exp(reach);
    rounded += greatest * (timeError * (time + meanTime + 1) + 4 * DEGREE + values.length);
    let term = value;
    for (let power = 0; power <= DEGREE; power += 1) {
      coefficients[power] = (coefficients[power] ?? 0) + term;
      term *= exponent / (power + 1);
    }
    leftOut += Math.abs(value) * remainderOfExp(reach, DEGREE);
  }
  if (!(leftOut <= MAX_ERROR * size)) return undefined;
  return {
    coefficients: coefficients.map((coefficient) => coefficient / size),
    error: (leftOut + rounded * ROUNDING) / size,
  };
}

/** A bound on what the Taylor series of exp leaves out after a power, for exponents up to `reach` in absolute value. */
function remainderOfExp(reach: number, power: number): number {
  let remainder = Math.exp(reach);
  for (let factor = 1; factor <= power + 1; factor += 1) remainder *= reach / factor;
  return remainder;
}

interface DiscountedValues {
  readonly values: readonly number[];
  readonly size: number;
  readonly meanTime: number;
  readonly reference: number;
}

/**
 * The flows discounted to the first one, or at a negative rate compounded to the last one, so that none overflows; with
 * the sum of their absolute values and their mean time.
 */
function valuesAt({ amounts, years }: PreparedFlows, rate: number): DiscountedValues {
  const reference = years.at(rate >= 0 ? 0 : -1) ?? 0;
  const values = amounts.map((amount, index) => amount * Math.exp(-rate * ((years[index] ?? 0) - reference)));
  const size = values.reduce((sum, value) => sum + Math.abs(value), 0);
  const moment = values.reduce((sum, value, index) => sum + Math.abs(value) * (years[index] ?? 0), 0);
  return { values, size, meanTime: moment / size, reference };
}

/** Radius, relative to 1 + |s|, below which floating point cannot halve a bracket. */
const MIN_RADIUS = 1e-14;

/** The rates of a bracket in which floating point cannot distinguish the net present value from zero. */
function ratesInBlur(problem: RateProblem, { centre, radius }: Bracket): readonly FoundRate[] | undefined {
  const { flows, prepared, effort } = problem;
  const [low, high] = [growthFactor(centre - radius), growthFactor(centre + radius)];
  const isPoint = radius <= MIN_RADIUS * (1 + Math.abs(centre));
  if (low === undefined || high === undefined || isPoint) return [{ unprovenAt: centre }];
  const { values, size, meanTime } = valuesAt(prepared, centre);
  const errorBeyond = (power: number): number => {
    const errors = values.map((value, index) => {
      const reach = MARGIN * radius * Math.abs((prepared.years[index] ?? 0) - meanTime);
      return Math.abs(value) * remainderOfExp(reach, power);
    });
    return errors.reduce((sum, error) => sum + error, 0) / size;
  };
  const exactCentre = numberToRatio(Math.exp(centre));
  return separateRates(flows, { low, high, centre: exactCentre, radius, meanTime }, errorBeyond, effort);
}

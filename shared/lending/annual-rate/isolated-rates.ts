/**
 * Brackets with exactly one rate each, of which one holds the rate nearest zero (A4).
 *
 * Amounts with one change of sign have one rate (Descartes' rule of signs, which holds for discounted cash flows
 * too). Otherwise both sides of zero are examined outwards in brackets of s = ln(1 + r). In each the net present value
 * is a Taylor series with an error bound: the bracket has no rate where the value cannot be zero, at most one where the
 * slope cannot, and is halved elsewhere. Where floating point cannot distinguish the value from zero, because several rates
 * lie close together or nearly meet, whole numbers decide (repeated-rates.ts).
 */

import { numberToRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { ROUNDING, type PreparedFlows } from './floating-present-value.ts';
import { netPresentValue } from './net-present-value.ts';
import type { RateFlows } from './rate-flows.ts';
import { separateRates, type FoundRate, type IsolatedRate } from './repeated-rates.ts';
import type { SolverEffort } from './solver-effort.ts';

/** The cash flows, also prepared for trial rates, and the effort spent so far. */
export interface RateProblem {
  readonly flows: RateFlows;
  readonly prepared: PreparedFlows;
  readonly effort: SolverEffort;
}

/** ln(1 + r) of 1e260, above which no rate is given: its digits would not fit a JSON number. */
export const MAX_LOG_RATE = 260 * Math.LN10;
/**
 * Lowest ln(1 + r) that is searched. It is far below the rates published as -100 percent; a last payment of one cent a
 * day after the others has a rate this low.
 */
const MIN_LOG_RATE = -20_000;
/** Below this ln(1 + r) a growth factor is beyond floating point; such rates are published as -100 percent. */
const MIN_GROWTH_LOG = -600;

/** Width of the first bracket on each side, in parts of one over the longest time; each further one is twice as wide. */
const FIRST_WIDTH = 2;

/**
 * The rate nearest zero, or two of opposite sign when only their exact digits decide which is nearer; none when there
 * is no rate, or when it cannot be proven which one is nearest.
 */
export function isolateRates(problem: RateProblem): readonly IsolatedRate[] {
  const { flows, prepared, effort } = problem;
  const { lastSign } = prepared;
  if (prepared.signChanges === 0 || lastSign === 0) return [];
  if (prepared.signChanges === 1) {
    const bracket = { low: MIN_GROWTH_LOG, high: MAX_LOG_RATE + 1, lowSign: lastSign };
    return [{ low: undefined, high: undefined, bracket }];
  }
  const amounts = flows.amounts as readonly (number | bigint)[];
  if (amounts.reduce<bigint>((sum, amount) => sum + BigInt(amount), 0n) === 0n) return [RATE_OF_ZERO];
  const survey: Survey = {
    problem,
    amounts: prepared.amounts.filter((amount) => amount !== 0),
    years: prepared.years.filter((_, index) => prepared.amounts[index] !== 0),
  };
  const span = (survey.years.at(-1) ?? 0) - (survey.years[0] ?? 0);
  const sides: Side[] = [
    { direction: 1, reached: 0, width: FIRST_WIDTH / span, limit: MAX_LOG_RATE, found: undefined },
    { direction: -1, reached: 0, width: FIRST_WIDTH / span, limit: MIN_LOG_RATE, found: undefined },
  ];
  for (;;) {
    const nearest = Math.min(
      ...sides.map(({ found }) => (found === undefined ? Infinity : distanceOfFarEnd(found))),
    );
    const [next] = sides
      .filter((side) => side.found === undefined && side.reached !== side.limit)
      .filter((side) => distanceFromZero(side.reached) <= nearest)
      .toSorted((a, b) => distanceFromZero(a.reached) - distanceFromZero(b.reached));
    if (next === undefined) return provenRates(sides.flatMap(({ found }) => found ?? []));
    const end =
      Math.abs(next.limit) <= Math.abs(next.reached) + next.width
        ? next.limit
        : next.reached + next.direction * next.width;
    const bracket = { centre: (next.reached + end) / 2, radius: Math.abs(end - next.reached) / 2 };
    next.found = firstRate(survey, next.direction, bracket);
    next.reached = end;
    next.width *= 2;
    if (effort.isExhausted) return [];
  }
}

interface Side {
  readonly direction: 1 | -1;
  readonly limit: number;
  /** ln(1 + r) up to which there is no rate. */
  reached: number;
  width: number;
  found: FoundRate | undefined;
}

/** The cash flows add up to zero. */
const RATE_OF_ZERO: IsolatedRate = {
  low: { numerator: 1n, denominator: 1n },
  high: { numerator: 1n, denominator: 1n },
  bracket: { low: 0, high: 0, lowSign: 1 },
};

/** The rates found, unless one that is not proven might be nearer. */
function provenRates(found: readonly FoundRate[]): readonly IsolatedRate[] {
  const proven = found.filter((rate) => 'bracket' in rate);
  const farthest = Math.min(...proven.map(distanceOfFarEnd));
  return found.some((rate) => !('bracket' in rate) && distanceOfFarEnd(rate) <= farthest) ? [] : proven;
}

function distanceOfFarEnd(found: FoundRate): number {
  if ('unprovenAt' in found) return distanceFromZero(found.unprovenAt);
  return Math.max(distanceFromZero(found.bracket.low), distanceFromZero(found.bracket.high));
}

/** Distance of the rate r from zero. */
function distanceFromZero(logRate: number): number {
  return Math.abs(Math.expm1(logRate));
}

/** The context in which brackets are examined: the flows other than zero. */
interface Survey {
  readonly problem: RateProblem;
  readonly amounts: readonly number[];
  readonly years: readonly number[];
}

/** A bracket of ln(1 + r). */
interface Bracket {
  readonly centre: number;
  readonly radius: number;
}

/** A series whose coefficients add up to less than this multiple of its error cannot be distinguished from zero. */
const ERRORS_OF_BLUR = 1024;

/** The first rate of a bracket in the given direction. */
function firstRate(survey: Survey, direction: 1 | -1, bracket: Bracket): FoundRate | undefined {
  const { effort } = survey.problem;
  effort.countBracket(survey.amounts.length);
  if (effort.isExhausted) return undefined;
  const series = seriesAt(survey, bracket);
  if (series !== undefined) {
    const { coefficients, error } = series;
    const [value = 0, slope = 0] = coefficients;
    const sum = coefficients.reduce((total, coefficient) => total + Math.abs(coefficient), 0);
    if (2 * Math.abs(value) > sum + error) return undefined;
    const slopes = coefficients.reduce((total, part, power) => total + power * Math.abs(part), 0);
    if (2 * Math.abs(slope) > slopes + error) return rateBetweenEnds(survey, bracket, series);
    if (sum <= ERRORS_OF_BLUR * error) return rateInBlur(survey, direction, bracket);
  }
  const [near, far] = halves(bracket, direction);
  return firstRate(survey, direction, near) ?? firstRate(survey, direction, far);
}

function halves({ centre, radius }: Bracket, direction: 1 | -1): readonly [Bracket, Bracket] {
  const half = radius / 2;
  return [
    { centre: centre - direction * half, radius: half },
    { centre: centre + direction * half, radius: half },
  ];
}

/** The rate of a bracket in which the slope has one sign, if the signs at its ends differ. */
function rateBetweenEnds(
  { problem }: Survey,
  { centre, radius }: Bracket,
  { coefficients, error }: Series,
): FoundRate | undefined {
  const signAt = (end: -1 | 1): number | undefined => {
    const value = coefficients.reduceRight((sum, coefficient) => sum * end + coefficient, 0);
    if (Math.abs(value) > error) return Math.sign(value);
    const growth = growthFactor(centre + end * radius);
    return growth === undefined ? undefined : netPresentValue(problem.flows, growth).sign;
  };
  const [lowSign, highSign] = [signAt(-1), signAt(1)];
  const [low, high] = [centre - radius, centre + radius];
  if (lowSign === undefined || highSign === undefined) return { unprovenAt: centre };
  if (lowSign * highSign > 0) return undefined;
  const end = lowSign === 0 ? low : highSign === 0 ? high : undefined;
  const sign = (lowSign || -highSign) > 0 ? 1 : -1;
  return isolated(end ?? low, end ?? high, sign);
}

function isolated(low: number, high: number, lowSign: -1 | 1): FoundRate {
  const highGrowth = growthFactor(high) ?? { numerator: 0n, denominator: 1n };
  return { low: growthFactor(low), high: highGrowth, bracket: { low, high, lowSign } };
}

/** 1 + r as a fraction; undefined where it is published as -100 percent. */
function growthFactor(logRate: number): ExactRatio | undefined {
  return logRate < MIN_GROWTH_LOG ? undefined : numberToRatio(Math.exp(logRate));
}

/**
 * The net present value at centre + u * radius for |u| <= 2, times some positive function: the sum of
 * coefficients[j] * u^j, in parts of the sum of all sizes at the centre. The errors of the coefficients, each times
 * 2^j, add up to no more than `error`; so do those of the value and of each derivative over its factorial, as no
 * binomial coefficient of j exceeds 2^j.
 */
interface Series {
  readonly coefficients: readonly number[];
  readonly error: number;
}

/** How far beyond its bracket a series holds. */
const MARGIN = 2;
/** Highest power of u. */
const DEGREE = 20;
/** Exponent above which a flow is left out, its whole size counting as error. */
const MAX_REACH = 6;
/** Error of leaving out flows and higher powers above which the bracket is too wide. */
const MAX_ERROR = 1e-11;

/** The series in floating point; undefined when the bracket is too wide for it. */
function seriesAt({ amounts, years }: Survey, { centre, radius }: Bracket): Series | undefined {
  const { values, size, meanTime, reference } = valuesAt({ amounts, years }, centre);
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

/** What the Taylor series of exp leaves out after a power, for an exponent of that size. */
function remainderOfExp(reach: number, power: number): number {
  let remainder = Math.exp(reach);
  for (let factor = 1; factor <= power + 1; factor += 1) remainder *= reach / factor;
  return remainder;
}

interface DiscountedValues {
  readonly values: Float64Array;
  readonly size: number;
  readonly meanTime: number;
  readonly reference: number;
}

/**
 * The flows discounted to the time of the one that this leaves largest, so that none is beyond floating point, the sum
 * of their sizes and their mean time.
 */
function valuesAt({ amounts, years }: Pick<Survey, 'amounts' | 'years'>, rate: number): DiscountedValues {
  const reference = years.at(rate >= 0 ? 0 : -1) ?? 0;
  const values = new Float64Array(amounts.length);
  let size = 0;
  let moment = 0;
  for (let index = 0; index < values.length; index += 1) {
    const time = years[index] ?? 0;
    const value = (amounts[index] ?? 0) * Math.exp(-rate * (time - reference));
    values[index] = value;
    size += Math.abs(value);
    moment += Math.abs(value) * time;
  }
  return { values, size, meanTime: moment / size, reference };
}

/** Radius, relative to 1 + |s|, below which a bracket has no more places in floating point. */
const MIN_RADIUS = 1e-14;

/** The first rate of a bracket in which floating point cannot distinguish the net present value from zero. */
function rateInBlur(survey: Survey, direction: 1 | -1, bracket: Bracket): FoundRate | undefined {
  const { flows, effort } = survey.problem;
  const { centre, radius } = bracket;
  const [low, high] = [growthFactor(centre - radius), growthFactor(centre + radius)];
  const isPoint = radius <= MIN_RADIUS * (1 + Math.abs(centre));
  if (low === undefined || high === undefined || isPoint || effort.isExhausted) return { unprovenAt: centre };
  const { values, size, meanTime } = valuesAt(survey, centre);
  const errorBeyond = (power: number): number => {
    let error = 0;
    for (let index = 0; index < values.length; index += 1) {
      const reach = MARGIN * radius * Math.abs((survey.years[index] ?? 0) - meanTime);
      error += Math.abs(values[index] ?? 0) * remainderOfExp(reach, power);
    }
    return error / size;
  };
  const rates = separateRates(
    flows,
    { low, high, centre: numberToRatio(Math.exp(centre)), radius, meanTime },
    errorBeyond,
    effort,
  );
  if (rates !== undefined) return direction === 1 ? rates[0] : rates.at(-1);
  const [near, far] = halves(bracket, direction);
  return rateInBlur(survey, direction, near) ?? rateInBlur(survey, direction, far);
}

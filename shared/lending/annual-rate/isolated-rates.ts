/**
 * Finds brackets of one rate each, for the rates that may be nearest to zero (A4). Amounts with one change of sign have
 * one rate (Descartes' rule of signs). Otherwise brackets of s = ln(1 + r) are examined in order of their distance from
 * zero, with the net present value as a Taylor series with an error bound. A bracket has no rate if the value cannot be
 * zero, and at most one if the slope cannot be zero; other brackets are halved. Where floating point cannot distinguish
 * the value from zero, fixed point decides.
 */

import { greatestCommonDivisor, numberToRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { ROUNDING, type LogRateBracket, type PreparedFlows } from './floating-present-value.ts';
import { netPresentValue } from './net-present-value.ts';
import { hasExtraDays, type RateFlow, type RateFlows } from './rate-flows.ts';
import { Decimal } from 'decimal.js';
import { bracketedRoot, type SignedValue } from '../numbers/bracketed-root.ts';
import { absoluteValue } from '../numbers/fixed-root.ts';

/** Maximum number of trial rates for the estimate and the proof together; a usual loan takes five. */
export const MAX_ITERATIONS = 200;
/** Maximum number of readings of a cash flow in floating point to isolate rates. */
const MAX_FLOATING_FLOWS = 6_000_000;
/** Maximum number of readings of a cash flow in fixed point to isolate rates. */
const MAX_EXACT_FLOWS = 1_000_000;
const MAX_BRACKETS = 20_000;

/** The work done so far for one rate. The limits above end the search, whatever the cash flows (A4). */
interface SolverEffort {
  iterations: number;
  floatingFlows: number;
  exactFlows: number;
  brackets: number;
}

function isExhausted({ floatingFlows, exactFlows, brackets }: SolverEffort): boolean {
  return floatingFlows > MAX_FLOATING_FLOWS || exactFlows > MAX_EXACT_FLOWS || brackets > MAX_BRACKETS;
}

export interface RateProblem {
  readonly flows: PreparedFlows;
  readonly effort: SolverEffort;
}

/** ln(1 + r) for 1 + r = 1e260. No higher rate is published, so that every rate fits a JSON number. */
export const MAX_LOG_RATE = 260 * Math.LN10;
/** Lower end of the search, far below published rates: a final cent, one day after the other flows, can lead there. */
const MIN_LOG_RATE = -20_000;
/** Below this ln(1 + r) the growth factor counts as zero: such rates are published as -100 percent. */
const MIN_GROWTH_LOG = -600;

const RATE_OF_ZERO: IsolatedRate = {
  low: { numerator: 1n, denominator: 1n },
  high: { numerator: 1n, denominator: 1n },
  bracket: { low: 0, high: 0, lowSign: 1 },
};

/** The rate nearest to zero, or all candidates if only exact digits can tell; empty if there is none, or no proof. */
export function isolateRates({ flows, effort }: RateProblem): readonly IsolatedRate[] {
  if (flows.signChanges === 0) return [];
  if (flows.signChanges === 1) {
    const bracket = { low: MIN_GROWTH_LOG, high: MAX_LOG_RATE + 1, lowSign: flows.lastSign };
    return [{ low: undefined, high: undefined, bracket }];
  }
  if (flows.flows.reduce((sum, { amount }) => sum + BigInt(amount), 0n) === 0n) return [RATE_OF_ZERO];
  const pending: Bracket[] = [
    { low: 0, high: MAX_LOG_RATE },
    { low: MIN_LOG_RATE, high: 0 },
  ];
  const firstWidth = FIRST_WIDTH / ((flows.years.at(-1) as number) - (flows.years[0] as number));
  const found: FoundRate[] = [];
  for (;;) {
    pending.sort((a, b) => nearDistance(b) - nearDistance(a));
    const nearest = pending.pop();
    const reached = Math.min(...found.map(farDistance));
    if (nearest === undefined || nearDistance(nearest) >= reached) return provenRates(found);
    const { low, high } = nearest;
    const width = Math.min(Math.abs(low), Math.abs(high)) + firstWidth;
    let splitAt = low < 0 ? high - width : low + width;
    if ((high - low) / 2 <= width) {
      effort.brackets += 1;
      effort.floatingFlows += flows.amounts.length;
      if (isExhausted(effort)) return [];
      const rates = examineBracket({ flows, effort }, nearest);
      found.push(...(rates ?? []));
      if (rates !== undefined) continue;
      splitAt = (low + high) / 2;
    }
    pending.push({ low, high: splitAt }, { low: splitAt, high });
  }
}

/**
 * Width of the brackets next to zero, times the years between the first and the last flow. A bracket much wider than
 * its distance from zero is split unexamined, because a wide bracket often leaves open which rate is the nearest.
 */
const FIRST_WIDTH = 2;

/** A range of ln(1 + r) on one side of zero. */
interface Bracket {
  readonly low: number;
  readonly high: number;
}

/** Larger than the distance of any rate below 100 percent. */
const DISTANCE_OF_DOUBLING = 1e6;

/** Orders rates r of both signs by |r|: -ln(1 - |r|) below 100 percent, larger values from 100 percent on. */
function distanceFromZero(logRate: number): number {
  if (logRate <= 0) return -logRate;
  const rate = Math.expm1(logRate);
  return rate < 1 ? -Math.log1p(-rate) : DISTANCE_OF_DOUBLING + logRate;
}

function nearDistance({ low, high }: Bracket): number {
  return distanceFromZero(low >= 0 ? low : high);
}

function farDistance(found: FoundRate): number {
  if ('unprovenAt' in found) return distanceFromZero(found.unprovenAt);
  return Math.max(distanceFromZero(found.bracket.low), distanceFromZero(found.bracket.high));
}

/** Rates whose distances from zero differ by at most this share are compared by their exact digits. */
const CLOSENESS_OF_DISTANCES = 1e-9;

/** The rates that may be nearest to zero; empty if an unproven rate might be nearer. */
function provenRates(found: readonly FoundRate[]): readonly IsolatedRate[] {
  const proven = found.filter((rate) => 'bracket' in rate);
  const reached = Math.min(...proven.map(farDistance));
  if (found.some((rate) => 'unprovenAt' in rate && farDistance(rate) <= reached)) return [];
  const limit = reached * (1 + CLOSENESS_OF_DISTANCES);
  return proven.filter(({ bracket }) => nearDistance(bracket) <= limit);
}

/** A series counts as indistinguishable from zero if its coefficients add up to at most this multiple of its error. */
const ERRORS_OF_BLUR = 1024;

function examineBracket(problem: RateProblem, bracket: Bracket): readonly FoundRate[] | undefined {
  const series = seriesAt(problem.flows, bracket);
  if (series === undefined) return undefined;
  const { coefficients, error } = series;
  const order = findDominantOrder(coefficients, error);
  if (order === 0) return [];
  if (order === 1) return rateBetweenEnds(problem.flows, bracket, series);
  const sum = coefficients.reduce((total, coefficient) => total + Math.abs(coefficient), 0);
  return sum <= ERRORS_OF_BLUR * error ? separateRates(problem, bracket) : undefined;
}

function rateBetweenEnds(
  flows: RateFlows,
  ends: Bracket,
  { coefficients, error }: Series,
): readonly FoundRate[] {
  const signAt = (end: -1 | 1): number | undefined => {
    const value = coefficients.reduceRight((sum, coefficient) => sum * end + coefficient, 0);
    if (Math.abs(value) > error) return Math.sign(value);
    const growth = growthFactor(end < 0 ? ends.low : ends.high);
    return growth === undefined ? undefined : netPresentValue(flows, growth).sign;
  };
  const [lowSign, highSign] = [signAt(-1), signAt(1)];
  if (lowSign === undefined || highSign === undefined) return [{ unprovenAt: (ends.low + ends.high) / 2 }];
  if (lowSign * highSign > 0) return [];
  const low = highSign === 0 ? ends.high : ends.low;
  const high = lowSign === 0 ? ends.low : ends.high;
  const bracket = { low, high, lowSign: (lowSign || -highSign) > 0 ? 1 : -1 } as const;
  return [
    { low: growthFactor(low), high: growthFactor(high) ?? { numerator: 0n, denominator: 1n }, bracket },
  ];
}

/** 1 + r as a fraction; undefined for a rate that is published as -100 percent. */
function growthFactor(logRate: number): ExactRatio | undefined {
  return logRate < MIN_GROWTH_LOG ? undefined : numberToRatio(Math.exp(logRate));
}

/**
 * The value at centre + u * radius for |u| <= 2: the sum of coefficients[j] * u^j, relative to the sum of all absolute
 * values at the centre. Errors of the coefficients, each times 2^j, add up to at most `error`. For |u| <= 1 this bounds
 * the error of the value and of each k-th derivative over k! too, because no binomial coefficient of j exceeds 2^j.
 */
interface Series {
  readonly coefficients: readonly number[];
  readonly error: number;
}

/** A series is valid up to this number of radii from the centre. */
const MARGIN = 2;
const DEGREE = 20;
/** Exponent above which a flow is left out of the series, so that its whole size counts as error. */
const MAX_REACH = 6;
/** Largest relative error caused by omitted flows and higher powers; above it, the bracket is too wide. */
const MAX_ERROR = 1e-11;

function seriesAt(flows: PreparedFlows, { low, high }: Bracket): Series | undefined {
  const { amounts, years } = flows;
  const [centre, radius] = [(low + high) / 2, (high - low) / 2];
  const { values, size, meanTime, reference } = valuesAt(flows, centre);
  const coefficients = Array.from({ length: DEGREE + 1 }, () => 0);
  const timeError = 4 * (Math.abs(centre) + radius);
  let leftOut = 0;
  let rounded = 0;
  for (let index = 0; index < values.length; index += 1) {
    const time = years[index] as number;
    const value = values[index] as number;
    const exponent = (meanTime - time) * radius;
    const reach = Math.abs(exponent) * MARGIN;
    if (reach > MAX_REACH) {
      leftOut += Math.abs(amounts[index] as number) * Math.exp(reach - centre * (time - reference));
      continue;
    }
    const greatest = Math.abs(value) * Math.exp(reach);
    rounded += greatest * (timeError * (time + meanTime + 1) + 4 * DEGREE + values.length);
    let term = value;
    for (let power = 0; power <= DEGREE; power += 1) {
      coefficients[power] = (coefficients[power] as number) + term;
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

/** Values discounted to the first flow, or at a negative rate compounded to the last one, so that none overflows. */
function valuesAt({ amounts, years }: PreparedFlows, rate: number): DiscountedValues {
  const reference = years.at(rate >= 0 ? 0 : -1) ?? 0;
  const values = amounts.map(
    (amount, index) => amount * Math.exp(-rate * ((years[index] as number) - reference)),
  );
  const size = values.reduce((sum, value) => sum + Math.abs(value), 0);
  const moment = values.reduce((sum, value, index) => sum + Math.abs(value) * (years[index] as number), 0);
  return { values, size, meanTime: moment / size, reference };
}

// Rates that lie close together or coincide are separated in fixed point (A4). If some derivative of the net present
// value has one sign, the next lower one has at most one root between the ends of the bracket. The roots of each
// derivative separate those of the next lower one, down to the value itself. A derivative in s is again the value of
// cash flows: each amount times its time. A double root, where the value only touches zero, counts as a rate only if
// the value is exactly zero at a short fraction.

/** A bracket of one rate. `low` and `high` are 1 + r; `low` undefined means -100 percent, `high` undefined no limit. */
export interface IsolatedRate {
  readonly low: ExactRatio | undefined;
  readonly high: ExactRatio | undefined;
  readonly bracket: LogRateBracket;
}

/** A rate, or the ln(1 + r) at which it cannot be proven whether there is one. */
type FoundRate = IsolatedRate | { readonly unprovenAt: number };

/** Radius, relative to 1 + |s|, below which floating point cannot halve a bracket. */
const MIN_RADIUS = 1e-14;
const MAX_ORDER = 40;
/** Margin for values whose sign is proven, but which may be wrong by half. */
const MARGIN_OF_PROVEN_VALUES = 3;

/** Returns the rates of a bracket in ascending order; undefined if no derivative is known to have one sign. */
function separateRates({ flows, effort }: RateProblem, ends: Bracket): readonly FoundRate[] | undefined {
  const [centre, radius] = [(ends.low + ends.high) / 2, (ends.high - ends.low) / 2];
  const [low, high] = [growthFactor(ends.low), growthFactor(ends.high)];
  const isPoint = radius <= MIN_RADIUS * (1 + Math.abs(centre));
  if (low === undefined || high === undefined || isPoint) return [{ unprovenAt: centre }];
  const exactCentre = numberToRatio(Math.exp(centre));
  const { meanTime, errorBeyond } = boundRemainders(flows, centre, radius);
  const { perYear, times } = countTimes(flows, meanTime);
  const logOfRadius = Math.log2(radius / Number(perYear));
  const size = netPresentValue(withAmounts(flows, sizeOf), exactCentre);
  const derivatives: RateFlows[] = [];
  const coefficients: number[] = [];
  let derivative: RateFlows = flows;
  let logOfFactorial = 0;
  for (let power = 0; power <= MAX_ORDER && !isExhausted(effort); power += 1) {
    effort.exactFlows += flows.flows.length;
    const value = netPresentValue(derivative, exactCentre);
    const logOfValue = log2(absoluteValue(value.value)) - log2(size.value) - Number(value.bits - size.bits);
    logOfFactorial += Math.log2(Math.max(1, power));
    coefficients.push(2 ** (logOfValue + power * logOfRadius - logOfFactorial));
    derivatives.push(derivative);
    const order = findDominantOrder(coefficients, errorBeyond(power), MARGIN_OF_PROVEN_VALUES);
    if (order !== undefined) return rootsBelow(derivatives.slice(0, order), [low, high], effort);
    derivative = withAmounts(derivative, ({ amount }, index) => BigInt(amount) * (times[index] as bigint));
  }
  return undefined;
}

/** Bounds what the Taylor series leaves out after a power, at twice the radius, relative to all absolute values. */
function boundRemainders(flows: PreparedFlows, centre: number, radius: number) {
  const { values, size, meanTime } = valuesAt(flows, centre);
  const errorBeyond = (power: number): number =>
    values.reduce((sum, value, index) => {
      const reach = MARGIN * radius * Math.abs((flows.years[index] as number) - meanTime);
      return sum + Math.abs(value) * remainderOfExp(reach, power);
    }, 0) / size;
  return { meanTime, errorBeyond };
}

/** Order of the lowest derivative with one sign: its coefficient outweighs all later ones; undefined if none. */
function findDominantOrder(coefficients: readonly number[], error: number, margin = 1): number | undefined {
  const order = coefficients.findIndex((coefficient, derivative) => {
    let others = 0;
    let binomial = 1;
    for (let power = derivative + 1; power < coefficients.length; power += 1) {
      binomial *= power / (power - derivative);
      others += binomial * Math.abs(coefficients[power] as number);
    }
    return Math.abs(coefficient) > margin * others + 2 * error;
  });
  return order < 0 ? undefined : order;
}

/** Significant bits of the growth factor to which a root is bracketed. */
const GRID_BITS = 256;

interface GridPoint extends SignedValue {
  readonly at: bigint;
}

/** The roots of the first element. Each later element is the derivative of the one before; the last has at most one. */
function rootsBelow(
  derivatives: readonly RateFlows[],
  [low, high]: readonly [low: ExactRatio, high: ExactRatio],
  effort: SolverEffort,
): readonly FoundRate[] {
  const unit = BigInt(Math.max(0, GRID_BITS - countBits(low.numerator) + countBits(low.denominator)));
  const growthAt = (at: bigint): ExactRatio => ({ numerator: at, denominator: 1n << unit });
  const first = (low.numerator << unit) / low.denominator;
  const last = (high.numerator << unit) / high.denominator;
  let critical: readonly bigint[] = [];
  for (const flows of derivatives.toReversed()) {
    if (isExhausted(effort)) return [{ unprovenAt: logarithm(low) }];
    const valueAt = (at: bigint): GridPoint => {
      effort.exactFlows += flows.flows.length;
      return { at, ...netPresentValue(flows, growthAt(at)) };
    };
    const points = [first, ...critical, last].map(valueAt);
    if (flows === derivatives[0]) return ratesBetween(flows, valueAt, points, growthAt);
    // Roots of higher derivatives stay among the points: at a multiple root they are next to the roots of this one.
    const roots = points.flatMap((point, index) => {
      if (point.sign === 0) return index === 0 ? [] : [point.at];
      return rootBetween(valueAt, points[index - 1], point) ?? [];
    });
    critical = [...new Set([...critical, ...roots])].toSorted((a, b) => (a < b ? -1 : 1));
  }
  return [];
}

/** Six steps for each bit: a bracket halves at least once in two rounds of three steps. */
const MAX_STEPS = 6 * GRID_BITS;

function rootBetween(
  valueAt: (at: bigint) => GridPoint,
  before: GridPoint | undefined,
  { at, sign }: GridPoint,
): bigint | undefined {
  if (before === undefined || before.sign * sign >= 0) return undefined;
  return bracketedRoot(valueAt, before.at, at, MAX_STEPS);
}

/** The rates between neighbouring points: the ends of the bracket and, between them, roots of the derivatives. */
function ratesBetween(
  flows: RateFlows,
  valueAt: (at: bigint) => GridPoint,
  points: readonly GridPoint[],
  growthAt: (at: bigint) => ExactRatio,
): readonly FoundRate[] {
  const rateBelow = (at: bigint, lowSign: -1 | 1): FoundRate => {
    const [low, high] = [growthAt(at - 1n), growthAt(at)];
    return { low, high, bracket: { low: logarithm(low), high: logarithm(high), lowSign } };
  };
  return points.flatMap((point, index) => {
    const { sign, at } = point;
    const before = points.slice(0, index).findLast((other) => other.sign !== 0)?.sign ?? 0;
    const after = points.slice(index + 1).find((other) => other.sign !== 0)?.sign ?? 0;
    if (before === 0) return [];
    if (before * sign < 0) {
      const root = rootBetween(valueAt, points[index - 1], point);
      return root === undefined ? [] : [rateBelow(root, before)];
    }
    if (sign === 0 && before !== after) return [rateBelow(at, before)];
    const growth = growthAt(at);
    if (before !== after || !touchesZero(flows, point, growth)) return [];
    return [isZeroNear(flows, growth) ? rateBelow(at, before) : { unprovenAt: logarithm(growth) }];
  });
}

/** A value that is smaller than the sum of all absolute values by this number of bits may be zero. */
const TOUCHING_BITS = 300n;

function touchesZero(flows: RateFlows, { sign, value, bits }: SignedValue, growth: ExactRatio): boolean {
  if (sign === 0) return true;
  const size = netPresentValue(withAmounts(flows, sizeOf), growth);
  return absoluteValue(value) << (size.bits + TOUCHING_BITS) < size.value << bits;
}

/** Largest denominators of the fractions tried as the growth factor. */
const MAX_DENOMINATORS = [10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/** Largest relative distance of these fractions from the estimate. */
const CLOSENESS = 1e-11;
/** Bound on the growth factor for which fractions are tried, and on its reciprocal. */
const MAX_GROWTH = 1e7;
/** Decimals of a growth factor whose rate has ten decimals in percent. */
const DECIMALS = 12;
/** Maximum number of bits of an exact value; fractions that lead to more are not tried. */
const MAX_BITS = 400_000;

/**
 * True if the value is exactly zero at a short fraction or decimal close to the growth factor of the greatest unit of
 * time that divides all gaps. Flows with left-over days have no such unit.
 */
function isZeroNear(rateFlows: RateFlows, growth: ExactRatio): boolean {
  if (hasExtraDays(rateFlows)) return false;
  const { flows, unitsPerYear } = rateFlows;
  const start = flows[0]?.wholeUnits ?? 0;
  const gaps = flows.map(({ wholeUnits }) => BigInt(wholeUnits - start));
  const units = Number(gaps.reduce(greatestCommonDivisor, 0n));
  const estimate = Math.exp((logarithm(growth) * units) / unitsPerYear);
  if (!(estimate > 1 / MAX_GROWTH && estimate < MAX_GROWTH)) return false;
  const decimal = new Decimal(estimate);
  const candidates = MAX_DENOMINATORS.map((largest) => decimal.toFraction(largest)).filter(
    // A fraction further away may be another rate, which proves nothing about this one.
    ([numerator, denominator]) =>
      Math.abs(Number(numerator) / Number(denominator) - estimate) <= CLOSENESS * estimate,
  );
  candidates.push(new Decimal(decimal.toFixed(DECIMALS)).toFraction());
  const steps = ((flows.at(-1)?.wholeUnits ?? 0) - start) / units;
  return candidates.some((fraction) => {
    const [numerator = 1n, denominator = 1n] = fraction.map((part) => BigInt(part.toFixed()));
    if (steps * Math.log2(Number(numerator + denominator)) > MAX_BITS) return false;
    let [value, scale, before] = [0n, 1n, start];
    for (const { amount, wholeUnits } of flows) {
      const gap = BigInt((wholeUnits - before) / units);
      before = wholeUnits;
      scale *= denominator ** gap;
      value = value * numerator ** gap + BigInt(amount) * scale;
    }
    return value === 0n;
  });
}

/** Parts of a unit: a day of a year of 365 or of 366 days is a whole number of them. */
const DAY_PARTS = 365n * 366n;

/** The times of the flows as whole numbers, of which a year has `perYear`, counted from a time near the mean time. */
function countTimes(rateFlows: RateFlows, meanTime: number) {
  const parts = hasExtraDays(rateFlows) ? DAY_PARTS : 1n;
  const perYear = BigInt(rateFlows.unitsPerYear) * parts;
  const origin = BigInt(Math.round(meanTime * Number(perYear)));
  const times = rateFlows.flows.map(({ wholeUnits, extraDays, yearDays }) => {
    const ofDays = extraDays === 0 ? 0n : (BigInt(extraDays) * perYear) / BigInt(yearDays);
    return BigInt(wholeUnits) * parts + ofDays - origin;
  });
  return { perYear, times };
}

function withAmounts(
  { flows, unitsPerYear }: RateFlows,
  amountOf: (flow: RateFlow, index: number) => bigint,
): RateFlows {
  return { flows: flows.map((flow, index) => ({ ...flow, amount: amountOf(flow, index) })), unitsPerYear };
}

function sizeOf({ amount }: RateFlow): bigint {
  return absoluteValue(BigInt(amount));
}

function logarithm({ numerator, denominator }: ExactRatio): number {
  return (log2(numerator) - log2(denominator)) * Math.LN2;
}

function log2(value: bigint): number {
  const shift = Math.max(0, countBits(value) - 64);
  return Math.log2(Number(value >> BigInt(shift))) + shift;
}

function countBits(value: bigint): number {
  return value.toString(16).length * 4;
}

/**
 * Rates that lie very close together or coincide (multiple roots), separated in whole numbers (A4).
 *
 * Between two neighbouring roots of its slope a function has at most one root. So if some derivative of the net present
 * value is known to have one sign, the next lower derivative has at most one root between the ends of the bracket; its
 * roots separate those of the derivative below it, and so on down to the value itself. A derivative in s = ln(1 + r) is
 * again the net present value of cash flows: each amount times its time.
 *
 * At a double root the value only touches zero, at a root of its slope. It counts as a rate only if this can be proven:
 * the growth factor there is a short fraction, and the value, calculated exactly, is zero.
 */

import { Decimal } from 'decimal.js';
import { bracketedRoot } from './bracketed-root.ts';
import type { LogRateBracket } from './floating-present-value.ts';
import { greatestCommonDivisor, type ExactRatio } from '../numbers/exact-ratio.ts';
import { absoluteValue } from '../numbers/fixed-root.ts';
import { netPresentValue, type SignedValue } from './net-present-value.ts';
import { hasExtraDays, type RateFlow, type RateFlows } from './rate-flows.ts';
import type { SolverEffort } from './solver-effort.ts';

/** A bracket with one rate. */
export interface IsolatedRate {
  /** Growth factor 1 + r at the low end; undefined for a rate of -100 percent. */
  readonly low: ExactRatio | undefined;
  /** Growth factor at the high end; undefined for the highest rate that is published. */
  readonly high: ExactRatio | undefined;
  /** The same bracket in terms of ln(1 + r). */
  readonly bracket: LogRateBracket;
}

/** A place, as ln(1 + r), at which it cannot be proven whether there is a rate. */
export interface UnprovenRate {
  readonly unprovenAt: number;
}

/** A result of the search in a bracket. */
export type FoundRate = IsolatedRate | UnprovenRate;

/** A bracket of growth factors at most `radius` from the centre, measured as ln(1 + r). */
interface GrowthBracket {
  readonly low: ExactRatio;
  readonly high: ExactRatio;
  readonly centre: ExactRatio;
  readonly radius: number;
  /** Mean time of the flows in years; times counted from it keep the derivatives small. */
  readonly meanTime: number;
}

/** Highest power of the Taylor series, and so the highest derivative that is examined. */
const MAX_ORDER = 40;
/** Margin for proven values, each of which may be off by half of itself. */
const MARGIN_OF_PROVEN_VALUES = 3;

/**
 * Returns the rates of a bracket in ascending order; undefined if no derivative is known to have one sign.
 * `errorBeyond` bounds what the Taylor series around the centre leaves out after a power, at twice the radius and
 * relative to the sum of all absolute values.
 */
export function separateRates(
  flows: RateFlows,
  bracket: GrowthBracket,
  errorBeyond: (power: number) => number,
  effort: SolverEffort,
): readonly FoundRate[] | undefined {
  const { perYear, times } = countTimes(flows, bracket.meanTime);
  const logOfRadius = Math.log2(bracket.radius / Number(perYear));
  const size = netPresentValue(withAmounts(flows, sizeOf), bracket.centre);
  const derivatives: RateFlows[] = [];
  const coefficients: number[] = [];
  let derivative = flows;
  let logOfFactorial = 0;
  for (let power = 0; power <= MAX_ORDER && !effort.isExhausted; power += 1) {
    effort.countExact(flows.flows.length);
    const value = netPresentValue(derivative, bracket.centre);
    const logOfValue = log2(absoluteValue(value.value)) - log2(size.value) - Number(value.bits - size.bits);
    logOfFactorial += Math.log2(Math.max(1, power));
    coefficients.push(2 ** (logOfValue + power * logOfRadius - logOfFactorial));
    derivatives.push(derivative);
    const order = findDominantOrder(coefficients, errorBeyond(power), MARGIN_OF_PROVEN_VALUES);
    if (order !== undefined) return rootsBelow(derivatives.slice(0, order), bracket, effort);
    derivative = withAmounts(derivative, ({ amount }, index) => BigInt(amount) * (times[index] ?? 0n));
  }
  return undefined;
}

/**
 * The lowest derivative of a Taylor series whose own coefficient outweighs all later ones, so that it has one sign.
 * Coefficients that may be off by half of themselves need a `margin` of three.
 */
export function findDominantOrder(
  coefficients: readonly number[],
  error: number,
  margin = 1,
): number | undefined {
  const order = coefficients.findIndex((coefficient, derivative) => {
    let others = 0;
    let binomial = 1;
    for (let power = derivative + 1; power < coefficients.length; power += 1) {
      binomial *= power / (power - derivative);
      others += binomial * Math.abs(coefficients[power] ?? 0);
    }
    return Math.abs(coefficient) > margin * others + 2 * error;
  });
  return order < 0 ? undefined : order;
}

/** Bits to which a root is bracketed, relative to the growth. */
const GRID_BITS = 256;

/** A point of a grid of growth factors, with the proven net present value of the examined flows at that point. */
interface GridPoint extends SignedValue {
  readonly at: bigint;
}

/**
 * The roots of the first element. Each later element is the derivative of the previous one; the last has at most one
 * root.
 */
function rootsBelow(
  derivatives: readonly RateFlows[],
  { low, high }: GrowthBracket,
  effort: SolverEffort,
): readonly FoundRate[] {
  const unit = BigInt(Math.max(0, GRID_BITS - countBits(low.numerator) + countBits(low.denominator)));
  const growthAt = (at: bigint): ExactRatio => ({ numerator: at, denominator: 1n << unit });
  const first = (low.numerator << unit) / low.denominator;
  const last = (high.numerator << unit) / high.denominator;
  let critical: readonly bigint[] = [];
  for (const flows of derivatives.toReversed()) {
    if (effort.isExhausted) return [{ unprovenAt: logarithm(low) }];
    const valueAt = (at: bigint): GridPoint => {
      effort.countExact(flows.flows.length);
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

/**
 * Maximum number of steps to one root. At worst only every third step halves the bracket, so three times the bits
 * suffice.
 */
const MAX_STEPS = 3 * GRID_BITS;

/** The root between two neighbouring points at which the signs are opposite. */
function rootBetween(
  valueAt: (at: bigint) => GridPoint,
  before: GridPoint | undefined,
  { at, sign }: GridPoint,
): bigint | undefined {
  if (before === undefined || before.sign * sign >= 0) return undefined;
  return bracketedRoot(valueAt, before.at, at, MAX_STEPS);
}

/** The rates between neighbouring points of a grid, of which all but the first and the last are roots of the slope. */
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

/**
 * A value at a root of the slope that is smaller than the sum of all absolute values by this number of bits may be
 * zero.
 */
const TOUCHING_BITS = 300n;

function touchesZero(flows: RateFlows, { sign, value, bits }: SignedValue, growth: ExactRatio): boolean {
  if (sign === 0) return true;
  const size = netPresentValue(withAmounts(flows, sizeOf), growth);
  return absoluteValue(value) << (size.bits + TOUCHING_BITS) < size.value << bits;
}

/**
 * Largest denominators of the fractions that are tried as the growth factor, and the largest relative distance of such
 * a fraction from the estimate.
 */
const MAX_DENOMINATORS = [10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const CLOSENESS = 1e-11;
/** Upper bound for such a growth factor and its reciprocal. */
const MAX_GROWTH = 1e7;
/** Decimals of a growth factor that is tried as a decimal number: those of a rate in percent with ten decimals. */
const DECIMALS = 12;
/** Largest numbers, in bits, that an exact value may need. */
const MAX_BITS = 400_000;

/**
 * True if the net present value is exactly zero at a short fraction or decimal number close to the growth factor of the
 * greatest time unit that divides all gaps. Flows with left-over days have no such unit.
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

/** Parts of a unit in which days of years of 365 and of 366 days are whole numbers. */
const DAY_PARTS = 365n * 366n;

/** Times of the flows in whole parts of a year, counted from a time near the mean time. */
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

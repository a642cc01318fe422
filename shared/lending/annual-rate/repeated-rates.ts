/**
 * Rates that lie very close together, or have met in one (A4), in whole numbers.
 *
 * Between two neighbouring roots of its slope a function has at most one root. So where some derivative of the net
 * present value is known to have one sign, the roots of the one below it are bracketed between the ends, and so on down
 * to the value itself. A derivative in s = ln(1 + r) is again the net present value of cash flows: each amount times
 * its time.
 *
 * Where rates have met, the value only touches zero at a root of its slope. That is a rate when it is proven: when the
 * value is calculated exactly at a growth that is a short fraction, and is zero there.
 */

import { bracketedRoot, type SignedValue } from './bracketed-root.ts';
import type { LogRateBracket } from './floating-present-value.ts';
import { greatestCommonDivisor, type ExactRatio } from '../numbers/exact-ratio.ts';
import { absoluteValue } from '../numbers/fixed-root.ts';
import { netPresentValue } from './net-present-value.ts';
import type { RateFlows } from './rate-flows.ts';
import type { SolverEffort } from './solver-effort.ts';

/** A bracket with one rate. */
export interface IsolatedRate {
  /** Growth factor 1 + r at the low end; undefined: -100 percent. */
  readonly low: ExactRatio | undefined;
  /** Growth factor at the high end; undefined: as high as a rate is given. */
  readonly high: ExactRatio | undefined;
  /** The same as ln(1 + r). */
  readonly bracket: LogRateBracket;
}

/** A place, as ln(1 + r), at which it cannot be proven whether there is a rate. */
export interface UnprovenRate {
  readonly unprovenAt: number;
}

/** What is found in a part of the rates. */
export type FoundRate = IsolatedRate | UnprovenRate;

/** A bracket of growth factors that are no more than `radius` from the centre as ln(1 + r). */
interface GrowthBracket {
  readonly low: ExactRatio;
  readonly high: ExactRatio;
  readonly centre: ExactRatio;
  readonly radius: number;
  /** Years from which the times of a derivative are counted: those of the mean flow keep it small. */
  readonly meanTime: number;
}

/** Highest power of the Taylor series, and so the highest derivative that is examined. */
const MAX_ORDER = 40;
/** Bits to which a root is bracketed, relative to the growth. */
const GRID_BITS = 256;
/** Steps to one root: by halving alone three times the bits. */
const MAX_STEPS = 3 * GRID_BITS;
/** Bits of an amount relative to all of them, below which a value at a root of its slope is taken for zero or unproven. */
const TOUCHING_BITS = 300n;
/** Times are counted in parts of a year that hold whole units, and days of years of 365 and of 366 days. */
const DAY_PARTS = 365n * 366n;

/**
 * The rates of a bracket, ascending. `errorBeyond` bounds, relative to all amounts, what the Taylor series around the
 * centre leaves out after a power, at twice the radius; undefined when no derivative is known to have one sign.
 */
export function separateRates(
  flows: RateFlows,
  bracket: GrowthBracket,
  errorBeyond: (power: number) => number,
  effort: SolverEffort,
): readonly FoundRate[] | undefined {
  const times = countTimes(flows, bracket.meanTime);
  const logOfRadius = Math.log2(bracket.radius / Number(times.perYear));
  const size = netPresentValue(withoutSigns(flows), bracket.centre);
  const derivatives: RateFlows[] = [flows];
  const coefficients: number[] = [];
  let logOfFactorial = 0;
  for (let power = 0; power <= MAX_ORDER && !effort.isExhausted; power += 1) {
    effort.countExact(flows.amounts.length);
    const derivative = derivatives[power] ?? flows;
    const value = netPresentValue(derivative, bracket.centre);
    const logOfValue = log2(absoluteValue(value.value)) - log2(size.value) - Number(value.bits - size.bits);
    logOfFactorial += Math.log2(Math.max(1, power));
    coefficients.push(2 ** (logOfValue + power * logOfRadius - logOfFactorial));
    const order = orderOfOneSign(coefficients, errorBeyond(power));
    if (order !== undefined) return rootsBelow(derivatives.slice(0, order), bracket, effort);
    derivatives.push(timesAmounts(derivative, times.ofFlows));
  }
  return undefined;
}

/**
 * The lowest derivative whose term exceeds all that follow, so that it has one sign. A proven value may be off by half
 * of itself, which the factor of three covers.
 */
function orderOfOneSign(coefficients: readonly number[], error: number): number | undefined {
  const order = coefficients.findIndex((coefficient, derivative) => {
    let others = 0;
    let binomial = 1;
    for (let power = derivative + 1; power < coefficients.length; power += 1) {
      binomial *= power / (power - derivative);
      others += binomial * (coefficients[power] ?? 0);
    }
    return coefficient > 3 * others + 2 * error;
  });
  return order < 0 ? undefined : order;
}

/** The roots of the first of some flows, of which each has the next ones as its derivative, and the last one root at most. */
function rootsBelow(
  derivatives: readonly RateFlows[],
  { low, high }: GrowthBracket,
  effort: SolverEffort,
): readonly FoundRate[] {
  const unit = BigInt(Math.max(0, GRID_BITS - countBits(low.numerator) + countBits(low.denominator)));
  const first = (low.numerator << unit) / low.denominator;
  const last = (high.numerator << unit) / high.denominator;
  let critical: readonly bigint[] = [];
  for (const derivative of derivatives.toReversed()) {
    if (effort.isExhausted) return [unprovenAt(first, unit)];
    const valueAt = (at: bigint): SignedValue => {
      effort.countExact(derivative.amounts.length);
      return netPresentValue(derivative, { numerator: at, denominator: 1n << unit });
    };
    const points = [first, ...critical, last];
    if (derivative === derivatives[0]) return ratesBetween(derivative, valueAt, points, unit);
    // Roots of higher derivatives stay among the points: where rates have met, they are next to the roots of this one.
    const found = new Set([...critical, ...signChanges(valueAt, points)]);
    critical = [...found].toSorted((a, b) => (a < b ? -1 : 1));
  }
  return [];
}

/** Where a function changes its sign that has at most one root between two neighbouring points. */
function signChanges(valueAt: (at: bigint) => SignedValue, points: readonly bigint[]): readonly bigint[] {
  const signs = points.map((point) => valueAt(point).sign);
  return points.flatMap((point, index) => {
    const [sign = 0, before = 0] = [signs[index], signs[index - 1]];
    if (index === 0) return [];
    if (sign === 0) return [point];
    return sign * before < 0 ? (bracketedRoot(valueAt, points[index - 1] ?? 0n, point, MAX_STEPS) ?? []) : [];
  });
}

/** The rates between neighbouring points of a grid, of which all but the first and the last are roots of the slope. */
function ratesBetween(
  flows: RateFlows,
  valueAt: (at: bigint) => SignedValue,
  points: readonly bigint[],
  unit: bigint,
): readonly FoundRate[] {
  const values = points.map(valueAt);
  const rateBelow = (at: bigint, sign: -1 | 1): FoundRate => {
    const [low, high] = [growthAt(at - 1n, unit), growthAt(at, unit)];
    return { low, high, bracket: { low: logarithm(low), high: logarithm(high), lowSign: sign } };
  };
  return points.flatMap((point, index) => {
    const sign = values[index]?.sign ?? 0;
    const before = values.slice(0, index).findLast((value) => value.sign !== 0)?.sign ?? 0;
    const after = values.slice(index + 1).find((value) => value.sign !== 0)?.sign ?? 0;
    if (before === 0) return [];
    if (before * sign < 0) {
      const root =
        values[index - 1]?.sign === 0
          ? undefined
          : bracketedRoot(valueAt, points[index - 1] ?? 0n, point, MAX_STEPS);
      return root === undefined ? [] : [rateBelow(root, before)];
    }
    if (sign === 0 && before !== after) return [rateBelow(point, before)];
    if (before !== after || !touchesZero(flows, values[index], growthAt(point, unit))) return [];
    return [isZeroNear(flows, growthAt(point, unit)) ? rateBelow(point, before) : unprovenAt(point, unit)];
  });
}

function growthAt(point: bigint, unit: bigint): ExactRatio {
  return { numerator: point, denominator: 1n << unit };
}

function unprovenAt(point: bigint, unit: bigint): FoundRate {
  return { unprovenAt: logarithm(growthAt(point, unit)) };
}

function logarithm({ numerator, denominator }: ExactRatio): number {
  return (log2(numerator) - log2(denominator)) * Math.LN2;
}

function touchesZero(flows: RateFlows, value: SignedValue | undefined, growth: ExactRatio): boolean {
  if (value === undefined || value.sign === 0) return true;
  const size = netPresentValue(withoutSigns(flows), growth);
  return absoluteValue(value.value) << (size.bits + TOUCHING_BITS) < size.value << value.bits;
}

/** Largest denominator of a growth that is found as a fraction, and how close to it an estimate is for sure. */
const MAX_DENOMINATOR = 1e7;
const CLOSENESS = 1e-13;
/** Decimals of a growth that is not such a fraction: those of a rate in percent with ten decimals. */
const DECIMALS = 10n ** 12n;
/** Largest numbers, in bits, that an exact value may need. */
const MAX_BITS = 400_000;

/**
 * True when the net present value is exactly zero next to a growth, where that is a short fraction or decimal over the
 * units that divide all gaps; flows with left-over days have no such units.
 */
function isZeroNear(flows: RateFlows, growth: ExactRatio): boolean {
  if (flows.extraDays.some((days) => days !== 0)) return false;
  const known = flows.amounts
    .map((amount, index) => ({ amount: BigInt(amount), units: flows.wholeUnits[index] ?? 0 }))
    .filter(({ amount }) => amount !== 0n);
  const start = known[0]?.units ?? 0;
  const gaps = known.map((flow) => BigInt(flow.units - start));
  const units = Number(gaps.reduce(greatestCommonDivisor, 0n));
  const estimate = Math.exp((logarithm(growth) * units) / flows.unitsPerYear);
  if (!(estimate > 1 / MAX_DENOMINATOR && estimate < MAX_DENOMINATOR)) return false;
  const decimal = { numerator: BigInt(Math.round(estimate * Number(DECIMALS))), denominator: DECIMALS };
  const steps = ((known.at(-1)?.units ?? 0) - start) / units;
  return [shortFraction(estimate), decimal].some((candidate) => {
    if (candidate === undefined) return false;
    const { numerator, denominator } = candidate;
    if (steps * Math.log2(Number(numerator) + Number(denominator)) > MAX_BITS) return false;
    let [value, scale, before] = [0n, 1n, start];
    for (const { amount, units: at } of known) {
      const gap = BigInt((at - before) / units);
      before = at;
      scale *= denominator ** gap;
      value = value * numerator ** gap + amount * scale;
    }
    return value === 0n;
  });
}

/** The first convergent of the continued fraction of a number that equals it to within the tolerance. */
function shortFraction(value: number): ExactRatio | undefined {
  let [before, numerator] = [1, Math.floor(value)];
  let [denominatorBefore, denominator] = [0, 1];
  let rest = value - numerator;
  while (denominator <= MAX_DENOMINATOR) {
    if (Math.abs(numerator / denominator - value) <= CLOSENESS * value) {
      return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
    }
    if (rest === 0) return undefined;
    const digit = Math.floor(1 / rest);
    rest = 1 / rest - digit;
    [before, numerator] = [numerator, digit * numerator + before];
    [denominatorBefore, denominator] = [denominator, digit * denominator + denominatorBefore];
  }
  return undefined;
}

/** Times of the flows in whole parts of a year, counted from a time near the mean one. */
interface WholeTimes {
  readonly perYear: bigint;
  readonly ofFlows: readonly bigint[];
}

function countTimes(flows: RateFlows, meanTime: number): WholeTimes {
  const { wholeUnits, extraDays, yearDays, unitsPerYear } = flows;
  const parts = extraDays.some((days) => days !== 0) ? DAY_PARTS : 1n;
  const perYear = BigInt(unitsPerYear) * parts;
  const origin = BigInt(Math.round(meanTime * Number(perYear)));
  const ofFlows = wholeUnits.map((units, index) => {
    const days = BigInt(extraDays[index] ?? 0);
    const ofDays = days === 0n ? 0n : (days * perYear) / BigInt(yearDays[index] ?? 1);
    return BigInt(units) * parts + ofDays - origin;
  });
  return { perYear, ofFlows };
}

function timesAmounts(flows: RateFlows, times: readonly bigint[]): RateFlows {
  const amounts = flows.amounts.map((amount, index) => BigInt(amount) * (times[index] ?? 0n));
  return { ...flows, amounts };
}

function withoutSigns(flows: RateFlows): RateFlows {
  return { ...flows, amounts: flows.amounts.map((amount) => absoluteValue(BigInt(amount))) };
}

function log2(value: bigint): number {
  const shift = Math.max(0, countBits(value) - 64);
  return Math.log2(Number(value >> BigInt(shift))) + shift;
}

function countBits(value: bigint): number {
  return value.toString(16).length * 4;
}

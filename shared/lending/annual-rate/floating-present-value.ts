/**
 * Present values in binary floating point: fast, and enough to find a rate and to prove most signs (A1-A4).
 *
 * Binary floats may not decide a figure (M1). They do not decide here either: a sign is given only where the value
 * exceeds its greatest possible error; everything else is left to whole numbers (net-present-value.ts). Only + - * /,
 * which IEEE 754 rounds correctly on every machine, enter that bound: the logarithm and the power function just guess
 * a discount factor, whose error is then measured by raising it to its degree.
 *
 * As there, flows are discounted to the first one at a rate above zero and compounded to the last one below it.
 */

import type { ExactRatio } from '../numbers/exact-ratio.ts';
import { isSameTime, type RateFlows } from './rate-flows.ts';

/** Left-over days of a year of 365 or 366 days. */
interface ExtraDays {
  readonly days: number;
  readonly yearDays: number;
}

/**
 * Cash flows prepared for many trial rates. Each gap between two of them is named once, and so are left-over days: a
 * schedule of 360 instalments has a handful, so that a rate is tried with a handful of powers.
 */
export interface PreparedFlows {
  /** Below zero what is drawn, the first flow included; rounded where beyond what floating point holds. */
  readonly amounts: readonly number[];
  readonly years: readonly number[];
  readonly unitsPerYear: number;
  /** The different gaps of whole units, and which of them precedes each flow; none follows the last one. */
  readonly gaps: readonly number[];
  readonly gapOf: Int32Array;
  /** The different left-over days, the first of them none, and which of them each flow has; empty for none at all. */
  readonly extras: readonly ExtraDays[];
  readonly extraOf: Int32Array;
  readonly lastUnits: number;
  /** How often the sign of the amounts changes in the order of their times, and their last sign. */
  readonly signChanges: number;
  readonly lastSign: -1 | 0 | 1;
  /** True when some flows have the same time: they have to be added up first. */
  readonly hasSameTimes: boolean;
}

/** Prepares cash flows. */
export function prepareFlows(flows: RateFlows): PreparedFlows {
  const { payments, wholeUnits, extraDays, yearDays, unitsPerYear } = flows;
  const count = payments.length + 1;
  // Plain arrays: the buffers of typed ones lie outside the heap, and are dear to allocate for every schedule.
  const amounts: number[] = [-Number(flows.drawn)];
  const years: number[] = [0];
  const gapOf = new Int32Array(count + 1);
  const hasExtras = extraDays.length > 0;
  const extraOf = new Int32Array(hasExtras ? count : 0);
  const gaps: number[] = [0];
  const knownGaps: number[] = [0];
  const extras: ExtraDays[] = hasExtras ? [{ days: 0, yearDays: 1 }] : [];
  const knownExtras: number[] = [];
  let lastSign = signOf(-Number(flows.drawn));
  let signChanges = 0;
  let unitsBefore = 0;
  let gapNumber = 0;
  let hasSameTimes = false;
  for (let index = 1; index < count; index += 1) {
    const payment = payments[index - 1] ?? 0;
    const amount = typeof payment === 'number' ? payment : Number(payment);
    const units = wholeUnits[index - 1] ?? 0;
    const gap = units - unitsBefore;
    unitsBefore = units;
    if (gap === 0 && isSameTime(flows, index - 1)) hasSameTimes = true;
    amounts[index] = amount;
    years[index] = units / unitsPerYear;
    if (gap !== gaps[gapNumber]) gapNumber = knownGaps[gap] ??= gaps.push(gap) - 1;
    gapOf[index] = gapNumber;
    if (hasExtras && extraDays[index - 1] !== 0) {
      const [days, year] = [extraDays[index - 1] ?? 0, yearDays[index - 1] ?? 1];
      years[index] = units / unitsPerYear + days / year;
      extraOf[index] = knownExtras[2 * days + (year % 2)] ??= extras.push({ days, yearDays: year }) - 1;
    }
    if (amount * lastSign < 0 || (lastSign === 0 && amount !== 0)) {
      if (lastSign !== 0) signChanges += 1;
      lastSign = signOf(amount);
    }
  }
  return {
    amounts,
    years,
    unitsPerYear,
    gaps,
    gapOf,
    extras,
    extraOf,
    lastUnits: unitsBefore,
    signChanges,
    lastSign,
    hasSameTimes,
  };
}

function signOf(amount: number): -1 | 0 | 1 {
  if (amount > 0) return 1;
  return amount < 0 ? -1 : 0;
}

/** Factors for one trial rate: of each gap, and of each kind of left-over days. None exceeds one. */
interface TrialFactors {
  readonly isGrowing: boolean;
  readonly ofGap: Float64Array;
  readonly ofExtra: Float64Array;
}

/** Present values of what is received and of what is paid out, as sizes, times their years and times squared years. */
interface Moments {
  readonly received: number;
  readonly receivedFirst: number;
  readonly receivedSecond: number;
  readonly paid: number;
  readonly paidFirst: number;
  readonly paidSecond: number;
}

function discountedMoments(flows: PreparedFlows, { isGrowing, ofGap, ofExtra }: TrialFactors): Moments {
  const { amounts, years, gapOf, extraOf } = flows;
  const hasExtras = ofExtra.length > 0;
  const count = amounts.length;
  // Compounding to the last flow passes the gap that follows a flow, not the one that precedes it.
  const shift = isGrowing ? 0 : 1;
  const step = isGrowing ? 1 : -1;
  let index = isGrowing ? 0 : count - 1;
  let received = 0;
  let receivedFirst = 0;
  let receivedSecond = 0;
  let paid = 0;
  let paidFirst = 0;
  let paidSecond = 0;
  let factor = 1;
  for (let turn = 0; turn < count; turn += 1) {
    factor *= ofGap[gapOf[index + shift] ?? 0] ?? 0;
    let value = (amounts[index] ?? 0) * factor;
    if (hasExtras) value *= ofExtra[extraOf[index] ?? 0] ?? 0;
    const time = years[index] ?? 0;
    const moment = value * time;
    if (value >= 0) {
      received += value;
      receivedFirst += moment;
      receivedSecond += moment * time;
    } else {
      paid -= value;
      paidFirst -= moment;
      paidSecond -= moment * time;
    }
    index += step;
  }
  return { received, receivedFirst, receivedSecond, paid, paidFirst, paidSecond };
}

/** Steps by curvature, each of which cubes the error near the root; the usual loan takes three. */
const MOST_CURVED_STEPS = 30;
/** Halvings after them: enough to bring the whole range of rates down to a width of 1e-12. */
const MOST_HALVINGS = 55;
/** After a step of this share of the longest time, the next one would be within 1e-15 of it. */
const LAST_STEP = 1e-5;

/** A bracket of ln(1 + r) with the sign of the net present value at its low end, the opposite of that at the high one. */
export interface LogRateBracket {
  readonly low: number;
  readonly high: number;
  readonly lowSign: -1 | 1;
}

/**
 * ln(1 + r) of the rate in a bracket, which only says where to look. The logarithm of received over paid present value
 * is almost a parabola in ln(1 + r): its slope is a difference of mean times and its curvature one of their variances.
 * The steps are kept inside the bracket, and halvings finish what they do not. `countTrial` is called for each rate.
 */
export function estimateLogRate(
  flows: PreparedFlows,
  bracket: LogRateBracket,
  countTrial: () => void,
): number {
  const longest = Math.max(1, flows.years.at(-1) ?? 0);
  let { low, high } = bracket;
  let rate = low < 0 && high > 0 ? 0 : (low + high) / 2;
  for (let turn = 0; turn < MOST_CURVED_STEPS + MOST_HALVINGS; turn += 1) {
    countTrial();
    const { excess, step } = curvedStep(flows, rate);
    if (excess === 0) return rate;
    if (excess > 0 === bracket.lowSign > 0) low = rate;
    else high = rate;
    const curved = rate + step;
    const isInside = curved > low && curved < high;
    if (isInside && Math.abs(step) * longest <= LAST_STEP) return curved;
    rate = isInside && turn < MOST_CURVED_STEPS ? curved : (low + high) / 2;
  }
  return rate;
}

/** ln(received / paid), and the step to where its parabola is zero (its tangent, where the parabola misses zero). */
function curvedStep(flows: PreparedFlows, rate: number): { readonly excess: number; readonly step: number } {
  const moments = discountedMoments(flows, trialFactors(flows, rate));
  const { received, paid } = moments;
  const excess = Math.log(received / paid);
  const receivedTime = moments.receivedFirst / received;
  const paidTime = moments.paidFirst / paid;
  const slope = paidTime - receivedTime;
  const receivedVariance = moments.receivedSecond / received - receivedTime * receivedTime;
  const curvature = receivedVariance - (moments.paidSecond / paid - paidTime * paidTime);
  const discriminant = slope * slope - 2 * curvature * excess;
  const root = discriminant > 0 ? Math.sqrt(discriminant) : Math.abs(slope);
  return { excess, step: (-2 * excess) / (slope + (slope < 0 ? -root : root)) };
}

function trialFactors({ gaps, extras, unitsPerYear }: PreparedFlows, rate: number): TrialFactors {
  const isGrowing = rate >= 0;
  const size = Math.abs(rate);
  const ofGap = new Float64Array(gaps.length);
  const ofExtra = new Float64Array(extras.length);
  for (const [index, units] of gaps.entries()) ofGap[index] = Math.exp((-size * units) / unitsPerYear);
  for (const [index, { days, yearDays }] of extras.entries()) {
    ofExtra[index] = Math.exp((-size * (isGrowing ? days : yearDays - days)) / yearDays);
  }
  return { isGrowing, ofGap, ofExtra };
}

/** Relative error of one rounded operation, taken twice as large as it is. */
export const ROUNDING = 2 ** -52;
/** Whole numbers up to here are exact. */
const LARGEST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
/** A relative error above this is not handled to first order. */
const LARGEST_ERROR = 1e-3;
/** Below this size sums might have lost terms to underflow; above the other they might have overflowed. */
const SMALLEST_SIZE = 1e-200;
const LARGEST_SIZE = 1e300;
/** Guard for terms of higher order. */
const SAFETY = 2;

/**
 * The proven sign of the net present value at the growth factor 1 + r > 0 of a year; zero when it is not certain.
 *
 * Bound, with u = 2^-53 and first-order terms doubled for those of higher order: a factor x of one unit with relative
 * error d has x^g within g d + (g - 1) u (each multiplication adds u, squaring doubles what is there); the product of
 * the factors over T units and n flows is within T (d + u) + n u; left-over days add the same for their own factor;
 * amounts, products and the sum add at most (n + 4) u. The value is within this bound times the sum of all sizes.
 */
export function floatingSign(flows: PreparedFlows, growth: ExactRatio): -1 | 0 | 1 {
  if (growth.numerator > LARGEST_EXACT || growth.denominator > LARGEST_EXACT) return 0;
  const isGrowing = growth.numerator >= growth.denominator;
  const target = isGrowing
    ? Number(growth.denominator) / Number(growth.numerator)
    : Number(growth.numerator) / Number(growth.denominator);
  const unit = boundedRoot(target, flows.unitsPerYear);
  const ofGap = new Float64Array(flows.gaps.length);
  for (const [index, units] of flows.gaps.entries()) ofGap[index] = powerOf(unit.value, units);
  const ofExtra = new Float64Array(flows.extras.length);
  const ofDay = new Map<number, BoundedFactor>();
  let extraError = 0;
  for (const [index, { days, yearDays }] of flows.extras.entries()) {
    const day = ofDay.get(yearDays) ?? boundedRoot(target, yearDays);
    ofDay.set(yearDays, day);
    const exponent = isGrowing ? days : yearDays - days;
    ofExtra[index] = powerOf(day.value, exponent);
    extraError = Math.max(extraError, exponent * (day.error + ROUNDING));
  }
  const { received, paid } = discountedMoments(flows, { isGrowing, ofGap, ofExtra });
  const size = received + paid;
  if (!(size > SMALLEST_SIZE && size < LARGEST_SIZE)) return 0;
  const error =
    flows.lastUnits * (unit.error + ROUNDING) + extraError + (2 * flows.amounts.length + 10) * ROUNDING;
  if (!(error < LARGEST_ERROR)) return 0;
  const value = received - paid;
  const bound = SAFETY * error * size;
  if (value > bound) return 1;
  return value < -bound ? -1 : 0;
}

/** A discount factor with its relative error. */
interface BoundedFactor {
  readonly value: number;
  readonly error: number;
}

/** The `degree`-th root of a discount factor: if x^n = target (1 + e), x is within e / n of the root. */
function boundedRoot(target: number, degree: number): BoundedFactor {
  if (degree === 1) return { value: target, error: ROUNDING };
  const value = Math.exp(Math.log(target) / degree);
  const measured = Math.abs(powerOf(value, degree) / target - 1) + (degree + 2) * ROUNDING;
  return { value, error: (SAFETY * measured) / degree };
}

/** base^exponent for a whole exponent >= 0, by exponent - 1 or fewer roundings' worth of error. */
function powerOf(base: number, exponent: number): number {
  if (exponent === 0) return 1;
  let power = base;
  for (let bit = 30 - Math.clz32(exponent); bit >= 0; bit -= 1) {
    power *= power;
    if (((exponent >> bit) & 1) === 1) power *= base;
  }
  return power;
}

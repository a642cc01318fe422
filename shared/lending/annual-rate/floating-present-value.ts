/**
 * Present values in binary floating point: they estimate rates and prove most signs (A1-A4). Floats decide no figure
 * (M1): a sign is returned only if the value exceeds its greatest possible error, else net-present-value.ts decides.
 * The bound relies only on + - * /, which IEEE 754 rounds correctly on every machine; the error of Math.log and
 * Math.exp is measured by raising their result to the degree of the root. At rates of zero or more, flows are
 * discounted to the whole units of the first one; at negative rates they are compounded as in net-present-value.ts.
 */

import type { ExactRatio } from '../numbers/exact-ratio.ts';
import { hasExtraDays, type RateFlows } from './rate-flows.ts';

export interface PreparedFlows extends RateFlows {
  /** Amounts in floating point, rounded if necessary. */
  readonly amounts: readonly number[];
  readonly years: readonly number[];
  /** Whole units since the previous flow, and 0 after the last. The factor of each distinct gap is calculated once. */
  readonly gaps: IndexedValues;
  /** 2 * left-over days, plus 1 in a year of 365 days; empty if no flow has left-over days. */
  readonly extras: IndexedValues;
  /** Number of times that the sign of the amounts changes over time. */
  readonly signChanges: number;
  readonly lastSign: -1 | 1;
}

/** The flows must have different times and no zeros, as mergeFlows returns them. */
export function prepareFlows(rateFlows: RateFlows): PreparedFlows {
  const { flows, unitsPerYear } = rateFlows;
  const hasDays = hasExtraDays(rateFlows);
  const amounts: number[] = [];
  const years: number[] = [];
  const gaps = new IndexedValues();
  const extras = new IndexedValues();
  let unitsBefore = flows[0]?.wholeUnits ?? 0;
  let signChanges = 0;
  let amountBefore = 0;
  for (const { amount, wholeUnits, extraDays, yearDays } of flows) {
    const rounded = Number(amount);
    amounts.push(rounded);
    years.push(wholeUnits / unitsPerYear + extraDays / yearDays);
    gaps.add(wholeUnits - unitsBefore);
    if (hasDays) extras.add(2 * extraDays + (yearDays % 2));
    if (rounded * amountBefore < 0) signChanges += 1;
    amountBefore = rounded;
    unitsBefore = wholeUnits;
  }
  gaps.add(0);
  return {
    flows,
    unitsPerYear,
    amounts,
    years,
    gaps,
    extras,
    signChanges,
    lastSign: amountBefore > 0 ? 1 : -1,
  };
}

/** Stores each distinct value once, and for each added value the index of its distinct value. */
class IndexedValues {
  readonly distinct: number[] = [];
  readonly indexes: number[] = [];
  readonly #known = new Map<number, number>();
  #index = 0;

  add(value: number): void {
    if (value !== this.distinct[this.#index]) {
      this.#index = this.#known.get(value) ?? this.distinct.push(value) - 1;
      this.#known.set(value, this.#index);
    }
    this.indexes.push(this.#index);
  }
}

/** Sums of present values received and paid, without sign; `First` weights them by years, `Second` by their squares. */
interface PresentValues {
  readonly received: number;
  readonly receivedFirst: number;
  readonly receivedSecond: number;
  readonly paid: number;
  readonly paidFirst: number;
  readonly paidSecond: number;
}

/** `powerOf` returns the discount factor, at most one, for a number of units; a year has `perYear` of these units. */
function presentValues(
  { amounts, years, unitsPerYear, gaps, extras }: PreparedFlows,
  isGrowing: boolean,
  powerOf: (units: number, perYear: number) => number,
): PresentValues {
  const ofGap: number[] = [];
  for (const units of gaps.distinct) ofGap.push(powerOf(units, unitsPerYear));
  const ofExtra: number[] = [];
  for (const key of extras.distinct) {
    const extraDays = key >> 1;
    const yearDays = 366 - (key % 2);
    ofExtra.push(powerOf(isGrowing ? extraDays : yearDays - extraDays, yearDays));
  }
  const hasDays = ofExtra.length > 0;
  const count = amounts.length;
  // Discounting uses the gap before a flow, compounding the gap after it.
  const shift = isGrowing ? 0 : 1;
  let factor = 1;
  let received = 0;
  let receivedFirst = 0;
  let receivedSecond = 0;
  let paid = 0;
  let paidFirst = 0;
  let paidSecond = 0;
  for (let turn = 0; turn < count; turn += 1) {
    const at = isGrowing ? turn : count - 1 - turn;
    factor *= ofGap[gaps.indexes[at + shift] as number] as number;
    let value = (amounts[at] as number) * factor;
    if (hasDays) value *= ofExtra[extras.indexes[at] as number] as number;
    const time = years[at] as number;
    const weighted = value * time;
    if (value > 0) {
      received += value;
      receivedFirst += weighted;
      receivedSecond += weighted * time;
    } else {
      paid -= value;
      paidFirst -= weighted;
      paidSecond -= weighted * time;
    }
  }
  return { received, receivedFirst, receivedSecond, paid, paidFirst, paidSecond };
}

/** Near the root each curved step cubes the error; a usual loan takes three steps. */
const MAX_CURVED_STEPS = 30;
const MAX_HALVINGS = 55;
/** The search ends when |step| * longest time is at most this value: the error left is about its cube, 1e-15. */
const LAST_STEP = 1e-5;

/** A bracket of ln(1 + r), with the sign of the value at its low end; at its high end the sign is the opposite. */
export interface LogRateBracket {
  readonly low: number;
  readonly high: number;
  readonly lowSign: -1 | 1;
}

/**
 * Estimates s = ln(1 + r) in a bracket, and calls `countTrial` for each trial. As a function of s, ln(received / paid)
 * is almost a parabola: its slope is the difference of two mean times, its curvature the difference of the variances of
 * these times. A bisection replaces each step that leaves the bracket, and all steps after {@link MAX_CURVED_STEPS}.
 */
export function estimateLogRate(
  flows: PreparedFlows,
  bracket: LogRateBracket,
  countTrial: () => void,
): number {
  const longest = Math.max(1, flows.years.at(-1) ?? 0);
  let { low, high } = bracket;
  let rate = low < 0 && high > 0 ? 0 : (low + high) / 2;
  for (let trial = 1; trial <= MAX_CURVED_STEPS + MAX_HALVINGS; trial += 1) {
    countTrial();
    const { excess, step } = curvedStep(flows, rate);
    if (excess === 0) return rate;
    if (excess > 0 === bracket.lowSign > 0) low = rate;
    else high = rate;
    const next = rate + step;
    // The ends count as inside: a step too small to change the rate leaves it at an end, which is then the result.
    const isInside = next >= low && next <= high;
    if (isInside && Math.abs(step) * longest <= LAST_STEP) return next;
    rate = isInside && trial <= MAX_CURVED_STEPS ? next : (low + high) / 2;
  }
  return rate;
}

/** ln(received / paid), and the step to the zero of its parabola, or of its tangent if the parabola has no zero. */
function curvedStep(flows: PreparedFlows, rate: number): { readonly excess: number; readonly step: number } {
  const decay = -Math.abs(rate);
  const powerOf = (units: number, perYear: number) => Math.exp((decay * units) / perYear);
  const sums = presentValues(flows, rate >= 0, powerOf);
  const excess = Math.log(sums.received / sums.paid);
  const receivedTime = sums.receivedFirst / sums.received;
  const paidTime = sums.paidFirst / sums.paid;
  const slope = paidTime - receivedTime;
  const receivedVariance = sums.receivedSecond / sums.received - receivedTime * receivedTime;
  const paidVariance = sums.paidSecond / sums.paid - paidTime * paidTime;
  const discriminant = slope * slope - 2 * (receivedVariance - paidVariance) * excess;
  const root = discriminant > 0 ? Math.sqrt(discriminant) : Math.abs(slope);
  return { excess, step: (-2 * excess) / (slope + (slope < 0 ? -root : root)) };
}

/** Bound on the relative error of one rounded operation: twice the unit roundoff. */
export const ROUNDING = 2 ** -52;
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
/** Above this relative error, first-order terms no longer suffice as a bound. */
const MAX_ERROR = 1e-3;
/** Smaller sums may have lost terms to underflow. */
const MIN_SIZE = 1e-200;
/** Larger sums may have overflowed. */
const MAX_SIZE = 1e300;
/** Factor that covers error terms of higher order. */
const SAFETY = 2;

/**
 * The proven sign of the net present value at the growth factor 1 + r > 0 of a year; zero when it is not certain.
 *
 * Relative errors are counted in u = 2^-53 and to first order; the bound is doubled to cover higher orders. If the
 * factor x of one unit has the relative error d, x^g has at most g d + (g - 1) u: each multiplication adds u, and
 * squaring doubles the error so far. The product of the factors over T units and n flows has at most T (d + u) + n u.
 * The factor of left-over days adds its own error of this kind. Amounts, products and the sum add at most (n + 4) u.
 * The error of the value is at most the total of these errors, times the sum of all absolute values.
 */
export function floatingSign(flows: PreparedFlows, growth: ExactRatio): -1 | 0 | 1 {
  if (growth.numerator > MAX_EXACT || growth.denominator > MAX_EXACT) return 0;
  const ratio = Number(growth.numerator) / Number(growth.denominator);
  const isGrowing = ratio >= 1;
  const discount = isGrowing ? Number(growth.denominator) / Number(growth.numerator) : ratio;
  const roots = new Map<number, BoundedFactor>();
  const rootOf = (perYear: number): BoundedFactor => {
    const root = roots.get(perYear) ?? boundedRoot(discount, perYear);
    roots.set(perYear, root);
    return root;
  };
  const powerOf = (units: number, perYear: number) => power(rootOf(perYear).value, units);
  const { received, paid } = presentValues(flows, isGrowing, powerOf);
  const net = received - paid;
  const size = received + paid;
  if (!(size > MIN_SIZE && size < MAX_SIZE)) return 0;
  const errorOf = (units: number, perYear: number) => units * (rootOf(perYear).error + ROUNDING);
  const ofDays = flows.extras.distinct.length === 0 ? 0 : Math.max(errorOf(365, 365), errorOf(366, 366));
  const error =
    errorOf(flows.flows.at(-1)?.wholeUnits ?? 0, flows.unitsPerYear) +
    ofDays +
    (2 * flows.amounts.length + 10) * ROUNDING;
  const bound = SAFETY * error * size;
  if (!(error < MAX_ERROR) || Math.abs(net) <= bound) return 0;
  return net > 0 ? 1 : -1;
}

interface BoundedFactor {
  readonly value: number;
  /** Relative error. */
  readonly error: number;
}

/** The `degree`-th root of a discount factor: if x^n = target (1 + e), the relative error of x is about e / n. */
function boundedRoot(target: number, degree: number): BoundedFactor {
  if (degree === 1) return { value: target, error: ROUNDING };
  const value = Math.exp(Math.log(target) / degree);
  const measured = Math.abs(power(value, degree) / target - 1) + (degree + 2) * ROUNDING;
  return { value, error: (SAFETY * measured) / degree };
}

/** base^exponent for a whole exponent >= 0, with an error of at most exponent - 1 roundings. */
function power(base: number, exponent: number): number {
  if (exponent === 0) return 1;
  let result = base;
  for (let bit = 30 - Math.clz32(exponent); bit >= 0; bit -= 1) {
    result *= result;
    if (((exponent >> bit) & 1) === 1) result *= base;
  }
  return result;
}

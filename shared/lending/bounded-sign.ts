/**
 * The sign of what flows are worth at a rate, proven in binary floating point (A1, A2).
 *
 * Binary floats may not decide a figure (M1). They do not decide here either: next to the worth its greatest possible
 * error is calculated, and a sign is given only where the worth exceeds it. Everything else is left to whole numbers
 * (net-value.ts). Only + - * /, which IEEE 754 rounds correctly on every machine, enter the bound: the logarithm and
 * the power function just guess a discount factor, whose error is then measured by raising it to its degree.
 *
 * Bound, with u = 2^-53 and first-order terms doubled for those of higher order:
 * a factor x of one unit with relative error d has x^g within g d + (g - 1) u (each multiplication adds u, squaring
 * doubles what is there); the product of the factors up to a payment at T units and n payments is within
 * T (d + u) + n u; left-over days add the same for their own factor; amounts, products and the sum add at most
 * (n + 4) u. All terms of one sign keep that relative bound, so the worth is within it times the sum of all sizes.
 */

import type { ExactRatio } from './exact-ratio.ts';
import type { FlowFactors } from './flow-factors.ts';

/** Relative error of one rounded operation, taken twice as large as it is. */
const ROUNDING = 2 ** -52;
/** Whole numbers up to here are exact. */
const LARGEST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
/** A relative error above this is not handled to first order. */
const LARGEST_ERROR = 1e-3;
/** Below this size sums might have lost terms to underflow; above the other they might have overflowed. */
const SMALLEST_SIZE = 1e-200;
const LARGEST_SIZE = 1e300;
/** Guard for terms of higher order. */
const SAFETY = 2;

/** A discount factor with its relative error. */
interface BoundedFactor {
  readonly value: number;
  readonly error: number;
}

/**
 * The sign of payments less what was drawn at the growth factor 1 + r > 0 of a year; zero when it is not certain.
 */
export function boundedSign(flows: FlowFactors, growth: ExactRatio): -1 | 0 | 1 {
  if (growth.numerator > LARGEST_EXACT || growth.denominator > LARGEST_EXACT) return 0;
  const discount: ExactDiscount = {
    numerator: Number(growth.denominator),
    denominator: Number(growth.numerator),
  };
  const unit = boundedRoot(discount, flows.unitsPerYear);
  const gapFactors = new Float64Array(flows.gaps.length);
  for (const [index, gap] of flows.gaps.entries()) gapFactors[index] = powerOf(unit.value, gap);
  const extra = extraFactors(flows, discount);
  const { gained, lost } = discountedSums(flows, gapFactors, extra.factors);
  const size = gained + lost;
  if (!(size > SMALLEST_SIZE && size < LARGEST_SIZE)) return 0;
  const error =
    flows.lastUnits * (unit.error + ROUNDING) + extra.error + (2 * flows.amounts.length + 8) * ROUNDING;
  if (!(error < LARGEST_ERROR)) return 0;
  const value = gained - lost;
  const bound = SAFETY * error * size;
  if (value > bound) return 1;
  return value < -bound ? -1 : 0;
}

/** A discount factor of a year as a quotient of two whole numbers that floats hold exactly. */
interface ExactDiscount {
  readonly numerator: number;
  readonly denominator: number;
}

/**
 * The `degree`-th root of a discount factor. Its error follows from its power: if x^n = target (1 + e), x is within
 * e / n of the root.
 */
function boundedRoot({ numerator, denominator }: ExactDiscount, degree: number): BoundedFactor {
  const target = numerator / denominator;
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

/** The factors of the left-over days, and the largest relative error among them. */
function extraFactors(
  flows: FlowFactors,
  discount: ExactDiscount,
): { readonly factors: Float64Array; readonly error: number } {
  const factors = new Float64Array(flows.extras.length).fill(1);
  const days = new Map<number, BoundedFactor>();
  let error = 0;
  for (let index = 1; index < flows.extras.length; index += 1) {
    const extra = flows.extras[index];
    if (extra === undefined) break;
    const known = days.get(extra.yearDays);
    const day = known ?? boundedRoot(discount, extra.yearDays);
    if (known === undefined) days.set(extra.yearDays, day);
    factors[index] = powerOf(day.value, extra.days);
    error = Math.max(error, extra.days * (day.error + ROUNDING));
  }
  return { factors, error };
}

/** What is gained and lost, each at its worth at the start. */
function discountedSums(
  flows: FlowFactors,
  gapFactors: Float64Array,
  extra: Float64Array,
): { readonly gained: number; readonly lost: number } {
  const { amounts, gapOf, extraOf, drawn } = flows;
  let discount = 1;
  let gained = drawn < 0 ? -drawn : 0;
  let lost = drawn > 0 ? drawn : 0;
  const hasExtras = extra.length > 0;
  for (let index = 0; index < amounts.length; index += 1) {
    discount *= gapFactors[gapOf[index] ?? 0] ?? 0;
    const atUnits = (amounts[index] ?? 0) * discount;
    const worth = hasExtras ? atUnits * (extra[extraOf[index] ?? 0] ?? 0) : atUnits;
    if (worth >= 0) gained += worth;
    else lost -= worth;
  }
  return { gained, lost };
}

/**
 * Rates where several have met, or nearly so (A4): the worth is close to zero all around them. They count only when
 * they are proven: the worth has opposite signs on either side, or it is calculated exactly at a growth that is a short
 * fraction, and is zero there or of the other sign.
 */

import { ratioOfNumber, type ExactRatio } from './exact-ratio.ts';
import { netValueAt } from './net-value.ts';
import type { RateFlows } from './rate-flows.ts';
import type { LoneRate } from './rates-apart.ts';
import { exactFlows, type ExactFlow } from './signed-flows.ts';

/** Distances from s, in parts of 1 + |s|, at which the signs on either side are compared. */
const DISTANCES = [1e-14, 1e-12];
/** Growth factor above which a floating-point number is turned into a fraction. */
const LEAST_GROWTH = 1e-290;
/** Largest denominator of a growth that is found as a fraction, and how close to it an estimate is for sure. */
const LARGEST_DENOMINATOR = 1e7;
const CLOSENESS = 1e-13;
/** Decimals of a growth that is not such a fraction: those of a rate in percent with ten decimals. */
const DECIMALS = 10n ** 12n;
/** Largest numbers, in bits, that an exact worth may need. */
const MOST_BITS = 400_000;

/** The growth over a number of units: (1 + r)^(units / unitsPerYear), as a fraction. */
export interface UnitGrowth {
  readonly growth: ExactRatio;
  readonly units: number;
}

/** A rate with the signs around it, or with a growth at which it is known exactly. */
export interface FoundRate extends LoneRate {
  readonly touching?: UnitGrowth;
  /** Radius of the place around it where the worth could not be told from zero. */
  readonly blur?: number;
}

/**
 * The rate at s = ln(1 + r), where the worth cannot be told from zero within `radius`; undefined when none is proven
 * there.
 */
export function meetingRate(flows: RateFlows, rate: number, radius: number): FoundRate | undefined {
  let around: -1 | 0 | 1 = 0;
  for (const part of DISTANCES) {
    const distance = part * (1 + Math.abs(rate)) + 2 * radius;
    const low = rate - distance;
    const high = rate + distance;
    const below = signAt(flows, low);
    const above = signAt(flows, high);
    if (below * above < 0) return { rate, low, high, blur: radius };
    if (around === 0) around = below;
  }
  const touching = touchingGrowth(flows, { rate, radius }, around);
  return touching && { rate, low: rate, high: rate, touching, blur: radius };
}

function signAt(flows: RateFlows, rate: number): -1 | 0 | 1 {
  const growth = Math.exp(rate);
  return growth > LEAST_GROWTH ? netValueAt(flows, ratioOfNumber(growth)).sign : 0;
}

/**
 * The growth next to s at which the worth is zero, or has another sign than `around` it; undefined when there is none,
 * or flows are not at whole units.
 */
function touchingGrowth(
  flows: RateFlows,
  { rate, radius }: { readonly rate: number; readonly radius: number },
  around: -1 | 0 | 1,
): UnitGrowth | undefined {
  const known = exactFlows(flows);
  if (known.some(({ perYear }) => perYear !== BigInt(flows.unitsPerYear))) return undefined;
  const start = known[0]?.time ?? 0n;
  let units = 0;
  for (const { time } of known) units = commonDivisor(units, Number(time - start));
  if (units === 0) return undefined;
  const estimate = Math.exp((rate * units) / flows.unitsPerYear);
  if (!(estimate > 1 / LARGEST_DENOMINATOR && estimate < LARGEST_DENOMINATOR)) return undefined;
  const decimal = { numerator: BigInt(Math.round(estimate * Number(DECIMALS))), denominator: DECIMALS };
  const closeness = CLOSENESS + (2 * radius * units) / flows.unitsPerYear;
  for (const growth of [shortFraction(estimate, closeness), decimal]) {
    const sign = growth && exactSign(known, growth, BigInt(units));
    if (growth !== undefined && sign !== undefined && sign !== around) return { growth, units };
  }
  return undefined;
}

/** The first convergent of the continued fraction of a number that is as good as equal to it. */
function shortFraction(value: number, closeness: number): ExactRatio | undefined {
  let [before, numerator] = [1, Math.floor(value)];
  let [denominatorBefore, denominator] = [0, 1];
  let rest = value - numerator;
  while (denominator <= LARGEST_DENOMINATOR) {
    if (Math.abs(numerator / denominator - value) <= closeness * value) {
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

/** The sign of the worth at a growth over `units`, without any rounding; undefined where the numbers are too long. */
function exactSign(
  flows: readonly ExactFlow[],
  { numerator, denominator }: ExactRatio,
  units: bigint,
): -1 | 0 | 1 | undefined {
  const start = flows[0]?.time ?? 0n;
  const steps = ((flows.at(-1)?.time ?? 0n) - start) / units;
  if (Number(steps) * Math.log2(Number(numerator) + Number(denominator)) > MOST_BITS) return undefined;
  let worth = 0n;
  let scale = 1n;
  let before = start;
  for (const { amount, time } of flows) {
    const gap = (time - before) / units;
    before = time;
    scale *= denominator ** gap;
    worth = worth * numerator ** gap + amount * scale;
  }
  if (worth === 0n) return 0;
  return worth > 0n ? 1 : -1;
}

function commonDivisor(first: number, second: number): number {
  let [a, b] = [first, second];
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

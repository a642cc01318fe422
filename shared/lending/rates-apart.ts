/**
 * Parts of a segment of rates, divided until each holds no rate of the flows, or just one (A4).
 *
 * A part is a polynomial in u, |u| <= 1. It has no zero where its first coefficient exceeds the sum of all others, and
 * at most one where its second does, weighted as in the slope. Both are bound to happen in parts small enough, but
 * where two rates meet; there the part blurs into its error.
 */

import { MARGIN, type LocalWorth } from './local-worth.ts';
import type { SolverEffort } from './solver-effort.ts';

/** A rate between two others at which the worth has opposite signs; no other lies between them. */
export interface LoneRate {
  /** All three are ln(1 + r). */
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Where a part cannot be told from zero: asked for the rate that it holds, if any. */
export type Blurred<Found> = (centre: number, radius: number) => Found | undefined;

/** The rate with the least distance from the end that `direction` comes from. */
interface Survey<Found> {
  readonly direction: 1 | -1;
  readonly effort: SolverEffort;
  readonly blurred: Blurred<Found>;
}

/** The part of u from (at - 1) / 2^depth to (at + 1) / 2^depth. */
interface Part {
  readonly coefficients: readonly bigint[];
  readonly at: bigint;
  readonly depth: number;
}

/** The slope exceeds this many times the error: more than the error of a slope of 80 coefficients can be. */
const ERRORS_OF_SLOPE = 256n;
/** A part that is nowhere this many times the error away from zero is blurred. */
const ERRORS_OF_BLUR = 1024n;
/** MARGIN in quarters. */
const MARGIN_QUARTERS = BigInt(MARGIN * 4);
/** Bits of u that a rate within a part is solved to. */
const RATE_BITS = 60n;

/** The first rate of a segment in the direction of the survey. */
export function firstRate<Found>(local: LocalWorth, survey: Survey<Found>): LoneRate | Found | undefined {
  const open: Part[] = [{ coefficients: local.coefficients, at: 0n, depth: 0 }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    survey.effort.surveyPart();
    if (survey.effort.isSurveyOver) return undefined;
    if (isClearOfZero(part, local.error)) continue;
    if (isMonotone(part, local.error)) {
      const lone = loneRate(local, part);
      if (lone !== undefined) return lone;
      continue;
    }
    if (isBlurred(part, local.error)) {
      const found = survey.blurred(rateAt(local, part, 0), local.radius * 2 ** -part.depth);
      if (found !== undefined) return found;
      continue;
    }
    open.push(half(part, survey.direction), half(part, survey.direction === 1 ? -1 : 1));
  }
  return undefined;
}

function isClearOfZero({ coefficients }: Part, error: bigint): boolean {
  return 2n * magnitudeOf(coefficients[0] ?? 0n) > sumOfSizes(coefficients) + error;
}

function isBlurred({ coefficients }: Part, error: bigint): boolean {
  return sumOfSizes(coefficients) <= ERRORS_OF_BLUR * error;
}

/** True when the slope has one sign for all |u| <= MARGIN. */
function isMonotone({ coefficients }: Part, error: bigint): boolean {
  let others = 0n;
  for (let power = coefficients.length - 1; power > 1; power -= 1) {
    others = ((others + BigInt(power) * magnitudeOf(coefficients[power] ?? 0n)) * MARGIN_QUARTERS) / 4n + 1n;
  }
  return magnitudeOf(coefficients[1] ?? 0n) > others + ERRORS_OF_SLOPE * error;
}

/** The only rate of a monotone part, if it has one: within its ends, or, where those are zero, within its margins. */
function loneRate(local: LocalWorth, part: Part): LoneRate | undefined {
  const one = 4n << RATE_BITS;
  const margin = MARGIN_QUARTERS << RATE_BITS;
  for (const end of [one, margin]) {
    const low = signAt(part, -end, local.error);
    const high = signAt(part, end, local.error);
    if (low === 0 || high === 0) continue;
    return low === high ? undefined : narrowed(local, part, { low: -end, high: end, lowSign: low });
  }
  return undefined;
}

function narrowed(
  local: LocalWorth,
  part: Part,
  range: { low: bigint; high: bigint; lowSign: number },
): LoneRate {
  const { low, high, lowSign } = range;
  let nearLow = low;
  let nearHigh = high;
  while (nearHigh - nearLow > 1n) {
    const middle = (nearLow + nearHigh) >> 1n;
    if (signAt(part, middle, 0n) === lowSign) nearLow = middle;
    else nearHigh = middle;
  }
  return {
    rate: rateAt(local, part, numberOf(nearHigh)),
    low: rateAt(local, part, numberOf(low)),
    high: rateAt(local, part, numberOf(high)),
  };
}

/** u from a whole number of quarters of 2^-RATE_BITS. */
function numberOf(quarters: bigint): number {
  return Number(quarters) / Number(4n << RATE_BITS);
}

function signAt({ coefficients }: Part, quarters: bigint, error: bigint): -1 | 0 | 1 {
  let value = 0n;
  for (let power = coefficients.length - 1; power >= 0; power -= 1) {
    value = ((value * quarters) >> (RATE_BITS + 2n)) + (coefficients[power] ?? 0n);
  }
  if (value > error) return 1;
  return value < -error ? -1 : 0;
}

function rateAt({ centre, radius }: LocalWorth, { at, depth }: Part, u: number): number {
  return centre + radius * ((Number(at) + u) * 2 ** -depth);
}

/** The half of a part towards higher (1) or lower rates. */
function half({ coefficients, at, depth }: Part, side: 1 | -1): Part {
  const halved = coefficients.map((coefficient, power) => coefficient >> BigInt(power));
  while (halved.length > 2 && isLastBit(halved.at(-1) ?? 0n)) halved.pop();
  for (let first = 0; first < halved.length - 1; first += 1) {
    let carried = halved.at(-1) ?? 0n;
    for (let power = halved.length - 2; power >= first; power -= 1) {
      carried = (halved[power] ?? 0n) + (side === 1 ? carried : -carried);
      halved[power] = carried;
    }
  }
  return { coefficients: halved, at: 2n * at + BigInt(side), depth: depth + 1 };
}

function isLastBit(value: bigint): boolean {
  return value === 0n || value === -1n;
}

function sumOfSizes(coefficients: readonly bigint[]): bigint {
  let sum = 0n;
  for (const coefficient of coefficients) sum += magnitudeOf(coefficient);
  return sum;
}

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value;
}

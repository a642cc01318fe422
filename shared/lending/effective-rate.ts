/**
 * An effective rate as it is published: percent, rounded half up to a number of decimals, each digit proven (A1, A2,
 * A4). A rate is right when the flows' net value changes sign between the two rounding boundaries around it.
 */

import { formatMinorUnits } from './money.ts';
import { netValueAt, type NetValue } from './net-value.ts';
import type { RateFlows } from './rate-flows.ts';
import { logRateNearestZero } from './rate-root.ts';

/** Decimals of DAE and EIR in percent (A1, A2). */
const PERCENT_DECIMALS = 4;
/** Steps of the last decimal in the whole balance: 100 percent. */
const STEPS_PER_WHOLE = 10n ** BigInt(PERCENT_DECIMALS + 2);
/** Bits of a floating-point estimate that are trusted; what lies below is searched for. */
const TRUSTED_BITS = 36n;
/** Widenings of the search around the estimate before it is taken as it is (two roots within one step). */
const MOST_WIDENINGS = 12;
/** Interpolation converges in about ten steps; bisection finishes whatever it does not. */
const MOST_INTERPOLATIONS = 60;
/** Interpolation and bisection of an interval of at most about 900 bits end well before this. */
const MOST_NARROWINGS = 1_000;
/**
 * The boundary halfway between the steps `below` and `below + 1`, with the net value there; undefined value at or
 * under -100 percent.
 */
interface Boundary {
  readonly below: bigint;
  readonly sign: -1 | 0 | 1;
  readonly value: NetValue | undefined;
}

/**
 * The rate nearest zero at which the payments are worth what was drawn, as percent text with four decimals; null when
 * nothing was drawn or no rate exists.
 */
export function percentOfFlows(flows: RateFlows): string | null {
  if (flows.drawn <= 0) return null;
  const logRate = logRateNearestZero(flows);
  if (logRate === null) return null;
  const estimate = BigInt(Math.round(Math.expm1(logRate) * Number(STEPS_PER_WHOLE)));
  const step = nearestStep(flows, estimate < -STEPS_PER_WHOLE ? -STEPS_PER_WHOLE : estimate);
  return formatMinorUnits(step, PERCENT_DECIMALS);
}

/** The step whose half-open surroundings hold the root that the estimate lies near. */
function nearestStep(flows: RateFlows, estimate: bigint): bigint {
  let width = magnitudeOf(estimate) >> TRUSTED_BITS;
  for (let widening = 0; widening < MOST_WIDENINGS; widening += 1) {
    const low = boundaryAt(flows, estimate - 1n - width);
    const high = boundaryAt(flows, estimate + width);
    if (low.sign === 0) return roundedAway(low);
    if (high.sign === 0) return roundedAway(high);
    if (low.sign !== high.sign) return narrowed(flows, low, high);
    width = width * 16n + 1n;
  }
  return estimate;
}

/**
 * Narrows two boundaries of opposite sign to neighbours; the step between them is the rounded rate. Illinois method: a
 * straight line between the net values tells where to look next, and an end that stays twice loses half its weight,
 * so that the interval closes from both sides.
 */
function narrowed(flows: RateFlows, from: Boundary, to: Boundary): bigint {
  let low = from;
  let high = to;
  const bits = (from.value ?? to.value)?.bits ?? 0n;
  let lowWeight = weightOf(from, bits);
  let highWeight = weightOf(to, bits);
  let lastSign = 0;
  for (let turn = 0; turn < MOST_NARROWINGS && high.below - low.below > 1n; turn += 1) {
    const isStuck = turn >= MOST_INTERPOLATIONS || lowWeight + highWeight === 0n;
    const middle = isStuck
      ? (low.below + high.below) / 2n
      : interpolated(low.below, high.below, lowWeight, lowWeight + highWeight);
    const next = boundaryAt(flows, middle);
    if (next.sign === 0) return roundedAway(next);
    if (next.sign === low.sign) {
      low = next;
      lowWeight = weightOf(next, bits);
      if (lastSign === next.sign) highWeight /= 2n;
    } else {
      high = next;
      highWeight = weightOf(next, bits);
      if (lastSign === next.sign) lowWeight /= 2n;
    }
    lastSign = next.sign;
  }
  return high.below;
}

/** How far a net value lies from zero, with `bits` bits after the point; none at or under -100 percent. */
function weightOf({ value }: Boundary, bits: bigint): bigint {
  return value === undefined ? 0n : (magnitudeOf(value.value) << bits) >> value.bits;
}

/** The share lowWeight/weight of the way from low to high, strictly between them. */
function interpolated(low: bigint, high: bigint, lowWeight: bigint, weight: bigint): bigint {
  const width = high - low;
  const share = (width * lowWeight) / weight;
  const inside = share < 1n ? 1n : share;
  return low + (inside < width ? inside : width - 1n);
}

/** The boundary above the step `below`; (1 + r) = 1 + (2 below + 1) / (2 steps). */
function boundaryAt(flows: RateFlows, below: bigint): Boundary {
  const numerator = 2n * STEPS_PER_WHOLE + 2n * below + 1n;
  if (numerator <= 0n) return { below, sign: limitSign(flows), value: undefined };
  const value = netValueAt(flows, { numerator, denominator: 2n * STEPS_PER_WHOLE });
  return { below, sign: value.sign, value };
}

/** Towards -100 percent the last payment outweighs all others. */
function limitSign(flows: RateFlows): -1 | 1 {
  const last = flows.payments.findLast((payment) => payment !== 0) ?? 0;
  return last < 0 ? -1 : 1;
}

/** A root on the boundary itself is rounded away from zero. */
function roundedAway(boundary: Boundary): bigint {
  return boundary.below >= 0n ? boundary.below + 1n : boundary.below;
}

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value;
}

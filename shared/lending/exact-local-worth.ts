/** The Taylor series of local-worth.ts in whole numbers, for rates so close together that floating point is blind. */

import { ratioOfNumber } from './exact-ratio.ts';
import { fixedExp } from './fixed-root.ts';
import { MARGIN, remainderOfExp, type LocalWorth } from './local-worth.ts';
import type { ExactFlow } from './signed-flows.ts';

/** Fraction bits. Amounts have up to 110 bits themselves, rates and their exponents up to 25 before the point. */
const BITS = 384n;
const UNIT = 2 ** Number(BITS);
/** Highest power of u. */
const DEGREE = 64;
/** Last bits that halving such a series a thousand times may add to its error: each adds 2.25^DEGREE at most. */
const ROUNDING_OF_PARTS = 2n ** 88n;
/** Last bits, per minor unit, that the rounding of exponents and powers may amount to. */
const ROUNDING_OF_FLOW = 2n ** 40n;
/** Error of the series itself, relative to the sum of all sizes, above which the radius is too large. */
const LARGEST_ERROR = 2 ** -150;

/** A flow discounted to the reference time, and its time, in fixed point. */
interface FixedFlow {
  readonly worth: bigint;
  readonly time: bigint;
}

/** The series in whole numbers; undefined when the radius is too large for it. */
export function exactLocalWorth(
  flows: readonly ExactFlow[],
  centre: number,
  radius: number,
): LocalWorth | undefined {
  const discounted = discountedAt(flows, centre);
  const width = fixedOf(radius);
  let size = 0n;
  let moment = 0n;
  let amounts = 0n;
  for (const { worth, time } of discounted) {
    size += magnitudeOf(worth);
    moment += magnitudeOf(worth) * time;
  }
  for (const { amount } of flows) amounts += magnitudeOf(amount);
  const meanTime = moment / size;
  const coefficients = Array.from({ length: DEGREE + 1 }, () => 0n);
  let leftOut = 0;
  for (const { worth, time } of discounted) {
    const exponent = ((time - meanTime) * width) >> BITS;
    leftOut +=
      Number(magnitudeOf(worth)) * remainderOfExp((MARGIN * Math.abs(Number(exponent))) / UNIT, DEGREE);
    let term = worth;
    for (let power = 0; power <= DEGREE && term !== 0n; power += 1) {
      coefficients[power] = (coefficients[power] ?? 0n) + term;
      term = -(term * exponent) / (BigInt(power + 1) << BITS);
    }
  }
  if (!(leftOut <= LARGEST_ERROR * Number(size))) return undefined;
  const error = BigInt(Math.ceil(leftOut)) + amounts * ROUNDING_OF_FLOW + ROUNDING_OF_PARTS;
  return { centre, radius, coefficients, error };
}

/** All flows at their worth at the time of the one that discounting leaves largest, so that no factor exceeds one. */
function discountedAt(flows: readonly ExactFlow[], rate: number): readonly FixedFlow[] {
  const exponent = fixedOf(rate);
  const reference = fixedTime(rate >= 0 ? flows[0] : flows.at(-1));
  return flows.map((flow) => {
    const time = fixedTime(flow);
    return { time, worth: flow.amount * fixedExp(-(exponent * (time - reference)) >> BITS, BITS) };
  });
}

function fixedTime(flow: ExactFlow | undefined): bigint {
  return flow === undefined ? 0n : (flow.time << BITS) / flow.perYear;
}

function fixedOf(value: number): bigint {
  if (value === 0) return 0n;
  const { numerator, denominator } = ratioOfNumber(Math.abs(value));
  const size = (numerator << BITS) / denominator;
  return value < 0 ? -size : size;
}

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/**
 * What flows are worth near a rate, as a Taylor series with an error bound (A4). Its parts tell rates apart that lie
 * close together, where a worth at single rates says little.
 */

import type { SignedFlows } from './signed-flows.ts';

/**
 * The worth at centre + u * radius for |u| <= 1.25, times some positive function: the sum of coefficients[j] * u^j,
 * off by no more than `error`. The error bounds the sum of the errors of the coefficients too, each times 1.25^j.
 */
export interface LocalWorth {
  /** ln(1 + r) at u = 0. */
  readonly centre: number;
  /** Distance in ln(1 + r) to u = 1. */
  readonly radius: number;
  readonly coefficients: readonly bigint[];
  readonly error: bigint;
}

/** How far beyond its radius a series is to hold. */
export const MARGIN = 1.25;
/** Highest power of u. */
const DEGREE = 32;
/** Last bits that halving such a series a thousand times may add to its error: each adds 2.25^DEGREE at most. */
const ROUNDING_OF_PARTS = 2n ** 48n;
/** Bits that the sum of all sizes gets. */
const SCALE_BITS = 120;
/** A flow whose exponent reaches further is left out, and its whole size counts as error. */
const MOST_REACH = 6;
/** Error of the series itself, relative to the sum of all sizes, above which the radius is too large. */
const LARGEST_ERROR = 1e-11;
/** Relative error of one rounded operation, taken twice as large as it is. */
const ROUNDING = 2 ** -52;

/** The remainder of exp after the power `degree`, for an exponent of that size. */
export function remainderOfExp(reach: number, degree: number): number {
  let remainder = Math.exp(reach);
  for (let power = 1; power <= degree + 1; power += 1) remainder *= reach / power;
  return remainder;
}

/** The series in floating point; undefined when the radius is too large for it. */
export function localWorth(flows: SignedFlows, centre: number, radius: number): LocalWorth | undefined {
  const { amounts, years } = flows;
  const count = amounts.length;
  const reference = years[centre >= 0 ? 0 : count - 1] ?? 0;
  const { worths, size, meanTime } = worthsAt(flows, centre, reference);
  const coefficients = new Float64Array(DEGREE + 1);
  let leftOut = 0;
  let rounded = 0;
  for (let index = 0; index < count; index += 1) {
    const time = years[index] ?? 0;
    const worth = worths[index] ?? 0;
    const exponent = (time - meanTime) * radius;
    const reach = Math.abs(exponent) * MARGIN;
    if (reach > MOST_REACH) {
      leftOut += Math.abs(amounts[index] ?? 0) * Math.exp(reach - centre * (time - reference));
      continue;
    }
    const greatest = Math.abs(worth) * Math.exp(reach);
    const ofExponents = 4 * (Math.abs(centre) + radius) * (time + reference + meanTime);
    leftOut += Math.abs(worth) * remainderOfExp(reach, DEGREE);
    rounded += greatest * (ofExponents + 4 * DEGREE + count) * ROUNDING;
    let term = worth;
    for (let power = 0; power <= DEGREE; power += 1) {
      coefficients[power] = (coefficients[power] ?? 0) + term;
      term *= -exponent / (power + 1);
    }
  }
  if (!(leftOut <= LARGEST_ERROR * size)) return undefined;
  const scale = 2 ** (SCALE_BITS - Math.ceil(Math.log2(size)));
  return {
    centre,
    radius,
    coefficients: Array.from(coefficients, (coefficient) => BigInt(Math.round(coefficient * scale))),
    error: BigInt(Math.ceil((leftOut + rounded) * scale)) + ROUNDING_OF_PARTS,
  };
}

/** What each flow is worth at the reference time, the sum of their sizes, and their mean time weighted by size. */
function worthsAt(
  { amounts, years }: SignedFlows,
  rate: number,
  reference: number,
): { readonly worths: Float64Array; readonly size: number; readonly meanTime: number } {
  const worths = new Float64Array(amounts.length);
  let size = 0;
  let moment = 0;
  for (let index = 0; index < worths.length; index += 1) {
    const time = years[index] ?? 0;
    const worth = (amounts[index] ?? 0) * Math.exp(-rate * (time - reference));
    worths[index] = worth;
    size += Math.abs(worth);
    moment += Math.abs(worth) * time;
  }
  return { worths, size, meanTime: moment / size };
}

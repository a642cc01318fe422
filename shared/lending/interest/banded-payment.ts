/**
 * The level payment with bands (R2). With the exact payment the unrounded balance B := B + I(B) - payment ends at the
 * residual. With half a unit less than the rounded payment B ends above the residual, with half a unit more below it.
 * Both are proven: in floating point with an error bound, or else in fixed point.
 */

import { divideRounded } from '../numbers/rounding.ts';
import { cacheByCount } from './interest-rule.ts';
import type { RepaidBalance } from './level-payment.ts';
import { findBand, type BandFactors, type BandedRule } from './rate-bands.ts';

const MAX_ESTIMATES = 60;
/** Maximum number of doublings, and of halvings, of the proven search; a payment is at most 2^53 minor units. */
const MAX_PROVEN_STEPS = 130;

type PaymentSolver = (counts: readonly number[], repaid: RepaidBalance) => number;

/** Returns a solver of level payments in minor units. It caches interest by band, so create one solver for a loan. */
export function createPaymentSolver(rule: BandedRule): PaymentSolver {
  const estimateEnd = createEndEstimator(rule);
  const proveSign = createSignProver(rule);
  return (counts, repaid) => {
    const known = new Map<number, Sign>();
    const signAbove = (payment: number): Sign => {
      const before = known.get(payment);
      if (before !== undefined) return before;
      const tried: TriedPayment = { ...repaid, payment: payment + 0.5 };
      const { beyond, error } = estimateEnd(counts, tried);
      const sign = Math.abs(beyond) > error ? (beyond > 0 ? 1 : -1) : proveSign(counts, tried);
      known.set(payment, sign);
      return sign;
    };
    const estimate = estimatePayment((payment) => estimateEnd(counts, { ...repaid, payment }), repaid);
    return findProvenPayment(signAbove, estimate, rule);
  };
}

/** Finds the smallest payment P for which P + 0.5 is too high. On a tie the rounding mode decides. */
function findProvenPayment(
  signAbove: (payment: number) => Sign,
  estimate: number,
  { bands }: BandedRule,
): number {
  let low = estimate - 1;
  let high = estimate;
  let step = 1;
  for (let turn = 0; turn < MAX_PROVEN_STEPS && signAbove(low) < 0; turn += 1, step *= 2) {
    high = low;
    low -= step;
  }
  for (let turn = 0; turn < MAX_PROVEN_STEPS && signAbove(high) >= 0; turn += 1, step *= 2) {
    low = high;
    high += step;
  }
  for (let turn = 0; turn < MAX_PROVEN_STEPS && high - low > 1; turn += 1) {
    const middle = Math.floor((low + high) / 2);
    if (signAbove(middle) < 0) high = middle;
    else low = middle;
  }
  if (signAbove(low) !== 0) return high;
  return Number(divideRounded(2n * BigInt(low) + 1n, 2n, bands.rounding));
}

/** Newton's method and bisection. An inexact estimate costs only time, unless R2 allows several payments. */
function estimatePayment(
  findEnd: (payment: number) => BandedEnd,
  { balance, residual }: RepaidBalance,
): number {
  let low = Math.min(0, balance - residual);
  let high = balance;
  for (let turn = 0; turn < MAX_ESTIMATES && findEnd(high).beyond > 0; turn += 1) high = high * 2 + 1;
  for (let turn = 0; turn < MAX_ESTIMATES && findEnd(low).beyond < 0; turn += 1) low = low * 2 - 1;
  let payment = (low + high) / 2;
  let step = high - low;
  for (let turn = 0; turn < MAX_ESTIMATES && step > 0.25; turn += 1) {
    const { beyond, slope } = findEnd(payment);
    if (beyond > 0) low = payment;
    else high = payment;
    const newton = payment - beyond / slope;
    const isFast = newton >= low && newton <= high && Math.abs(newton - payment) <= step / 2;
    const next = isFast ? newton : (low + high) / 2;
    step = Math.abs(next - payment);
    payment = next;
  }
  const rounded = Math.round(payment);
  return Number.isSafeInteger(rounded) ? rounded : balance - residual;
}

interface TriedPayment extends RepaidBalance {
  readonly payment: number;
}

/** `beyond` is the final balance less the residual; an `error` of Infinity means that `beyond` is unknown. */
interface BandedEnd {
  readonly beyond: number;
  readonly error: number;
  /** Change of `beyond` for each unit by which the payment increases; NaN if the balance is treated as infinite. */
  readonly slope: number;
}

/** A balance whose absolute value is this or more is treated as infinite, and its error as unknown. */
const ENDLESS = 1e200;
/** A step rounds about ten times, by at most 2^-53 each; 2^-43 allows for a thousand roundings. */
const STEP_ERROR = 2 ** -43;

interface CountFactors extends BandFactors<number> {
  /** Largest magnitude of a band's rate for the period; a step increases an error by at most this share of it. */
  readonly steepest: number;
}

function createEndEstimator(rule: BandedRule): (counts: readonly number[], tried: TriedPayment) => BandedEnd {
  const getFactors = cacheByCount((count) => convertFactors(rule, count));
  const { starts, bands } = rule;
  return (counts, { balance, residual, payment }) => {
    let outstanding = balance;
    let error = 0;
    let slope = 0;
    for (const count of counts) {
      const { perUnit, below, steepest } = getFactors(count);
      const band = findBand(starts, outstanding);
      // Near the start of a band the estimated balance may be in another band than the exact one.
      if (bands.whole && isNearStart(starts, outstanding, error)) error = Number.POSITIVE_INFINITY;
      const slice = bands.whole ? outstanding : outstanding - (starts[band] as number);
      const rate = perUnit[band] as number;
      const interest = (below[band] as number) + slice * rate;
      slope += slope * rate - 1;
      error += error * steepest + STEP_ERROR * (Math.abs(outstanding) * (1 + steepest) + Math.abs(payment));
      outstanding += interest - payment;
      if (!(Math.abs(outstanding) < ENDLESS)) {
        const beyond = outstanding < 0 ? -ENDLESS : ENDLESS;
        return { beyond, error: Number.POSITIVE_INFINITY, slope: Number.NaN };
      }
    }
    return { beyond: outstanding - residual, error: error + STEP_ERROR * residual, slope };
  };
}

function isNearStart(starts: readonly number[], outstanding: number, error: number): boolean {
  return findBand(starts, outstanding - error) !== findBand(starts, outstanding + error);
}

function convertFactors({ forCount, denominator }: BandedRule, count: number): CountFactors {
  const { perUnit, below } = forCount(count);
  const factor = (numerator: bigint): number => Number(numerator) / Number(denominator);
  const factors = perUnit.map(factor);
  const steepest = factors.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  return { perUnit: factors, below: below.map(factor), steepest };
}

// In fixed point the interest of a row is too small by less than 2^-130 minor units (a balance is below 2^60, a factor
// has 192 bits), as if the payment were larger by that amount. So a sign is right, unless the exact payment is within
// 2^-100 of the payment tried, which counts as a tie (R2).

/** The final balance is above the residual (1), equal to it (0), or below it (-1). */
type Sign = -1 | 0 | 1;

const FRACTION_BITS = 192n;
/** A final balance that differs from the residual by at most 2^-100 times the number of rows is a tie. */
const TIE_BITS = 100n;

/**
 * Proves signs for payments in half units. It stops when the sign is certain, which also bounds the numbers: a negative
 * balance stays negative; without negative rates, a balance above residual plus payments left ends above the residual.
 */
function createSignProver(rule: BandedRule): (counts: readonly number[], tried: TriedPayment) => Sign {
  const getFactors = cacheByCount((count): BandFactors<bigint> => {
    const { perUnit, below } = rule.forCount(count);
    const factor = (numerator: bigint): bigint => (numerator << FRACTION_BITS) / rule.denominator;
    return { perUnit: perUnit.map(factor), below: below.map(factor) };
  });
  const rises = rule.bands.bands.every((band) => band.rule.sign >= 0);
  return (counts, { balance, residual, payment }) => {
    const paid = BigInt(payment * 2) << (FRACTION_BITS - 1n);
    const end = BigInt(residual) << FRACTION_BITS;
    const tie = BigInt(counts.length) << (FRACTION_BITS - TIE_BITS);
    let outstanding = BigInt(balance) << FRACTION_BITS;
    let toPay = paid * BigInt(counts.length);
    for (const count of counts) {
      outstanding += computeFixedInterest(rule, getFactors(count), outstanding) - paid;
      toPay -= paid;
      if (outstanding < -tie && paid > 0n && residual >= 0) return -1;
      if (rises && outstanding - toPay > end + tie) return 1;
    }
    const beyond = outstanding - end;
    if (beyond > tie) return 1;
    return beyond < -tie ? -1 : 0;
  };
}

function computeFixedInterest(
  { bands, starts }: BandedRule,
  { perUnit, below }: BandFactors<bigint>,
  outstanding: bigint,
): bigint {
  const band = findBand(starts, Number(outstanding >> FRACTION_BITS));
  const start = bands.whole ? 0n : BigInt(starts[band] as number) << FRACTION_BITS;
  return (below[band] as bigint) + (((outstanding - start) * (perUnit[band] as bigint)) >> FRACTION_BITS);
}

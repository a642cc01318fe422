/**
 * The level payment where the rate depends on the balance (R2): the payment for which the unrounded balance
 *
 *     B := B + I(B) - payment
 *
 * ends at the residual. Binary numbers only find where to look; that the payment is the right whole number of minor
 * units is proven by the recursion at the two halves beside it, in fixed point. A row's interest is too small by less
 * than 2^-130 minor units (a balance has fewer than 2^60, a factor 192 bits), which weighs no more than a payment that is
 * larger by as much: the sign at a half is right unless the real payment lies within 2^-100 of it; that is taken for a tie.
 */

import type { BandedRule } from './banded-rule.ts';
import type { RepaidBalance } from './level-payment.ts';

/** Bits after the point of the balances, and of the bands' factors. */
const FRACTION_BITS = 192n;
/** An end this near to the residual, per unit of payment, is a tie. */
const TIE_BITS = 100n;
/** Steps of the search in binary numbers: a piecewise straight line is solved in a few. */
const MOST_ESTIMATES = 60;
/** Beyond this a balance in binary numbers is as good as endless. */
const ENDLESS = 1e200;
/** Doublings and halvings of the exact search: payments have at most 2^53 minor units to both sides. */
const MOST_EXACT_STEPS = 130;

/** The level payment in minor units over rows with the given counts, rounded by the bands' mode. */
export function bandedLevelPayment(
  rule: BandedRule,
  counts: readonly number[],
  repaid: RepaidBalance,
): number {
  const signAbove = remembered(signAtHalf(rule, counts, repaid));
  const estimate = estimatedPayment(rule, counts, repaid);
  // The smallest payment whose half above is too much: the real payment lies between its two halves.
  let low = estimate - 1;
  let high = estimate;
  let step = 1;
  for (let turn = 0; turn < MOST_EXACT_STEPS && signAbove(low) < 0; turn += 1, step *= 2) {
    high = low;
    low -= step;
  }
  for (let turn = 0; turn < MOST_EXACT_STEPS && signAbove(high) >= 0; turn += 1, step *= 2) {
    low = high;
    high += step;
  }
  for (let turn = 0; turn < MOST_EXACT_STEPS && high - low > 1; turn += 1) {
    const middle = Math.floor((low + high) / 2);
    if (signAbove(middle) < 0) high = middle;
    else low = middle;
  }
  const isTie = signAbove(low) === 0;
  const goesDown = isTie && (rule.bands.rounding === 'HALF_EVEN' ? low % 2 === 0 : low < 0);
  return goesDown ? low : high;
}

type Sign = -1 | 0 | 1;

function remembered(signAbove: (payment: number) => Sign): (payment: number) => Sign {
  const known = new Map<number, Sign>();
  return (payment) => {
    const sign = known.get(payment) ?? signAbove(payment);
    known.set(payment, sign);
    return sign;
  };
}

/**
 * Where the balance ends when half a minor unit more than a payment is paid: above the residual (1), on it, below it.
 * Told early where nothing can change it any more: a balance below zero stays there, and without negative rates one
 * that no number of further payments reaches the residual from stays above. That also bounds the numbers' length.
 */
function signAtHalf(
  rule: BandedRule,
  counts: readonly number[],
  { balance, residual }: RepaidBalance,
): (payment: number) => Sign {
  const { bands } = rule.bands;
  const starts = bands.map(({ from }) => BigInt(from) << FRACTION_BITS);
  const factorsOf = bandFactors(rule);
  const rises = bands.every((band) => band.rule.sign >= 0);
  const start = BigInt(balance) << FRACTION_BITS;
  const end = BigInt(residual) << FRACTION_BITS;
  const tie = BigInt(counts.length) << (FRACTION_BITS - TIE_BITS);
  return (payment) => {
    const paid = (2n * BigInt(payment) + 1n) << (FRACTION_BITS - 1n);
    let owed = start;
    let toPay = paid * BigInt(counts.length);
    for (const count of counts) {
      owed += interestBySlices(rule.bands.whole, starts, factorsOf(count), owed) - paid;
      toPay -= paid;
      if (owed < 0n && paid > 0n && residual >= 0) return -1;
      if (rises && owed - toPay > end + tie) return 1;
    }
    const beyond = owed - end;
    if (beyond > tie) return 1;
    return beyond < -tie ? -1 : 0;
  };
}

/** Interest of one unit of each slice over a count, in fixed point; remembered by count. */
function bandFactors(rule: BandedRule): (count: number) => readonly bigint[] {
  const known = new Map<number, readonly bigint[]>();
  return (count) => {
    const before = known.get(count);
    if (before !== undefined) return before;
    const factors = rule.bands.bands.map(
      (band) => (band.rule.numeratorOf(count) << FRACTION_BITS) / band.rule.denominator,
    );
    known.set(count, factors);
    return factors;
  };
}

/** Interest of a balance in fixed point, each slice rounded down. */
function interestBySlices(
  whole: boolean,
  starts: readonly bigint[],
  factors: readonly bigint[],
  balance: bigint,
): bigint {
  let upper = balance;
  let interest = 0n;
  for (let band = starts.length - 1; band >= 0; band -= 1) {
    const start = starts[band] ?? 0n;
    if (upper < start && band > 0) continue;
    const factor = factors[band] ?? 0n;
    if (whole) return (balance * factor) >> FRACTION_BITS;
    interest += ((band === 0 ? upper : upper - start) * factor) >> FRACTION_BITS;
    upper = start;
  }
  return interest;
}

/** About the payment, by false position with halved weights (Illinois) on binary numbers; any number will do. */
function estimatedPayment(rule: BandedRule, counts: readonly number[], repaid: RepaidBalance): number {
  const ends = endOfBalance(rule, counts, repaid);
  let low = Math.min(0, (repaid.balance - repaid.residual) / counts.length);
  let high = repaid.balance;
  let atLow = ends(low);
  let atHigh = ends(high);
  for (let turn = 0; turn < MOST_ESTIMATES && atHigh > 0; turn += 1) {
    high = high * 2 + 1;
    atHigh = ends(high);
  }
  for (let turn = 0; turn < MOST_ESTIMATES && atLow < 0; turn += 1) {
    low = low * 2 - 1;
    atLow = ends(low);
  }
  let last = 0;
  for (let turn = 0; turn < MOST_ESTIMATES && high - low > 0.25; turn += 1) {
    const middle = low + ((high - low) * atLow) / (atLow - atHigh);
    const value = ends(middle);
    if (!Number.isFinite(middle) || value === 0) return roundedEstimate(middle, repaid);
    if (value > 0) {
      low = middle;
      atLow = value;
      if (last > 0) atHigh /= 2;
      last = 1;
    } else {
      high = middle;
      atHigh = value;
      if (last < 0) atLow /= 2;
      last = -1;
    }
  }
  return roundedEstimate((low + high) / 2, repaid);
}

function roundedEstimate(payment: number, { balance, residual }: RepaidBalance): number {
  const rounded = Math.round(payment);
  return Number.isSafeInteger(rounded) ? rounded : balance - residual;
}

/** How far above the residual the balance ends with a payment, in binary numbers. */
function endOfBalance(
  rule: BandedRule,
  counts: readonly number[],
  { balance, residual }: RepaidBalance,
): (payment: number) => number {
  const { bands, whole } = rule.bands;
  const rates = new Map<number, readonly number[]>();
  for (const count of counts) {
    if (rates.has(count)) continue;
    const perUnit = bands.map((band) => Number(band.rule.numeratorOf(count)) / Number(band.rule.denominator));
    rates.set(count, perUnit);
  }
  return (payment) => {
    let owed = balance;
    for (const count of counts) {
      const perUnit = rates.get(count) ?? [];
      let upper = owed;
      let interest = 0;
      for (let band = bands.length - 1; band >= 0; band -= 1) {
        const start = band === 0 ? 0 : (bands[band]?.from ?? 0);
        if (upper < start && band > 0) continue;
        interest += (whole ? owed : upper - start) * (perUnit[band] ?? 0);
        if (whole) break;
        upper = start;
      }
      owed += interest - payment;
      if (!(Math.abs(owed) < ENDLESS)) return owed < 0 ? -ENDLESS : ENDLESS;
    }
    return owed - residual;
  };
}

/**
 * On which side of the residual a banded balance ends with a payment (R2), in fixed point. A row's interest is too small
 * by less than 2^-130 minor units (a balance has fewer than 2^60, a factor 192 bits), which weighs no more than a payment
 * that is larger by as much: the sign is right unless the real payment lies within 2^-100 of it; that is taken for a tie.
 */

import { bandOf, type BandedRule } from './rate-bands.ts';
import type { TriedPayment } from './banded-ends.ts';

/** Above the residual (1), on it, below it. */
export type Sign = -1 | 0 | 1;

/** Bits after the point of balances and of the bands' factors. */
const FRACTION_BITS = 192n;
/** An end this near to the residual, per row, is a tie. */
const TIE_BITS = 100n;

interface CountFactors {
  readonly perUnit: readonly bigint[];
  readonly below: readonly bigint[];
}

/**
 * Signs for payments with whole halves. Told early where nothing can change it any more: a balance below zero stays
 * there, and without negative rates one that no number of further payments brings down to the residual stays above it.
 * That also bounds the length of the numbers.
 */
export function bandedSign(rule: BandedRule): (counts: readonly number[], tried: TriedPayment) => Sign {
  const known = new Map<number, CountFactors>();
  const factorsOf = (count: number): CountFactors => {
    const before = known.get(count);
    if (before !== undefined) return before;
    const { perUnit, below } = rule.ofCount(count);
    const factor = (numerator: bigint): bigint => (numerator << FRACTION_BITS) / rule.denominator;
    const factors = { perUnit: perUnit.map(factor), below: below.map(factor) };
    known.set(count, factors);
    return factors;
  };
  const rises = rule.bands.bands.every((band) => band.rule.sign >= 0);
  return (counts, { balance, residual, payment }) => {
    const paid = BigInt(payment * 2) << (FRACTION_BITS - 1n);
    const end = BigInt(residual) << FRACTION_BITS;
    const tie = BigInt(counts.length) << (FRACTION_BITS - TIE_BITS);
    let owed = BigInt(balance) << FRACTION_BITS;
    let toPay = paid * BigInt(counts.length);
    for (const count of counts) {
      owed += interestOn(rule, factorsOf(count), owed) - paid;
      toPay -= paid;
      if (owed < 0n && paid > 0n && residual >= 0) return -1;
      if (rises && owed - toPay > end + tie) return 1;
    }
    const beyond = owed - end;
    if (beyond > tie) return 1;
    return beyond < -tie ? -1 : 0;
  };
}

/** Interest of a balance in fixed point, rounded down. */
function interestOn({ bands, starts }: BandedRule, { perUnit, below }: CountFactors, owed: bigint): bigint {
  const band = bandOf(starts, Number(owed >> FRACTION_BITS));
  const start = bands.whole ? 0n : BigInt(starts[band] ?? 0) << FRACTION_BITS;
  return (below[band] ?? 0n) + (((owed - start) * (perUnit[band] ?? 0n)) >> FRACTION_BITS);
}

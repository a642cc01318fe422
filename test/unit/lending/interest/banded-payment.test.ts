import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { accrueByBands } from '../../../../shared/lending/interest/accrual.ts';
import { createLinearRule } from '../../../../shared/lending/interest/interest-rule.ts';
import {
  computeLevelPayment,
  type RepaidBalance,
} from '../../../../shared/lending/interest/level-payment.ts';
import type { Bands } from '../../../../shared/lending/interest/rate-bands.ts';
import { percentToRatio } from '../../../../shared/lending/numbers/exact-ratio.ts';
import { decimal } from '../../../support/builders/lending-loan.ts';

const Exact = Decimal.clone({ precision: 80 });
const RATES = ['0.5', '12', '240', '3.75', '-2'] as const;
const LOWER_LIMITS = [0, 40_000, 700_000_000, 2_000_000_000_000] as const;

function createRule(percent: string) {
  return createLinearRule(percentToRatio(decimal(percent)), 365, 'HALF_UP');
}

/** Bands with the given lower limits; the rates are those of the list, starting at `shift`. */
function createBands(whole: boolean, shift: number): Bands {
  const bands = LOWER_LIMITS.map((from, index) => ({
    from,
    rule: createRule(RATES[(index + shift) % RATES.length] ?? '0'),
  }));
  return { bands, limit: Number.POSITIVE_INFINITY, whole, rounding: 'HALF_UP' };
}

function solve(bands: Bands, counts: readonly number[], repaid: RepaidBalance): number {
  const rows = { first: 0, firstCount: counts[0] ?? 0 };
  return accrueByBands(bands, counts).solveLevelPayment(repaid, rows);
}

/** The exact final balance less the residual. */
function endAbove(
  bands: Bands,
  counts: readonly number[],
  { balance, residual }: RepaidBalance,
  payment: Decimal,
) {
  let outstanding = new Exact(balance);
  for (const count of counts) {
    let interest = new Exact(0);
    for (const [index, { from, rule }] of bands.bands.entries()) {
      const end = bands.bands[index + 1]?.from ?? Number.POSITIVE_INFINITY;
      const isReached = index === 0 || outstanding.greaterThanOrEqualTo(from);
      if (!isReached || (bands.whole && outstanding.greaterThanOrEqualTo(end))) continue;
      const base = bands.whole ? outstanding : Exact.min(outstanding, end).minus(from);
      const rate = new Exact(String(rule.computeNumerator(count))).div(String(rule.denominator));
      interest = interest.plus(base.times(rate));
    }
    outstanding = outstanding.plus(interest).minus(payment);
  }
  return outstanding.minus(residual);
}

const LOANS = [12, 37, 240].flatMap((rows, index) =>
  [90_000, 1_234_567_890, 98_765_432_109_876].map((balance, place) => ({
    counts: Array.from({ length: rows }, (_, row) => 28 + ((row * 5 + index) % 4)),
    repaid: { balance, residual: place === 1 ? Math.round(balance / 3) : 0 },
    shift: index + place,
  })),
);

/** Equal day-count numerators that count how often they are read from the start. */
class CountedRows extends Array<number> {
  passes = 0;

  constructor(rows: number, count: number) {
    super(rows);
    this.fill(count);
  }

  override [Symbol.iterator](): ArrayIterator<number> {
    this.passes += 1;
    return super[Symbol.iterator]();
  }
}

describe('level payment with rate bands (R2)', () => {
  it.each([false, true])('ends at the residual within half a unit of the payment (whole: %s)', (whole) => {
    for (const { counts, repaid, shift } of LOANS) {
      const bands = createBands(whole, shift);
      const payment = new Exact(solve(bands, counts, repaid));
      expect(endAbove(bands, counts, repaid, payment.minus(0.5)).isNegative()).toBe(false);
      expect(endAbove(bands, counts, repaid, payment.plus(0.5)).greaterThan(0)).toBe(false);
    }
  });

  it.each(RATES)('equals that of a single rate if all bands have the rate %s', (percent) => {
    const rule = createRule(percent);
    const bands = { ...createBands(false, 0), bands: LOWER_LIMITS.map((from) => ({ from, rule })) };
    for (const { counts, repaid } of LOANS) {
      expect(solve(bands, counts, repaid)).toBe(computeLevelPayment(rule, counts, repaid));
    }
  });

  it('takes few passes over the rows, even if a higher payment leads to much lower rates', () => {
    const counts = new CountedRows(300, 30);
    const bands = {
      bands: [
        { from: 0, rule: createRule('4.05') },
        { from: 5_000_000_000_000, rule: createRule('687.6') },
      ],
      limit: Number.POSITIVE_INFINITY,
      whole: false,
      rounding: 'HALF_UP',
    } as const;
    solve(bands, counts, { balance: 10_000_000_000_000, residual: 5_000_000_000_000 });
    expect(counts.passes).toBeLessThan(40);
  });

  it.each([
    ['HALF_UP', 10_050, 10_151],
    ['HALF_EVEN', 10_050, 10_150],
    ['HALF_EVEN', 10_150, 10_252],
  ] as const)('rounds a tie by %s for a balance of %i', (rounding, balance, expected) => {
    const rule = createLinearRule(percentToRatio(decimal(12)), 360, rounding);
    const bands = { bands: [{ from: 0, rule }], limit: Number.POSITIVE_INFINITY, whole: false, rounding };
    expect(solve(bands, [30], { balance, residual: 0 })).toBe(expected);
    expect(solve(bands, [30], { balance, residual: 50 })).toBe(
      computeLevelPayment(rule, [30], { balance, residual: 50 }),
    );
  });

  it.each([
    ['HALF_UP', -50],
    ['HALF_EVEN', -50],
    ['HALF_EVEN', -51],
  ] as const)('rounds a negative tie of %s like a single rate', (rounding, payment) => {
    const rule = createLinearRule(percentToRatio(decimal(12)), 360, rounding);
    const bands = { bands: [{ from: 0, rule }], limit: Number.POSITIVE_INFINITY, whole: false, rounding };
    const repaid = { balance: 10_050, residual: 10_150 - payment };
    expect(solve(bands, [30], repaid)).toBe(computeLevelPayment(rule, [30], repaid));
  });
});

import { describe, expect, it } from 'vitest';
import { accrueAtOneRate, accrueByBands } from '../../../../shared/lending/interest/accrual.ts';
import { percentToRatio } from '../../../../shared/lending/numbers/exact-ratio.ts';
import {
  computeGrowth,
  createEffectiveRule,
  computeInterest,
  createLinearRule,
  type InterestRule,
} from '../../../../shared/lending/interest/interest-rule.ts';
import {
  computeLevelPayment,
  type RepaidBalance,
} from '../../../../shared/lending/interest/level-payment.ts';
import { divideRounded } from '../../../../shared/lending/numbers/rounding.ts';
import { decimal } from '../../../support/builders/lending-loan.ts';
import { Picks } from '../../../support/random/pick.ts';

interface Loan {
  readonly rule: InterestRule;
  readonly counts: readonly number[];
}

function months(ratePercent: string, installments: number): Loan {
  const counts = Array.from({ length: installments }, () => 30);
  return { rule: createLinearRule(percentToRatio(decimal(ratePercent)), 360, 'HALF_UP'), counts };
}

function payment({ rule, counts }: Loan, balance: number, residual = 0): number {
  return computeLevelPayment(rule, counts, { balance, residual });
}

/** The payment as one fraction: (balance g_1 ... g_n - residual) / (1 + g_n + g_n g_(n-1) + ... + g_n ... g_2). */
function exactPayment({ rule, counts }: Loan, { balance, residual }: RepaidBalance): number {
  const scale = rule.denominator ** BigInt(counts.length);
  let [grown, sum, power] = [scale * BigInt(balance), 0n, scale];
  for (const count of counts) grown = (grown * computeGrowth(rule, count)) / rule.denominator;
  for (const count of counts.toReversed()) {
    sum += power;
    power = (power * computeGrowth(rule, count)) / rule.denominator;
  }
  return Number(divideRounded(grown - BigInt(residual) * scale, sum, rule.rounding));
}

describe('level payment (S5)', () => {
  it('rounds exact ties by the rule, and values next to a tie correctly', () => {
    expect(payment(months('12', 1), 10_050)).toBe(10_151);
    expect(payment(months('12.000000000000000000000000000001', 1), 10_050)).toBe(10_151);
    expect(payment(months('11.999999999999999999999999999999', 1), 10_050)).toBe(10_150);
    const halfEven = createLinearRule(percentToRatio(decimal(12)), 360, 'HALF_EVEN');
    expect(payment({ rule: halfEven, counts: [30] }, 10_050)).toBe(10_150);
    expect(payment(months('-12', 1), 10_050)).toBe(9950);
    expect(payment(months('-12.000000000000000000000000000001', 1), 10_050)).toBe(9949);
  });

  it('rounds an exact tie above a residual by the rule', () => {
    const tie = { balance: 10_050, residual: 50 };
    const rate = percentToRatio(decimal(12));
    expect(computeLevelPayment(createLinearRule(rate, 360, 'HALF_UP'), [30], tie)).toBe(10_101);
    expect(computeLevelPayment(createLinearRule(rate, 360, 'HALF_EVEN'), [30], tie)).toBe(10_100);
  });

  it.each([
    ['HALF_UP', 10_050, 10_151],
    ['HALF_EVEN', 10_050, 10_150],
    ['HALF_EVEN', 10_150, 10_252],
  ] as const)('rounds an exact tie of rate bands %s', (rounding, balance, expected) => {
    const rule = createLinearRule(percentToRatio(decimal(12)), 360, rounding);
    const bands = { bands: [{ from: 0, rule }], limit: Infinity, whole: false, rounding };
    const accrual = accrueByBands(bands, [30]);
    expect(accrual.solveLevelPayment({ balance, residual: 0 }, { first: 0, firstCount: 30 })).toBe(expected);
  });

  it('is proven for rate bands where the estimate in floating point is wrong by several minor units', () => {
    const [low, high] = [months('483', 203), months('267', 203)];
    const rules = [
      { from: 0, rule: low.rule },
      { from: 140_960_673_476_985, rule: high.rule },
    ];
    const bands = { bands: rules, limit: Infinity, whole: false, rounding: 'HALF_UP' } as const;
    const repaid = { balance: 146_483_802_200_858, residual: 0 };
    const solved = accrueByBands(bands, low.counts).solveLevelPayment(repaid, { first: 0, firstCount: 30 });
    expect(solved).toBe(57_965_567_215_548);
  });

  it('is the exact fraction rounded once, for small and for the largest amounts, at rates of both signs', () => {
    const picks = new Picks(20_261_123);
    for (let loan = 0; loan < 400; loan += 1) {
      const counts = Array.from({ length: picks.of(1, 3, 24, 120) }, () => picks.whole(28, 31));
      const percent = picks.whole(1, 10 ** picks.whole(1, 6)) / picks.of(1_000, 1_000, -1e5);
      const createRule = picks.of(createLinearRule, createLinearRule, createEffectiveRule);
      const rule = createRule(percentToRatio(decimal(percent)), 365, picks.of('HALF_UP', 'HALF_EVEN'));
      const balance = picks.whole(1, 10 ** picks.whole(1, 15));
      const repaid = { balance, residual: picks.of(0, 0, balance, picks.whole(0, balance)) };
      expect(computeLevelPayment(rule, counts, repaid)).toBe(exactPayment({ rule, counts }, repaid));
    }
  });

  it('discounts the rows once if it is recalculated, as in every second row at high rates', () => {
    const counts = Array.from({ length: 200 }, (_, row) => row + 1);
    const rule = createLinearRule(percentToRatio(decimal(24)), 365, 'HALF_UP');
    let read = 0;
    const computeNumerator = (count: number) => {
      read += 1;
      return rule.computeNumerator(count);
    };
    const accrual = accrueAtOneRate({ ...rule, computeNumerator }, counts);
    for (let first = 0; first < counts.length; first += 1) {
      const repaid = { balance: 999_990_000_000_000, residual: 7 * first };
      const left = [5, ...counts.slice(first + 1)];
      const expected = exactPayment({ rule, counts: left }, repaid);
      expect(accrual.solveLevelPayment(repaid, { first, firstCount: 5 })).toBe(expected);
    }
    expect(read).toBeLessThan(4 * counts.length);
  });
});

describe('interest of a row (M4)', () => {
  it('rounds ties half up, or half even if the schedule type says so', () => {
    const rate = percentToRatio(decimal(12));
    expect(computeInterest(createLinearRule(rate, 360, 'HALF_UP'), 10_050, 30)).toBe(101);
    expect(computeInterest(createLinearRule(rate, 360, 'HALF_EVEN'), 10_050, 30)).toBe(100);
  });

  it('is exact where a product or a denominator is no safe integer', () => {
    const rule = createLinearRule(percentToRatio(decimal('7.12')), 360, 'HALF_UP');
    expect(computeInterest(rule, 81_365_670_127_500, 30)).toBe(482_769_642_757);
    const belowHalf = createLinearRule({ numerator: 2n ** 52n, denominator: 2n ** 53n + 1n }, 1, 'HALF_UP');
    expect(computeInterest(belowHalf, 1, 1)).toBe(0);
  });
});

describe('interest at an effective rate (S2)', () => {
  it('is the balance times (1 + r)^f - 1: 30000 at 7 % earn 169.62 in a 30/360 month', () => {
    const rule = createEffectiveRule(percentToRatio(decimal(7)), 360, 'HALF_UP');
    expect(computeInterest(rule, 3_000_000, 30)).toBe(16_962);
    expect(computeInterest(rule, 3_000_000, 0)).toBe(0);
  });

  it('is exact if the power is a short decimal, so that ties are rounded by the rule', () => {
    const fifth = createEffectiveRule(percentToRatio(decimal(21)), 360, 'HALF_UP');
    expect(computeInterest(fifth, 5, 180)).toBe(1);
    expect(computeInterest(createEffectiveRule(percentToRatio(decimal(21)), 360, 'HALF_EVEN'), 5, 180)).toBe(
      0,
    );
    expect(computeInterest(fifth, 100_000, 360)).toBe(21_000);
  });
});

import { describe, expect, it } from 'vitest';
import {
  compareSchedules,
  readFormerSchedule,
  renderComparison,
  sumsOf,
} from '../../../shared/portfolio/comparison.ts';

const EURO_DIGITS = 2;

const lower = (InstallmentNo: number, principal: unknown, interest: unknown, totalInstallment: unknown) =>
  ({ InstallmentNo, principal, interest, totalInstallment }) as const;

const minorRow = (InstallmentNo: number, principal: number, interest: number, managementFee = 0) => ({
  InstallmentNo,
  principal,
  interest,
  managementFee,
  totalInstallment: principal + interest + managementFee,
});

const read = (amount: unknown) => readFormerSchedule([lower(1, amount, 0, amount)], EURO_DIGITS)?.rows[0];

const compared = (before: object[], after: ReturnType<typeof minorRow>[]) => {
  const former = readFormerSchedule(before, EURO_DIGITS);
  return compareSchedules(former!, after, sumsOf(after));
};

describe('a previous schedule', () => {
  it('is read in either casing, with amounts as numbers or strings, as exact minor units', () => {
    const sent = [
      { ...lower(1, 16.1, 0.58, 18.93), managementFee: 1, insurance: '1.25' },
      { InstallmentNo: 2, Principal: '15', Interest: 0, ManagementFee: null, TotalInstallment: 15.0 },
    ];
    const former = readFormerSchedule(sent, EURO_DIGITS);
    expect(former?.rows).toEqual([
      { ...minorRow(1, 1_610, 58, 100), insurance: 125, totalInstallment: 1_893 },
      { ...minorRow(2, 1_500, 0), insurance: 0 },
    ]);
    expect(former?.sums).toEqual({ principal: 3_110n, interest: 58n, fees: 225n, total: 3_393n });
  });

  it('keeps the largest numbers that JSON represents exactly; larger ones must be strings', () => {
    expect(read(45_035_996_273_704.95)?.principal).toBe(4_503_599_627_370_495);
    expect(read(90_071_992_547_409.91)).toBeUndefined();
    expect(read('90071992547409.91')?.principal).toBe(9_007_199_254_740_991);
    expect(read('90071992547409.92')).toBeUndefined();
  });

  it('may have negative amounts, and zero has no minus sign', () => {
    const former = readFormerSchedule([lower(1, -0.05, '-0.00', '-0.05')], EURO_DIGITS);
    expect(former?.rows[0]).toMatchObject({ principal: -5, interest: 0, totalInstallment: -5 });
    expect(Object.is(former?.rows[0]?.interest, 0)).toBe(true);
  });

  it('has the decimals of the new one; extra zeros are ignored, other extra digits are refused', () => {
    expect(readFormerSchedule([lower(1, '5.000', 0, 5)], 0)?.rows[0]?.principal).toBe(5);
    expect(readFormerSchedule([lower(1, 5.001, 0, 5)], EURO_DIGITS)).toBeUndefined();
    expect(readFormerSchedule([lower(1, 5.001, 0, 5.001)], 3)?.rows[0]?.principal).toBe(5_001);
  });

  it.each([
    ['no list', { rows: [] }],
    ['an empty list', []],
    ['the rate alone', [{ dae: 7.1 }]],
    ['a row that is not an object', [lower(1, 1, 1, 2), 'row']],
    ['a row without a number', [{ principal: 1, interest: 1, totalInstallment: 2 }]],
    ['an amount in words', [lower(1, 'one', 1, 2)]],
    ['an amount with an exponent', [lower(1, 1e-7, 1, 2)]],
    ['a missing total', [{ InstallmentNo: 1, principal: 1, interest: 1 }]],
  ])('is refused if it is %s', (_, former) => {
    expect(readFormerSchedule(former, EURO_DIGITS)).toBeUndefined();
  });
});

describe('a comparison', () => {
  it('lists each instalment of either schedule, and the sums', () => {
    const comparison = compared(
      [lower(1, 10, 1, 11), lower(2, 10, 0.5, 10.5), lower(3, 5, 0, 5)],
      [minorRow(1, 1_000, 100), minorRow(2, 1_000, 20)],
    );
    expect(comparison.isChanged).toBe(true);
    expect(renderComparison(comparison, EURO_DIGITS)).toBe(
      '{"installments":[{"InstallmentNo":1,"before":11.00,"after":11.00,"difference":0.00},' +
        '{"InstallmentNo":2,"before":10.50,"after":10.20,"difference":-0.30},' +
        '{"InstallmentNo":3,"before":5.00,"after":null,"difference":-5.00}],' +
        '"before":{"principal":25.00,"interest":1.50,"fees":0.00,"total":26.50},' +
        '"after":{"principal":20.00,"interest":1.20,"fees":0.00,"total":21.20},' +
        '"difference":{"principal":-5.00,"interest":-0.30,"fees":0.00,"total":-5.30},"largestDifference":-5.00}',
    );
  });

  it('finds no change of equal schedules, and a shift between principal and interest with equal totals', () => {
    const after = [minorRow(1, 1_000, 100)];
    expect(compared([lower(1, 10, 1, 11)], after)).toMatchObject({ isChanged: false, largestDifference: 0n });
    expect(compared([lower(1, 9, 2, 11)], after).isChanged).toBe(true);
  });

  it('compares a prepayment with the previous prepayment of the same number, not with the instalment (X3)', () => {
    const comparison = compared(
      [lower(1, 10, 0, 10), lower(1, 100, 0, 100), lower(2, 5, 0, 5)],
      [minorRow(1, 1_000, 0), minorRow(1, 9_000, 0), minorRow(2, 600, 0)],
    );
    const found = comparison.installments.map(({ InstallmentNo: no, difference }) => `${no}: ${difference}`);
    expect(found).toEqual(['1: 0', '1: -1000', '2: 100']);
  });
});

it('sums above the safe integers are exact', () => {
  const rows = Array.from({ length: 3 }, (_, index) => minorRow(index + 1, Number.MAX_SAFE_INTEGER, 0));
  expect(sumsOf(rows).principal).toBe(3n * BigInt(Number.MAX_SAFE_INTEGER));
});

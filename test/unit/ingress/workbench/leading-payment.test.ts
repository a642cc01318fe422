import { describe, expect, it } from 'vitest';
import {
  exceptionsOf,
  leadingPayment,
  type PaidRow,
} from '../../../../workers/ingress/workbench/app/schedules/leading-payment.ts';

const rowsOf = (...amounts: readonly number[]): readonly PaidRow[] =>
  amounts.map((totalInstallment, at) => ({
    totalInstallment,
    DueDate: `2026-${String(at + 1).padStart(2, '0')}-01T00:00:00`,
    isEarlyRepayment: 'false',
  }));
const times = (count: number, amount: number): readonly number[] =>
  Array.from({ length: count }, () => amount);
const lead = (rows: readonly PaidRow[]) => {
  const payment = leadingPayment(rows);
  return { [payment.kind]: payment.amount, ...exceptionsOf(payment) };
};

describe('the payment that stands for a loan', () => {
  it.each([
    ['of a level loan is the regular one', rowsOf(...times(11, 100), 100), { regular: 100 }],
    [
      'is not the first one of a short period, or the last one with the rounding difference',
      rowsOf(1696.22, ...times(358, 1775.26), 1774.9),
      { regular: 1775.26, first: 1696.22, last: 1774.9 },
    ],
    [
      'of equal principal after a short first period is the highest, beside both ends',
      rowsOf(1192.77, 2624.98, 2618.6, 2612.2, 1050.1),
      { highest: 2624.98, first: 1192.77, last: 1050.1 },
    ],
    ['of equal principal is the first one', rowsOf(350, 340, 330, 320), { highest: 350, last: 320 }],
    [
      'of interest only is the interest, and the last one is named',
      rowsOf(...times(11, 100), 10_100),
      { regular: 100, last: 10_100 },
    ],
    [
      'of interest by days is the highest but for the repayment at the end',
      rowsOf(31, 28, 31.5, 30, 10_031),
      { 'highest-regular': 31.5, first: 31, last: 10_031, lowest: 28 },
    ],
    [
      'with an annual fee in between is the regular one, and the highest is named',
      rowsOf(...times(5, 100), 130, ...times(5, 100), 99),
      { regular: 100, last: 99, highest: 130 },
    ],
    [
      'with a yearly premium is the regular one, and the premium is named although the last one has it too',
      rowsOf(...times(11, 100), 150, ...times(11, 100), 150),
      { regular: 100, last: 150, highest: 150 },
    ],
    [
      'with grace of principal for half of the term is that after the grace',
      rowsOf(...times(12, 100), ...times(11, 888.49), 888.47),
      { highest: 888.49, first: 100, last: 888.47 },
    ],
    [
      'with a long grace and a last payment that is a cent higher is that after the grace',
      rowsOf(...times(20, 100), ...times(9, 2_000), 2_000.03),
      { 'highest-regular': 2_000, first: 100, last: 2_000.03 },
    ],
    [
      'with grace of principal is that after the grace',
      rowsOf(...times(3, 20), ...times(8, 100), 101),
      { regular: 100, first: 20, last: 101 },
    ],
    [
      'with full grace is that after the grace, whose rows pay nothing',
      rowsOf(...times(3, 0), 140, ...times(8, 100)),
      { regular: 100, first: 140 },
    ],
    [
      'with stepped rates is that of most rows, or the higher one of two',
      rowsOf(...times(6, 100), ...times(6, 120)),
      { regular: 120, first: 100 },
    ],
    [
      'of many steps is the highest one',
      rowsOf(...times(4, 100), ...times(4, 120), ...times(4, 110)),
      { highest: 120, first: 100, last: 110 },
    ],
    [
      'with a charge on the balance is the highest one',
      rowsOf(877.7, 877.46, 877.22),
      { highest: 877.7, last: 877.22 },
    ],
    ['of two rows is the first one and the last one', rowsOf(500, 499.99), { highest: 500, last: 499.99 }],
    ['of one row is that one', rowsOf(1010), { single: 1010 }],
    ['of no row is nothing', [], { single: 0 }],
    [
      'of rows without dates is found too',
      times(4, 50).map((totalInstallment) => ({ totalInstallment })),
      { regular: 50 },
    ],
  ] as const)('%s', (_, rows, expected) => {
    expect(lead(rows)).toEqual(expected);
  });

  it('is not an extra payment, but that after it may be another', () => {
    const [first, second, third, fourth] = rowsOf(100, 5000, 60, 60);
    const rows = [first, { ...second, isEarlyRepayment: 'true' }, third, fourth] as readonly PaidRow[];
    expect(lead(rows)).toEqual({ regular: 60, first: 100 });
  });

  it('includes a residual that is due on the same day', () => {
    const rows = rowsOf(207.02, 207.02, 207.02, 207.04);
    expect(lead([...rows, { ...rows[3], totalInstallment: 200 }])).toEqual({ regular: 207.02, last: 407.04 });
  });

  it('of a recalculation is the regular one, beside the blocked amounts of the first row', () => {
    expect(lead(rowsOf(305.01, 204.01, 204.01, 204.02))).toEqual({
      regular: 204.01,
      first: 305.01,
      last: 204.02,
    });
  });
});

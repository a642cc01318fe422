/** The effective rate exists but was null: the present value of the last payment overflowed during the search (A4). */

import { expect, it } from 'vitest';
import { date, decimal, scheduleOf } from '../support/builders/lending-loan.ts';

const DATES = { ActivationDate: date('2024-01-31'), InstallmentDay: 31 };
const SHRINKING = { ScheduleType: 'EqualPrincipal', ...DATES, CalculateDAE: 2 } as const;

it('finds the rate of payments over nine hundred years', () => {
  const terms = { PeriodicityType: 'Yearly', InstallmentsNo: 900, InterestPercent: decimal(-99) } as const;
  const schedule = scheduleOf({ ...SHRINKING, ...terms });
  expect(schedule.dae).toBe('-99.0524');
  const netValues = [94_755n, 94_765n].map((growth) => netAtLastPayment(schedule.rows, growth));
  expect(netValues.map((value) => value > 0n)).toEqual([true, false]);
});

it('returns -100 percent if the last payment outweighs all others', () => {
  const schedule = scheduleOf({
    ...SHRINKING,
    PeriodicityType: 'Daily',
    InstallmentsNo: 1200,
    InterestPercent: decimal(-12_000),
    InterestCalculationMethod: 'Actual/365',
  });
  expect(schedule.dae).toBe('-100.0000');
});

/** Sum of payment k * g^(n - k), less the amount * g^n, in units of 10^-7n; every period is one year. */
function netAtLastPayment(rows: readonly { readonly pmt: number }[], growth: bigint): bigint {
  const one = 10n ** 7n;
  let value = -100_000n;
  let scale = 1n;
  for (const row of rows) {
    scale *= one;
    value = value * growth + BigInt(row.pmt) * scale;
  }
  return value;
}

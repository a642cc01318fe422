import { describe, expect, it } from 'vitest';
import { callsOf, rateUnits, scheduleUnits, simulationUnits } from '../../../shared/lending/work-units.ts';
import { fee } from '../../support/builders/lending-charges.ts';
import { date, decimal, loan } from '../../support/builders/lending-loan.ts';

const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
const bands = many(1, { MinUtilizedAmount: decimal(0), Value: decimal(5) });
const prepayment = { Date: date('2025-01-09'), Amount: decimal(1) };
const rate = { FromInstNo: 1, ToInstNo: 1, InterestRate: decimal(5) };

describe('the units of a schedule', () => {
  const few = loan({ InstallmentsNo: 120 });
  it.each([
    ['installments', { InstallmentsNo: 121 }, 121 * 8],
    ['charges', { Commission: [fee()] }, 120 * 9],
    ['explanations', { Explain: true }, 120 * 80],
    ['bands of rates', { BandedInterestRates: bands }, 120 * (8 + 1 + 15)],
    ['prepayments', { EarlyRepayments: [prepayment] }, 121 * 9],
    ['rates', { MultipleInterestRates: [rate] }, 120 * 9],
  ])('grow with its %s', (_, more, units) => {
    expect(scheduleUnits(few)).toBe(120 * 8);
    expect(scheduleUnits(loan({ InstallmentsNo: 120, ...more }))).toBe(units);
  });

  it('grow with the square of the installments where each may change the payment', () => {
    const [long, short] = [1_200, 300].map((InstallmentsNo) =>
      scheduleUnits(loan({ InstallmentsNo, BandedInterestRates: bands })),
    );
    expect((long ?? 0) / (short ?? 1)).toBeGreaterThan(8);
  });

  it('are a thousandth of a second for an ordinary loan, and never more than a second', () => {
    expect(scheduleUnits(few)).toBeLessThan(1_000);
    const most = { Commission: many(200, fee()), EarlyRepayments: many(1_200, prepayment), Explain: true };
    expect(scheduleUnits(loan({ InstallmentsNo: 1_200, ...most }))).toBe(900_000);
  });
});

it('the units of cash flows and of simulations grow with what they calculate', () => {
  const [less, more] = [50, 5_000].map((count) =>
    rateUnits({ Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: many(count, decimal(1)) }),
  );
  expect(more).toBe(100 * (less ?? 0));
  expect([0, 10_000, 10_001].map(callsOf)).toEqual([1, 1, 2]);
  expect(simulationUnits({ loanPeriod: 24 })).toBe(2 * simulationUnits({ loanPeriod: 12 }));
  expect(simulationUnits({ loanPeriod: 12, jsonMultipleInterestRates: [rate] })).toBeGreaterThan(
    simulationUnits({ loanPeriod: 12 }),
  );
});

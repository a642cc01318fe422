/**
 * A bug of the annual-rate solver: with dates, the exact present value lost all its digits at rates close to -100 percent.
 * So the solver returned null for a double rate there, or another rate farther from zero.
 */

import { expect, it } from 'vitest';
import { cashFlows, rateOf } from '../support/builders/rate-flows.ts';

it('finds a double rate of -27 percent a day', () => {
  const CashFlows = cashFlows(['2025-01-01', -10_000], ['2025-01-02', 14_600], ['2025-01-03', -5_329]);
  expect(rateOf({ Rule: 'XIRR', CashFlows }).rate).toBe('-100.0000000000');
});

/**
 * Flows on the same date that cancel each other hid the sign of earlier flows: the solver returned null although a rate
 * exists, and -100 percent although there is none. Two rates close to zero made it throw.
 */

import { expect, it } from 'vitest';
import { solveRate } from '../../shared/lending/annual-rate/proven-rate.ts';
import { FOUR_DECIMALS, flowsAtUnits } from '../support/builders/rate-flows.ts';

it('finds the rate of payments before a last date on which all flows cancel', () => {
  const cancelled = flowsAtUnits(1_000, [1_100, -500, 500], [1, 2, 2], 1);
  expect(solveRate(cancelled, FOUR_DECIMALS).percent).toBe('10.0000');
  const growing = flowsAtUnits(-100, [100, -900, -200, 200], [1, 2, 4, 4], 1);
  expect(solveRate(growing, FOUR_DECIMALS).percent).toBe('154.1381');
});

it('returns null if only cancelling flows would have a rate', () => {
  const none = flowsAtUnits(1, [1, -1, 0, 1, -1], [30, 61, 91, 91, 91], 365);
  expect(solveRate(none, FOUR_DECIMALS).percent).toBeNull();
});

it('solves flows with two rates close to zero', () => {
  const close = flowsAtUnits(49_000_000_000_000, [98_000_000_000_008, -49_000_000_000_000], [2, 4], 1);
  expect(solveRate(close, FOUR_DECIMALS).percent).toBe('0.0000');
});

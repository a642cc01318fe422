import { expect, test } from 'vitest';
import { backoffMs } from '../../../shared/messaging/backoff.ts';

const limits = { minMs: 1_000, maxMs: 30_000 };

test('doubles the delay from the minimum to the maximum', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 1_000].map((attempt) => backoffMs(limits, attempt, () => 1));
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test('reduces a delay at random by at most half, but not below the minimum', () => {
  expect(backoffMs(limits, 4, () => 0)).toBe(4_000);
  expect(backoffMs(limits, 4, () => 0.5)).toBe(6_000);
  expect(backoffMs(limits, 1, () => 0)).toBe(1_000);
});

import { describe, expect, it } from 'vitest';
import { planRetry, tierFor, type RetryPlan } from '../../../../workers/notification/retry/retry-plan.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PLAN: RetryPlan = { tiersMs: [10 * SECOND, MINUTE, 10 * MINUTE, HOUR], timeLimitMs: 6 * HOUR };

describe('planRetry', () => {
  it.each([
    [1, 10 * SECOND],
    [2, MINUTE],
    [3, 10 * MINUTE],
    [4, HOUR],
    [5, HOUR],
    [40, HOUR],
  ])('after round %i plans a delay of %i ms', (attempt, delayMs) => {
    expect(planRetry(PLAN, attempt, 0)).toBe(delayMs);
  });

  it.each([
    [500, 10 * SECOND],
    [11 * SECOND, MINUTE],
    [10 * MINUTE, 10 * MINUTE],
    [5 * HOUR, HOUR],
  ])('for a Retry-After of %i ms plans a delay of %i ms', (retryAfterMs, delayMs) => {
    expect(planRetry(PLAN, 1, 0, retryAfterMs)).toBe(delayMs);
  });

  it('does not shorten the delay for a shorter Retry-After', () => {
    expect(planRetry(PLAN, 3, 0, 1)).toBe(10 * MINUTE);
  });

  it('does not plan a round after the time limit or without a tier', () => {
    expect(planRetry(PLAN, 4, 5 * HOUR)).toBe(HOUR);
    expect(planRetry(PLAN, 4, 5 * HOUR + 1)).toBeUndefined();
    expect(planRetry({ tiersMs: [], timeLimitMs: HOUR }, 1, 0)).toBeUndefined();
  });
});

it('selects the first tier that covers a wait, otherwise the last', () => {
  expect([-5, 9 * SECOND, 11 * SECOND, 2 * HOUR].map((ms) => tierFor(PLAN, ms))).toEqual([
    10 * SECOND,
    10 * SECOND,
    MINUTE,
    HOUR,
  ]);
  expect(tierFor({ tiersMs: [], timeLimitMs: HOUR }, 5)).toBe(0);
});

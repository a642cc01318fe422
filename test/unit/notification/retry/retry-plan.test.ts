import { expect, it } from 'vitest';
import { planRetry, tierFor, type RetryPlan } from '../../../../workers/notification/retry/retry-plan.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PLAN: RetryPlan = { tiersMs: [10 * SECOND, MINUTE, 10 * MINUTE, HOUR], timeLimitMs: 6 * HOUR };

it.each([
  ...[10 * SECOND, MINUTE, 10 * MINUTE, HOUR, HOUR].map((delayMs, at) => [at + 1, 0, undefined, delayMs]),
  [40, 0, undefined, HOUR],
  [1, 0, 500, 10 * SECOND],
  [1, 0, 11 * SECOND, MINUTE],
  [1, 0, 10 * MINUTE, 10 * MINUTE],
  [1, 0, 5 * HOUR, HOUR],
  [3, 0, 1, 10 * MINUTE],
  [4, 5 * HOUR, undefined, HOUR],
  [4, 5 * HOUR + 1, undefined, undefined],
])('after round %s at the age of %s ms, with a Retry-After of %s ms, plans a delay of %s ms', (...row) => {
  const [attempt = 0, ageMs = 0, retryAfterMs, delayMs] = row;
  expect(planRetry(PLAN, attempt, ageMs, retryAfterMs)).toBe(delayMs);
});

it('selects the first tier that covers a wait, otherwise the last', () => {
  const tiers = [-5, 9 * SECOND, 11 * SECOND, 2 * HOUR].map((ms) => tierFor(PLAN, ms));
  expect(tiers).toEqual([10 * SECOND, 10 * SECOND, MINUTE, HOUR]);
  const none = { tiersMs: [], timeLimitMs: HOUR };
  expect([tierFor(none, 5), planRetry(none, 1, 0)]).toEqual([0, undefined]);
});

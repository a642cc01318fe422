import { describe, expect, it } from 'vitest';
import { nextDestination, type RetryPlan } from '../../../../shared/notification/retry-plan.ts';
import { nextStep, tierFor } from '../../../../workers/notification/delivery/conclude-round.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PLAN: RetryPlan = { tiersMs: [10 * SECOND, MINUTE, 10 * MINUTE, HOUR], timeLimitMs: 6 * HOUR };
const NOW = 1_700_000_000_000;
const times = { firstSeenMs: NOW, nowMs: NOW };

describe('the way of a notification over the retry tiers', () => {
  it.each([
    [1, 10 * SECOND],
    [2, MINUTE],
    [3, 10 * MINUTE],
    [4, HOUR],
    [5, HOUR],
    [40, HOUR],
  ])('after round %i it waits %i ms', (attempt, delayMs) => {
    const destination = nextDestination(PLAN, attempt, { kind: 'transient', code: 'busy' }, times);
    expect(destination).toMatchObject({ kind: 'retry', delayMs });
  });

  it.each([
    [500, 10 * SECOND],
    [11 * SECOND, MINUTE],
    [10 * MINUTE, 10 * MINUTE],
    [5 * HOUR, HOUR],
  ])('a provider that asks for %i ms of patience gets %i ms', (retryAfterMs, delayMs) => {
    const failure = { kind: 'transient', code: 'busy', retryAfterMs } as const;
    expect(nextDestination(PLAN, 1, failure, times)).toMatchObject({ kind: 'retry', delayMs });
  });

  it('a wish for less patience does not shorten a later tier', () => {
    const failure = { kind: 'transient', code: 'busy', retryAfterMs: 1 } as const;
    expect(nextDestination(PLAN, 3, failure, times)).toMatchObject({ delayMs: 10 * MINUTE });
  });

  it('no round is planned that would begin after the time limit', () => {
    const late = (nowMs: number) =>
      nextDestination(PLAN, 4, { kind: 'transient', code: 'busy' }, { firstSeenMs: NOW, nowMs });
    expect(late(NOW + 5 * HOUR)).toMatchObject({ kind: 'retry' });
    expect(late(NOW + 5 * HOUR + 1)).toEqual({ kind: 'dead', code: 'time-limit-exceeded' });
  });

  it('a refusal for good is dead at once, an unknown outcome is parked', () => {
    expect(nextDestination(PLAN, 1, { kind: 'permanent', code: 'smtp-550' }, times)).toEqual({
      kind: 'dead',
      code: 'smtp-550',
    });
    expect(nextDestination(PLAN, 1, { kind: 'unknown', code: 'timeout' }, times)).toEqual({
      kind: 'park',
      code: 'timeout',
    });
  });
});

describe('what follows a failed round', () => {
  const options = { plan: PLAN, attempt: 1, acceptsTwice: false, times };
  const unknown = { failure: { kind: 'unknown', code: 'timeout' }, isRepeatable: false } as const;

  it('an unknown outcome is parked, unless it may be sent twice or its provider knows the id again', () => {
    expect(nextStep(unknown, options)).toMatchObject({ status: 'parked', code: 'outcome-unknown' });
    expect(nextStep(unknown, { ...options, acceptsTwice: true })).toMatchObject({
      status: 'retrying',
      code: 'timeout',
      nextAttemptAt: NOW + 10 * SECOND,
      tierMs: 10 * SECOND,
    });
    expect(nextStep({ ...unknown, isRepeatable: true }, options)).toMatchObject({ status: 'retrying' });
  });

  it('an unknown outcome that runs out of time is parked: it may have been sent', () => {
    const late = { firstSeenMs: NOW - 6 * HOUR, nowMs: NOW };
    const step = nextStep(unknown, { ...options, acceptsTwice: true, times: late });
    expect(step).toMatchObject({ status: 'parked', code: 'outcome-unknown' });
  });

  it('a wait takes the first tier that is long enough, else the last', () => {
    expect([-5, 9 * SECOND, 11 * SECOND, 2 * HOUR].map((ms) => tierFor(PLAN, ms))).toEqual([
      10 * SECOND,
      10 * SECOND,
      MINUTE,
      HOUR,
    ]);
  });
});

import { describe, expect, it, test } from 'vitest';
import { createRateLimiter, estimateBodyCost } from '../../../../workers/ingress/server/rate-limit.ts';

test('a body costs a unit for each 256 KiB and for each 10,000 members and elements, rounded together', () => {
  expect(estimateBodyCost(100, 100)).toBe(0);
  expect(estimateBodyCost(100, 10_000)).toBe(1);
  expect(estimateBodyCost(9 * 262_144, 10_000)).toBe(10);
});

describe('the rate limit', () => {
  it('allows a burst of one second of requests, then the configured rate', () => {
    let nowMs = 0;
    const limit = createRateLimiter(10, { now: () => nowMs });
    const passed = () =>
      Array.from({ length: 100 }, () => limit.take('a')).filter((wait) => wait === 0).length;
    expect(passed()).toBe(10);
    nowMs += 500;
    expect(passed()).toBe(5);
    nowMs += 60_000;
    expect(passed()).toBe(10);
  });

  it('counts callers separately, even if the clock is set back', () => {
    let nowMs = 10_000;
    const limit = createRateLimiter(1, { now: () => nowMs });
    expect([limit.take('a'), limit.take('a'), limit.take('b')]).toEqual([0, 1, 0]);
    nowMs = 5_000;
    expect(limit.take('a')).toBe(1);
    nowMs = 6_000;
    expect(limit.take('a')).toBe(0);
  });

  it('lets one expensive request overdraw the allowance, and makes the next request wait', () => {
    let nowMs = 0;
    const limit = createRateLimiter(100, { now: () => nowMs });
    expect([limit.take('a'), limit.charge('a', 98, 0), limit.take('a'), limit.charge('a', 98, 0)]).toEqual([
      0, 0, 0, 0,
    ]);
    expect(limit.take('a')).toBe(1);
    expect(limit.take('b')).toBe(0);
    nowMs += 900;
    expect(limit.take('a')).toBe(1);
    nowMs += 90;
    expect(limit.take('a')).toBe(0);
  });

  it('returns the seconds until the allowance is positive again', () => {
    const limit = createRateLimiter(10, { now: () => 0 });
    limit.spend('a', 35);
    expect(limit.take('a')).toBe(3);
    expect(limit.charge('a', 1, 0)).toBe(3);
  });

  it('refuses all but the first of several concurrent expensive requests', () => {
    const limit = createRateLimiter(10, { now: () => 0 });
    for (let request = 0; request < 10; request++) limit.take('a');
    const charged = Array.from({ length: 10 }, () => limit.charge('a', 99, 0));
    expect(charged).toEqual([0, ...Array.from({ length: 9 }, () => 10)]);
  });

  it('ignores the cost of its own body when it checks an expensive request', () => {
    const limit = createRateLimiter(10, { now: () => 0 });
    for (let request = 0; request < 10; request++) limit.take('a');
    limit.spend('a', 4);
    expect(limit.charge('a', 3, 4)).toBe(0);
    expect(limit.charge('a', 3, 4)).toBe(1);
    expect(limit.take('a')).toBe(1);
  });

  it('keeps at most 10,000 callers and evicts the oldest', () => {
    const limit = createRateLimiter(1, { now: () => 0 });
    limit.take('first');
    for (let caller = 0; caller < 9_999; caller++) limit.take(`caller ${caller}`);
    expect(limit.take('first')).toBe(1);
    limit.take('one more');
    expect(limit.take('caller 9998')).toBe(1);
    expect(limit.take('first')).toBe(0);
  });

  it('allows everything at a rate of 0', () => {
    const limit = createRateLimiter(0, { now: () => 0 });
    expect(Array.from({ length: 1_000 }, () => limit.take('a')).every((wait) => wait === 0)).toBe(true);
  });
});

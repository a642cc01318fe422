import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { departures, openLoop } from '../../../scripts/bench/load.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('sends requests at equal intervals, as many as fit into the time', () => {
  expect(departures(20, 250)).toEqual([0, 50, 100, 150, 200]);
  expect(departures(20, 60_000)).toHaveLength(1_200);
  expect(departures(20, 60_000).at(-1)).toBe(59_950);
});

test('sends a request on time although earlier ones have not been answered', async () => {
  const sentAt: number[] = [];
  const running = openLoop({
    perSecond: 10,
    forMs: 500,
    request: () => {
      sentAt.push(performance.now());
      return sleep(10_000);
    },
  });
  const startedAt = performance.now();
  await vi.advanceTimersByTimeAsync(500);
  expect(sentAt.map((time) => time - startedAt)).toEqual([0, 100, 200, 300, 400]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await running).toMatchObject({ requests: 5, failed: 0, p50Ms: 10_000 });
});

test('measures latency from the scheduled time, so a stall counts for every request that it delays', async () => {
  let isFirst = true;
  const running = openLoop({
    perSecond: 10,
    forMs: 500,
    request: () => {
      if (isFirst) vi.advanceTimersByTime(350);
      isFirst = false;
      return Promise.resolve();
    },
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await running).toMatchObject({ longestMs: 350, p50Ms: 150, lateP99Ms: 250 });
});

test('counts a failed request, with its time', async () => {
  const running = openLoop({
    perSecond: 10,
    forMs: 200,
    request: async () => {
      await sleep(70);
      throw new Error('refused');
    },
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await running).toMatchObject({ requests: 2, failed: 2, p99Ms: 70 });
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchLoopLag } from '../../../shared/platform/loop-lag.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Watches an event loop of which this share is busy; `lateMs` is added to the time of each sample. */
function createScene(busyShare: number) {
  const late = { ms: 0 };
  let reads = 0;
  const lag = watchLoopLag({
    now: () => {
      reads += 1;
      return Date.now() + (reads % 2 === 0 ? late.ms : 0);
    },
    busyShare: () => busyShare,
  });
  vi.advanceTimersByTime(1_500);
  lag.take();
  reads = 1;
  /** Two readings for each sample. */
  const samplesIn = (ms: number): number => {
    const before = reads;
    vi.advanceTimersByTime(ms);
    return (reads - before) / 2;
  };
  return { lag, late, samplesIn };
}

test('an idle event loop is sampled twice a second, and the samples that were left out count as punctual', () => {
  const { lag, late, samplesIn } = createScene(0.05);
  late.ms = 500;
  expect(samplesIn(60_000)).toBe(120);
  const taken = lag.take();
  expect([taken.max, taken.percentile(50), taken.percentile(90)]).toEqual([
    expect.closeTo(0.51, 2),
    expect.closeTo(0.01, 4),
    expect.closeTo(0.01, 4),
  ]);
});

test('a busy event loop is sampled a hundred times a second', () => {
  const { lag, late, samplesIn } = createScene(0.2);
  late.ms = 30;
  expect(samplesIn(1_000)).toBe(100);
  expect(lag.take().percentile(50)).toBeCloseTo(0.04, 3);
});

test('the lag of a time without samples is that of a punctual one', () => {
  const { lag } = createScene(0);
  expect(lag.take().max).toBeCloseTo(0.01, 4);
});

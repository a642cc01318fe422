import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { repeat, sleep, systemTimers } from '../../../shared/platform/timers.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('the system timers', () => {
  it.each([0, 5])('call back once after %i ms unless cancelled', async (afterMs) => {
    const callback = vi.fn<() => void>();
    const cancelled = vi.fn<() => void>();
    systemTimers.schedule(callback, afterMs);
    systemTimers.schedule(cancelled, afterMs)();
    await vi.advanceTimersByTimeAsync(afterMs);
    expect(callback).toHaveBeenCalledOnce();
    expect(cancelled).not.toHaveBeenCalled();
  });

  it.each([
    [undefined, true],
    ['background' as const, false],
  ])('keep the process running unless they are background timers: %s', (kind, keepsRunning) => {
    const scheduled = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'setImmediate')];
    for (const afterMs of [0, 5]) systemTimers.schedule(() => undefined, afterMs, kind);
    const timers = scheduled.flatMap((spy) => spy.mock.results.map(({ value }) => value as NodeJS.Timeout));
    vi.restoreAllMocks();
    expect(timers.map((timer) => timer.hasRef())).toEqual([keepsRunning, keepsRunning]);
  });

  it('call back once in the next turn of the event loop', async () => {
    const turns: string[] = [];
    systemTimers.nextTurn(() => turns.push('next'));
    turns.push('this');
    await vi.advanceTimersByTimeAsync(0);
    expect(turns).toEqual(['this', 'next']);
  });
});

describe('sleep', () => {
  it('resolves after the time, on abort, and immediately when already aborted', async () => {
    const ended: string[] = [];
    const controller = new AbortController();
    void sleep(systemTimers, 100).then(() => ended.push('time'));
    void sleep(systemTimers, 1_000, controller.signal).then(() => ended.push('abort'));
    void sleep(systemTimers, 1_000, AbortSignal.abort()).then(() => ended.push('aborted'));
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toEqual(['aborted']);
    await vi.advanceTimersByTimeAsync(100);
    expect(ended).toEqual(['aborted', 'time']);
    controller.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toEqual(['aborted', 'time', 'abort']);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('repeat calls back at each interval until it is cancelled', async () => {
  const callback = vi.fn<() => void>();
  const cancel = repeat(systemTimers, callback, 10);
  await vi.advanceTimersByTimeAsync(35);
  cancel();
  await vi.advanceTimersByTimeAsync(100);
  expect(callback).toHaveBeenCalledTimes(3);
});

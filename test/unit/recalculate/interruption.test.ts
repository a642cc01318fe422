import { expect, it, onTestFinished, vi } from 'vitest';
import { listenToSignals } from '../../../scripts/recalculate/interruption.ts';

it('stops the reading on a first signal, and exits on one that comes a second later', () => {
  vi.useFakeTimers();
  const known = process.listeners('SIGTERM');
  onTestFinished(() => {
    vi.useRealTimers();
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      for (const listener of process.listeners(signal))
        if (!known.includes(listener)) process.off(signal, listener);
  });
  const exitNow = vi.fn<() => void>();
  const say = vi.fn<(line: string) => void>();
  const interruption = listenToSignals(say, exitNow);
  process.emit('SIGTERM', 'SIGTERM');
  process.emit('SIGINT', 'SIGINT');
  expect([interruption.stopped.aborted, interruption.signalName()]).toEqual([true, 'SIGTERM']);
  expect(exitNow).not.toHaveBeenCalled();
  expect(say.mock.calls).toEqual([[expect.stringContaining('SIGTERM: finishing the work in progress')]]);
  vi.advanceTimersByTime(1_200);
  process.emit('SIGTERM', 'SIGTERM');
  expect(exitNow).toHaveBeenCalledOnce();
  expect(interruption.abandoned.aborted).toBe(false);
  vi.advanceTimersByTime(30_000);
  expect(interruption.abandoned.aborted).toBe(true);
});

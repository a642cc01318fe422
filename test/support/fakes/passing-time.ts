import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, vi } from 'vitest';

const FAKED = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] as const;

/** In the tests of a file timers fire only in `pass` and `passUntil`; turns of the event loop are real. */
export function stopTime(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: [...FAKED] }));
  afterEach(() => void vi.useRealTimers());
}

export async function pass(ms = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
}

export async function passUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pass(5);
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, vi } from 'vitest';

/** More turns of the event loop than a chain of calls in one process takes. */
const TURNS = 10;
const STEP_MS = 5;
const MOST_STEPS = 4_000;

const FAKED = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] as const;

/** In the tests of a file timers fire only while time passes by these functions; turns of the event loop are real. */
export function stopTime(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: [...FAKED] }));
  afterEach(() => void vi.useRealTimers());
}

export async function pass(ms = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
}

export async function passUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let step = 0; !(await isTrue()); step += 1) {
    if (step === MOST_STEPS) throw new Error('it did not happen');
    await pass(STEP_MS);
  }
}

import { describe, expect, it } from 'vitest';
import { TurnSlices } from '../../../workers/runtime/turn-slices.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

/** Slices on a clock that only work advances. */
function setUp(more: { readonly longestMs?: number } = {}) {
  let nowMs = 0;
  const slices = new TurnSlices({
    sliceMs: 2,
    ...more,
    monotonic: { elapsedMs: () => nowMs },
    timers: systemPorts.timers,
  });
  const done: number[] = [];
  return {
    slices,
    done,
    pass: (ms: number) => (nowMs += ms),
    /** Work that takes this long, all of it in a promise that it settles. */
    add: (...tookMs: number[]) => {
      for (const ms of tookMs) {
        slices.runLater(() => void Promise.resolve().then(() => (nowMs += ms)));
        slices.runLater(() => done.push(ms));
      }
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => systemPorts.timers.nextTurn(resolve));

describe('slices of a turn of the event loop', () => {
  it('have time for work until the limit, and not before work that waits', async () => {
    const { slices, pass, add } = setUp();
    expect(slices.hasTime).toBe(true);
    pass(1.9);
    expect(slices.hasTime).toBe(true);
    pass(0.1);
    expect(slices.hasTime).toBe(false);
    await nextTurn();
    expect(slices.hasTime).toBe(true);
    add(1);
    expect(slices.hasTime).toBe(false);
    await nextTurn();
    expect(slices.hasTime).toBe(true);
  });

  it('run waiting work in order, and end when it has taken the limit, promises included', async () => {
    const { done, add } = setUp();
    add(1, 1, 3);
    await nextTurn();
    expect(done).toEqual([1]);
    await nextTurn();
    expect(done).toEqual([1, 1]);
    await nextTurn();
    await nextTurn();
    expect(done).toEqual([1, 1, 3]);
  });

  it('may last as long as everything else took, up to another limit', async () => {
    const { done, pass, add } = setUp({ longestMs: 5 });
    add(1, 1, 1, 1, 1, 1, 1);
    pass(100);
    await nextTurn();
    expect(done).toEqual([1, 1, 1, 1]);
  });
});

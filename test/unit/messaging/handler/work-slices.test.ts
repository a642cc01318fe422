import { expect, test } from 'vitest';
import { WorkSlices } from '../../../../shared/messaging/handler/work-slices.ts';

/** Slices with a manual clock and event loop. */
function createScene(sliceMs = 2) {
  let nowMs = 0;
  const turns: (() => void)[] = [];
  const slices = new WorkSlices({
    sliceMs,
    monotonic: { elapsedMs: () => nowMs },
    timers: { nextTurn: (callback) => turns.push(callback) },
  });
  return {
    slices,
    work: (ms: number) => (nowMs += ms),
    /** Runs one event loop turn and its microtasks. */
    turn: async () => {
      for (const callback of turns.splice(0)) callback();
      for (let round = 0; round < 10; round += 1) await Promise.resolve();
    },
    waitingTurns: () => turns.length,
  };
}

test('starts a slice in a new event loop turn and ends it after its time', async () => {
  const { slices, work, turn } = createScene();
  let hasStarted = false;
  const acquired = slices.acquire().then(() => (hasStarted = true));
  await Promise.resolve();
  expect(hasStarted).toBe(false);
  await turn();
  await acquired;
  expect(slices.isOver()).toBe(false);
  work(1.9);
  expect(slices.isOver()).toBe(false);
  work(0.1);
  expect(slices.isOver()).toBe(true);
  const next = slices.yield();
  await turn();
  await next;
  expect(slices.isOver()).toBe(false);
});

test('serves one task at a time in order of arrival, one slice per turn', async () => {
  const { slices, work, turn, waitingTurns } = createScene();
  const log: string[] = [];
  const run = async (name: string) => {
    await slices.acquire();
    log.push(`${name} starts`);
    for (let piece = 0; piece < 4; piece += 1) {
      if (slices.isOver()) {
        log.push(`${name} yields`);
        await slices.yield();
      }
      work(1);
    }
    log.push(`${name} ends`);
    slices.release();
  };
  const all = Promise.all([run('a'), run('b'), run('c')]);
  const perTurn: string[][] = [];
  for (let turns = 0; turns < 10; turns += 1) {
    expect(waitingTurns()).toBeLessThanOrEqual(1);
    log.length = 0;
    await turn();
    perTurn.push([...log]);
  }
  await all;
  expect(perTurn.filter((one) => one.length > 0)).toEqual([
    ['a starts', 'a yields'],
    ['a ends'],
    ['b starts', 'b yields'],
    ['b ends'],
    ['c starts', 'c yields'],
    ['c ends'],
  ]);
});

test('serves a task that arrives after all others have released the slices', async () => {
  const { slices, turn } = createScene();
  for (let round = 0; round < 3; round += 1) {
    const acquired = slices.acquire();
    await turn();
    await acquired;
    slices.release();
  }
  expect(slices.isOver()).toBe(false);
});

import { expect, test } from 'vitest';
import { WorkSlices } from '../../../../shared/messaging/handler/work-slices.ts';

/** Slices over a manual clock and event loop. */
function createScene(sliceMs = 2) {
  let nowMs = 0;
  const turns: (() => void)[] = [];
  const slices = new WorkSlices({ sliceMs, now: () => nowMs, nextTurn: (callback) => turns.push(callback) });
  return {
    slices,
    work: (ms: number) => (nowMs += ms),
    /** One turn of the event loop, with all that follows from it. */
    turn: async () => {
      for (const callback of turns.splice(0)) callback();
      for (let round = 0; round < 10; round += 1) await Promise.resolve();
    },
    waitingTurns: () => turns.length,
  };
}

test('a slice begins with a turn of its own and is over after its time', async () => {
  const { slices, work, turn } = createScene();
  let begun = false;
  const acquired = slices.acquire().then(() => (begun = true));
  await Promise.resolve();
  expect(begun).toBe(false);
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

test('one works at a time, in the order of asking, and never two in one turn', async () => {
  const { slices, work, turn, waitingTurns } = createScene();
  const log: string[] = [];
  const run = async (name: string) => {
    await slices.acquire();
    log.push(`${name} begins`);
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
    ['a begins', 'a yields'],
    ['a ends'],
    ['b begins', 'b yields'],
    ['b ends'],
    ['c begins', 'c yields'],
    ['c ends'],
  ]);
});

test('a task that comes after the others are done gets the slices again', async () => {
  const { slices, turn } = createScene();
  for (let round = 0; round < 3; round += 1) {
    const acquired = slices.acquire();
    await turn();
    await acquired;
    slices.release();
  }
  expect(slices.isOver()).toBe(false);
});

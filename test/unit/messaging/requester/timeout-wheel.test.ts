import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TimeoutWheel } from '../../../../shared/messaging/requester/timeout-wheel.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function createScene() {
  const ended: string[] = [];
  const wheel = new TimeoutWheel<string>((item) => ended.push(item));
  const add = (item: string, afterMs: number) => wheel.add(item, performance.now() + afterMs);
  return { wheel, add, ended };
}

test('items end in the order of their time, never early and at most two ticks late', async () => {
  const { add, ended } = createScene();
  add('late', 313);
  // Off the ticks, so that rounding the wrong way would show.
  await vi.advanceTimersByTimeAsync(13);
  add('soon', 100);
  await vi.advanceTimersByTimeAsync(99);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(41);
  expect(ended).toEqual(['soon']);
  await vi.advanceTimersByTimeAsync(200);
  expect(ended).toEqual(['soon', 'late']);
});

test('an item taken out does not end, and an empty wheel keeps no timer', async () => {
  const { wheel, add, ended } = createScene();
  wheel.delete('a', add('a', 100));
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ended).toEqual([]);
});

test('a wheel that was empty for long goes on', async () => {
  const { add, ended } = createScene();
  add('first', 10);
  await vi.advanceTimersByTimeAsync(100_000);
  add('second', 10);
  await vi.advanceTimersByTimeAsync(100);
  expect(ended).toEqual(['first', 'second']);
  expect(vi.getTimerCount()).toBe(0);
});

test('an item whose time has passed already ends with the next tick', async () => {
  const { add, ended } = createScene();
  await vi.advanceTimersByTimeAsync(1_000);
  add('past', -500);
  await vi.advanceTimersByTimeAsync(40);
  expect(ended).toEqual(['past']);
});

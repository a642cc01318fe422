import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TimeoutWheel } from '../../../../shared/messaging/requester/timeout-wheel.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function createScene() {
  const timedOut: string[] = [];
  const wheel = new TimeoutWheel<string>((item) => timedOut.push(item), systemPorts);
  const add = (item: string, afterMs: number) => wheel.add(item, performance.now() + afterMs);
  return { wheel, add, timedOut };
}

test('times items out in order, never early and at most two ticks late', async () => {
  const { add, timedOut } = createScene();
  add('late', 313);
  // Between two ticks, so that rounding down would time out early.
  await vi.advanceTimersByTimeAsync(13);
  add('soon', 100);
  await vi.advanceTimersByTimeAsync(99);
  expect(timedOut).toEqual([]);
  await vi.advanceTimersByTimeAsync(41);
  expect(timedOut).toEqual(['soon']);
  await vi.advanceTimersByTimeAsync(200);
  expect(timedOut).toEqual(['soon', 'late']);
});

test('does not time out deleted items, and has no timer while it is empty', async () => {
  const { wheel, add, timedOut } = createScene();
  wheel.delete('a', add('a', 100));
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(timedOut).toEqual([]);
});

test('continues after it has been empty', async () => {
  const { add, timedOut } = createScene();
  add('first', 10);
  await vi.advanceTimersByTimeAsync(100_000);
  add('second', 10);
  await vi.advanceTimersByTimeAsync(100);
  expect(timedOut).toEqual(['first', 'second']);
  expect(vi.getTimerCount()).toBe(0);
});

test('times out an overdue item with the next tick', async () => {
  const { add, timedOut } = createScene();
  await vi.advanceTimersByTimeAsync(1_000);
  add('past', -500);
  await vi.advanceTimersByTimeAsync(40);
  expect(timedOut).toEqual(['past']);
});

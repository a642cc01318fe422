import { afterEach, expect, test, vi } from 'vitest';
import {
  OffsetTracker,
  createWork,
  type Work,
} from '../../../../shared/messaging/consumer/offset-tracker.ts';
import type { ProcessingResult } from '../../../../shared/messaging/processing-result.ts';
import {
  type ExecutorOptions,
  KeyOrderedExecutor,
} from '../../../../shared/messaging/consumer/key-ordered-executor.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';
import { settleMicrotasks } from '../../../support/fakes/work.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

afterEach(() => vi.useRealTimers());

function createScene(
  run: (work: Work) => ProcessingResult | Promise<ProcessingResult>,
  options: Partial<ExecutorOptions> = {},
) {
  const started: number[] = [];
  const executor = new KeyOrderedExecutor(
    {
      run: (work) => {
        started.push(work.offset);
        return run(work);
      },
      thrown: () => 'failed',
      ended: () => 'next',
      held: () => undefined,
      wanted: () => true,
    },
    { ...systemPorts, limit: 64, sliceMs: 1_000, ...options },
  );
  const tracker = new OffsetTracker({ topic: 'requests', partition: 0 });
  const add = (offset: number, key: string | null, topic = 'requests') => {
    executor.add(createWork(fakeMessage(offset, { key, topic }), tracker, 0));
  };
  return { executor, started, add };
}

const never = () => new Promise<ProcessingResult>(() => undefined);

test('does not run more work items at the same time than the limit allows', () => {
  const { executor, started, add } = createScene(never, { limit: 3 });
  for (let offset = 0; offset < 10; offset += 1) add(offset, `key-${offset}`);
  executor.dispatch();
  expect(started).toEqual([0, 1, 2]);
  expect(executor.running).toBe(3);
});

test('takes no turns of the event loop while the limit allows no further work item', () => {
  const turns: (() => void)[] = [];
  const timers = { ...systemPorts.timers, nextTurn: (callback: () => void) => void turns.push(callback) };
  const { executor, add } = createScene(never, { limit: 1, timers });
  add(0, 'a');
  add(1, 'b');
  executor.dispatch();
  for (let turn = 1; turn <= 3; turn += 1) for (const callback of turns.splice(0)) callback();
  expect(turns).toEqual([]);
});

test('starts new work of a key whose queued work was dropped', () => {
  const { executor, started, add } = createScene(never);
  add(0, 'a');
  executor.dropQueued();
  add(1, 'a');
  executor.dispatch();
  expect(started).toEqual([1]);
});

test('runs messages without a key concurrently', () => {
  const { executor, started, add } = createScene(never);
  for (let offset = 0; offset < 5; offset += 1) add(offset, null);
  executor.dispatch();
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

test('runs messages with an empty key in sequence', () => {
  const { executor, started, add } = createScene(never);
  add(0, '');
  add(1, '');
  executor.dispatch();
  expect(started).toEqual([0]);
});

test('queues the same key of another topic separately', () => {
  const { executor, started, add } = createScene(never);
  add(0, 'a');
  add(1, 'a', 'other');
  executor.dispatch();
  expect(started).toEqual([0, 1]);
});

test('compares keys by their bytes', () => {
  const started: number[] = [];
  const { executor } = createScene((work) => {
    started.push(work.offset);
    return never();
  });
  const tracker = new OffsetTracker({ topic: 'requests', partition: 0 });
  // Both are invalid UTF-8 and would read as the same replacement character.
  executor.add(createWork({ ...fakeMessage(0), key: Buffer.from([0xff]) }, tracker, 0));
  executor.add(createWork({ ...fakeMessage(1), key: Buffer.from([0xfe]) }, tracker, 0));
  executor.dispatch();
  expect(started).toEqual([0, 1]);
});

test('runs work of other keys while an item is held, but none of its own key', async () => {
  vi.useFakeTimers();
  const { executor, started, add } = createScene(
    (work) => (work.offset === 0 && work.attempts === 1 ? { retryAfterMs: 100 } : 'settled'),
    { limit: 1 },
  );
  add(0, 'a');
  add(1, 'a');
  add(2, 'b');
  executor.dispatch();
  expect(started).toEqual([0, 2]);
  await vi.advanceTimersByTimeAsync(100);
  expect(started).toEqual([0, 2, 0, 1]);
});

test('limits a delay to the longest supported by a timer', async () => {
  vi.useFakeTimers();
  const { executor, started, add } = createScene(() => ({ retryAfterMs: Infinity }));
  add(0, 'a');
  executor.dispatch();
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(started).toEqual([0]);
  executor.close();
});

test('alternates between busy keys', () => {
  const { executor, started, add } = createScene(() => 'settled', { limit: 1 });
  for (let offset = 0; offset < 3; offset += 1) add(offset, 'a');
  for (let offset = 3; offset < 6; offset += 1) add(offset, 'b');
  executor.dispatch();
  expect(started).toEqual([0, 3, 1, 4, 2, 5]);
});

test('passes errors and rejections of run() to thrown()', async () => {
  const ends: string[] = [];
  const executor = new KeyOrderedExecutor(
    {
      run: (work) => {
        if (work.offset === 0) throw new Error('thrown');
        return Promise.reject(new Error('rejected'));
      },
      thrown: (_, error) => {
        ends.push((error as Error).message);
        return 'failed';
      },
      ended: (_, result) => {
        ends.push(result);
        return 'next';
      },
      held: () => undefined,
      wanted: () => true,
    },
    { ...systemPorts, limit: 1, sliceMs: 1_000 },
  );
  const tracker = new OffsetTracker({ topic: 'requests', partition: 0 });
  for (const offset of [0, 1]) executor.add(createWork(fakeMessage(offset), tracker, 0));
  executor.dispatch();
  await settleMicrotasks();
  expect(ends).toEqual(['thrown', 'failed', 'rejected', 'failed']);
});

const busyFor = (ms: number): void => {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
};

test.each([
  ['synchronous', () => 'settled' as const],
  ['asynchronous without waiting', () => Promise.resolve('settled' as const)],
])('yields to the event loop after a time slice of %s work', async (_, answer) => {
  const { executor, started, add } = createScene(
    () => {
      busyFor(1);
      return answer();
    },
    { sliceMs: 2 },
  );
  for (let offset = 0; offset < 20; offset += 1) add(offset, null);
  executor.dispatch();
  await settleMicrotasks();
  await settleMicrotasks();
  expect(started.length).toBeLessThanOrEqual(3);
  while (started.length < 20) await new Promise((resolve) => setImmediate(resolve));
  expect(executor.isIdle).toBe(true);
});

test('does not start work while paused, except by runOne()', () => {
  const { executor, started, add } = createScene(() => 'settled');
  for (let offset = 0; offset < 3; offset += 1) add(offset, null);
  executor.pause();
  executor.dispatch();
  expect(started).toEqual([]);
  expect(executor.runOne()?.offset).toBe(0);
  expect(started).toEqual([0]);
  executor.resume();
  expect(started).toEqual([0, 1, 2]);
});

test('keeps no timer and does not start work once closed', () => {
  vi.useFakeTimers();
  const { executor, started, add } = createScene(() => ({ retryAfterMs: 1_000 }));
  add(0, 'a');
  executor.dispatch();
  executor.close();
  add(1, 'b');
  executor.dispatch();
  vi.advanceTimersByTime(10_000);
  expect(started).toEqual([0]);
  expect(vi.getTimerCount()).toBe(0);
});

test('limits the total weight of running work and keeps its order', async () => {
  const ends: (() => void)[] = [];
  const { executor, started, add } = createScene(
    () => new Promise<ProcessingResult>((resolve) => ends.push(() => resolve('settled'))),
    { limit: 4, weigh: ({ offset }) => (offset < 3 ? 2 : 1) },
  );
  for (let offset = 0; offset < 6; offset += 1) add(offset, null);
  executor.dispatch();
  expect(started).toEqual([0, 1]);
  expect(executor.running).toBe(2);
  ends[0]?.();
  await settleMicrotasks();
  expect(started).toEqual([0, 1, 2]);
  ends[1]?.();
  await settleMicrotasks();
  expect(started).toEqual([0, 1, 2, 3, 4]);
  ends[3]?.();
  await settleMicrotasks();
  expect(started).toEqual([0, 1, 2, 3, 4, 5]);
});

test('runs an item heavier than the limit alone', async () => {
  const ends: (() => void)[] = [];
  const { executor, started, add } = createScene(
    () => new Promise<ProcessingResult>((resolve) => ends.push(() => resolve('settled'))),
    { limit: 2, weigh: ({ offset }) => (offset === 1 ? 50 : 1) },
  );
  for (let offset = 0; offset < 3; offset += 1) add(offset, null);
  executor.dispatch();
  expect(started).toEqual([0]);
  ends[0]?.();
  await settleMicrotasks();
  expect(started).toEqual([0, 1]);
  ends[1]?.();
  await settleMicrotasks();
  expect(started).toEqual([0, 1, 2]);
});

test('does not count the weight of a held item until it runs again', async () => {
  vi.useFakeTimers();
  const { executor, started, add } = createScene(
    (work) => (work.offset === 0 && work.attempts === 1 ? { retryAfterMs: 100 } : never()),
    { limit: 4, weigh: () => 2 },
  );
  for (let offset = 0; offset < 4; offset += 1) add(offset, null);
  executor.dispatch();
  expect(started).toEqual([0, 1, 2]);
  await vi.advanceTimersByTimeAsync(100);
  expect(started).toEqual([0, 1, 2]);
  expect(executor.running).toBe(2);
});

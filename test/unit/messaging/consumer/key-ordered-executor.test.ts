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

afterEach(() => vi.useRealTimers());

function createScene(
  run: (work: Work) => ProcessingResult | Promise<ProcessingResult>,
  options: Partial<ExecutorOptions> = {},
) {
  const begun: number[] = [];
  const executor = new KeyOrderedExecutor(
    {
      run: (work) => {
        begun.push(work.offset);
        return run(work);
      },
      thrown: () => 'failed',
      ended: () => 'next',
      held: () => undefined,
      wanted: () => true,
    },
    { limit: 64, sliceMs: 1_000, ...options },
  );
  const tracker = new OffsetTracker({ topic: 'requests', partition: 0 });
  const add = (offset: number, key: string | null, topic = 'requests') => {
    executor.add(createWork(fakeMessage(offset, { key, topic }), tracker));
  };
  return { executor, begun, add };
}

const never = () => new Promise<ProcessingResult>(() => undefined);

test('no more works than the limit are in progress', () => {
  const { executor, begun, add } = createScene(never, { limit: 3 });
  for (let offset = 0; offset < 10; offset += 1) add(offset, `key-${offset}`);
  executor.dispatch();
  expect(begun).toEqual([0, 1, 2]);
  expect(executor.running).toBe(3);
});

test('a key whose queued works were dropped starts afresh', () => {
  const { executor, begun, add } = createScene(never);
  add(0, 'a');
  executor.dropQueued();
  add(1, 'a');
  executor.dispatch();
  expect(begun).toEqual([1]);
});

test('messages without a key do not wait for one another', () => {
  const { executor, begun, add } = createScene(never);
  for (let offset = 0; offset < 5; offset += 1) add(offset, null);
  executor.dispatch();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

test('an empty key is a key', () => {
  const { executor, begun, add } = createScene(never);
  add(0, '');
  add(1, '');
  executor.dispatch();
  expect(begun).toEqual([0]);
});

test('the same key of another topic has another queue', () => {
  const { executor, begun, add } = createScene(never);
  add(0, 'a');
  add(1, 'a', 'other');
  executor.dispatch();
  expect(begun).toEqual([0, 1]);
});

test('keys are compared by their bytes, not as text', () => {
  const begun: number[] = [];
  const { executor } = createScene((work) => {
    begun.push(work.offset);
    return never();
  });
  const tracker = new OffsetTracker({ topic: 'requests', partition: 0 });
  // Both are invalid UTF-8 and would read as the same replacement character.
  executor.add(createWork({ ...fakeMessage(0), key: Buffer.from([0xff]) }, tracker));
  executor.add(createWork({ ...fakeMessage(1), key: Buffer.from([0xfe]) }, tracker));
  executor.dispatch();
  expect(begun).toEqual([0, 1]);
});

test('a held work frees its place for other keys and keeps its own key waiting', async () => {
  vi.useFakeTimers();
  const { executor, begun, add } = createScene(
    (work) => (work.offset === 0 && work.attempts === 1 ? { retryAfterMs: 100 } : 'settled'),
    { limit: 1 },
  );
  add(0, 'a');
  add(1, 'a');
  add(2, 'b');
  executor.dispatch();
  expect(begun).toEqual([0, 2]);
  await vi.advanceTimersByTimeAsync(100);
  expect(begun).toEqual([0, 2, 0, 1]);
});

test('a delay longer than a timer keeps is not taken for none', async () => {
  vi.useFakeTimers();
  const { executor, begun, add } = createScene(() => ({ retryAfterMs: Infinity }));
  add(0, 'a');
  executor.dispatch();
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(begun).toEqual([0]);
  executor.close();
});

test('busy keys take turns', () => {
  const { executor, begun, add } = createScene(() => 'settled', { limit: 1 });
  for (let offset = 0; offset < 3; offset += 1) add(offset, 'a');
  for (let offset = 3; offset < 6; offset += 1) add(offset, 'b');
  executor.dispatch();
  expect(begun).toEqual([0, 3, 1, 4, 2, 5]);
});

test('a throw of run and a rejection are both decided by thrown', async () => {
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
      ended: (_, disposition) => {
        ends.push(disposition);
        return 'next';
      },
      held: () => undefined,
      wanted: () => true,
    },
    { limit: 1, sliceMs: 1_000 },
  );
  const tracker = new OffsetTracker({ topic: 'requests', partition: 0 });
  for (const offset of [0, 1]) executor.add(createWork(fakeMessage(offset), tracker));
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
])('%s work leaves the event loop to others after its slice', async (_, answer) => {
  const { executor, begun, add } = createScene(
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
  expect(begun.length).toBeLessThanOrEqual(3);
  while (begun.length < 20) await new Promise((resolve) => setImmediate(resolve));
  expect(executor.isIdle).toBe(true);
});

test('halted executor start nothing, except one at a time on demand', () => {
  const { executor, begun, add } = createScene(() => 'settled');
  for (let offset = 0; offset < 3; offset += 1) add(offset, null);
  executor.pause();
  executor.dispatch();
  expect(begun).toEqual([]);
  expect(executor.runOne()?.offset).toBe(0);
  expect(begun).toEqual([0]);
  executor.resume();
  expect(begun).toEqual([0, 1, 2]);
});

test('closed executor keep no timer and start nothing', () => {
  vi.useFakeTimers();
  const { executor, begun, add } = createScene(() => ({ retryAfterMs: 1_000 }));
  add(0, 'a');
  executor.dispatch();
  executor.close();
  add(1, 'b');
  executor.dispatch();
  vi.advanceTimersByTime(10_000);
  expect(begun).toEqual([0]);
  expect(vi.getTimerCount()).toBe(0);
});

test('heavy works share the limit by their weight, and the light ones behind them wait for room', async () => {
  const ends: (() => void)[] = [];
  const { executor, begun, add } = createScene(
    () => new Promise<ProcessingResult>((resolve) => ends.push(() => resolve('settled'))),
    { limit: 4, weigh: ({ offset }) => (offset < 3 ? 2 : 1) },
  );
  for (let offset = 0; offset < 6; offset += 1) add(offset, null);
  executor.dispatch();
  expect(begun).toEqual([0, 1]);
  expect(executor.running).toBe(2);
  ends[0]?.();
  await settleMicrotasks();
  expect(begun).toEqual([0, 1, 2]);
  ends[1]?.();
  await settleMicrotasks();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  ends[3]?.();
  await settleMicrotasks();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a work heavier than the limit is begun alone', async () => {
  const ends: (() => void)[] = [];
  const { executor, begun, add } = createScene(
    () => new Promise<ProcessingResult>((resolve) => ends.push(() => resolve('settled'))),
    { limit: 2, weigh: ({ offset }) => (offset === 1 ? 50 : 1) },
  );
  for (let offset = 0; offset < 3; offset += 1) add(offset, null);
  executor.dispatch();
  expect(begun).toEqual([0]);
  ends[0]?.();
  await settleMicrotasks();
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await settleMicrotasks();
  expect(begun).toEqual([0, 1, 2]);
});

test('a held work weighs nothing, and its weight again when it is tried again', async () => {
  vi.useFakeTimers();
  const { executor, begun, add } = createScene(
    (work) => (work.offset === 0 && work.attempts === 1 ? { retryAfterMs: 100 } : never()),
    { limit: 4, weigh: () => 2 },
  );
  for (let offset = 0; offset < 4; offset += 1) add(offset, null);
  executor.dispatch();
  expect(begun).toEqual([0, 1, 2]);
  await vi.advanceTimersByTimeAsync(100);
  expect(begun).toEqual([0, 1, 2]);
  expect(executor.running).toBe(2);
});

import { expect, it } from 'vitest';
import { inOrder, type InOrderOptions } from '../../../../scripts/recalculate/run/in-order.ts';
import { errorText } from '../../../../shared/platform/errors.ts';

const open = () => new AbortController();

function scene(options: Partial<InOrderOptions<number, number>> = {}) {
  const started: number[] = [];
  const finished: number[] = [];
  const results = new Map<number, PromiseWithResolvers<number>>();
  const settings: InOrderOptions<number, number> = {
    window: 3,
    begin: (item) => {
      started.push(item);
      const result = Promise.withResolvers<number>();
      results.set(item, result);
      return result.promise;
    },
    finish: async (item) => {
      finished.push(item);
    },
    stopped: open().signal,
    abandoned: open().signal,
    ...options,
  };
  const answer = async (...items: number[]) => {
    for (const item of items) results.get(item)?.resolve(item);
    await turn();
  };
  return { started, finished, results, settings, answer };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function* numbers(count: number) {
  for (let number = 1; number <= count; number += 1) yield number;
}

async function* sayingLittle() {
  yield 1;
  await new Promise(() => undefined);
}

async function* torn() {
  yield 1;
  throw new Error('breaks off');
}

it('finishes items in the order of the source, with at most a window of them in progress', async () => {
  const { started, finished, settings, answer } = scene();
  const done = inOrder(numbers(5), settings);
  await turn();
  expect(started).toEqual([1, 2, 3]);
  await answer(3, 2);
  expect([started, finished]).toEqual([[1, 2, 3], []]);
  await answer(1);
  expect(finished).toEqual([1, 2, 3]);
  expect(started).toEqual([1, 2, 3, 4, 5]);
  await answer(5, 4);
  expect(await done).toBe('complete');
  expect(finished).toEqual([1, 2, 3, 4, 5]);
});

it('counts unwritten items in the window, so that a slow output delays the input', async () => {
  const slow = Promise.withResolvers<void>();
  const { started, settings, answer } = scene({ window: 2, finish: () => slow.promise });
  const done = inOrder(numbers(4), settings);
  await turn();
  await answer(1, 2);
  expect(started).toEqual([1, 2]);
  slow.resolve();
  await turn();
  await answer(3, 4);
  await done;
});

it('finishes ready items while the source is waiting', async () => {
  const { finished, settings, answer } = scene();
  const stop = open();
  const done = inOrder(sayingLittle(), { ...settings, stopped: stop.signal });
  await turn();
  await answer(1);
  expect(finished).toEqual([1]);
  stop.abort();
  expect(await done).toBe('stopped');
});

it('does not start another item after a stop, and finishes those in progress', async () => {
  const stop = open();
  const { started, finished, settings, answer } = scene({ stopped: stop.signal });
  const done = inOrder(numbers(9), settings);
  await turn();
  stop.abort();
  await answer(2, 1, 3);
  expect(await done).toBe('stopped');
  expect([started, finished]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

it('does not wait after an abort', async () => {
  const abandon = open();
  const { finished, settings, answer } = scene({ abandoned: abandon.signal });
  const done = inOrder(numbers(9), settings);
  await turn();
  await answer(1);
  abandon.abort(new Error('too late'));
  await expect(done).rejects.toThrow('too late');
  expect(finished).toEqual([1]);
});

it('fails with an item only after all previous items are finished', async () => {
  const { finished, results, settings, answer } = scene();
  const done = inOrder(numbers(9), settings);
  const failure = done.catch(errorText);
  await turn();
  results.get(2)?.reject(new Error('no answer'));
  await turn();
  await answer(1);
  expect(await failure).toBe('no answer');
  expect(finished).toEqual([1]);
});

it('fails with the source after all items are finished', async () => {
  const { finished, settings, answer } = scene();
  const done = inOrder(torn(), settings);
  const failure = done.catch(errorText);
  await turn();
  await answer(1);
  expect(await failure).toBe('breaks off');
  expect(finished).toEqual([1]);
});

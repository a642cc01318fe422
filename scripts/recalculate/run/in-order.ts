/** Processes several items concurrently and finishes them in order. */

import { unlessAborted } from './interruption.ts';

export interface InOrderOptions<Item, Result> {
  /** Maximum number of items that are started but not finished, which take memory. */
  readonly window: number;
  readonly begin: (item: Item) => Promise<Result>;
  /** Called for one item at a time. */
  readonly finish: (item: Item, result: Result) => Promise<void>;
  /** When aborted, no further items are started, and started ones are finished. */
  readonly stopped: AbortSignal;
  /** When aborted, the call rejects with the reason without waiting. */
  readonly abandoned: AbortSignal;
}

/**
 * Takes items one by one, only while fewer than `window` of them are unfinished. Resolves when the source has ended
 * (`complete`) or was `stopped`, and all started items are finished. Rejects with the first failure,
 * of an item or of the source, when all items before it are finished.
 */
export async function inOrder<Item, Result>(
  source: AsyncIterable<Item>,
  options: InOrderOptions<Item, Result>,
): Promise<'complete' | 'stopped'> {
  const { window, begin, finish, stopped, abandoned } = options;
  const queue: { readonly item: Item; readonly result: Promise<Result> }[] = [];
  const changed = createBell();
  const ending = new AbortController();
  const stop = AbortSignal.any([stopped, abandoned, ending.signal]);
  const taken = { isAtEnd: false };

  const take = async (): Promise<'complete' | 'stopped'> => {
    const iterator = source[Symbol.asyncIterator]();
    try {
      for (;;) {
        while (queue.length >= window && !stop.aborted) await changed.rung();
        const next = stop.aborted ? undefined : await orUndefined(iterator.next(), stop);
        if (next === undefined) return 'stopped';
        if (next.done === true) return 'complete';
        const result = begin(next.value);
        result.catch(() => undefined);
        queue.push({ item: next.value, result });
        changed.ring();
      }
    } finally {
      taken.isAtEnd = true;
      changed.ring();
    }
  };
  const finishAll = async (): Promise<void> => {
    for (;;) {
      while (queue.length === 0 && !taken.isAtEnd) await changed.rung();
      const first = queue[0];
      if (first === undefined) return;
      const result = await unlessAborted(first.result, abandoned);
      await finish(first.item, result);
      queue.shift();
      changed.ring();
    }
  };

  const onStop = (): void => changed.ring();
  stop.addEventListener('abort', onStop);
  const taking = take();
  taking.catch(() => undefined);
  try {
    await finishAll();
  } finally {
    ending.abort();
    stop.removeEventListener('abort', onStop);
  }
  return await taking;
}

/** The next item of the source, or undefined when the signal is aborted, since a source may never yield again. */
async function orUndefined<Value>(coming: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  try {
    return await unlessAborted(coming, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Wakes up all waiters. */
function createBell(): { ring(): void; rung(): Promise<void> } {
  let next = Promise.withResolvers<void>();
  return {
    ring: () => {
      next.resolve();
      next = Promise.withResolvers<void>();
    },
    rung: () => next.promise,
  };
}

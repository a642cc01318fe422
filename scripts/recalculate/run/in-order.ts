/** Processes several items concurrently and finishes them in order. */

import { Readable } from 'node:stream';
import { unlessAborted } from './interruption.ts';

export interface InOrderOptions<Item, Result> {
  /** Maximum number of items that are started but not finished, beside the one that is being finished; they take memory. */
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
 * Takes items one by one, only while fewer than `window` of them wait. Resolves when the source has ended
 * (`complete`) or was `stopped`, and all started items are finished. Rejects with the first failure,
 * of an item or of the source, when all items before it are finished.
 */
export async function inOrder<Item, Result>(
  source: AsyncIterable<Item>,
  { window, begin, finish, stopped, abandoned }: InOrderOptions<Item, Result>,
): Promise<'complete' | 'stopped'> {
  const ending = new AbortController();
  const noMore = AbortSignal.any([stopped, ending.signal]);
  const items = Readable.from(untilAborted(source, noMore), { highWaterMark: 0 });
  const inProgress = { concurrency: window, highWaterMark: 0 };
  const begun = items.map(async (item: Item) => ({ item, result: await begin(item) }), inProgress);
  const results: AsyncIterator<{ item: Item; result: Result }> = begun[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessAborted(results.next(), abandoned);
      if (next.done === true) return stopped.aborted ? 'stopped' : 'complete';
      await finish(next.value.item, next.value.result);
    }
  } finally {
    ending.abort();
  }
}

/** The items of a source until the signal is aborted, even if the source never yields again. */
async function* untilAborted<Item>(source: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessAborted(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

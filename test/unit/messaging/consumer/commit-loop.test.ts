import { expect, test } from 'vitest';
import { CommitLoop } from '../../../../shared/messaging/consumer/commit-loop.ts';
import {
  OffsetTracker,
  createWork,
  finishWork,
} from '../../../../shared/messaging/consumer/offset-tracker.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';
import { settleMicrotasks } from '../../../support/fakes/work.ts';

/** A loop over one partition whose commits stay pending until the test ends them. */
function setUp() {
  const tracker = new OffsetTracker({ topic: 'requests', partition: 0 });
  const stores: { readonly offset: number | undefined; readonly end: (stored: boolean) => void }[] = [];
  const store = (_: number, [first]: readonly { readonly offset: number }[]) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    stores.push({ offset: first?.offset, end: resolve });
    return promise;
  };
  const loop = new CommitLoop(
    () => ({ generation: 1, trackers: [tracker], store }),
    () => undefined,
  );
  const finish = (offset: number) => {
    const work = createWork(fakeMessage(offset), tracker, 0);
    tracker.add(work);
    finishWork(work);
    tracker.advance();
  };
  return { loop, stores, finish };
}

test('runs one commit at a time, even if now() is called just as a commit ends', async () => {
  const { loop, stores, finish } = setUp();
  finish(0);
  const first = loop.now();
  finish(1);
  void first.then(() => loop.now());
  const second = loop.now();
  stores[0]?.end(true);
  await settleMicrotasks();
  expect(stores.map(({ offset }) => offset)).toEqual([1, 2]);
  stores[1]?.end(true);
  await second;
  expect(stores).toHaveLength(2);
});

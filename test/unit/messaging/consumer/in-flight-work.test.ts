import { expect, test } from 'vitest';
import { InFlight } from '../../../../shared/messaging/consumer/in-flight-work.ts';
import { createWork, OffsetTracker } from '../../../../shared/messaging/consumer/offset-tracker.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

const partition = { topic: 'requests', partition: 0 };

/** Work that was started in an earlier generation, one message for each offset. */
function createScene(offsets: readonly number[]) {
  const inFlight = new InFlight();
  const earlier = new OffsetTracker(partition);
  const works = offsets.map((offset) => createWork(fakeMessage(offset), earlier, 0));
  for (const work of works) {
    work.state = 'running';
    earlier.add(work);
  }
  inFlight.keep(earlier);
  return { inFlight, works, tracker: new OffsetTracker(partition) };
}

test('joins a redelivered message to its earlier work and adds other messages as new', () => {
  const { inFlight, works, tracker } = createScene([3]);
  const { added, joined, forgotten } = inFlight.deliver([fakeMessage(3), fakeMessage(4)], tracker, 0);
  expect(joined).toBe(1);
  expect(added.map(({ offset }) => offset)).toEqual([4]);
  expect(forgotten).toEqual([]);
  expect(works[0]?.tracker).toBe(tracker);
  expect(inFlight.size).toBe(0);
});

test('forgets work below the delivered offsets and keeps work beyond them', () => {
  const { inFlight, works, tracker } = createScene([3, 5, 6]);
  expect(inFlight.deliver([fakeMessage(4), fakeMessage(5)], tracker, 0).forgotten).toEqual([works[0]]);
  expect(inFlight.size).toBe(1);
});

test('does not join a message of a recreated topic to work of the deleted one', () => {
  const { inFlight, tracker } = createScene([3]);
  const message = { ...fakeMessage(3), timestampMs: fakeMessage(3).timestampMs + 1 };
  expect(inFlight.deliver([message], tracker, 0)).toMatchObject({ joined: 0, added: [{ offset: 3 }] });
});

import { expect, test } from 'vitest';
import {
  OffsetTracker,
  createWork,
  finishWork,
  type Work,
} from '../../../../shared/messaging/consumer/offset-tracker.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

function createScene(offsets: readonly number[]) {
  const tracker = new OffsetTracker({ topic: 'requests', partition: 0 });
  const works = new Map<number, Work>();
  for (const offset of offsets) {
    const work = createWork(fakeMessage(offset), tracker, 0);
    works.set(offset, work);
    tracker.add(work);
  }
  const finish = (...done: number[]) => {
    for (const offset of done) finishWork(works.get(offset)!);
    tracker.advance();
  };
  return { tracker, finish };
}

test('position is the offset of the first message that is not done', () => {
  const { tracker, finish } = createScene([5, 6, 7, 8]);
  finish(6, 8);
  expect(tracker.position).toBeUndefined();
  finish(5);
  expect(tracker.position).toBe(7);
  finish(7);
  expect(tracker.position).toBe(9);
  expect(tracker.pending).toBe(0);
});

test('position moves over offsets that are missing from the log', () => {
  const { tracker, finish } = createScene([5, 9, 12]);
  finish(5, 9);
  expect(tracker.position).toBe(10);
});

test('uncommitted() returns a position once, and again only after it has advanced', () => {
  const { tracker, finish } = createScene([0, 1]);
  finish(0);
  expect(tracker.uncommitted()).toBe(1);
  tracker.confirm(1);
  expect(tracker.uncommitted()).toBeUndefined();
  finish(1);
  expect(tracker.uncommitted()).toBe(2);
});

test('keeps work until its commit is confirmed', () => {
  const { tracker, finish } = createScene([0, 1, 2]);
  finish(0, 1);
  expect([tracker.pending, tracker.unconfirmedCount]).toEqual([1, 3]);
  tracker.confirm(1);
  expect([tracker.pending, tracker.unconfirmedCount]).toEqual([1, 2]);
  expect(tracker.unconfirmed().map(({ offset }) => offset)).toEqual([1, 2]);
});

test('counts the messages beyond the position, and the bytes of those not done', () => {
  const { tracker, finish } = createScene([0, 1]);
  const one = 'value-0'.length + 'key-0'.length;
  expect([tracker.pending, tracker.unfinished, tracker.unfinishedBytes]).toEqual([2, 2, 2 * one]);
  finish(1);
  expect([tracker.pending, tracker.unfinished, tracker.unfinishedBytes]).toEqual([2, 1, one]);
  finish(0);
  expect([tracker.pending, tracker.unfinished, tracker.unfinishedBytes]).toEqual([0, 0, 0]);
});

test('counts the names and values of headers as bytes', () => {
  const tracker = new OffsetTracker({ topic: 'requests', partition: 0 });
  const headers = {
    text: 'four',
    one: Buffer.alloc(1_000),
    more: [Buffer.alloc(20), 'six-6b'],
    none: undefined,
  };
  tracker.add(createWork(fakeMessage(0, { key: null, value: null, headers }), tracker, 0));
  expect(tracker.unfinishedBytes).toBe(4 + 4 + (3 + 1_000) + (4 + 20 + 6));
});

test('releases a completed message before its commit', () => {
  const { tracker, finish } = createScene([0, 1]);
  finish(1);
  expect(tracker.unconfirmed().map(({ message }) => message.value)).toEqual([Buffer.from('value-0'), null]);
});

test('offsets without a message do not count as lag, and are committed once all messages are done', () => {
  const { tracker, finish } = createScene([0]);
  tracker.highWatermark = 5;
  tracker.readTo = 5;
  expect(tracker.lag).toBe(5);
  expect(tracker.uncommitted()).toBeUndefined();
  finish(0);
  expect(tracker.lag).toBe(0);
  expect(tracker.uncommitted()).toBe(5);
  tracker.confirm(5);
  expect(tracker.uncommitted()).toBeUndefined();
});

test('keeps correct counters after thousands of confirmed work items', () => {
  const offsets = Array.from({ length: 3_000 }, (_, offset) => offset);
  const { tracker, finish } = createScene(offsets);
  for (const offset of offsets) {
    finish(offset);
    if (offset % 100 === 0) tracker.confirm(offset + 1);
  }
  expect(tracker.position).toBe(3_000);
  expect(tracker.pending).toBe(0);
  expect(tracker.unconfirmed()).toHaveLength(99);
});

test('lag is the number of messages from the position to the end of the partition', () => {
  const { tracker, finish } = createScene([10, 11]);
  expect(tracker.lag).toBe(0);
  tracker.highWatermark = 20;
  expect(tracker.lag).toBe(10);
  finish(10);
  expect(tracker.lag).toBe(9);
});

import { expect, test } from 'vitest';
import { CommitPrefix } from '../../../../shared/messaging/consumer/offset-tracker.ts';
import { createWork, finishWork, type Work } from '../../../../shared/messaging/consumer/work.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

function createScene(offsets: readonly number[]) {
  const prefix = new CommitPrefix({ topic: 'requests', partition: 0 });
  const works = new Map<number, Work>();
  for (const offset of offsets) {
    const work = createWork(fakeMessage(offset), prefix);
    works.set(offset, work);
    prefix.add(work);
  }
  const finish = (...done: number[]) => {
    for (const offset of done) finishWork(works.get(offset)!);
    return prefix.advance();
  };
  return { prefix, finish };
}

test('the prefix ends before the first message that is not done', () => {
  const { prefix, finish } = createScene([5, 6, 7, 8]);
  expect(finish(6, 8)).toBe(false);
  expect(prefix.position).toBeUndefined();
  expect(finish(5)).toBe(true);
  expect(prefix.position).toBe(7);
  finish(7);
  expect(prefix.position).toBe(9);
  expect(prefix.pending).toBe(0);
});

test('offsets that the log does not have are no gap', () => {
  const { prefix, finish } = createScene([5, 9, 12]);
  finish(5, 9);
  expect(prefix.position).toBe(10);
});

test('a position is committed once, and again only when it moved', () => {
  const { prefix, finish } = createScene([0, 1]);
  finish(0);
  expect(prefix.uncommitted()).toBe(1);
  prefix.confirm(1);
  expect(prefix.uncommitted()).toBeUndefined();
  finish(1);
  expect(prefix.uncommitted()).toBe(2);
});

test('works are remembered until their commit is confirmed', () => {
  const { prefix, finish } = createScene([0, 1, 2]);
  finish(0, 1);
  prefix.confirm(1);
  expect(prefix.unconfirmed().map(({ offset }) => offset)).toEqual([1, 2]);
});

test('messages beyond the prefix are counted, and those of them that are not done with their bytes', () => {
  const { prefix, finish } = createScene([0, 1]);
  const one = 'value-0'.length + 'key-0'.length;
  expect([prefix.pending, prefix.unfinished, prefix.unfinishedBytes]).toEqual([2, 2, 2 * one]);
  finish(1);
  expect([prefix.pending, prefix.unfinished, prefix.unfinishedBytes]).toEqual([2, 1, one]);
  finish(0);
  expect([prefix.pending, prefix.unfinished, prefix.unfinishedBytes]).toEqual([0, 0, 0]);
});

test('a message that is done is let go before it is committed', () => {
  const { prefix, finish } = createScene([0, 1]);
  finish(1);
  expect(prefix.unconfirmed().map(({ message }) => message.value)).toEqual([Buffer.from('value-0'), null]);
});

test('offsets without a message are no lag, and are never committed', () => {
  const { prefix, finish } = createScene([0]);
  prefix.highWatermark = 5;
  prefix.readTo = 5;
  expect(prefix.lag).toBe(5);
  finish(0);
  expect(prefix.lag).toBe(0);
  expect(prefix.uncommitted()).toBe(1);
});

test('many confirmed works keep the figures right', () => {
  const offsets = Array.from({ length: 3_000 }, (_, offset) => offset);
  const { prefix, finish } = createScene(offsets);
  for (const offset of offsets) {
    finish(offset);
    if (offset % 100 === 0) prefix.confirm(offset + 1);
  }
  expect(prefix.position).toBe(3_000);
  expect(prefix.pending).toBe(0);
  expect(prefix.unconfirmed()).toHaveLength(99);
});

test('lag is what lies between the prefix and the end of the partition', () => {
  const { prefix, finish } = createScene([10, 11]);
  expect(prefix.lag).toBe(0);
  prefix.highWatermark = 20;
  expect(prefix.lag).toBe(10);
  finish(10);
  expect(prefix.lag).toBe(9);
});

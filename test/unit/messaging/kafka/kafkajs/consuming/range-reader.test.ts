import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readKafkajsRanges } from '../../../../../../shared/messaging/kafka/kafkajs/consuming/range-reader.ts';
import type { OffsetRange } from '../../../../../../shared/messaging/message.ts';
import type { ReadOn } from '../../../../../../shared/messaging/ports.ts';
import { fakeKafkaClients } from '../../../../../support/fakes/kafkajs.ts';
import { settleMicrotasks } from '../../../../../support/fakes/work.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Reads offsets 5 to 7 of topic `t`, partition 0, which has records before and after them. */
function setUp(
  handle: (offset: number) => ReadOn | Promise<ReadOn> = () => 'more',
  ranges: readonly OffsetRange[] = [{ topic: 't', partition: 0, from: 5, to: 8 }],
) {
  const { createClient, consumers } = fakeKafkaClients();
  const seen: number[] = [];
  let low = 0;
  const reading = readKafkajsRanges(
    ranges,
    ({ offset }) => {
      seen.push(offset);
      return handle(offset);
    },
    {
      createClient,
      admin: { offsets: () => Promise.resolve([{ partition: 0, low, high: 100 }]) },
      clientId: 'test',
    },
  );
  reading.catch(() => undefined);
  const consumer = async (index = 0) => {
    await settleMicrotasks();
    const created = consumers[index];
    if (created === undefined) throw new Error('no consumer was created');
    return created;
  };
  return { reading, consumer, seen, remove: (before: number) => (low = before) };
}

test('delivers only the messages of the range', async () => {
  const { reading, consumer, seen } = setUp();
  const run = await consumer();
  run.join({ t: [0, 1] });
  expect(run.calls.seeks).toEqual(['t/0@5']);
  await settleMicrotasks();
  await run.fetch('1', [{ topic: 't', partition: 0, offsets: [3, 4, 5, 6] }]);
  await settleMicrotasks();
  await run.fetch('1', [{ topic: 't', partition: 0, offsets: [5, 6, 7, 8, 9] }]);
  await reading;
  expect(seen).toEqual([5, 6, 7]);
  expect(run.isDisconnected).toBe(true);
});

test('ends when retention has removed the rest of the range', async () => {
  const { reading, consumer, seen, remove } = setUp();
  const run = await consumer();
  run.join({ t: [0] });
  await run.fetch('1', [{ topic: 't', partition: 0, offsets: [5] }]);
  remove(90);
  await vi.advanceTimersByTimeAsync(3_500);
  await reading;
  expect(seen).toEqual([5]);
});

test('rejects after 30 s without progress, and when the consumer crashes', async () => {
  const silent = setUp();
  (await silent.consumer()).join({ t: [0] });
  await vi.advanceTimersByTimeAsync(40_000);
  await expect(silent.reading).rejects.toMatchObject({ canRetry: true });
  const crashed = setUp();
  const run = await crashed.consumer();
  run.join({ t: [0] });
  await settleMicrotasks();
  run.emit('CRASH', { error: new Error('connection lost') });
  await vi.advanceTimersByTimeAsync(2_000);
  await expect(crashed.reading).rejects.toThrow('connection lost');
});

test('stops within a fetch when the handler returns stop', async () => {
  const { reading, consumer, seen } = setUp((offset) => (offset === 6 ? 'stop' : 'more'));
  const run = await consumer();
  run.join({ t: [0] });
  await settleMicrotasks();
  await run.fetch('1', [{ topic: 't', partition: 0, offsets: [5, 6, 7] }]);
  await reading;
  expect(seen).toEqual([5, 6]);
});

test('reads ranges of several topics at the same time, and pauses all partitions during delivery', async () => {
  const handling = Promise.withResolvers<ReadOn>();
  const { reading, consumer, seen } = setUp(
    (offset) => (offset === 5 ? handling.promise : 'more'),
    [
      { topic: 'a', partition: 0, from: 5, to: 6 },
      { topic: 'b', partition: 1, from: 7, to: 8 },
      { topic: 'b', partition: 2, from: 3, to: 3 },
    ],
  );
  const run = await consumer();
  expect(run.subscription).toEqual({ topics: ['a', 'b'], fromBeginning: true });
  expect(run.options).toMatchObject({ clientId: 'test' });
  run.join({ a: [0], b: [1, 2] });
  expect(run.calls.seeks).toEqual(['a/0@5', 'b/1@7']);
  await settleMicrotasks();
  await run.fetch('1', [{ topic: 'a', partition: 0, offsets: [5] }]);
  await run.deliver({ topic: 'b', partition: 2, offsets: [3] });
  expect(run.resolved).toEqual(['a/0@5']);
  run.join({ a: [0], b: [1] });
  expect(run.calls.seeks.slice(2)).toEqual(['a/0@6', 'b/1@7']);
  handling.resolve('more');
  await settleMicrotasks();
  await run.fetch('1', [{ topic: 'b', partition: 1, offsets: [7] }]);
  await reading;
  expect(seen).toEqual([5, 7]);
});

test('reads ranges of the same partition in succession', async () => {
  const { reading, consumer, seen } = setUp(
    () => 'more',
    [
      { topic: 't', partition: 0, from: 5, to: 6 },
      { topic: 't', partition: 0, from: 2, to: 3 },
    ],
  );
  for (const [index, offset] of [5, 2].entries()) {
    const run = await consumer(index);
    run.join({ t: [0] });
    await settleMicrotasks();
    await run.fetch('1', [{ topic: 't', partition: 0, offsets: [offset] }]);
    await settleMicrotasks();
  }
  await reading;
  expect(seen).toEqual([5, 2]);
});

test('ends if the offsets up to the end of the range have no record', async () => {
  const { reading, consumer, seen } = setUp();
  const run = await consumer();
  run.join({ t: [0] });
  await settleMicrotasks();
  const partition = { topic: 't', partition: 0, isEmpty: true, unreadable: [] };
  await run.fetch('1', [], { isEmpty: true, partitions: [{ ...partition, from: 5, stableEnd: 7 }] });
  await run.fetch('1', [], {
    isEmpty: true,
    partitions: [
      { ...partition, partition: 9, from: 0, stableEnd: 99 },
      { ...partition, from: 5, stableEnd: 8 },
    ],
  });
  await reading;
  expect(seen).toEqual([]);
});

test('rejects with the error of the handler and leaves the group', async () => {
  const { reading, consumer } = setUp(() => Promise.reject(new Error('handler failed')));
  const run = await consumer();
  run.join({ t: [0] });
  await settleMicrotasks();
  await run.fetch('1', [{ topic: 't', partition: 0, offsets: [5] }]);
  await expect(reading).rejects.toThrow('handler failed');
  expect(run.isDisconnected).toBe(true);
});

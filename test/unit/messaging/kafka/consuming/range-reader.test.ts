import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readKafkaRanges } from '../../../../../shared/messaging/kafka/consuming/range-reader.ts';
import type { ReadOn } from '../../../../../shared/messaging/ports.ts';
import { fakeKafkaClients } from '../../../../support/fakes/kafkajs.ts';
import { settleMicrotasks } from '../../../../support/fakes/work.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Reads offsets 5 to 7 of topic `t`, partition 0, which has records before and after them. */
function setUp(handle: (offset: number) => ReadOn | Promise<ReadOn> = () => 'more') {
  const { createClient, consumers } = fakeKafkaClients();
  const seen: number[] = [];
  let low = 0;
  const reading = readKafkaRanges(
    [{ topic: 't', partition: 0, from: 5, to: 8 }],
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
  const consumer = async () => {
    await settleMicrotasks();
    const [first] = consumers;
    if (first === undefined) throw new Error('no consumer was made');
    return first;
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

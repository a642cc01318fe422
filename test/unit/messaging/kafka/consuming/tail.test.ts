import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FetchAnswer } from '../../../../../shared/messaging/kafka/kafkajs/unreadable-batches.ts';
import { KafkaTail } from '../../../../../shared/messaging/kafka/consuming/tail.ts';
import { silentLog } from '../../../../../shared/platform/log.ts';
import { fakeKafkaClients } from '../../../../support/fakes/kafkajs.ts';
import { settleMicrotasks } from '../../../../support/fakes/work.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A tail of topic `t` with one partition, from offset 5 on. */
function setUp(from: 'earliest' | 'latest' = 'latest') {
  const { createClient, consumers } = fakeKafkaClients();
  const offsets = [{ partition: 0, low: 2, high: 5 }];
  const ends = [{ partition: 0, high: 5 }];
  const tail = new KafkaTail(
    { clientId: 'test', topics: ['t'], from },
    {
      createClient,
      admin: { offsets: () => Promise.resolve(offsets), highWatermarks: () => Promise.resolve(ends) },
      log: silentLog,
      onStopped: () => undefined,
    },
  );
  const seen: number[] = [];
  const started = tail.start(({ offset }) => seen.push(offset));
  return { tail, consumers, seen, started, ends };
}

interface Fetched {
  readonly partition: number;
  readonly from: number;
  readonly stableEnd?: number;
  readonly brings?: boolean;
}

/** An answer of a broker about partitions of `t`. */
function answered(...list: readonly Fetched[]): FetchAnswer {
  const partitions = list.map(({ partition, from, stableEnd = from, brings = false }) => ({
    topic: 't',
    partition,
    from,
    stableEnd,
    isEmpty: !brings,
    unreadable: [],
  }));
  return { isEmpty: partitions.every(({ isEmpty }) => isEmpty), partitions };
}

test('each join seeks to the own position, wherever the group would start', async () => {
  const { consumers, seen, started } = setUp('earliest');
  await settleMicrotasks();
  const [run] = consumers;
  run?.join({ t: [0] });
  await run?.fetch('1', [{ topic: 't', partition: 0, offsets: [2, 3] }]);
  await started;
  run?.join({ t: [0] });
  expect(run?.asked.seeks).toEqual(['t/0@2', 't/0@4']);
  expect(seen).toEqual([2, 3]);
});

test('a tail that is stopped before its start position is known leaves no consumer behind', async () => {
  const { tail, consumers, started } = setUp();
  const outcome = started.catch((error: unknown) => error);
  await tail.stop(1_000);
  expect(await outcome).toMatchObject({ code: 'tail-stopped' });
  expect(consumers).toHaveLength(0);
});

test('a start whose consumer is lost before its first fetch ends when the next one has fetched', async () => {
  const { tail, consumers, started } = setUp();
  await settleMicrotasks();
  consumers[0]?.join({ t: [0] });
  await settleMicrotasks();
  consumers[0]?.emit('CRASH', { error: new Error('connection lost') });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(consumers).toHaveLength(2);
  consumers[1]?.join({ t: [0] });
  await settleMicrotasks();
  await consumers[1]?.fetch('1');
  await Promise.race([
    started,
    vi.advanceTimersByTimeAsync(60_000).then(() => Promise.reject(new Error('hangs'))),
  ]);
  expect(tail.isReady()).toBe(true);
});

test('a tail that is stopped while it holds partitions back says so, and asks nothing of its ended consumer', async () => {
  const { tail, consumers, started } = setUp('earliest');
  await settleMicrotasks();
  const [run] = consumers;
  run?.join({ t: [0] });
  await run?.fetch('1');
  await started;
  const outcome = tail.caughtUp(60_000).catch((error: unknown) => error);
  await settleMicrotasks();
  for (let round = 0; round < 3; round += 1) {
    const answer = answered(
      { partition: 0, from: 2, stableEnd: 5 },
      { partition: 1, from: round, brings: true },
    );
    await run?.fetch('1', [{ topic: 't', partition: 1, offsets: [round] }], answer);
  }
  expect([...(run?.asked.paused ?? [])]).toEqual(['t/1']);
  await tail.stop(1_000);
  expect(await outcome).toMatchObject({ code: 'tail-stopped' });
});

test('a tail is behind while a transaction hides what is on the log, and caught up once that is delivered', async () => {
  const { tail, consumers, started, seen, ends } = setUp();
  await settleMicrotasks();
  const [run] = consumers;
  run?.join({ t: [0] });
  await run?.fetch('1');
  await started;
  ends[0] = { partition: 0, high: 8 };
  let isCaughtUp = false;
  const caughtUp = tail.caughtUp(60_000).then(() => (isCaughtUp = true));
  await settleMicrotasks();
  for (let round = 0; round < 20; round += 1) {
    await run?.fetch('1', [], answered({ partition: 0, from: 5, stableEnd: 5 }));
  }
  await settleMicrotasks();
  expect(isCaughtUp).toBe(false);
  await run?.fetch(
    '1',
    [{ topic: 't', partition: 0, offsets: [5, 6] }],
    answered({ partition: 0, from: 5, brings: true }),
  );
  expect(isCaughtUp).toBe(false);
  // The marker of the transaction, offset 7, is skipped by kafkajs and never delivered.
  await run?.fetch('1', [], answered({ partition: 0, from: 8, stableEnd: 8 }));
  await caughtUp;
  expect(seen).toEqual([5, 6]);
});

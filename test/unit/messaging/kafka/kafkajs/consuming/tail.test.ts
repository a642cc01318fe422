import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FetchAnswer } from '../../../../../../shared/messaging/kafka/kafkajs/patches/fetch-messages.ts';
import { KafkajsTail } from '../../../../../../shared/messaging/kafka/kafkajs/consuming/tail.ts';
import { silentLog } from '../../../../../../shared/platform/log.ts';
import { fakeKafkaClients } from '../../../../../support/fakes/kafkajs.ts';
import { settleMicrotasks } from '../../../../../support/fakes/work.ts';

const tails: KafkajsTail[] = [];

beforeEach(() => vi.useFakeTimers());
/** A tail that goes on would use the timers of later tests. */
afterEach(async () => {
  await Promise.all(tails.splice(0).map((tail) => tail.stop(0)));
  vi.useRealTimers();
});

/** A tail of topic `t` with one partition, from offset 5 on. */
function setUp(from: 'earliest' | 'latest' = 'latest', partition?: number) {
  const { createClient, consumers } = fakeKafkaClients();
  const offsets = [{ partition: 0, low: 2, high: 5 }];
  const ends = [{ partition: 0, high: 5 }];
  const warnings: object[] = [];
  const tail = new KafkajsTail(
    { clientId: 'test', topics: ['t'], from, ...(partition === undefined ? {} : { partition }) },
    {
      createClient,
      admin: { offsets: () => Promise.resolve(offsets), highWatermarks: () => Promise.resolve(ends) },
      log: { ...silentLog, warn: (fields: object) => warnings.push(fields) },
      onStopped: () => undefined,
    },
  );
  tails.push(tail);
  const seen: number[] = [];
  const started = tail.start(({ offset }) => {
    if (offset === 666) throw new Error('handler failed');
    seen.push(offset);
  });
  return { tail, consumers, seen, started, ends, warnings };
}

interface Fetched {
  readonly partition: number;
  readonly from: number;
  readonly stableEnd?: number;
  readonly hasRecords?: boolean;
}

/** A fetch response for partitions of `t`. */
function answered(...list: readonly Fetched[]): FetchAnswer {
  const partitions = list.map(({ partition, from, stableEnd = from, hasRecords = false }) => ({
    topic: 't',
    partition,
    from,
    stableEnd,
    isEmpty: !hasRecords,
    unreadable: [],
  }));
  return { isEmpty: partitions.every(({ isEmpty }) => isEmpty), partitions };
}

test('seeks to its own position after every join', async () => {
  const { consumers, seen, started } = setUp('earliest');
  await settleMicrotasks();
  const [run] = consumers;
  run?.join({ t: [0] });
  await run?.fetch('1', [{ topic: 't', partition: 0, offsets: [2, 3] }]);
  await started;
  run?.join({ t: [0] });
  expect(run?.calls.seeks).toEqual(['t/0@2', 't/0@4']);
  expect(seen).toEqual([2, 3]);
});

test('rejects start() for a partition that does not exist', async () => {
  await expect(setUp('latest', 1).started).rejects.toMatchObject({
    code: 'topic-unknown',
    message: 'topic t has no partition 1',
    canRetry: false,
  });
});

test('cannot be started twice, and cannot catch up before it is started', async () => {
  const { tail, started } = setUp();
  started.catch(() => undefined);
  await expect(tail.start(() => undefined)).rejects.toMatchObject({ code: 'tail-stopped' });
  await tail.stop();
  await expect(tail.caughtUp(1)).rejects.toMatchObject({ code: 'tail-stopped' });
});

test('joins a group with a random name, with its own assigner', async () => {
  const { consumers, started } = setUp('latest', 0);
  started.catch(() => undefined);
  await settleMicrotasks();
  expect(consumers[0]?.options).toMatchObject({
    groupId: expect.stringMatching(/^test\.tail\.[0-9a-f-]{36}$/),
    sessionTimeout: 30_000,
    rebalanceTimeout: 10_000,
    partitionAssigners: [expect.any(Function)],
  });
});

test('is not ready after 6 s without a response to a fetch, and while it rejoins', async () => {
  const { tail, consumers, started } = setUp();
  await settleMicrotasks();
  const [run] = consumers;
  run?.join({ t: [0] });
  expect(tail.isReady()).toBe(false);
  await run?.fetch('1');
  await started;
  await vi.advanceTimersByTimeAsync(5_999);
  expect(tail.isReady()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(tail.isReady()).toBe(false);
  run?.emit('HEARTBEAT');
  expect(tail.isReady()).toBe(false);
  await run?.fetch('1', [], answered({ partition: 0, from: 5 }));
  expect(tail.isReady()).toBe(true);
  run?.emit('REBALANCING');
  expect(tail.isReady()).toBe(false);
  await run?.fetch('1');
  expect(tail.isReady()).toBe(true);
});

test('reads a partition that was added later from its beginning', async () => {
  const { consumers, started } = setUp();
  await settleMicrotasks();
  const [run] = consumers;
  run?.join({ t: [0, 1] });
  await run?.fetch('1', [{ topic: 't', partition: 1, offsets: [0] }]);
  await started;
  run?.join({ t: [0, 1] });
  expect(run?.calls.seeks).toEqual(['t/0@5', 't/0@5', 't/1@1']);
});

test('replaces a crashed consumer after doubled delays', async () => {
  const { tail, consumers, started } = setUp();
  await settleMicrotasks();
  consumers[0]?.join({ t: [0] });
  await consumers[0]?.fetch('1');
  await started;
  for (const [index, delayMs] of [100, 200, 400].entries()) {
    consumers[index]?.emit('CRASH', { error: new Error('connection lost') });
    await vi.advanceTimersByTimeAsync(delayMs - 1);
    expect(consumers).toHaveLength(index + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(consumers).toHaveLength(index + 2);
    consumers[index + 1]?.join({ t: [0] });
    await settleMicrotasks();
  }
  await tail.stop();
});

test('logs and skips a message whose handler throws', async () => {
  const { consumers, started, seen, warnings } = setUp();
  await settleMicrotasks();
  const [run] = consumers;
  run?.join({ t: [0] });
  await run?.fetch('1', [{ topic: 't', partition: 0, offsets: [5, 666, 667] }]);
  await started;
  expect(seen).toEqual([5, 667]);
  expect(run?.resolved).toEqual(['t/0@667']);
  expect(warnings).toEqual([{ topic: 't', partition: 0, offset: 666, skipped: 1, error: 'handler failed' }]);
});

test('does not create a consumer if it is stopped before its start position is known', async () => {
  const { tail, consumers, started } = setUp();
  const outcome = started.catch((error: unknown) => error);
  await tail.stop(1_000);
  expect(await outcome).toMatchObject({ code: 'tail-stopped' });
  expect(consumers).toHaveLength(0);
});

test('resolves start() after the first fetch of a replaced consumer', async () => {
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
    vi.advanceTimersByTimeAsync(60_000).then(() => Promise.reject(new Error('start() is still pending'))),
  ]);
  expect(tail.isReady()).toBe(true);
});

test('rejects caughtUp() with tail-stopped if it is stopped while partitions are paused', async () => {
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
      { partition: 1, from: round, hasRecords: true },
    );
    await run?.fetch('1', [{ topic: 't', partition: 1, offsets: [round] }], answer);
  }
  expect([...(run?.calls.paused ?? [])]).toEqual(['t/1']);
  await tail.stop(1_000);
  expect(await outcome).toMatchObject({ code: 'tail-stopped' });
});

test('catches up only after an open transaction has ended', async () => {
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
    answered({ partition: 0, from: 5, hasRecords: true }),
  );
  expect(isCaughtUp).toBe(false);
  // kafkajs skips the marker of the transaction, offset 7, and never delivers it.
  await run?.fetch('1', [], answered({ partition: 0, from: 8, stableEnd: 8 }));
  await caughtUp;
  expect(seen).toEqual([5, 6]);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Breaker } from '../../../shared/messaging/breaker.ts';
import type { RuntimeOptions } from '../../../shared/messaging/consumer-options.ts';
import { ConsumerRuntime } from '../../../shared/messaging/consumer-runtime.ts';
import type { Disposition } from '../../../shared/messaging/disposition.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { FakeGroupSource } from '../../support/fake-group-source.ts';
import { FAKE_TOPIC, fakeMessages } from '../../support/fake-messages.ts';

const PROBE_MS = 60_000;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function record(breaker: Breaker, results: string): number {
  for (const [index, result] of results.split('').entries())
    if (breaker.record(result === 'x')) return index + 1;
  return 0;
}

test('twenty unexpected failures in a row open the breaker, nineteen do not', () => {
  expect(record(new Breaker(), 'x'.repeat(19) + '.')).toBe(0);
  expect(record(new Breaker(), 'x'.repeat(20))).toBe(20);
});

test('half of the last fifty messages open it, fewer than fifty say nothing', () => {
  expect(record(new Breaker(), '.x'.repeat(24) + '.')).toBe(0);
  expect(record(new Breaker(), '.x'.repeat(25))).toBe(50);
  expect(record(new Breaker(), '..x'.repeat(100))).toBe(0);
});

test('failures that are long past do not count', () => {
  expect(record(new Breaker(), 'x'.repeat(19) + '.'.repeat(50) + '.x'.repeat(24))).toBe(0);
});

test('a closed breaker counts afresh', () => {
  const breaker = new Breaker();
  record(breaker, 'x'.repeat(20));
  breaker.close();
  expect(breaker.state).toBe('closed');
  expect(record(breaker, 'x'.repeat(19))).toBe(0);
});

function createScene(answer: (offset: number) => Disposition, options: Partial<RuntimeOptions> = {}) {
  const begun: number[] = [];
  const changes: string[] = [];
  const source = new FakeGroupSource();
  const runtime = new ConsumerRuntime({
    process: (message) => {
      begun.push(message.offset);
      return answer(message.offset);
    },
    log: silentLog,
    onBreaker: (state) => changes.push(state),
    ...options,
  });
  const sink = runtime.attach(source, () => undefined);
  sink.onAssigned(
    1,
    [0, 1].map((partition) => ({ topic: FAKE_TOPIC, partition })),
  );
  return { begun, changes, source, runtime, sink };
}

test('open, the breaker pauses all partitions, keeps the membership and commits nothing past the opening message', async () => {
  const { begun, changes, source, runtime, sink } = createScene(() => 'failed');
  sink.onMessages(1, fakeMessages(0, 99), 100);
  expect(begun).toHaveLength(20);
  expect(source.paused.size).toBe(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(source.committed()).toBe(19);
  expect(source.heartbeats).toBe(10);
  expect(source.stops).toBe(0);
  expect(changes).toEqual(['open']);
  expect(runtime.health().status).toBe('degraded');
  expect(runtime.stats()).toMatchObject({ breaker: 'open', breakerOpened: 1, paused: 2 });
});

test('one message is tried each minute, and its success closes the breaker', async () => {
  let isMended = false;
  const { begun, changes, source, runtime, sink } = createScene(() => (isMended ? 'settled' : 'failed'));
  sink.onMessages(1, fakeMessages(0, 99), 100);
  await vi.advanceTimersByTimeAsync(PROBE_MS - 1);
  expect(begun).toHaveLength(20);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun.slice(20)).toEqual([19]);
  isMended = true;
  await vi.advanceTimersByTimeAsync(PROBE_MS + 1_000);
  expect(begun).toHaveLength(20 + 2 + 80);
  expect(changes).toEqual(['open', 'closed']);
  expect(source.paused.size).toBe(0);
  expect(source.committed()).toBe(100);
  expect(runtime.health().status).toBe('ready');
});

test('after a rebalance an open breaker stays open, pauses what is new, and tries the first message it is delivered', async () => {
  let isMended = false;
  const { begun, source, sink } = createScene(() => (isMended ? 'settled' : 'failed'));
  sink.onMessages(1, fakeMessages(0, 30), 31);
  sink.onAssigned(2, [{ topic: FAKE_TOPIC, partition: 5 }]);
  expect(source.paused.has(`${FAKE_TOPIC}/5`)).toBe(true);
  await vi.advanceTimersByTimeAsync(PROBE_MS);
  expect(source.paused.has(`${FAKE_TOPIC}/5`)).toBe(false);
  isMended = true;
  const before = begun.length;
  sink.onMessages(2, fakeMessages(40, 42, { partition: 5 }), 43);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun.slice(before)).toEqual([40, 41, 42]);
  expect(source.committed(5)).toBe(43);
});

test('while it waits for a delivery to try, one failing message is all that is begun', async () => {
  const { begun, source, sink } = createScene(() => 'failed');
  sink.onMessages(1, fakeMessages(0, 30), 31);
  sink.onAssigned(2, [{ topic: FAKE_TOPIC, partition: 5 }]);
  await vi.advanceTimersByTimeAsync(PROBE_MS);
  const before = begun.length;
  sink.onMessages(2, fakeMessages(40, 42, { partition: 5 }), 43);
  expect(begun.slice(before)).toEqual([40]);
  expect(source.paused.has(`${FAKE_TOPIC}/5`)).toBe(true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(source.committed(5)).toBeUndefined();
});

test('a success that was under way when the breaker opened does not close it', async () => {
  const { promise, resolve } = Promise.withResolvers<Disposition>();
  const { runtime, sink } = createScene(() => 'failed', {
    process: (message) => (message.offset === 0 ? promise : 'failed'),
  });
  sink.onMessages(1, fakeMessages(0, 30), 31);
  expect(runtime.stats().breaker).toBe('open');
  resolve('settled');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runtime.stats().breaker).toBe('open');
});

test('refusals and passing faults do not open it', async () => {
  const { runtime, sink } = createScene((offset) =>
    offset % 2 === 0 ? 'settled' : { retryAfterMs: 100_000 },
  );
  sink.onMessages(1, fakeMessages(0, 199), 200);
  expect(runtime.stats()).toMatchObject({ breaker: 'closed', settled: 100 });
});

test('a failure that may pass is committed, and each probe takes another message', async () => {
  const { begun, changes, source, runtime, sink } = createScene(
    (offset) => (offset === 21 ? 'settled' : 'failed'),
    { breaker: { onFailure: 'pass' } },
  );
  sink.onMessages(1, fakeMessages(0, 22), 23);
  expect(begun).toHaveLength(20);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(source.committed()).toBe(20);
  await vi.advanceTimersByTimeAsync(PROBE_MS);
  expect(begun.slice(20)).toEqual([20]);
  expect(runtime.stats()).toMatchObject({ breaker: 'open', failed: 21 });
  await vi.advanceTimersByTimeAsync(PROBE_MS);
  expect(begun.slice(21)).toEqual([21, 22]);
  expect(changes).toEqual(['open', 'closed']);
  expect(source.committed()).toBe(23);
});

test('a message that was stored as a dead letter counts, and is never tried again even where failures are kept', async () => {
  const { begun, source, runtime, sink } = createScene(() => 'dead-lettered');
  sink.onMessages(1, fakeMessages(0, 99), 100);
  expect(begun).toHaveLength(20);
  await vi.advanceTimersByTimeAsync(2 * PROBE_MS);
  expect(begun.slice(20)).toEqual([20, 21]);
  expect(runtime.stats()).toMatchObject({ breaker: 'open', breakerOpened: 1, failed: 22 });
  expect(source.committed()).toBe(22);
});

test('health names group, topic, since when it is open, and what to do', async () => {
  const { runtime, sink } = createScene(() => 'failed', {
    reads: { groupId: 'plat.schedule.bulk', topics: ['plat.schedule.requests.bulk.v1'] },
    clock: { now: () => Date.UTC(2026, 4, 1, 12) },
  });
  sink.onMessages(1, fakeMessages(0, 99), 100);
  expect(runtime.health()).toEqual({
    status: 'degraded',
    reason: expect.stringMatching(
      /plat\.schedule\.bulk on plat\.schedule\.requests\.bulk\.v1 is open since 2026-05-01T12:00:00\.000Z.*every 60 s.*npm run dead-letters/,
    ) as string,
  });
});

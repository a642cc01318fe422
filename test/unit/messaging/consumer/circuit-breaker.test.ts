import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FailureRun } from '../../../../shared/messaging/consumer/circuit-breaker.ts';
import type { RuntimeOptions } from '../../../../shared/messaging/consumer/consumer-options.ts';
import { ConsumerRuntime } from '../../../../shared/messaging/consumer/consumer-runtime.ts';
import type { ProcessingResult } from '../../../../shared/messaging/processing-result.ts';
import { InfrastructureError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { FakeGroupSource } from '../../../support/fakes/group-source.ts';
import { FAKE_TOPIC, fakeMessages } from '../../../support/fakes/messages.ts';

const PROBE_MS = 60_000;
/** The breaker of the scenes opens at so many failures in a row. */
const IN_A_ROW = 20;
/** So many messages are tried in an interval, the first after so long, the next after twice that. */
const PROBES = 10;
const FIRST_MS = 250;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Records results, x a failure of the next key and s one of the same; returns how many it took to open, or 0. */
function record(run: FailureRun, results: string): number {
  for (const [index, result] of results.split('').entries()) {
    if (result === '.') run.reset();
    else if (run.add(Buffer.from(result === 'x' ? `key-${index}` : 'same'))) return index + 1;
  }
  return 0;
}

test('two hundred failures in a row open the breaker, fewer do not', () => {
  expect(record(new FailureRun(), 'x'.repeat(199) + '.' + 'x'.repeat(199))).toBe(0);
  expect(record(new FailureRun(), 'x'.repeat(200))).toBe(200);
});

test('as long as anything succeeds between them, no number of failures opens it', () => {
  expect(record(new FailureRun(), ('x'.repeat(150) + '.').repeat(20))).toBe(0);
});

test('neither a message that fails repeatedly nor those of few keys open it', () => {
  expect(record(new FailureRun(), 's'.repeat(1_000))).toBe(0);
  expect(record(new FailureRun(), 'x'.repeat(18) + 's'.repeat(1_000))).toBe(0);
  expect(record(new FailureRun(), 's'.repeat(1_000) + 'x'.repeat(18))).toBe(0);
  expect(record(new FailureRun(), 's'.repeat(1_000) + 'x'.repeat(19))).toBe(1_019);
});

function failuresToOpen(key: null | undefined): number {
  const run = new FailureRun();
  for (let index = 1; index <= 300; index += 1) if (run.add(key)) return index;
  return 0;
}

test('messages without a key count as so many keys, work of another message as none', () => {
  expect(failuresToOpen(null)).toBe(200);
  expect(failuresToOpen(undefined)).toBe(0);
});

test('after a success counting starts afresh', () => {
  const run = new FailureRun();
  expect(record(run, 'x'.repeat(200))).toBe(200);
  run.reset();
  expect(record(run, 'x'.repeat(199))).toBe(0);
  expect(record(run, 'x')).toBe(1);
});

function createScene(answer: (offset: number) => ProcessingResult, options: Partial<RuntimeOptions> = {}) {
  const begun: number[] = [];
  const changes: string[] = [];
  const source = new FakeGroupSource();
  const runtime = new ConsumerRuntime({
    process: (message) => {
      begun.push(message.offset);
      return answer(message.offset);
    },
    log: silentLog,
    breaker: { maxFailures: IN_A_ROW },
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

test('open, the breaker begins nothing, keeps the membership, and what failed has ended', async () => {
  const { begun, changes, source, runtime, sink } = createScene(() => 'failed');
  sink.onMessages(1, fakeMessages(0, 99), 100);
  expect(begun).toHaveLength(IN_A_ROW);
  await vi.advanceTimersByTimeAsync(FIRST_MS - 1);
  expect(begun).toHaveLength(IN_A_ROW);
  expect(source.committed()).toBe(IN_A_ROW);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(source.heartbeats).toBe(10);
  expect(source.stops).toBe(0);
  expect(changes).toEqual(['open']);
  expect(runtime.health().status).toBe('degraded');
  expect(runtime.stats()).toMatchObject({ breaker: 'open', breakerOpened: 1 });
});

test('ten messages are tried at a time, the oldest and the newest in turn, at growing intervals', async () => {
  const { begun, changes, sink } = createScene(() => 'failed');
  sink.onMessages(1, fakeMessages(0, 999), 1_000);
  await vi.advanceTimersByTimeAsync(FIRST_MS);
  expect(begun.slice(IN_A_ROW)).toEqual([20, 999, 21, 998, 22, 997, 23, 996, 24, 995]);
  await vi.advanceTimersByTimeAsync(2 * FIRST_MS - 1);
  expect(begun).toHaveLength(IN_A_ROW + PROBES);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toHaveLength(IN_A_ROW + 2 * PROBES);
  // 250, 750, 1,750 ms and so on until a minute lies between them.
  await vi.advanceTimersByTimeAsync(5 * PROBE_MS);
  expect(begun).toHaveLength(IN_A_ROW + 11 * PROBES);
  expect(changes).toEqual(['open']);
});

test('any success among those tried closes it, and the rest follows', async () => {
  const good = 700;
  const { begun, changes, source, runtime, sink } = createScene((offset) =>
    offset < good ? 'failed' : 'settled',
  );
  sink.onMessages(1, fakeMessages(0, good), good + 1);
  await vi.advanceTimersByTimeAsync(FIRST_MS);
  // The 680 bad ones before it would have taken hours, ten at a time.
  expect(begun.slice(IN_A_ROW, IN_A_ROW + 2)).toEqual([20, good]);
  expect(changes.slice(0, 2)).toEqual(['open', 'closed']);
  expect(runtime.stats().failed).toBeGreaterThan(IN_A_ROW + 10);
  expect(source.paused.size).toBe(0);
});

test('a fixed handler closes it at the next try, and nothing is lost', async () => {
  let isMended = false;
  const { begun, changes, source, runtime, sink } = createScene(() => (isMended ? 'settled' : 'failed'));
  sink.onMessages(1, fakeMessages(0, 99), 100);
  isMended = true;
  await vi.advanceTimersByTimeAsync(FIRST_MS + 1_000);
  expect(new Set(begun).size).toBe(100);
  expect(changes).toEqual(['open', 'closed']);
  expect(source.committed()).toBe(100);
  expect(runtime.health().status).toBe('ready');
});

test('what comes to an empty queue is tried at once, as far as the interval allows', async () => {
  const { begun, runtime, sink } = createScene((offset) => (offset === 999 ? 'settled' : 'failed'));
  sink.onMessages(1, fakeMessages(0, IN_A_ROW - 1), IN_A_ROW);
  await vi.advanceTimersByTimeAsync(FIRST_MS);
  sink.onMessages(1, fakeMessages(20, 28), 29);
  expect(begun).toHaveLength(29);
  sink.onMessages(1, fakeMessages(30, 31), 32);
  expect(begun).toHaveLength(30);
  await vi.advanceTimersByTimeAsync(2 * FIRST_MS);
  sink.onMessages(1, fakeMessages(999, 999, { partition: 1 }), 1_000);
  expect(runtime.stats().breaker).toBe('closed');
});

test('after a rebalance it stays open, and tries what it is delivered then', async () => {
  let isMended = false;
  const { begun, runtime, source, sink } = createScene(() => (isMended ? 'settled' : 'failed'));
  sink.onMessages(1, fakeMessages(0, 30), 31);
  sink.onAssigned(2, [{ topic: FAKE_TOPIC, partition: 5 }]);
  expect(runtime.stats().breaker).toBe('open');
  await vi.advanceTimersByTimeAsync(PROBE_MS);
  isMended = true;
  const before = begun.length;
  sink.onMessages(2, fakeMessages(40, 42, { partition: 5 }), 43);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun.slice(before)).toEqual([40, 41, 42]);
  expect(source.committed(5)).toBe(43);
});

test('messages that are tried and do not end are no more than ten', async () => {
  const { begun, sink } = createScene(() => 'failed', {
    process: (message) => {
      begun.push(message.offset);
      return message.offset < IN_A_ROW ? 'failed' : new Promise(() => undefined);
    },
  });
  sink.onMessages(1, fakeMessages(0, 99), 100);
  await vi.advanceTimersByTimeAsync(5 * PROBE_MS);
  expect(begun).toHaveLength(IN_A_ROW + PROBES);
});

test('what was refused unseen because it came too late neither opens nor closes it', async () => {
  const { runtime, sink } = createScene((offset) => (offset < 25 && offset !== 10 ? 'failed' : 'expired'));
  sink.onMessages(1, fakeMessages(0, 99), 100);
  expect(runtime.stats()).toMatchObject({ breaker: 'open', failed: IN_A_ROW });
  await vi.advanceTimersByTimeAsync(FIRST_MS);
  expect(runtime.stats()).toMatchObject({ breaker: 'open', settled: 21 + PROBES });
});

test('a message that meets unavailable infrastructure returns its try to another one, at once or later', async () => {
  for (const isLate of [false, true]) {
    const waiting = 400;
    const bad = waiting + IN_A_ROW;
    const { begun, changes, sink } = createScene(() => 'failed', {
      process: (message) => {
        begun.push(message.offset);
        if (message.offset === bad) return 'settled';
        if (message.offset >= waiting) return 'failed';
        const away = new InfrastructureError('reply-partition-silent', 'takes no replies');
        if (isLate) return Promise.reject(away);
        throw away;
      },
    });
    sink.onMessages(1, fakeMessages(0, bad - 1), bad);
    await vi.advanceTimersByTimeAsync(PROBE_MS);
    expect(changes).toEqual(['open']);
    sink.onMessages(1, fakeMessages(bad, bad), bad + 1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(changes).toEqual(['open', 'closed']);
  }
});

test('refusals and transient failures do not open it', async () => {
  const { runtime, sink } = createScene((offset) =>
    offset % 2 === 0 ? 'settled' : { retryAfterMs: 100_000 },
  );
  sink.onMessages(1, fakeMessages(0, 199), 200);
  expect(runtime.stats()).toMatchObject({ breaker: 'closed', settled: 100 });
});

test('messages that were stored as dead letters count where they are said to', async () => {
  const { begun, source, runtime, sink } = createScene(() => 'failed');
  sink.onMessages(1, fakeMessages(0, 99), 100);
  expect(begun).toHaveLength(IN_A_ROW);
  await vi.advanceTimersByTimeAsync(FIRST_MS + 200);
  expect(runtime.stats()).toMatchObject({ breaker: 'open', breakerOpened: 1, failed: IN_A_ROW + PROBES });
  expect(source.committed()).toBe(25);
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

test('a consumer that has drained leaves no timer behind, with an open breaker either', async () => {
  const { runtime, sink } = createScene(() => 'failed');
  sink.onMessages(1, fakeMessages(0, 99), 100);
  const drained = runtime.drain(1_000);
  await vi.advanceTimersByTimeAsync(10_000);
  await drained;
  expect(vi.getTimerCount()).toBe(0);
});

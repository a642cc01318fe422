import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FailureRun } from '../../../../shared/messaging/consumer/circuit-breaker.ts';
import type { RuntimeOptions } from '../../../../shared/messaging/consumer/consumer-options.ts';
import { ConsumerRuntime } from '../../../../shared/messaging/consumer/consumer-runtime.ts';
import type { ProcessingResult } from '../../../../shared/messaging/processing-result.ts';
import { InfrastructureError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { FakeGroupSource } from '../../../support/fakes/group-source.ts';
import { FAKE_TOPIC, fakeMessages } from '../../../support/fakes/messages.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

const PROBE_MS = 60_000;
/** The consecutive failures that open the breaker of createScene(). */
const MAX_FAILURES = 20;
/**
 * The messages that are tried in each interval; the first interval is FIRST_MS long, and each is twice as long as the
 * previous one.
 */
const PROBES = 10;
const FIRST_MS = 250;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/**
 * Counts results: `x` is a failure of a new key, `s` a failure of the same key, and `.` a success. Returns the number
 * of results after which the breaker opens, or 0 if it does not.
 */
function record(run: FailureRun, results: string): number {
  for (const [index, result] of results.split('').entries()) {
    if (result === '.') run.reset();
    else if (run.add(Buffer.from(result === 'x' ? `key-${index}` : 'same'))) return index + 1;
  }
  return 0;
}

test('opens after 200 consecutive failures', () => {
  expect(record(new FailureRun(), 'x'.repeat(199) + '.' + 'x'.repeat(199))).toBe(0);
  expect(record(new FailureRun(), 'x'.repeat(200))).toBe(200);
});

test('stays closed for failures of fewer than 20 keys', () => {
  expect(record(new FailureRun(), 's'.repeat(1_000))).toBe(0);
  expect(record(new FailureRun(), 'x'.repeat(18) + 's'.repeat(1_000))).toBe(0);
  expect(record(new FailureRun(), 's'.repeat(1_000) + 'x'.repeat(18))).toBe(0);
  expect(record(new FailureRun(), 's'.repeat(1_000) + 'x'.repeat(19))).toBe(1_019);
});

function createScene(answer: (offset: number) => ProcessingResult, options: Partial<RuntimeOptions> = {}) {
  const started: number[] = [];
  const changes: string[] = [];
  const source = new FakeGroupSource();
  const runtime = new ConsumerRuntime({
    ...systemPorts,
    process: (message) => {
      started.push(message.offset);
      return answer(message.offset);
    },
    log: silentLog,
    breaker: { maxFailures: MAX_FAILURES },
    onBreaker: (state) => changes.push(state),
    ...options,
  });
  const sink = runtime.attach(source, () => undefined);
  sink.onAssigned(
    1,
    [0, 1].map((partition) => ({ topic: FAKE_TOPIC, partition })),
  );
  return { started, changes, source, runtime, sink };
}

test('does not start messages while open, stays in the group, and commits failed messages', async () => {
  const { started, changes, source, runtime, sink } = createScene(() => 'failed');
  sink.onMessages(1, fakeMessages(0, 99), 100);
  expect(started).toHaveLength(MAX_FAILURES);
  await vi.advanceTimersByTimeAsync(FIRST_MS - 1);
  expect(started).toHaveLength(MAX_FAILURES);
  expect(source.committed()).toBe(MAX_FAILURES);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(source.heartbeats).toBe(10);
  expect(source.stops).toBe(0);
  expect(changes).toEqual(['open']);
  expect(runtime.health().status).toBe('degraded');
  expect(runtime.stats()).toMatchObject({ breaker: 'open', breakerOpened: 1 });
});

test('probes with ten messages, the oldest and newest alternately, at growing intervals', async () => {
  const { started, changes, sink } = createScene(() => 'failed');
  sink.onMessages(1, fakeMessages(0, 999), 1_000);
  await vi.advanceTimersByTimeAsync(FIRST_MS);
  expect(started.slice(MAX_FAILURES)).toEqual([20, 999, 21, 998, 22, 997, 23, 996, 24, 995]);
  await vi.advanceTimersByTimeAsync(2 * FIRST_MS - 1);
  expect(started).toHaveLength(MAX_FAILURES + PROBES);
  await vi.advanceTimersByTimeAsync(1);
  expect(started).toHaveLength(MAX_FAILURES + 2 * PROBES);
  // At 250, 750, 1,750 ms and so on, up to intervals of a minute.
  await vi.advanceTimersByTimeAsync(5 * PROBE_MS);
  expect(started).toHaveLength(MAX_FAILURES + 11 * PROBES);
  expect(changes).toEqual(['open']);
});

test('closes with the first successful probe and starts the other messages', async () => {
  const good = 700;
  const { started, changes, source, runtime, sink } = createScene((offset) =>
    offset < good ? 'failed' : 'settled',
  );
  sink.onMessages(1, fakeMessages(0, good), good + 1);
  await vi.advanceTimersByTimeAsync(FIRST_MS);
  // If probes were taken in order only, the 680 failing messages before it would delay this one for over an hour.
  expect(started.slice(MAX_FAILURES, MAX_FAILURES + 2)).toEqual([20, good]);
  expect(changes.slice(0, 2)).toEqual(['open', 'closed']);
  expect(runtime.stats().failed).toBeGreaterThan(MAX_FAILURES + 10);
  expect(source.paused.size).toBe(0);
});

test('closes at the next probe once the handler works, without losing messages', async () => {
  let isFixed = false;
  const { started, changes, source, runtime, sink } = createScene(() => (isFixed ? 'settled' : 'failed'));
  sink.onMessages(1, fakeMessages(0, 99), 100);
  isFixed = true;
  await vi.advanceTimersByTimeAsync(FIRST_MS + 1_000);
  expect(new Set(started).size).toBe(100);
  expect(changes).toEqual(['open', 'closed']);
  expect(source.committed()).toBe(100);
  expect(runtime.health().status).toBe('ready');
});

test('stays open after a rebalance and probes with the messages delivered then', async () => {
  let isFixed = false;
  const { started, runtime, source, sink } = createScene(() => (isFixed ? 'settled' : 'failed'));
  sink.onMessages(1, fakeMessages(0, 30), 31);
  sink.onAssigned(2, [{ topic: FAKE_TOPIC, partition: 5 }]);
  expect(runtime.stats().breaker).toBe('open');
  await vi.advanceTimersByTimeAsync(PROBE_MS);
  isFixed = true;
  const before = started.length;
  sink.onMessages(2, fakeMessages(40, 42, { partition: 5 }), 43);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(started.slice(before)).toEqual([40, 41, 42]);
  expect(source.committed(5)).toBe(43);
});

test('ignores requests that were refused because their deadline had passed', async () => {
  const { runtime, sink } = createScene((offset) => (offset < 25 && offset !== 10 ? 'failed' : 'expired'));
  sink.onMessages(1, fakeMessages(0, 99), 100);
  expect(runtime.stats()).toMatchObject({ breaker: 'open', failed: MAX_FAILURES });
  await vi.advanceTimersByTimeAsync(FIRST_MS);
  expect(runtime.stats()).toMatchObject({ breaker: 'open', settled: 21 + PROBES });
});

test('probes with another message if infrastructure is unavailable for one', async () => {
  for (const isLate of [false, true]) {
    const waiting = 50;
    const bad = waiting + MAX_FAILURES;
    const { started, changes, sink } = createScene(() => 'failed', {
      process: (message) => {
        started.push(message.offset);
        if (message.offset === bad) return 'settled';
        if (message.offset >= waiting) return 'failed';
        const away = new InfrastructureError('reply-partition-silent', 'accepts no replies');
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

test('ignores refusals and transient failures', async () => {
  const { runtime, sink } = createScene((offset) =>
    offset % 2 === 0 ? 'settled' : { retryAfterMs: 100_000 },
  );
  sink.onMessages(1, fakeMessages(0, 199), 200);
  expect(runtime.stats()).toMatchObject({ breaker: 'closed', settled: 100 });
});

test('counts messages whose result is failed', async () => {
  const { started, source, runtime, sink } = createScene(() => 'failed');
  sink.onMessages(1, fakeMessages(0, 99), 100);
  expect(started).toHaveLength(MAX_FAILURES);
  await vi.advanceTimersByTimeAsync(FIRST_MS + 200);
  expect(runtime.stats()).toMatchObject({ breaker: 'open', breakerOpened: 1, failed: MAX_FAILURES + PROBES });
  expect(source.committed()).toBe(25);
});

test('reports group, topic, opening time and advice in its health', async () => {
  const { runtime, sink } = createScene(() => 'failed', {
    reads: { groupId: 'plat.schedule.bulk', topics: ['plat.schedule.requests.bulk.v1'] },
    clock: { now: () => Date.UTC(2026, 4, 1, 12) },
  });
  sink.onMessages(1, fakeMessages(0, 99), 100);
  expect(runtime.health()).toEqual({
    status: 'degraded',
    reason: expect.stringMatching(
      /plat\.schedule\.bulk on plat\.schedule\.requests\.bulk\.v1 has been open since 2026-05-01T12:00:00\.000Z.*every 60 s.*npm run dead-letters/,
    ) as string,
  });
});

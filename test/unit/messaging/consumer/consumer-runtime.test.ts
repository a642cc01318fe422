import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  ConsumerRuntime,
  type RuntimeOptions,
} from '../../../../shared/messaging/consumer/consumer-runtime.ts';
import type { Process, WorkProgress } from '../../../../shared/messaging/outcome.ts';
import { InfrastructureError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { FakeGroupSource } from '../../../support/fakes/group-source.ts';
import { FAKE_TOPIC, fakeMessage, fakeMessages } from '../../../support/fakes/messages.ts';
import { createFakeWork, settleMicrotasks } from '../../../support/fakes/work.ts';
import { systemPorts, sleep } from '../../../../shared/platform/system-ports.ts';

const COMMIT_MS = 200;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const partitions = (...ids: number[]) => ids.map((partition) => ({ topic: FAKE_TOPIC, partition }));

function createScene(options: Partial<RuntimeOptions> = {}) {
  const work = createFakeWork();
  const source = new FakeGroupSource();
  const ports = { ...systemPorts, process: work.process, log: silentLog, random: () => 0 };
  const runtime = new ConsumerRuntime({ ...ports, ...options });
  const sink = runtime.attach(source, () => undefined);
  sink.onAssigned(1, partitions(0));
  const deliver = (from: number, to: number, more?: Parameters<typeof fakeMessages>[2]) =>
    sink.onMessages(1, fakeMessages(from, to, more), to + 1);
  const end = async (...offsets: readonly number[]) => {
    for (const offset of offsets) await work.end(offset);
  };
  return { work, source, runtime, sink, deliver, end };
}

const away = () => Promise.reject(new InfrastructureError('broker-unavailable', 'away'));
const afterCommitTick = () => vi.advanceTimersByTimeAsync(COMMIT_MS);

test('observes the progress again when a message arrives after an idle time', async () => {
  const { work, source, deliver, runtime } = createScene();
  deliver(0, 0);
  await work.end(0);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(source.commits).toHaveLength(1);
  deliver(1, 1);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(runtime.health().status).toBe('ready');
  await vi.advanceTimersByTimeAsync(2_000);
  const reason = expect.stringMatching(`^${FAKE_TOPIC}/0 .* lag 1$`) as string;
  expect(runtime.health()).toEqual({ status: 'unhealthy', reason });
  await work.end(1);
  await afterCommitTick();
  expect(runtime.health().status).toBe('ready');
});

test('pauses a partition with a full window and resumes it below half', async () => {
  const { source, deliver, end } = createScene({ window: { messages: 10 }, concurrency: 10 });
  deliver(0, 8);
  expect(source.paused.size).toBe(0);
  deliver(9, 9);
  expect([...source.paused]).toEqual([`${FAKE_TOPIC}/0`]);
  // Completed messages beyond the prefix still fill the window: a crash would deliver them again.
  await end(5, 6, 7, 8, 9);
  expect(source.paused.size).toBe(1);
  await end(0, 1, 2, 3);
  expect(source.paused.size).toBe(1);
  await end(4);
  expect(source.paused.size).toBe(0);
});

test('counts only unfinished messages towards the maximum number of messages', async () => {
  const { source, deliver, end } = createScene({ window: { messages: 2, pending: 100 } });
  deliver(0, 0);
  expect(source.paused.size).toBe(0);
  deliver(1, 1);
  expect(source.paused.size).toBe(1);
  await end(1);
  expect(source.paused.size).toBe(0);
});

test('counts the bytes of messages towards the window, until the next generation', () => {
  const { source, sink } = createScene({ window: { bytes: 1_000 } });
  sink.onMessages(1, [fakeMessage(0, { key: 'four', value: Buffer.alloc(985), headers: { name: 'a' } })], 1);
  expect(source.paused.size).toBe(0);
  sink.onMessages(1, [fakeMessage(1, { key: null, value: Buffer.alloc(6) })], 2);
  expect(source.paused.size).toBe(1);
  sink.onAssigned(2, partitions(0));
  expect(source.paused.size).toBe(0);
});

test('pauses a partition whose completed messages cannot be committed, until they are', async () => {
  const { source, deliver, end } = createScene({ window: { messages: 100, pending: 20 } });
  source.onCommit = away;
  let delivered = 0;
  for (; source.paused.size === 0 && delivered < 1_000; delivered += 5) {
    deliver(delivered, delivered + 4);
    await end(...[0, 1, 2, 3, 4].map((offset) => delivered + offset));
    await afterCommitTick();
  }
  expect(delivered).toBe(20);
  await vi.advanceTimersByTimeAsync(10 * COMMIT_MS);
  expect(source.paused.size).toBe(1);
  source.onCommit = () => Promise.resolve(true);
  await afterCommitTick();
  expect([source.paused.size, source.committed()]).toEqual([0, 20]);
});

test('commits a paused partition at once when everything of it is done, and waits after a failure', async () => {
  const { source, deliver, end } = createScene({ window: { messages: 2 } });
  deliver(0, 1);
  await end(0);
  expect([source.paused.size, source.commits.length]).toEqual([1, 0]);
  await end(1);
  expect([source.paused.size, source.committed()]).toEqual([0, 2]);
  source.onCommit = away;
  deliver(2, 3);
  await end(2, 3);
  await settleMicrotasks();
  expect([source.paused.size, source.commits.length]).toEqual([1, 2]);
  await afterCommitTick();
  expect(source.commits.length).toBe(3);
});

test('commits completed messages at a revocation, then those in progress, and drops the others', async () => {
  const { work, source, sink, deliver, end, runtime } = createScene({ concurrency: 2 });
  deliver(0, 5);
  await end(0);
  sink.onRevoking(1);
  expect(source.committed()).toBe(1);
  await end(1);
  expect(source.committed()).toBe(1);
  await end(2);
  expect(source.committed()).toBe(3);
  deliver(6, 7);
  expect(work.started()).toEqual([0, 1, 2]);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(runtime.health().status).toBe('ready');
  await vi.advanceTimersByTimeAsync(1);
  expect(runtime.health().reason).toBe('its group has been rebalancing for 5 s');
  sink.onAssigned(2, partitions(1));
  sink.onMessages(2, [fakeMessage(9, { partition: 1 })], 10);
  expect(work.started()).toEqual([0, 1, 2, 9]);
});

test('processes all messages of a log that replaced a longer one, none of that one again, and commits none before it is done', async () => {
  const { work, source, deliver, end } = createScene();
  deliver(0, 4);
  await work.end(4, { retryAfterMs: COMMIT_MS + 1 });
  await end(0, 1, 2, 3);
  await afterCommitTick();
  expect(source.committed()).toBe(4);
  const later = { timestampMs: 1_800_000_000_000, key: null };
  deliver(0, 3, later);
  deliver(4, 6, later);
  expect(work.started().slice(5)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  await end(0, 2, 3, 4, 5, 6);
  await afterCommitTick();
  expect(source.committed()).toBe(1);
  await end(1);
  await afterCommitTick();
  expect([source.committed(), work.calls.length]).toEqual([7, 12]);
});

test('resumes a paused partition whose log was replaced', async () => {
  const { source, deliver, end } = createScene({ window: { messages: 2 } });
  deliver(5, 6);
  expect(source.paused.size).toBe(1);
  deliver(0, 0, { timestampMs: 1_800_000_000_000 });
  await end(0);
  await afterCommitTick();
  expect(source.paused.size).toBe(0);
});

test('does not block later messages of a key behind work of a discarded source', async () => {
  const { work, runtime, sink } = createScene();
  sink.onMessages(1, [fakeMessage(0, { key: 'a' })], 1);
  runtime.detach();
  expect(runtime.lag()).toEqual([]);
  await work.end(0);
  const next = runtime.attach(new FakeGroupSource(), () => undefined);
  next.onAssigned(1, partitions(0));
  next.onMessages(1, [fakeMessage(1, { key: 'a' })], 2);
  expect(work.started()).toEqual([0, 1]);
});

test('retries a transient failure with growing delays, and blocks only its key', async () => {
  const { work, source, sink, runtime } = createScene({ retryBackoff: { minMs: 100, maxMs: 400 } });
  sink.onMessages(1, [fakeMessage(0, { key: 'a' }), fakeMessage(1, { key: 'a' }), fakeMessage(2)], 3);
  await work.fail(0, new InfrastructureError('broker-unavailable', 'away'));
  await work.end(2);
  await vi.advanceTimersByTimeAsync(99);
  expect(work.started()).toEqual([0, 2]);
  await vi.advanceTimersByTimeAsync(1);
  expect(work.calls.at(-1)).toMatchObject({ attempt: 2, message: { offset: 0 } });
  await work.fail(0, new InfrastructureError('broker-unavailable', 'away'));
  expect(runtime.stats()).toMatchObject({ heldAttempts: 2, failed: 0 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(source.commits).toEqual([]);
  await work.end(0);
  await work.end(1);
  await afterCommitTick();
  expect(source.committed()).toBe(3);
});

test('processes a message again after its retry delay, or an unexpected error, and counts the attempts', async () => {
  const { work, source, deliver, runtime } = createScene();
  deliver(0, 1, { key: 'a' });
  await work.end(0, { retryAfterMs: 5_000 });
  await vi.advanceTimersByTimeAsync(4_999);
  expect(work.started()).toEqual([0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(work.calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
  await work.end(0);
  expect(work.started()).toEqual([0, 0, 1]);
  await work.fail(1, new TypeError('a bug'));
  expect(runtime.stats().failed).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work.started().slice(0, 4)).toEqual([0, 0, 1, 1]);
  expect(source.committed()).toBe(1);
});

test('does not retry a held message of a revoked partition before it is assigned again', async () => {
  const { work, sink, deliver, runtime } = createScene();
  deliver(0, 0);
  await work.end(0, { retryAfterMs: 1_000 });
  sink.onAssigned(2, partitions(1));
  expect(runtime.stats().held).toBe(0);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(work.started()).toEqual([0]);
  sink.onAssigned(3, partitions(0));
  sink.onMessages(3, fakeMessages(0, 0), 1);
  expect(work.started()).toEqual([0, 0]);
});

test('drains: completes running messages, commits them and leaves the group; others are left to the next member', async () => {
  const { work, source, deliver, runtime } = createScene({ concurrency: 1 });
  deliver(0, 2);
  const drained = runtime.drain(10_000);
  expect(source.paused.size).toBe(1);
  deliver(3, 4);
  source.onCommit = vi
    .fn<FakeGroupSource['onCommit']>(async () => true)
    .mockRejectedValueOnce(new Error('away'));
  await work.end(0);
  await vi.advanceTimersByTimeAsync(1_000);
  await drained;
  expect(source.commits).toHaveLength(2);
  expect([work.started(), source.committed(), source.stops]).toEqual([[0], 1, 1]);
});

test('drains for at most its time limit, then aborts the handlers and commits only completed messages', async () => {
  const { work, source, deliver, runtime } = createScene();
  deliver(0, 1);
  await work.end(0);
  const drained = runtime.drain(1_000);
  await vi.advanceTimersByTimeAsync(999);
  expect([source.stops, work.calls[1]?.signal.aborted]).toEqual([0, false]);
  await vi.advanceTimersByTimeAsync(20);
  await drained;
  expect([source.stops, work.calls[1]?.signal.aborted, source.committed()]).toEqual([1, true, 1]);
});

test.each([
  ['no message ends', [0], 10_000, 12_000],
  ['all messages have ended', [0, 1], 10_000, 10_000],
  ['there is no time', [0, 1], 0, 2_000],
])('drains in time when the broker is silent and %s', async (_, ended, timeoutMs, longestMs) => {
  const { source, deliver, end, runtime } = createScene();
  source.onCommit = () => new Promise(() => undefined);
  source.onStop = (limitMs) => sleep(systemPorts.timers, limitMs);
  deliver(0, 1);
  await end(...ended);
  let isDrained = false;
  void runtime.drain(timeoutMs).then(() => (isDrained = true));
  await vi.advanceTimersByTimeAsync(longestMs + 20);
  expect(isDrained).toBe(true);
});

test('keeps partitions paused that are assigned during a drain', async () => {
  const { work, source, sink, deliver, runtime } = createScene({ window: { messages: 1 } });
  deliver(0, 0);
  const drained = runtime.drain(1_000);
  await work.end(0);
  expect([...source.paused]).toEqual([`${FAKE_TOPIC}/0`]);
  sink.onAssigned(2, partitions(0, 1));
  expect([...source.paused]).toEqual([`${FAKE_TOPIC}/0`, `${FAKE_TOPIC}/1`]);
  expect(runtime.stats()).toMatchObject({ partitions: 2, paused: 2 });
  await vi.advanceTimersByTimeAsync(1_000);
  await drained;
});

test('drains without waiting for messages held for another attempt', async () => {
  const { work, source, deliver, runtime } = createScene();
  deliver(0, 0);
  await work.end(0, { retryAfterMs: 60_000 });
  const drained = runtime.drain(10_000);
  await vi.advanceTimersByTimeAsync(20);
  await drained;
  expect(source.stops).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test('is degraded while lag is not delivered, until the source reports a position beyond it', async () => {
  const { work, sink, runtime } = createScene();
  sink.onMessages(1, fakeMessages(0, 0), 3);
  await work.end(0);
  expect(runtime.lag()).toEqual([{ topic: FAKE_TOPIC, partition: 0, lag: 2 }]);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(runtime.health().status).toBe('degraded');
  sink.onPosition?.(1, { topic: FAKE_TOPIC, partition: 0 }, 3, 3);
  await afterCommitTick();
  expect(runtime.health().status).toBe('ready');
  expect(runtime.lag()).toEqual([{ topic: FAKE_TOPIC, partition: 0, lag: 0 }]);
});

test('is ready while a message makes steps', async () => {
  const running: WorkProgress[] = [];
  const process: Process = (_message, _attempt, _signal, progress) => {
    if (progress !== undefined) running.push(progress);
    return new Promise(() => undefined);
  };
  const { deliver, runtime } = createScene({ process });
  deliver(0, 0);
  for (let step = 0; step < 4; step += 1) {
    await vi.advanceTimersByTimeAsync(40_000);
    expect(runtime.health().status).toBe('ready');
    for (const progress of running) progress.steps += 1;
  }
});

test('is degraded if its first message has been retried for 60 seconds', async () => {
  const { work, deliver, runtime } = createScene({ retryBackoff: { minMs: 5_000, maxMs: 5_000 } });
  await vi.advanceTimersByTimeAsync(600_000);
  deliver(0, 0);
  for (let attempt = 1; attempt <= 12; attempt += 1) {
    expect(runtime.health().status).toBe('ready');
    await work.fail(0, new InfrastructureError('broker-unavailable', 'away'));
    await vi.advanceTimersByTimeAsync(5_000);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  const reason = `a message of ${FAKE_TOPIC}/0 has been retried for 61 s`;
  expect(runtime.health()).toEqual({ status: 'degraded', reason });
});

test('does not commit behind messages that it refuses while it rebalances or stops', async () => {
  for (const isStop of [false, true]) {
    const { work, source, sink, deliver, runtime } = createScene();
    sink.onMessages(1, fakeMessages(0, 0), 3);
    const drained = isStop ? runtime.drain(1_000) : sink.onRevoking(1);
    deliver(1, 2);
    sink.onPosition?.(1, { topic: FAKE_TOPIC, partition: 0 }, 3, 3);
    await work.end(0);
    await vi.advanceTimersByTimeAsync(1_000);
    await drained;
    expect(source.commits.map(({ offsets }) => offsets[0]?.offset)).toEqual([1]);
  }
});

test('is degraded after commits have failed for 60 seconds, until the partitions are assigned again', async () => {
  const { work, source, sink, runtime } = createScene();
  source.onCommit = away;
  sink.onMessages(1, fakeMessages(0, 0), 1);
  await work.end(0);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(runtime.health()).toMatchObject({ status: 'degraded', reason: expect.stringContaining('commits') });
  sink.onAssigned(2, partitions(0));
  await vi.advanceTimersByTimeAsync(61_000);
  expect(runtime.health().status).toBe('ready');
});

test('does not send a commit while another one is in flight', async () => {
  const { work, source, sink, deliver } = createScene();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  source.onCommit = () => promise;
  deliver(0, 1);
  await work.end(0);
  await afterCommitTick();
  await work.end(1);
  await vi.advanceTimersByTimeAsync(5 * COMMIT_MS);
  sink.onRevoking(1);
  expect(source.commits).toHaveLength(1);
  resolve(true);
  await settleMicrotasks();
  expect(source.commits.map(({ offsets }) => offsets[0]?.offset)).toEqual([1, 2]);
});

test('starts messages for one slice per turn of the event loop', async () => {
  let nowMs = 0;
  const work = createFakeWork();
  const process: Process = (...call) => {
    nowMs += 3;
    return work.process(...call);
  };
  const monotonic = { elapsedMs: () => nowMs };
  const { deliver } = createScene({ process, monotonic, sliceMs: 6, concurrency: 10 });
  deliver(0, 3);
  deliver(4, 4);
  expect(work.started()).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(work.started()).toEqual([0, 1, 2, 3, 4]);
});

test('limits the total weight of messages in progress', async () => {
  const { work, deliver, end } = createScene({ concurrency: 4, weigh: ({ offset }) => (offset < 4 ? 2 : 1) });
  deliver(0, 5);
  expect(work.started()).toEqual([0, 1]);
  await end(0, 1);
  expect(work.started()).toEqual([0, 1, 2, 3]);
});

function createGatedScene() {
  const gates: { partitions: number[]; signal: AbortSignal; open: () => void; fail: () => void }[] = [];
  const scene = createScene({
    gate: (assigned, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const ids = assigned.map(({ partition }) => partition);
      gates.push({ partitions: ids, signal, open: resolve, fail: () => reject(new Error('not read')) });
      return promise;
    },
  });
  return { ...scene, gates };
}

test('retries a failed gate with growing delays', async () => {
  const { gates, work, runtime, deliver } = createGatedScene();
  deliver(0, 0);
  expect(runtime.health()).toMatchObject({ status: 'starting' });
  gates[0]?.fail();
  for (const [passMs, count] of [
    [249, 1],
    [1, 2],
    [500, 3],
  ] as const) {
    await vi.advanceTimersByTimeAsync(passMs);
    expect(gates).toHaveLength(count);
    if (count === 2) gates[1]?.fail();
  }
  expect(work.started()).toEqual([]);
  gates[2]?.open();
  await settleMicrotasks();
  expect(work.started()).toEqual([0]);
  expect(runtime.health()).toEqual({ status: 'ready' });
});

test('ignores and aborts the gate of an earlier assignment, and drains without waiting for one', async () => {
  const { gates, work, source, runtime, sink } = createGatedScene();
  sink.onAssigned(2, partitions(0, 1));
  sink.onMessages(2, fakeMessages(0, 0), 1);
  expect(gates.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  gates[0]?.open();
  await settleMicrotasks();
  expect(work.started()).toEqual([]);
  gates[1]?.open();
  await settleMicrotasks();
  expect(work.started()).toEqual([0]);
  expect(gates[1]?.partitions).toEqual([0, 1]);
  await work.end(0);
  sink.onAssigned(3, partitions(0));
  sink.onMessages(3, fakeMessages(1, 1), 2);
  await Promise.all([runtime.drain(10_000), vi.advanceTimersByTimeAsync(100)]);
  expect([source.stops, gates[2]?.signal.aborted]).toEqual([1, true]);
  expect(work.started()).toEqual([0]);
});

test('does not commit the position of the source while a message before it is in progress', async () => {
  const { work, source, sink } = createScene();
  sink.onMessages(1, fakeMessages(0, 1), 4);
  sink.onPosition?.(1, { topic: FAKE_TOPIC, partition: 0 }, 4, 4);
  await work.end(0);
  await afterCommitTick();
  expect(source.committed()).toBe(1);
  await work.end(1);
  await afterCommitTick();
  expect(source.committed()).toBe(4);
});

test('drops the messages behind a running one of their key when their partition is revoked', async () => {
  const { work, sink, deliver } = createScene();
  deliver(0, 1, { key: 'a' });
  sink.onAssigned(2, partitions(1));
  await work.end(0);
  expect(work.started()).toEqual([0]);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConsumerRuntime } from '../../../../shared/messaging/consumer/consumer-runtime.ts';
import type { RuntimeOptions } from '../../../../shared/messaging/consumer/consumer-options.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { FakeGroupSource } from '../../../support/fakes/group-source.ts';
import { FAKE_TOPIC, fakeMessages } from '../../../support/fakes/messages.ts';
import { createFakeWork, settleMicrotasks } from '../../../support/fakes/work.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const partitions = (...ids: number[]) => ids.map((partition) => ({ topic: FAKE_TOPIC, partition }));

/** A runtime whose gates the test opens one at a time. */
function createScene(options: Partial<RuntimeOptions> = {}) {
  const gates: { partitions: number[]; signal: AbortSignal; open: () => void; fail: () => void }[] = [];
  const work = createFakeWork();
  const source = new FakeGroupSource();
  const runtime = new ConsumerRuntime({
    ...systemPorts,
    process: work.process,
    log: silentLog,
    random: () => 0,
    gate: (assigned, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const ids = assigned.map(({ partition }) => partition);
      gates.push({ partitions: ids, signal, open: resolve, fail: () => reject(new Error('not read')) });
      return promise;
    },
    ...options,
  });
  const sink = runtime.attach(source, () => undefined);
  return { gates, work, source, runtime, sink };
}

test('starts the messages of an assignment only when its gate opens', async () => {
  const { gates, work, runtime, sink } = createScene();
  sink.onAssigned(1, partitions(0));
  sink.onMessages(1, fakeMessages(0, 2), 3);
  await settleMicrotasks();
  expect(work.started()).toEqual([]);
  expect(runtime.health()).toMatchObject({ status: 'starting' });
  gates[0]?.open();
  await settleMicrotasks();
  expect(work.started()).toEqual([0, 1, 2]);
  expect(runtime.health()).toEqual({ status: 'ready' });
});

test('retries a failed gate with growing delays', async () => {
  const { gates, work, sink } = createScene();
  sink.onAssigned(1, partitions(0));
  sink.onMessages(1, fakeMessages(0, 0), 1);
  gates[0]?.fail();
  await vi.advanceTimersByTimeAsync(249);
  expect(gates).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(gates).toHaveLength(2);
  gates[1]?.fail();
  await vi.advanceTimersByTimeAsync(500);
  expect(gates).toHaveLength(3);
  expect(work.started()).toEqual([]);
  gates[2]?.open();
  await settleMicrotasks();
  expect(work.started()).toEqual([0]);
});

test('ignores and aborts the gate of an earlier assignment', async () => {
  const { gates, work, sink } = createScene();
  sink.onAssigned(1, partitions(0));
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
});

test('drains without waiting for the gate', async () => {
  const { work, source, runtime, sink } = createScene();
  sink.onAssigned(1, partitions(0));
  sink.onMessages(1, fakeMessages(0, 0), 1);
  await Promise.all([runtime.drain(10_000), vi.advanceTimersByTimeAsync(100)]);
  expect(source.stops).toBe(1);
  expect(work.started()).toEqual([]);
});

test('aborts the wait when the source is detached', async () => {
  const { gates, runtime, sink } = createScene();
  sink.onAssigned(1, partitions(0));
  runtime.detach();
  expect(gates[0]?.signal.aborted).toBe(true);
});

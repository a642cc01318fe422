import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Consumer, type ConsumerOptions } from '../../../../shared/messaging/consumer/consumer.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { FakeGroupSource } from '../../../support/fakes/group-source.ts';
import { FAKE_TOPIC, fakeMessages } from '../../../support/fakes/messages.ts';
import { createFakeWork } from '../../../support/fakes/work.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

const PARTITIONS = [{ topic: FAKE_TOPIC, partition: 0 }];

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function createScene(options: Partial<ConsumerOptions> = {}) {
  const sources: FakeGroupSource[] = [];
  const work = createFakeWork();
  const createSource = () => {
    const source = new FakeGroupSource();
    sources.push(source);
    return source;
  };
  const ports = { ...systemPorts, createSource, process: work.process, log: silentLog, random: () => 0 };
  const consumer = new Consumer({ ...ports, ...options });
  return { sources, work, consumer };
}

test('replaces a crashed source with growing delays, and logs the first crash', async () => {
  const logged: unknown[] = [];
  const log = { ...silentLog, error: (_: unknown, text?: string) => void logged.push(text) };
  const { sources, consumer } = createScene({ log });
  expect(consumer.health().status).toBe('starting');
  await consumer.start();
  expect(consumer.health()).toEqual({ status: 'starting', reason: 'not yet assigned' });
  sources[0]?.sink?.onAssigned(1, PARTITIONS);
  sources[0]?.sink?.onCrash(new Error('the group loop ended'));
  expect(consumer.health()).toEqual({ status: 'starting', reason: 'crashed: the group loop ended' });
  expect(sources[0]?.stops).toBe(1);
  await vi.advanceTimersByTimeAsync(999);
  expect(sources).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  sources[1]?.sink?.onCrash(new Error('again'));
  await vi.advanceTimersByTimeAsync(999);
  expect(sources).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sources).toHaveLength(3);
  sources[2]?.sink?.onAssigned(1, PARTITIONS);
  expect(consumer.health().status).toBe('ready');
  expect(consumer.stats().crashes).toBe(2);
  expect(logged).toEqual(['the consumer crashed and will be restarted']);
});

test('limits the delay and resets it after an assignment', async () => {
  const { sources, consumer } = createScene({ random: () => 1 });
  await consumer.start();
  for (let crash = 1; crash <= 10; crash += 1) {
    sources.at(-1)?.sink?.onCrash(new Error('again'));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(sources).toHaveLength(crash + 1);
  }
  sources.at(-1)?.sink?.onAssigned(1, PARTITIONS);
  sources.at(-1)?.sink?.onCrash(new Error('again'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sources).toHaveLength(12);
});

test('retries if a new source cannot be created or start', async () => {
  let calls = 0;
  const { sources, consumer } = createScene({
    createSource: () => {
      calls += 1;
      if (calls === 2) throw new Error('no socket');
      const source = new FakeGroupSource();
      if (sources.length > 0 && sources.length < 3) {
        source.onStart = () => {
          if (calls === 4) source.sink?.onCrash(new Error('first'));
          return Promise.reject(new MessagingError('broker-unavailable', 'away', { canRetry: true }));
        };
      }
      sources.push(source);
      return source;
    },
  });
  await consumer.start();
  sources[0]?.sink?.onCrash(new Error('gone'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(consumer.health().reason).toBe('crashed: no socket');
  await vi.advanceTimersByTimeAsync(19_000);
  expect([calls, sources.length, consumer.stats().crashes]).toEqual([5, 4, 4]);
  sources[3]?.sink?.onAssigned(1, PARTITIONS);
  expect(consumer.health().status).toBe('ready');
});

test('stops the source if the first start fails', async () => {
  const source = new FakeGroupSource();
  source.onStart = () => Promise.reject(new MessagingError('topic-unknown', 'no topic', { canRetry: false }));
  const { consumer } = createScene({ createSource: () => source });
  await expect(consumer.start()).rejects.toMatchObject({ code: 'topic-unknown' });
  expect(source.stops).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test('stops idempotently, and replaces no source that crashed before or during the drain', async () => {
  for (const isBefore of [true, false]) {
    const { sources, work, consumer } = createScene();
    await consumer.start();
    sources[0]?.sink?.onAssigned(1, PARTITIONS);
    sources[0]?.sink?.onMessages(1, fakeMessages(0, 0), 1);
    if (isBefore) sources[0]?.sink?.onCrash(new Error('gone'));
    const stopped = Promise.all([consumer.stop(1_000), consumer.stop(1_000)]);
    if (!isBefore) sources[0]?.sink?.onCrash(new Error('gone'));
    await work.end(0);
    await vi.advanceTimersByTimeAsync(60_000);
    await stopped;
    expect(sources).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  }
});

import { createRequire } from 'node:module';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  checkTimeoutsWhenDue,
  measureElapsedTime,
  stopIdlePolling,
} from '../../../../../../shared/messaging/kafka/kafkajs/patches/patch-kafkajs.ts';

interface Queue {
  checkPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
  push(request: object): void;
  fulfillRequest(response: object): void;
  destroy(): void;
}

type QueueClass = new (options: object) => Queue;

describe('idle connections', () => {
  test('set a timer only while a request is queued', () => {
    stopIdlePolling();
    const require = createRequire(import.meta.url);
    const RequestQueue = require('kafkajs/src/network/requestQueue') as QueueClass;
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const logger = { debug: () => undefined };
    const queue = new RequestQueue({ logger, requestTimeout: 1_000, maxInFlightRequests: 0 });
    queue.checkPendingRequests();
    expect(vi.getTimerCount()).toBe(0);
    Object.assign(queue, { pending: [{}] });
    queue.checkPendingRequests();
    expect(vi.getTimerCount()).toBe(1);
  });
});

/** A connected queue with a time limit of 5 s, and the requests that were ended by theirs. */
function createQueue() {
  checkTimeoutsWhenDue();
  const require = createRequire(import.meta.url);
  const RequestQueue = require('kafkajs/src/network/requestQueue') as QueueClass;
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const logger = { debug: () => undefined };
  const queue = new RequestQueue({ logger, requestTimeout: 5_000, enforceRequestTimeout: true });
  const failures: string[] = [];
  const push = (correlationId: number, requestTimeout: number | null = null): void => {
    const settle = {
      resolve: () => undefined,
      reject: () => failures.push(`${correlationId} at ${elapsed()}`),
    };
    const entry = { apiName: 'Fetch', correlationId, ...settle };
    queue.push({ entry, expectResponse: true, requestTimeout, sendRequest: () => undefined });
  };
  const startedMs = Date.now();
  const elapsed = (): number => Date.now() - startedMs;
  queue.scheduleRequestTimeoutCheck();
  return { queue, push, failures };
}

describe('request timeouts', () => {
  test('end each request at its own time limit', () => {
    const { push, failures } = createQueue();
    push(1, 7_000);
    push(2);
    vi.advanceTimersByTime(1_000);
    push(3);
    vi.advanceTimersByTime(20_000);
    expect(failures).toEqual(['2 at 5001', '3 at 6001', '1 at 7001']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('wake an idle connection up once in the time limit of its requests', () => {
    const { queue, push, failures } = createQueue();
    expect(vi.getTimerCount()).toBe(0);
    let timers = 0;
    const { setTimeout: set } = globalThis;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((...args: Parameters<typeof setTimeout>) => {
      timers += 1;
      return set(...args);
    });
    for (let second = 0; second < 60; second += 1) {
      push(second);
      vi.advanceTimersByTime(1_000);
      queue.fulfillRequest({ correlationId: second, payload: Buffer.alloc(0), size: 0 });
    }
    expect({ failures, isSeldom: timers <= 13 }).toEqual({ failures: [], isSeldom: true });
    queue.destroy();
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** Sets the system clock back by an hour at the first call, and lets time pass without it. */
function useClocks() {
  let [elapsedMs, offsetMs] = [1_000, Date.UTC(2026, 10, 28)];
  vi.spyOn(performance, 'now').mockImplementation(() => elapsedMs);
  vi.spyOn(Date, 'now').mockImplementation(() => elapsedMs + offsetMs);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  return {
    setBack: () => {
      offsetMs -= 3_600_000;
    },
    pass: (ms: number) => {
      elapsedMs += ms;
    },
  };
}

describe('a system clock that is set back by an hour', () => {
  const require = createRequire(import.meta.url);

  test('does not delay the heartbeats of a group member', async () => {
    measureElapsedTime();
    const ConsumerGroup = require('kafkajs/src/consumer/consumerGroup') as new (options: object) => {
      heartbeat(options: { interval: number }): Promise<void>;
    };
    const clocks = useClocks();
    let sent = 0;
    const coordinator = {
      heartbeat: () => {
        sent += 1;
        return Promise.resolve();
      },
    };
    const logger = { namespace: () => logger };
    const group = new ConsumerGroup({ logger, instrumentationEmitter: { emit: () => undefined } });
    Object.assign(group, { coordinator, memberId: 'a' });
    clocks.setBack();
    await group.heartbeat({ interval: 900 });
    clocks.pass(900);
    await group.heartbeat({ interval: 900 });
    clocks.pass(100);
    await group.heartbeat({ interval: 900 });
    expect(sent).toBe(1);
  });

  test('does not extend the throttling of a connection', () => {
    measureElapsedTime();
    const RequestQueue = require('kafkajs/src/network/requestQueue') as new (options: object) => {
      maybeThrottle(ms: number): void;
      canSendSocketRequestImmediately(): boolean;
    };
    const clocks = useClocks();
    const queue = new RequestQueue({ logger: { debug: () => undefined } });
    expect(queue.canSendSocketRequestImmediately()).toBe(true);
    queue.maybeThrottle(500);
    clocks.setBack();
    expect(queue.canSendSocketRequestImmediately()).toBe(false);
    clocks.pass(500);
    expect(queue.canSendSocketRequestImmediately()).toBe(true);
  });

  test('does not postpone the next refresh of metadata', async () => {
    measureElapsedTime();
    const BrokerPool = require('kafkajs/src/cluster/brokerPool') as new (options: object) => {
      refreshMetadataIfNecessary(topics: readonly string[]): Promise<void>;
    };
    const clocks = useClocks();
    const logger = { namespace: () => logger };
    const connectionPoolBuilder = { build: () => ({}) };
    const pool = new BrokerPool({ logger, connectionPoolBuilder });
    let refreshes = 0;
    const refreshMetadata = () => {
      refreshes += 1;
      Object.assign(pool, { metadata: { topicMetadata: [] }, metadataExpireAt: Date.now() + 10_000 });
      return Promise.resolve();
    };
    Object.assign(pool, { refreshMetadata });
    await pool.refreshMetadataIfNecessary([]);
    clocks.setBack();
    clocks.pass(9_000);
    await pool.refreshMetadataIfNecessary([]);
    expect(refreshes).toBe(1);
    clocks.pass(1_001);
    await pool.refreshMetadataIfNecessary([]);
    expect(refreshes).toBe(2);
  });

  test('does not end requests early or late', () => {
    const { push, failures } = createQueue();
    push(1);
    vi.advanceTimersByTime(1_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(3_000);
    expect(failures).toHaveLength(0);
    push(2);
    vi.advanceTimersByTime(1_001);
    expect(failures).toHaveLength(1);
    vi.setSystemTime(Date.now() + 7_200_000);
    vi.advanceTimersByTime(3_000);
    expect(failures).toHaveLength(1);
    vi.advanceTimersByTime(1_001);
    expect(failures).toHaveLength(2);
  });
});

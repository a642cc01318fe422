import { createRequire } from 'node:module';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  checkTimeoutsWhenDue,
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

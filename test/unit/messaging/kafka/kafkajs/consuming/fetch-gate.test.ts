import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FetchGate } from '../../../../../../shared/messaging/kafka/kafkajs/consuming/fetch-gate.ts';

const MAX_FETCH_MS = 10_000;

describe('FetchGate', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('stays open if no fetch is pending', () => {
    const gate = new FetchGate(MAX_FETCH_MS);
    gate.fetchStarted('1');
    gate.fetchEnded('1');
    expect(gate.generationStarted(() => undefined)).toBe(false);
    expect(gate.isShut).toBe(false);
  });

  test('is shut until every fetch from before the generation has ended', () => {
    const gate = new FetchGate(MAX_FETCH_MS);
    const onOpen = vi.fn<() => void>();
    gate.fetchStarted('1');
    gate.fetchStarted('2');
    expect(gate.generationStarted(onOpen)).toBe(true);
    gate.fetchStarted('3');
    gate.fetchEnded('3');
    gate.fetchEnded('1');
    expect([gate.isShut, onOpen.mock.calls.length]).toEqual([true, 0]);
    gate.fetchEnded('2');
    expect([gate.isShut, onOpen.mock.calls.length]).toEqual([false, 1]);
  });

  test('treats a new fetch from a broker as the end of the previous one, which may have failed silently', () => {
    const gate = new FetchGate(MAX_FETCH_MS);
    const onOpen = vi.fn<() => void>();
    gate.fetchStarted('1');
    gate.generationStarted(onOpen);
    gate.fetchStarted('1');
    expect(onOpen).toHaveBeenCalledOnce();
  });

  test('opens after the time limit if a fetch never ends', () => {
    const gate = new FetchGate(MAX_FETCH_MS);
    const onOpen = vi.fn<() => void>();
    gate.fetchStarted('1');
    gate.generationStarted(onOpen);
    vi.advanceTimersByTime(MAX_FETCH_MS - 1);
    expect(onOpen).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onOpen).toHaveBeenCalledOnce();
  });

  test('calls only the callback of the latest generation', () => {
    const gate = new FetchGate(MAX_FETCH_MS);
    const [first, second] = [vi.fn<() => void>(), vi.fn<() => void>()];
    gate.fetchStarted('1');
    gate.generationStarted(first);
    gate.generationStarted(second);
    gate.fetchEnded('1');
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1]);
  });

  test('opens when all fetches have ended', () => {
    const gate = new FetchGate(MAX_FETCH_MS);
    const onOpen = vi.fn<() => void>();
    gate.fetchStarted('1');
    gate.generationStarted(onOpen);
    gate.allEnded();
    expect([gate.isShut, onOpen.mock.calls.length]).toEqual([false, 1]);
    expect(gate.generationStarted(onOpen)).toBe(false);
  });
});

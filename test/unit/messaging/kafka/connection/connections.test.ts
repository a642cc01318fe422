import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SilentBrokers } from '../../../../../shared/messaging/kafka/connection/connections.ts';

describe('brokers that were silent', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('come after the others, which keep their order', () => {
    const brokers = new SilentBrokers();
    brokers.add('a:1');
    expect(brokers.moveToEnd(['a:1', 'c:3', 'b:2'])).toEqual(['c:3', 'b:2', 'a:1']);
  });

  it('are asked all the same when there is no other', () => {
    const brokers = new SilentBrokers();
    brokers.add('b:2');
    brokers.add('a:1');
    expect(brokers.moveToEnd(['a:1', 'b:2'])).toEqual(['a:1', 'b:2']);
  });

  it('are used like the others after half a minute without another failure', () => {
    const brokers = new SilentBrokers();
    brokers.add('a:1');
    vi.advanceTimersByTime(29_000);
    expect(brokers.moveToEnd(['a:1', 'b:2'])).toEqual(['b:2', 'a:1']);
    vi.advanceTimersByTime(1_000);
    expect(brokers.moveToEnd(['a:1', 'b:2'])).toEqual(['a:1', 'b:2']);
  });
});

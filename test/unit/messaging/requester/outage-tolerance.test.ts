import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { tolerateOutage } from '../../../../shared/messaging/requester/outage-tolerance.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('tolerateOutage()', () => {
  test('returns true during the grace period after the first call that finds the condition false', () => {
    let isTrue = true;
    const condition = tolerateOutage(() => isTrue, 1_000, systemPorts.monotonic);
    for (let gap = 0; gap < 2; gap += 1) {
      isTrue = true;
      expect(condition()).toBe(true);
      isTrue = false;
      vi.advanceTimersByTime(5_000);
      expect(condition()).toBe(true);
      vi.advanceTimersByTime(999);
      expect(condition()).toBe(true);
      vi.advanceTimersByTime(1);
      expect(condition()).toBe(false);
    }
  });

  test('has no grace period before the condition was true', () => {
    let isTrue = false;
    const condition = tolerateOutage(() => isTrue, 1_000, systemPorts.monotonic);
    expect(condition()).toBe(false);
    isTrue = true;
    expect(condition()).toBe(true);
  });
});

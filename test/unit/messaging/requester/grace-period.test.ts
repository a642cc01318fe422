import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withGracePeriod } from '../../../../shared/messaging/requester/grace-period.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a condition that tolerates gaps', () => {
  test('stays true for the time from when it is first seen false, and again after it was true', () => {
    let isTrue = true;
    const holds = withGracePeriod(() => isTrue, 1_000);
    for (let gap = 0; gap < 2; gap += 1) {
      isTrue = true;
      expect(holds()).toBe(true);
      isTrue = false;
      vi.advanceTimersByTime(5_000);
      expect(holds()).toBe(true);
      vi.advanceTimersByTime(999);
      expect(holds()).toBe(true);
      vi.advanceTimersByTime(1);
      expect(holds()).toBe(false);
    }
  });

  test('that was never true has no such time', () => {
    let isTrue = false;
    const holds = withGracePeriod(() => isTrue, 1_000);
    expect(holds()).toBe(false);
    isTrue = true;
    expect(holds()).toBe(true);
  });
});

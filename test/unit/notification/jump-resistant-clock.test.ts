import { describe, expect, it } from 'vitest';
import { createJumpResistantClock } from '../../../workers/notification/jump-resistant-clock.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

/** The times that it shows after a minute, and after a jump of the wall clock. */
const afterJump = (jumpMs: number): number => {
  const time = { wallMs: NOW, elapsedMs: 7 };
  const age = createJumpResistantClock({ now: () => time.wallMs }, { elapsedMs: () => time.elapsedMs });
  time.wallMs += 60_000 + jumpMs;
  time.elapsedMs += 60_000;
  return age.now() - NOW;
};

describe('the clock that ages are judged by', () => {
  it('does not follow the wall clock ahead, and follows it back', () => {
    expect(afterJump(0)).toBe(60_000);
    expect(afterJump(HOUR_MS)).toBe(60_000);
    expect(afterJump(-HOUR_MS)).toBe(60_000 - HOUR_MS);
  });
});

import { describe, expect, it } from 'vitest';
import { createJumpResistantClock } from '../../../shared/platform/jump-resistant-clock.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

/** The change of the clock after a minute in which the wall clock jumped. */
const afterJump = (jumpMs: number): number => {
  const time = { wallMs: NOW, elapsedMs: 7 };
  const age = createJumpResistantClock({ now: () => time.wallMs }, { elapsedMs: () => time.elapsedMs });
  time.wallMs += 60_000 + jumpMs;
  time.elapsedMs += 60_000;
  return age.now() - NOW;
};

describe('the jump-resistant clock', () => {
  it('ignores a wall clock that jumps ahead and follows one that is set back', () => {
    expect(afterJump(0)).toBe(60_000);
    expect(afterJump(HOUR_MS)).toBe(60_000);
    expect(afterJump(-HOUR_MS)).toBe(60_000 - HOUR_MS);
  });
});

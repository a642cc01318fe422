import { expect, test } from 'vitest';
import { liveAndCrash, type LifeCounts } from '../../../support/disk/crash-lives.ts';

/** `DISK_CRASH_SEEDS=2000` for a longer run, `DISK_CRASH_SEED=17` for a single seed. */
const SEEDS = Number(process.env.DISK_CRASH_SEEDS ?? 60);
const FIRST_SEED = Number(process.env.DISK_CRASH_SEED ?? 1);
const LIVES = 12;
const TEST_LIMIT_MS = 30_000 + 2_000 * SEEDS;

test(
  `the store has what its publishers and readers were told, after ${SEEDS * LIVES} crashes of a simulated disk`,
  { timeout: TEST_LIMIT_MS },
  async () => {
    const counts: LifeCounts = {
      lives: 0,
      powerLosses: 0,
      published: 0,
      acknowledged: 0,
      refused: 0,
      found: 0,
    };
    const count = process.env.DISK_CRASH_SEED === undefined ? SEEDS : 1;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + count; seed += 1) {
      try {
        await liveAndCrash(seed, LIVES, counts);
      } catch (error) {
        throw new Error(`seed ${seed}, after ${counts.lives} lives`, { cause: error });
      }
    }
    expect(counts.lives).toBe(count * LIVES);
    expect(counts.powerLosses).toBeGreaterThan(0);
    expect(counts.acknowledged).toBeGreaterThan(counts.lives);
    expect(counts.refused).toBeGreaterThan(0);
  },
);

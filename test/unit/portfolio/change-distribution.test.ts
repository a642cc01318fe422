import { describe, expect, it } from 'vitest';
import {
  type ChangeCounts,
  countChange,
  countDirections,
  filledBins,
  noChanges,
} from '../../../shared/portfolio/change-distribution.ts';

/** Counts changes of a former amount of 10 000, so that 1 is 0.01 percent. */
function counted(...hundredths: readonly number[]): ChangeCounts {
  const changes = noChanges();
  for (const change of hundredths) countChange(changes, BigInt(change), 10_000n);
  return changes;
}

const limits = (changes: ChangeCounts) =>
  filledBins(changes).map(({ direction, from, to, count }) => [direction, from, to, count]);

describe('the distribution of changes', () => {
  it('counts a change in the bin whose lower limit it reaches', () => {
    expect(limits(counted(1, 2, 4, 5, 99, 100, 9_999, 10_000, 1_000_000))).toEqual([
      ['higher', 0.01, 0.02, 1],
      ['higher', 0.02, 0.05, 2],
      ['higher', 0.05, 0.1, 1],
      ['higher', 0.5, 1, 1],
      ['higher', 1, 2, 1],
      ['higher', 50, 100, 1],
      ['higher', 100, undefined, 2],
    ]);
  });

  it('is symmetric: falls have the limits of rises', () => {
    const rises = counted(1, 7, 40, 333, 10_000);
    const falls = counted(-1, -7, -40, -333, -10_000);
    expect(falls.bins).toEqual(rises.bins.toReversed());
    expect(countDirections(falls)).toEqual({ lower: 5, unchanged: 0, higher: 0 });
  });

  it('separates unchanged amounts from the smallest changes', () => {
    const changes = noChanges();
    countChange(changes, 0n, 0n);
    for (const change of [0n, 1n, -1n]) countChange(changes, change, 10n ** 30n);
    expect(limits(changes)).toEqual([
      ['lower', 0, 0.01, 1],
      ['unchanged', 0, 0, 2],
      ['higher', 0, 0.01, 1],
    ]);
  });

  it('is exact for amounts beyond the safe integers', () => {
    const former = 10n ** 40n;
    const onePercent = former / 100n;
    const changes = noChanges();
    countChange(changes, onePercent, former);
    countChange(changes, onePercent - 1n, former);
    expect(limits(changes).map(([, from]) => from)).toEqual([0.5, 1]);
  });

  it('counts changes from nothing or less apart', () => {
    const changes = noChanges();
    countChange(changes, 5n, 0n);
    countChange(changes, 5n, -10n);
    const none = { lower: 0, unchanged: 0, higher: 0 };
    expect([changes.withoutBase, countDirections(changes)]).toEqual([2, none]);
  });
});

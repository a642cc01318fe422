import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RECEIVER_HASH_BYTES, ReceiverCounts } from '../../../shared/quotas/receiver-counts.ts';

const hashOf = (number: number): Buffer =>
  createHash('sha256').update(String(number)).digest().subarray(0, RECEIVER_HASH_BYTES);

/** The rounds that count this receiver, in the first test. */
const roundsOf = (number: number) => 1 + (number % 2 === 0 ? 1 : 0) + (number % 3 === 0 ? 1 : 0);

describe('the counts of receivers', () => {
  it('are exact for many receivers, while the table grows', () => {
    const counts = new ReceiverCounts();
    for (let round = 1; round <= 3; round += 1) {
      for (let number = 0; number < 20_000; number += 1) if (number % round === 0) counts.add(hashOf(number));
    }
    for (let number = 0; number < 20_000; number += 1)
      expect(counts.count(hashOf(number))).toBe(roundsOf(number));
    expect(counts.count(hashOf(20_000))).toBe(0);
    expect(counts.size).toBe(20_000);
  });

  it('take back a message without losing other receivers', () => {
    const counts = new ReceiverCounts();
    // The same place in the table, so that the second is found behind the first.
    const one = Buffer.from('00'.repeat(RECEIVER_HASH_BYTES), 'hex');
    const other = Buffer.from(`${'00'.repeat(RECEIVER_HASH_BYTES - 1)}01`, 'hex');
    counts.add(one);
    counts.add(other);
    counts.remove(one);
    counts.remove(one);
    expect([counts.count(one), counts.count(other)]).toEqual([0, 1]);
    counts.add(one);
    expect(counts.count(one)).toBe(1);
    counts.remove(hashOf(1));
    expect(counts.size).toBe(2);
  });

  it('count no further receiver beyond their limit, and forget none', () => {
    const counts = new ReceiverCounts(2);
    for (const number of [1, 2, 3, 1]) counts.add(hashOf(number));
    expect([1, 2, 3].map((number) => counts.count(hashOf(number)))).toEqual([2, 1, 0]);
    expect(counts.isFull).toBe(true);
  });
});

/** Finds ids that occur again, in 12 bytes a slot: 24 MiB for a million ids. */

import { hash } from 'node:crypto';
import {
  type DuplicateId,
  type DuplicateIds,
  MAX_LISTED_DUPLICATES,
} from '../../../shared/portfolio/duplicate-ids.ts';

const FIRST_SLOTS = 1_024;
/** Above this share of used slots a search takes several steps. */
const MAX_LOAD = 0.7;
const HIGH = 0;
const LOW = 1;
const LINE = 2;
const WORDS = 3;

/**
 * Compares 64 bits of a hash in place of ids: among a million ids the chance that two different ones look equal is below one in
 * ten million. An id as a number equals the same id as text.
 */
export function createDuplicateSearch() {
  let slots = FIRST_SLOTS;
  /** Two words of the hash, and the line; line 0 is a free slot. */
  let table = new Uint32Array(slots * WORDS);
  let used = 0;
  let count = 0;
  const listed: DuplicateId[] = [];

  /** The slot of a hash, or the free one where it belongs. */
  const slotOf = (high: number, low: number): number => {
    let at = (low % slots) * WORDS;
    while (table[at + LINE] !== 0 && (table[at + HIGH] !== high || table[at + LOW] !== low)) {
      at = (at + WORDS) % table.length;
    }
    return at;
  };
  const put = (at: number, entry: Uint32Array | readonly number[]): void => {
    table.set(entry, at);
    used += 1;
  };
  const grow = (): void => {
    const former = table;
    slots *= 2;
    table = new Uint32Array(slots * WORDS);
    used = 0;
    for (let at = 0; at < former.length; at += WORDS) {
      const entry = former.subarray(at, at + WORDS);
      if (entry[LINE] !== 0) put(slotOf(entry[HIGH] ?? 0, entry[LOW] ?? 0), entry);
    }
  };
  return {
    add: (id: string | number, line: number): void => {
      if (used > slots * MAX_LOAD) grow();
      const digest = hash('sha1', String(id), 'buffer');
      const [high, low] = [digest.readUInt32LE(0), digest.readUInt32LE(4)];
      const at = slotOf(high, low);
      const firstLine = table[at + LINE] ?? 0;
      if (firstLine === 0) return put(at, [high, low, line]);
      count += 1;
      if (listed.length < MAX_LISTED_DUPLICATES) listed.push({ id, line, firstLine });
    },
    found: (): DuplicateIds => ({ count, listed }),
  };
}

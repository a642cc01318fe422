/** Length of a receiver's hash in bytes: two of ten million receivers share one with a chance below 10^-14. */
export const RECEIVER_HASH_BYTES = 12;

const WORDS = 3;
/** Parts that grow separately, so that no growth moves more than this part of the table at once. */
const PARTS = 256;
const FIRST_SLOTS = 16;
/** Above this load, look-ups take too many steps. */
const MAX_LOAD = 0.75;
const DEFAULT_MAX_RECEIVERS = 4_000_000;

/** One part: open addressing with linear probing. A slot contains a count plus one, or 0 if it is free. */
interface Part {
  hashes: Uint32Array;
  counts: Uint32Array;
  used: number;
}

/**
 * The number of messages of each receiver, exact. 16 bytes for each slot, and at most 75 % of the slots are used: 128 MiB at
 * most for four million receivers, and less with fewer. A further receiver is refused rather than forgotten.
 */
export class ReceiverCounts {
  readonly maxReceivers: number;
  readonly #parts: (Part | undefined)[] = Array.from({ length: PARTS }, () => undefined);
  #size = 0;

  constructor(maxReceivers: number = DEFAULT_MAX_RECEIVERS) {
    this.maxReceivers = maxReceivers;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether no further receiver can be counted. */
  get isFull(): boolean {
    return this.#size >= this.maxReceivers;
  }

  /** The messages to the receiver with this hash of RECEIVER_HASH_BYTES. */
  count(hash: Buffer): number {
    const part = this.#parts[hash[0] ?? 0];
    const stored = part?.counts[findSlot(part, readWords(hash))] ?? 0;
    return Math.max(0, stored - 1);
  }

  /** Counts a message. A receiver that does not fit is not counted; `isFull` tells it before. */
  add(hash: Buffer): void {
    const index = hash[0] ?? 0;
    const part = (this.#parts[index] ??= createPart(FIRST_SLOTS));
    const words = readWords(hash);
    const slot = findSlot(part, words);
    const stored = part.counts[slot] ?? 0;
    if (stored === 0) {
      if (this.isFull) return;
      this.#size += 1;
      part.used += 1;
      part.hashes.set(words, slot * WORDS);
    }
    part.counts[slot] = Math.max(1, stored) + 1;
    if (part.used > part.counts.length * MAX_LOAD) grow(part);
  }

  /** Takes back a counted message; the receiver itself stays in the table. */
  remove(hash: Buffer): void {
    const part = this.#parts[hash[0] ?? 0];
    if (part === undefined) return;
    const slot = findSlot(part, readWords(hash));
    const stored = part.counts[slot] ?? 0;
    // Freeing the slot would cut the probe sequences that pass it.
    if (stored > 1) part.counts[slot] = stored - 1;
  }
}

type Words = readonly [number, number, number];

function readWords(hash: Buffer): Words {
  return [hash.readUInt32LE(0), hash.readUInt32LE(4), hash.readUInt32LE(8)];
}

function createPart(slots: number): Part {
  return { hashes: new Uint32Array(slots * WORDS), counts: new Uint32Array(slots), used: 0 };
}

/** The slot of the hash, or the free slot where it belongs. */
function findSlot({ hashes, counts }: Part, [first, second, third]: Words): number {
  const mask = counts.length - 1;
  for (let slot = second & mask; ; slot = (slot + 1) & mask) {
    if (counts[slot] === 0) return slot;
    const at = slot * WORDS;
    if (hashes[at] === first && hashes[at + 1] === second && hashes[at + 2] === third) return slot;
  }
}

function grow(part: Part): void {
  const former = { hashes: part.hashes, counts: part.counts };
  const next = createPart(former.counts.length * 2);
  part.hashes = next.hashes;
  part.counts = next.counts;
  for (const [slot, count] of former.counts.entries()) {
    if (count === 0) continue;
    const at = slot * WORDS;
    const words: Words = [former.hashes[at] ?? 0, former.hashes[at + 1] ?? 0, former.hashes[at + 2] ?? 0];
    const place = findSlot(part, words);
    part.hashes.set(words, place * WORDS);
    part.counts[place] = count;
  }
}

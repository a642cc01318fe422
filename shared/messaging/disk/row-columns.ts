/** Rows that fit before the columns grow for the first time. */
const FIRST_CAPACITY = 64;
/** Capacity after the columns have grown, in relation to the rows in use. */
const GROWTH = 1.5;
/** Words of a key's digest; 128 bits, as the log cleaner of Kafka. */
export const DIGEST_WORDS = 4;
/** Slots of a hash table of digests: half of them stay free. */
const SLOTS_PER_ROW = 2;
/** Highest bit of a length: the record is a tombstone. Records are smaller than 2 GiB. */
const TOMBSTONE = 0x8000_0000;

/** Where a record is on disk, and what retention and compaction have to know of it. */
export interface Row {
  readonly offset: number;
  readonly storedAtMs: number;
  /** Id of its segment. */
  readonly segment: number;
  /** First byte of its frame in the segment. */
  readonly position: number;
  /** Bytes of its frame. */
  readonly bytes: number;
  readonly isTombstone: boolean;
  /** Digest of the key; on compacted topics only. */
  readonly digest?: Uint32Array | undefined;
}

/** The rows of a partition in offset order: 28 bytes for each, 44 on compacted topics. */
export class RowColumns {
  readonly #hasDigests: boolean;
  #head = 0;
  #end = 0;
  #offsets = new Float64Array(FIRST_CAPACITY);
  #storedAt = new Float64Array(FIRST_CAPACITY);
  #segments = new Uint32Array(FIRST_CAPACITY);
  #positions = new Uint32Array(FIRST_CAPACITY);
  #lengths = new Uint32Array(FIRST_CAPACITY);
  #digests: Uint32Array;

  constructor(hasDigests: boolean) {
    this.#hasDigests = hasDigests;
    this.#digests = new Uint32Array(hasDigests ? FIRST_CAPACITY * DIGEST_WORDS : 0);
  }

  get length(): number {
    return this.#end - this.#head;
  }

  offset(index: number): number {
    return this.#offsets[this.#head + index] ?? Infinity;
  }

  storedAtMs(index: number): number {
    return this.#storedAt[this.#head + index] ?? Infinity;
  }

  segment(index: number): number {
    return this.#segments[this.#head + index] ?? 0;
  }

  position(index: number): number {
    return this.#positions[this.#head + index] ?? 0;
  }

  bytes(index: number): number {
    return (this.#lengths[this.#head + index] ?? 0) & ~TOMBSTONE;
  }

  isTombstone(index: number): boolean {
    return ((this.#lengths[this.#head + index] ?? 0) & TOMBSTONE) !== 0;
  }

  /** For each row whether a later one has its digest: 1 or 0. */
  superseded(): Uint8Array {
    const count = this.length;
    const flags = new Uint8Array(count);
    // A hash table with open addressing; digests are random, so that their first word is a good hash. 0: the slot is free.
    const slots = new Uint32Array(2 ** Math.ceil(Math.log2(SLOTS_PER_ROW * count + 1)));
    const mask = slots.length - 1;
    for (let index = count - 1; index >= 0; index -= 1) {
      let slot = (this.#digests[(this.#head + index) * DIGEST_WORDS] ?? 0) & mask;
      let later = slots[slot] ?? 0;
      while (later > 0 && !this.#haveSameDigest(index, later - 1)) {
        slot = (slot + 1) & mask;
        later = slots[slot] ?? 0;
      }
      if (later > 0) flags[index] = 1;
      else slots[slot] = index + 1;
    }
    return flags;
  }

  row(index: number): Row {
    const at = (this.#head + index) * DIGEST_WORDS;
    return {
      offset: this.offset(index),
      storedAtMs: this.storedAtMs(index),
      segment: this.segment(index),
      position: this.position(index),
      bytes: this.bytes(index),
      isTombstone: this.isTombstone(index),
      digest: this.#hasDigests ? this.#digests.slice(at, at + DIGEST_WORDS) : undefined,
    };
  }

  push(row: Row): void {
    if (this.#end === this.#offsets.length) this.#grow();
    const at = this.#end;
    this.#offsets[at] = row.offset;
    this.#storedAt[at] = row.storedAtMs;
    this.#segments[at] = row.segment;
    this.#positions[at] = row.position;
    this.#lengths[at] = row.isTombstone ? row.bytes | TOMBSTONE : row.bytes;
    if (this.#hasDigests && row.digest !== undefined) this.#digests.set(row.digest, at * DIGEST_WORDS);
    this.#end = at + 1;
  }

  /** The record was copied to another place. */
  move(index: number, segment: number, position: number): void {
    this.#segments[this.#head + index] = segment;
    this.#positions[this.#head + index] = position;
  }

  removeOldest(count: number): void {
    this.#head += count;
  }

  /** Keeps the rows for which `isKept` returns true, in their order. */
  keep(isKept: (index: number) => boolean): void {
    const count = this.length;
    let kept = 0;
    for (let index = 0; index < count; index += 1) {
      if (!isKept(index)) continue;
      if (kept !== index) this.#copy(index, kept);
      kept += 1;
    }
    this.#end = this.#head + kept;
  }

  /** Index of the first row at or after an offset: computed without gaps, else by binary search. */
  indexOf(offset: number): number {
    const first = this.offset(0);
    if (this.length === 0 || offset <= first) return 0;
    const last = this.offset(this.length - 1);
    if (last - first === this.length - 1) return Math.min(offset - first, this.length);
    let from = 0;
    let to = this.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.offset(middle) < offset) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Index of the first row in or behind a segment. */
  firstOfSegment(segment: number): number {
    let from = 0;
    let to = this.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.segment(middle) < segment) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #haveSameDigest(one: number, other: number): boolean {
    const [a, b] = [(this.#head + one) * DIGEST_WORDS, (this.#head + other) * DIGEST_WORDS];
    const words = this.#digests;
    for (let word = 0; word < DIGEST_WORDS; word += 1) if (words[a + word] !== words[b + word]) return false;
    return true;
  }

  #copy(from: number, to: number): void {
    const [source, target] = [this.#head + from, this.#head + to];
    this.#offsets[target] = this.#offsets[source] ?? 0;
    this.#storedAt[target] = this.#storedAt[source] ?? 0;
    this.#segments[target] = this.#segments[source] ?? 0;
    this.#positions[target] = this.#positions[source] ?? 0;
    this.#lengths[target] = this.#lengths[source] ?? 0;
    if (!this.#hasDigests) return;
    for (let word = 0; word < DIGEST_WORDS; word += 1) {
      this.#digests[target * DIGEST_WORDS + word] = this.#digests[source * DIGEST_WORDS + word] ?? 0;
    }
  }

  /** Moves the rows to columns that are as large as they need. */
  #grow(): void {
    const capacity = Math.max(FIRST_CAPACITY, Math.ceil(this.length * GROWTH));
    this.#offsets = this.#moved(this.#offsets, new Float64Array(capacity));
    this.#storedAt = this.#moved(this.#storedAt, new Float64Array(capacity));
    this.#segments = this.#moved(this.#segments, new Uint32Array(capacity));
    this.#positions = this.#moved(this.#positions, new Uint32Array(capacity));
    this.#lengths = this.#moved(this.#lengths, new Uint32Array(capacity));
    if (this.#hasDigests) {
      const digests = new Uint32Array(capacity * DIGEST_WORDS);
      digests.set(this.#digests.subarray(this.#head * DIGEST_WORDS, this.#end * DIGEST_WORDS));
      this.#digests = digests;
    }
    this.#end -= this.#head;
    this.#head = 0;
  }

  #moved<T extends Float64Array | Uint32Array>(from: T, to: T): T {
    to.set(from.subarray(this.#head, this.#end));
    return to;
  }
}

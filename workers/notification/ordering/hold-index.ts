import type { MessageHeaders } from '../../../shared/messaging/message.ts';

/** A message that is kept until those before it of its key have ended. */
export interface Follower {
  /** In its partition of the command topic: its place in the order. */
  readonly offset: number;
  readonly id: string;
  /** Undefined: only its place is kept, the message itself waits on a retry tier. */
  readonly value: Buffer | undefined;
  readonly headers: MessageHeaders;
  /** Epoch milliseconds at which the message entered the log. */
  readonly timestampMs: number;
}

/** The message of a key that all others of the key wait for. */
export interface Head {
  readonly id: string;
  /** The round of delivery that its next copy asks for. */
  readonly attempt: number;
  /** Only its place was kept: its copy on the tier has not been handled yet. */
  readonly isDeferred: boolean;
  /** Epoch milliseconds at which it became the head, or its last copy was put onto a tier. */
  readonly sinceMs: number;
}

/** What is kept of one key. */
export interface HeldKey {
  readonly partition: number;
  readonly head: Head | undefined;
  /** In order. */
  readonly followers: readonly Follower[];
}

interface Row {
  readonly partition: number;
  head: Head | undefined;
  readonly followers: Map<number, Follower>;
  sorted: readonly Follower[] | undefined;
}

/** The hold topic in memory: by key, who is waited for and who waits. Followers' values are kept, since they are sent soon. */
export class HoldIndex {
  readonly #rows = new Map<string, Row>();
  readonly #bytes = new Map<number, number>();
  #followers = 0;
  #totalBytes = 0;

  /** Keys with anything kept. */
  get size(): number {
    return this.#rows.size;
  }

  get followers(): number {
    return this.#followers;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Bytes of the messages kept for one partition. */
  bytesOf(partition: number): number {
    return this.#bytes.get(partition) ?? 0;
  }

  has(key: string): boolean {
    return this.#rows.has(key);
  }

  get(key: string): HeldKey | undefined {
    const row = this.#rows.get(key);
    if (row === undefined) return undefined;
    row.sorted ??= [...row.followers.values()].toSorted((one, other) => one.offset - other.offset);
    return { partition: row.partition, head: row.head, followers: row.sorted };
  }

  keys(): IterableIterator<string> {
    return this.#rows.keys();
  }

  setHead(key: string, partition: number, head: Head | undefined): void {
    const row = this.#rowOf(key, partition);
    row.head = head;
    this.#dropIfEmpty(key, row);
  }

  setFollower(key: string, partition: number, offset: number, follower: Follower | undefined): void {
    const row = this.#rowOf(key, partition);
    const former = row.followers.get(offset);
    if (former !== undefined) this.#count(partition, -1, -bytesOf(former));
    if (follower === undefined) row.followers.delete(offset);
    else {
      row.followers.set(offset, follower);
      this.#count(partition, 1, bytesOf(follower));
    }
    row.sorted = undefined;
    this.#dropIfEmpty(key, row);
  }

  #rowOf(key: string, partition: number): Row {
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = { partition, head: undefined, followers: new Map(), sorted: undefined };
      this.#rows.set(key, row);
    }
    return row;
  }

  #dropIfEmpty(key: string, row: Row): void {
    if (row.head === undefined && row.followers.size === 0) this.#rows.delete(key);
  }

  #count(partition: number, followers: number, bytes: number): void {
    this.#followers += followers;
    this.#totalBytes += bytes;
    const left = this.bytesOf(partition) + bytes;
    if (left === 0) this.#bytes.delete(partition);
    else this.#bytes.set(partition, left);
  }
}

function bytesOf({ value }: Follower): number {
  return value?.length ?? 0;
}

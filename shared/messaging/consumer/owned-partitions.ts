import { CommitPrefix } from './offset-tracker.ts';
import type { InFlight } from './in-flight.ts';
import { partitionId, type TopicPartition } from '../message.ts';
import type { GroupSource } from '../ports.ts';

/** How much of one partition is taken in before the partition is paused. */
export interface WindowOptions {
  /** Messages that are not done. Default 1,000. */
  readonly messages?: number;
  /** Bytes of messages that are not done. Default 32 MiB. */
  readonly bytes?: number;
  /**
   * Messages beyond the prefix, done ones included: what a crash may have delivered again. Default as `messages`: then one
   * that waits for another attempt soon holds up all of its partition.
   */
  readonly pending?: number;
}

export interface PartitionLag extends TopicPartition {
  /** Messages that are not done, as far as the source has told. */
  readonly lag: number;
}

const WINDOW_MESSAGES = 1_000;
const WINDOW_BYTES = 32 * 1_024 * 1_024;

/** The partitions that this member owns in the current epoch, and which of them are paused for what reason. */
export class OwnedPartitions {
  readonly #inFlight: InFlight;
  readonly #maxMessages: number;
  readonly #maxBytes: number;
  readonly #maxPending: number;
  #prefixes = new Map<string, CommitPrefix>();
  #source: Pick<GroupSource, 'pause' | 'resume'> | undefined;
  /** All are paused, whatever each one's own state. */
  #stopped = false;

  constructor(inFlight: InFlight, options: WindowOptions = {}) {
    this.#inFlight = inFlight;
    this.#maxMessages = options.messages ?? WINDOW_MESSAGES;
    this.#maxBytes = options.bytes ?? WINDOW_BYTES;
    this.#maxPending = options.pending ?? this.#maxMessages;
  }

  /**
   * A new epoch: what was begun before is kept for redeliveries, nothing of the former epoch counts any more. The new
   * partitions start unpaused, whatever a source remembers of the former epoch.
   */
  assign(source: Pick<GroupSource, 'pause' | 'resume'>, partitions: readonly TopicPartition[]): void {
    const paused = [...this.#prefixes.values()].filter((prefix) => prefix.paused);
    this.release();
    this.#source = source;
    for (const partition of partitions) {
      this.#prefixes.set(partitionId(partition.topic, partition.partition), new CommitPrefix(partition));
    }
    if (this.#stopped) source.pause(partitions);
    else if (paused.length > 0) source.resume(paused.map(plain));
  }

  /** Owns nothing any more. */
  release(): void {
    for (const prefix of this.#prefixes.values()) {
      prefix.closed = true;
      this.#inFlight.keep(prefix);
    }
    this.#prefixes = new Map();
    this.#source = undefined;
  }

  find(id: string): CommitPrefix | undefined {
    return this.#prefixes.get(id);
  }

  all(): Iterable<CommitPrefix> {
    return this.#prefixes.values();
  }

  get size(): number {
    return this.#prefixes.size;
  }

  get pausedCount(): number {
    let count = 0;
    for (const prefix of this.#prefixes.values()) if (prefix.paused || this.#stopped) count += 1;
    return count;
  }

  /** Pauses a partition that has too much beyond its prefix. */
  pauseWhenFull(prefix: CommitPrefix): void {
    if (prefix.paused || this.#stopped) return;
    const isFull = prefix.unfinished >= this.#maxMessages || prefix.unfinishedBytes >= this.#maxBytes;
    if (!isFull && prefix.pending < this.#maxPending) return;
    prefix.paused = true;
    this.#source?.pause([plain(prefix)]);
  }

  /** Resumes a paused partition once it is under half of its window, so that it does not flutter. */
  resumeWhenHalf(prefix: CommitPrefix): void {
    if (!prefix.paused || prefix.closed) return;
    const isHalfFull =
      prefix.unfinished * 2 > this.#maxMessages || prefix.unfinishedBytes * 2 > this.#maxBytes;
    if (isHalfFull || prefix.pending * 2 > this.#maxPending) return;
    prefix.paused = false;
    if (!this.#stopped) this.#source?.resume([plain(prefix)]);
  }

  /** Pauses all for good, the ones of coming epochs too: the consumer ends. */
  pauseAll(): void {
    this.#stopped = true;
    this.#source?.pause([...this.#prefixes.values()].map(plain));
  }

  lag(): readonly PartitionLag[] {
    return [...this.#prefixes.values()].map((prefix) => ({ ...plain(prefix), lag: prefix.lag }));
  }
}

function plain({ topic, partition }: TopicPartition): TopicPartition {
  return { topic, partition };
}

import { CommitPrefix } from './commit-prefix.ts';
import type { InFlight } from './in-flight.ts';
import { partitionId, type TopicPartition } from './message.ts';
import type { GroupSource } from './ports.ts';

/** How much of one partition may lie beyond its prefix before the partition is paused. */
export interface WindowOptions {
  /** Default 1,000 messages. */
  readonly messages?: number;
  /** Default 32 MiB. */
  readonly bytes?: number;
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
  #prefixes = new Map<string, CommitPrefix>();
  #source: Pick<GroupSource, 'pause' | 'resume'> | undefined;
  /** All are paused, whatever each one's own state. */
  #stopped = false;

  constructor(inFlight: InFlight, options: WindowOptions = {}) {
    this.#inFlight = inFlight;
    this.#maxMessages = options.messages ?? WINDOW_MESSAGES;
    this.#maxBytes = options.bytes ?? WINDOW_BYTES;
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
    if (prefix.pending < this.#maxMessages && prefix.pendingBytes < this.#maxBytes) return;
    prefix.paused = true;
    this.#source?.pause([plain(prefix)]);
  }

  /** Resumes a paused partition once it is under half of its window, so that it does not flutter. */
  resumeWhenHalf(prefix: CommitPrefix): void {
    if (!prefix.paused || prefix.closed) return;
    if (prefix.pending * 2 > this.#maxMessages || prefix.pendingBytes * 2 > this.#maxBytes) return;
    prefix.paused = false;
    if (!this.#stopped) this.#source?.resume([plain(prefix)]);
  }

  /** Pauses all, the ones of coming epochs too, until resumeAll(). */
  pauseAll(): void {
    this.#stopped = true;
    this.#source?.pause([...this.#prefixes.values()].map(plain));
  }

  /** Resumes all that are not paused for their own reason. */
  resumeAll(): void {
    this.#stopped = false;
    const flowing = [...this.#prefixes.values()].filter((prefix) => !prefix.paused);
    this.#source?.resume(flowing.map(plain));
  }

  lag(): readonly PartitionLag[] {
    return [...this.#prefixes.values()].map((prefix) => ({ ...plain(prefix), lag: prefix.lag }));
  }
}

function plain({ topic, partition }: TopicPartition): TopicPartition {
  return { topic, partition };
}

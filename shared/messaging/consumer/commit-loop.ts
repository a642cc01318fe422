import type { CommitPrefix } from './offset-tracker.ts';
import type { PartitionOffset } from '../message.ts';

/** What a commit is made of: the epoch it belongs to, the prefixes as they stand, and the source that stores them. */
export interface CommitTarget {
  readonly epoch: number;
  readonly prefixes: Iterable<CommitPrefix>;
  readonly store: (epoch: number, offsets: readonly PartitionOffset[]) => Promise<boolean>;
}

export interface CommitResult {
  readonly kind: 'stored' | 'outdated' | 'failed';
  readonly error?: unknown;
}

/**
 * Commits the contiguous prefixes, one commit at a time: a later one must not overtake an earlier one. Failures are
 * reported and mended by the next commit, which covers all that the failed one did.
 */
export class CommitLoop {
  readonly #target: () => CommitTarget | undefined;
  readonly #report: (result: CommitResult) => void;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(target: () => CommitTarget | undefined, report: (result: CommitResult) => void) {
    this.#target = target;
    this.#report = report;
  }

  /** Commits what is done at this moment (or, behind a commit in flight, at its end). Never rejects. */
  now(): Promise<void> {
    if (this.#running === undefined) return this.#run();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      // Whoever asked between the end of the commit and this moment may have begun one, which covers this request too.
      return this.#running ?? this.#run();
    });
    return this.#next;
  }

  /** Commits unless one is in flight: the timer's way, which has a next time. */
  tick(): void {
    if (this.#running === undefined) void this.#run();
  }

  #run(): Promise<void> {
    const target = this.#target();
    const due: { prefix: CommitPrefix; offset: number }[] = [];
    for (const prefix of target?.prefixes ?? []) {
      const offset = prefix.uncommitted();
      if (offset !== undefined) due.push({ prefix, offset });
    }
    if (target === undefined || due.length === 0) return Promise.resolve();
    const stored = this.#store(target, due).finally(() => {
      this.#running = undefined;
    });
    this.#running = stored;
    return stored;
  }

  async #store(
    target: CommitTarget,
    due: readonly { prefix: CommitPrefix; offset: number }[],
  ): Promise<void> {
    const offsets = due.map(({ prefix, offset }) => ({
      topic: prefix.topic,
      partition: prefix.partition,
      offset,
    }));
    try {
      const kind = (await target.store(target.epoch, offsets)) ? 'stored' : 'outdated';
      if (kind === 'stored') for (const { prefix, offset } of due) prefix.confirm(offset);
      this.#report({ kind });
    } catch (error) {
      this.#report({ kind: 'failed', error });
    }
  }
}

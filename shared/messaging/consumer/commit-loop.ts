import type { PartitionOffset } from '../message.ts';
import type { OffsetTracker } from './offset-tracker.ts';

/** The generation to commit, its trackers, and the commit call of the source. */
export interface CommitTarget {
  readonly generation: number;
  readonly trackers: Iterable<OffsetTracker>;
  readonly store: (generation: number, offsets: readonly PartitionOffset[]) => Promise<boolean>;
}

export interface CommitResult {
  readonly kind: 'stored' | 'outdated' | 'failed';
  readonly error?: unknown;
}

type Due = readonly { readonly tracker: OffsetTracker; readonly offset: number }[];

/**
 * Commits the contiguous prefixes of completed messages, one commit at a time so that no commit overtakes an earlier one.
 * Failures are reported; the next commit includes the offsets of a failed one.
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

  /** Commits all completed prefixes, after the commit in flight if there is one. Never rejects. */
  now(): Promise<void> {
    if (this.#running === undefined) return this.#run();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      // A commit that was started since the previous one ended includes this call.
      return this.#running ?? this.#run();
    });
    return this.#next;
  }

  /** Commits unless a commit is in flight; called regularly. */
  tick(): void {
    if (this.#running === undefined) void this.#run();
  }

  #run(): Promise<void> {
    const target = this.#target();
    const due: { tracker: OffsetTracker; offset: number }[] = [];
    for (const tracker of target?.trackers ?? []) {
      const offset = tracker.uncommitted();
      if (offset !== undefined) due.push({ tracker, offset });
    }
    if (target === undefined || due.length === 0) return Promise.resolve();
    this.#running = this.#store(target, due).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #store(target: CommitTarget, due: Due): Promise<void> {
    const offsets = due.map(({ tracker: { topic, partition }, offset }) => ({ topic, partition, offset }));
    try {
      const isStored = await target.store(target.generation, offsets);
      if (isStored) for (const { tracker, offset } of due) tracker.confirm(offset);
      this.#report({ kind: isStored ? 'stored' : 'outdated' });
    } catch (error) {
      this.#report({ kind: 'failed', error });
    }
  }
}

import { monotonicClock, type MonotonicClock } from '../../../shared/platform/clock.ts';

/** The notifications that this process is working on, and for how long nothing has happened with each. */
export class RunningRounds {
  readonly #monotonic: MonotonicClock;
  /** Monotonic milliseconds of the last step, by id. */
  readonly #sinceMs = new Map<string, number>();

  #endedMs = -Infinity;

  constructor(monotonic: MonotonicClock = monotonicClock) {
    this.#monotonic = monotonic;
  }

  get size(): number {
    return this.#sinceMs.size;
  }

  has(id: string): boolean {
    return this.#sinceMs.has(id);
  }

  /** Something has happened with it. */
  touch(id: string): void {
    if (this.#sinceMs.has(id)) this.#sinceMs.set(id, this.#monotonic.elapsedMs());
  }

  async during<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.#sinceMs.set(id, this.#monotonic.elapsedMs());
    try {
      return await work();
    } finally {
      this.#sinceMs.delete(id);
      this.#endedMs = this.#monotonic.elapsedMs();
    }
  }

  /** Whether there is one now, or was within `withinMs`: a notification that waits gives its place up between two looks. */
  isBusy(withinMs: number): boolean {
    return this.size > 0 || this.#monotonic.elapsedMs() - this.#endedMs <= withinMs;
  }

  /** The longest time for which nothing has happened with one of them, in milliseconds. */
  longestMs(): number {
    const nowMs = this.#monotonic.elapsedMs();
    let longest = 0;
    for (const sinceMs of this.#sinceMs.values()) longest = Math.max(longest, nowMs - sinceMs);
    return longest;
  }
}

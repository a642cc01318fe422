import type { Clock } from '../../shared/platform/clock.ts';

/** The notifications that this process is working on, and since when nothing happened with each. */
export class RunningRounds {
  readonly #sinceMs = new Map<string, number>();

  #endedMs = -Infinity;

  get size(): number {
    return this.#sinceMs.size;
  }

  has(id: string): boolean {
    return this.#sinceMs.has(id);
  }

  /** Something has happened with it. */
  touch(id: string, clock: Clock): void {
    if (this.#sinceMs.has(id)) this.#sinceMs.set(id, clock.now());
  }

  async during<T>(id: string, clock: Clock, work: () => Promise<T>): Promise<T> {
    this.#sinceMs.set(id, clock.now());
    try {
      return await work();
    } finally {
      this.#sinceMs.delete(id);
      this.#endedMs = clock.now();
    }
  }

  /** Whether there is one now, or was within so long: whoever waits gives his place up between two looks. */
  isBusy(nowMs: number, withinMs: number): boolean {
    return this.size > 0 || nowMs - this.#endedMs <= withinMs;
  }

  /** For how long nothing has happened with the one that stands still longest, in milliseconds. */
  longestMs(nowMs: number): number {
    let longest = 0;
    for (const sinceMs of this.#sinceMs.values()) longest = Math.max(longest, nowMs - sinceMs);
    return longest;
  }
}

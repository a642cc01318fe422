import type { MonotonicClock, Timers } from '../../platform/system-ports.ts';

export interface WorkSliceOptions {
  /** Longest synchronous work between two turns of the event loop, in milliseconds. */
  readonly sliceMs: number;
  readonly monotonic: MonotonicClock;
  readonly timers: Pick<Timers, 'nextTurn'>;
}

/**
 * Time slices for long synchronous work of one task at a time. The holder works until `isOver` and then awaits `yield`, so
 * that the event loop runs in between; each slice starts in a new turn. Waiting tasks are served in order of arrival.
 * `release` must follow each `acquire`.
 */
export class WorkSlices {
  readonly #options: WorkSliceOptions;
  readonly #waiting: (() => void)[] = [];
  #isHeld = false;
  #endMs = 0;

  constructor(options: WorkSliceOptions) {
    this.#options = options;
  }

  /** Waits until no other task holds the slices; resolves at the start of the first slice. Never rejects. */
  acquire(): Promise<void> {
    if (!this.#isHeld) {
      this.#isHeld = true;
      return this.yield();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  isOver(): boolean {
    return this.#options.monotonic.elapsedMs() >= this.#endMs;
  }

  /** Waits for the next turn of the event loop; resolves at the start of the next slice. */
  yield(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#begin(resolve);
    return promise;
  }

  /** Passes the slices to the task that has waited longest. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isHeld = false;
    else this.#begin(next);
  }

  #begin(resolve: () => void): void {
    const { monotonic, sliceMs, timers } = this.#options;
    timers.nextTurn(() => {
      this.#endMs = monotonic.elapsedMs() + sliceMs;
      resolve();
    });
  }
}

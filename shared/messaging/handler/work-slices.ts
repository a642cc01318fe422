import { Fifo } from '../../platform/fifo.ts';

export interface WorkSliceOptions {
  /** Longest synchronous work between two turns of the event loop, in milliseconds. */
  readonly sliceMs: number;
  /** Monotonic milliseconds; default: the process's own clock. */
  readonly now?: () => number;
  /** Calls back in the next turn of the event loop; default: setImmediate. */
  readonly nextTurn?: (callback: () => void) => void;
}

/**
 * Time slices for long synchronous work, one task at a time: the holder works until `isOver`, then awaits `yield`, and
 * everything else in the process runs in between. Every slice begins in a turn of its own, so that there is never more
 * than one in a turn. First come, first served; `release` must follow each `acquire`.
 */
export class WorkSlices {
  readonly #sliceMs: number;
  readonly #now: () => number;
  readonly #nextTurn: (callback: () => void) => void;
  readonly #waiting = new Fifo<() => void>();
  #isHeld = false;
  #endMs = 0;

  constructor({ sliceMs, now = () => performance.now(), nextTurn = setImmediate }: WorkSliceOptions) {
    this.#sliceMs = sliceMs;
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /** Resolves at the beginning of the caller's first slice, when no other task holds them. Never rejects. */
  acquire(): Promise<void> {
    if (!this.#isHeld) {
      this.#isHeld = true;
      return this.yield();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  /** Whether the slice is used up. */
  isOver(): boolean {
    return this.#now() >= this.#endMs;
  }

  /** Lets the event loop run for one turn; resolves at the beginning of the next slice. */
  yield(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#begin(resolve);
    return promise;
  }

  /** Passes the slices on to the task that has waited longest. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isHeld = false;
    else this.#begin(next);
  }

  #begin(resolve: () => void): void {
    this.#nextTurn(() => {
      this.#endMs = this.#now() + this.#sliceMs;
      resolve();
    });
  }
}

import { Fifo } from '../../platform/fifo.ts';

/** How long work may hold the event loop. */
export interface WorkSliceOptions {
  /** Longest work between two turns of the event loop, in milliseconds. */
  readonly sliceMs: number;
  /** Monotonic, in milliseconds; default: the process's own. */
  readonly now?: () => number;
  /** Calls back with the next turn of the event loop; default: setImmediate. */
  readonly nextTurn?: (callback: () => void) => void;
}

/**
 * Long synchronous work, one piece at a time and in slices: whoever holds the slices works until `isOver`, then awaits
 * `yield`, and everything else of the process has its turn in between. All slices begin with a turn of their own, so that
 * there is never more than one in a turn. Whoever asks first is first served; `release` must follow each `acquire`.
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

  /** Resolves when nobody else holds the slices, at the begin of the first one. Never rejects. */
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

  /** Gives way for one turn of the event loop; resolves at the begin of the next slice. */
  yield(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#begin(resolve);
    return promise;
  }

  /** Hands the slices over to who waits longest. */
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

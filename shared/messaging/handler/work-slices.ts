import type { SystemPorts } from '../../platform/system-ports.ts';

type WorkSliceOptions = Pick<SystemPorts, 'monotonic'> & {
  readonly sliceMs: number;
  readonly timers: Pick<SystemPorts['timers'], 'nextTurn'>;
};

/** One task at a time works: it acquires the slices, awaits `yield` whenever `isOver`, and must release them. */
export class WorkSlices {
  readonly #options: WorkSliceOptions;
  readonly #waiting: (() => void)[] = [];
  #isHeld = false;
  #endMs = 0;

  constructor(options: WorkSliceOptions) {
    this.#options = options;
  }

  /** Resolves at the beginning of a slice, when no other task works. */
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

  /** Resolves at the beginning of the next slice, in a later turn of the event loop. No other task works meanwhile. */
  yield(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#begin(resolve);
    return promise;
  }

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

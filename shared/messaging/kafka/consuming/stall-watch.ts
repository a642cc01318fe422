/**
 * Finds a consumer that shows no sign of life. It counts its own ticks instead of comparing clock times, so that a
 * process that was suspended, or whose event loop was held up, is not taken for a stuck consumer.
 */
export class StallWatch {
  static readonly #TICK_MS = 5_000;
  readonly #limitTicks: number;
  readonly #onStall: () => void;
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `onStall` once when there was no sign of life for `limitMs`, to within 5 s. */
  constructor(limitMs: number, onStall: () => void) {
    this.#limitTicks = Math.ceil(limitMs / StallWatch.#TICK_MS);
    this.#onStall = onStall;
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), StallWatch.#TICK_MS).unref();
  }

  alive(): void {
    this.#ticks = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.#ticks += 1;
    if (this.#ticks < this.#limitTicks) return;
    this.stop();
    this.#onStall();
  }
}

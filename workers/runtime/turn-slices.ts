import type { MonotonicClock } from '../../shared/platform/clock.ts';
import { Fifo } from '../../shared/platform/fifo.ts';
import type { Timers } from '../../shared/platform/timers.ts';

export interface TurnSlicesOptions {
  /** How long work may be started in one turn of the event loop, in milliseconds. */
  readonly sliceMs: number;
  /** If larger, waiting work may take as long as everything else took since it last ran, up to this limit. */
  readonly longestMs?: number;
  /** Whether waiting work has to wait longer; resume() must be called when it no longer has to. */
  readonly isHeld?: () => boolean;
  readonly monotonic: MonotonicClock;
  readonly timers: Timers;
}

/** Callbacks for waiting work in one turn; more than fit into a slice. */
const MOST_PER_TURN = 64;

/**
 * Runs work for a limited time in each turn of the event loop, and the rest in order in later turns, so that dozens of things
 * that arrive at once do not delay everything else. Each waiting piece of work has a callback of its own, after which Node runs
 * the promises that it settled: the limited time includes them. The caller limits how much work waits.
 */
export class TurnSlices {
  readonly #options: TurnSlicesOptions;
  readonly #waiting = new Fifo<() => void>();
  /** Callbacks of the next turn. */
  #scheduled = 0;
  /** Until when work is started at once in this turn; undefined: nothing was started in it. */
  #directEndMs: number | undefined;
  /** Until when waiting work is started in this turn; undefined: none was started in it. */
  #waitingEndMs: number | undefined;
  /** When waiting work was last started or put off. */
  #lastMs = 0;

  constructor(options: TurnSlicesOptions) {
    this.#options = options;
  }

  /** Whether work is to be started now rather than by runLater(). */
  get hasTime(): boolean {
    const { sliceMs, isHeld, monotonic, timers } = this.#options;
    if (this.#waiting.length > 0 || isHeld?.() === true) return false;
    const nowMs = monotonic.elapsedMs();
    if (this.#directEndMs === undefined) {
      this.#directEndMs = nowMs + sliceMs;
      timers.nextTurn(this.#endDirect);
    }
    return nowMs < this.#directEndMs;
  }

  /** Runs the work in a later turn, after the work that waits already. It must not throw. */
  runLater(work: () => void): void {
    this.#waiting.push(work);
    this.resume();
  }

  /** Continues with waiting work in the next turn. */
  resume(): void {
    const wanted = Math.min(this.#waiting.length, MOST_PER_TURN);
    for (; this.#scheduled < wanted; this.#scheduled += 1) this.#options.timers.nextTurn(this.#runOne);
  }

  readonly #endDirect = (): void => {
    this.#directEndMs = undefined;
  };

  readonly #endWaiting = (): void => {
    this.#waitingEndMs = undefined;
  };

  readonly #runOne = (): void => {
    const { sliceMs, longestMs = sliceMs, isHeld, monotonic, timers } = this.#options;
    this.#scheduled -= 1;
    if (isHeld?.() === true) return;
    const nowMs = monotonic.elapsedMs();
    if (this.#waitingEndMs === undefined) {
      this.#waitingEndMs = nowMs + Math.min(longestMs, Math.max(sliceMs, nowMs - this.#lastMs));
      // Before the callbacks for the rest, so that their turn has a slice of its own.
      timers.nextTurn(this.#endWaiting);
    }
    this.#lastMs = nowMs;
    if (nowMs < this.#waitingEndMs) this.#waiting.shift()?.();
    this.resume();
  };
}

import type { Priority } from '../../../shared/notification/command.ts';
import type { MonotonicClock } from '../../../shared/platform/clock.ts';
import { Fifo } from '../../../shared/platform/fifo.ts';
import type { Timers } from '../../../shared/platform/timers.ts';
import type { SyncOrAsync } from '../../../shared/messaging/sync-or-async.ts';

/** How long the steps of normal deliveries may run in one turn of the event loop, in milliseconds. */
const SLICE_MS = 1;
/** How long they wait for urgent deliveries at most, so that a stream of those does not stop them. */
const YIELD_MS = 100;

/**
 * Runs the steps of deliveries. One acknowledgement of the broker continues dozens of normal deliveries at once; without slices
 * each step of an urgent one would wait for all of them. Normal steps run for a millisecond in a turn of the event loop, and
 * not while an urgent delivery is in progress.
 */
export class StepSlices {
  readonly #monotonic: MonotonicClock;
  readonly #timers: Timers;
  /** Steps that wait for their turn. */
  readonly #waiting = new Fifo<() => void>();
  #urgent = 0;
  /** Since when normal steps wait for urgent deliveries; undefined: they do not. */
  #yieldingSinceMs: number | undefined;
  #isSliceOpen = false;
  #sliceEndMs = 0;

  constructor({ monotonic, timers }: { readonly monotonic: MonotonicClock; readonly timers: Timers }) {
    this.#monotonic = monotonic;
    this.#timers = timers;
  }

  /** An urgent delivery begins; `leaveUrgent` must follow. */
  enterUrgent(): void {
    this.#urgent += 1;
  }

  leaveUrgent(): void {
    this.#urgent -= 1;
    if (this.#urgent === 0 && this.#yieldingSinceMs !== undefined) this.#endYield();
  }

  /** Runs a step now, or in a later turn. */
  run<Result>(priority: Priority, step: () => SyncOrAsync<Result>): SyncOrAsync<Result> {
    if (priority === 'urgent' || (this.#waiting.length === 0 && this.#mayRun())) return step();
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(step());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #mayRun(): boolean {
    if (this.#urgent > 0 && !this.#hasYielded()) return false;
    const nowMs = this.#monotonic.elapsedMs();
    if (!this.#isSliceOpen) {
      this.#isSliceOpen = true;
      this.#sliceEndMs = nowMs + SLICE_MS;
      this.#timers.nextTurn(() => {
        this.#isSliceOpen = false;
        this.#runWaiting();
      });
    }
    return nowMs < this.#sliceEndMs;
  }

  /** Whether normal steps have waited for urgent deliveries for long enough; starts the wait. */
  #hasYielded(): boolean {
    const nowMs = this.#monotonic.elapsedMs();
    if (this.#yieldingSinceMs === undefined) {
      this.#yieldingSinceMs = nowMs;
      this.#timers.schedule(() => this.#runWaiting(), YIELD_MS);
    }
    return nowMs - this.#yieldingSinceMs >= YIELD_MS;
  }

  #endYield(): void {
    this.#yieldingSinceMs = undefined;
    this.#runWaiting();
  }

  #runWaiting(): void {
    while (this.#waiting.length > 0 && this.#mayRun()) this.#waiting.shift()?.();
  }
}

import type { SyncOrAsync } from '../../../shared/messaging/sync-or-async.ts';
import type { Priority } from '../../../shared/notification/command.ts';
import { TurnSlices } from '../../runtime/turn-slices.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';

/** How long the steps of normal deliveries may run in one turn of the event loop, in milliseconds. */
const SLICE_MS = 1;
/** How long they wait for urgent deliveries at most, so that a stream of those does not stop them. */
const YIELD_MS = 100;

/**
 * Runs the steps of deliveries. One acknowledgement of the broker continues dozens of normal deliveries at once; without slices
 * each step of an urgent one would wait for all of them. Normal steps run for a millisecond in a turn of the event loop, and
 * not while an urgent delivery is in progress, unless that only waits for its provider.
 */
export class StepSlices {
  readonly #ports: Pick<SystemPorts, 'monotonic' | 'timers'>;
  readonly #slices: TurnSlices;
  #urgent = 0;
  /** Since when normal steps wait for urgent deliveries; undefined: they do not. */
  #yieldingSinceMs: number | undefined;

  constructor(ports: Pick<SystemPorts, 'monotonic' | 'timers'>) {
    const { monotonic, timers } = ports;
    this.#ports = ports;
    this.#slices = new TurnSlices({ sliceMs: SLICE_MS, isHeld: () => this.#mustYield(), monotonic, timers });
  }

  /** An urgent delivery begins; `leaveUrgent` must follow. */
  enterUrgent(): void {
    this.#urgent += 1;
  }

  leaveUrgent(): void {
    this.#urgent -= 1;
    if (this.#urgent > 0 || this.#yieldingSinceMs === undefined) return;
    // The next message of the same receiver may follow at once; the wait then goes on, so that it ends after its limit.
    this.#ports.timers.nextTurn(() => {
      if (this.#urgent === 0) this.#yieldingSinceMs = undefined;
      this.#slices.resume();
    });
  }

  /** Waits for what an urgent delivery needs from outside, such as a provider; normal steps run meanwhile. */
  async waitOutside<Result>(needed: Promise<Result>): Promise<Result> {
    this.leaveUrgent();
    try {
      return await needed;
    } finally {
      this.enterUrgent();
    }
  }

  /** Runs a step now, or in a later turn. */
  run<Result>(priority: Priority, step: () => SyncOrAsync<Result>): SyncOrAsync<Result> {
    if (priority === 'urgent' || this.#slices.hasTime) return step();
    return new Promise<Result>((resolve, reject) => {
      this.#slices.runLater(() => {
        try {
          resolve(step());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Whether normal steps wait for urgent deliveries, which they do not for longer than the limit. */
  #mustYield(): boolean {
    if (this.#urgent === 0) return false;
    const { monotonic, timers } = this.#ports;
    const nowMs = monotonic.elapsedMs();
    if (this.#yieldingSinceMs === undefined) {
      this.#yieldingSinceMs = nowMs;
      // Timers may fire a fraction of a millisecond early.
      timers.schedule(() => this.#slices.resume(), YIELD_MS + 1);
    }
    return nowMs - this.#yieldingSinceMs < YIELD_MS;
  }
}

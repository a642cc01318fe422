import type { Clock, MonotonicClock } from '../../platform/clock.ts';

/** The broker's time in epoch milliseconds, and the moments of the monotonic clock between which the broker read it. */
export interface ClockReading {
  readonly brokerMs: number;
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** How far the broker's clock is from the clock of this process, in milliseconds. */
export interface ClockOffset {
  /** The broker's time minus the local one: positive if the local clock is behind. */
  readonly offsetMs: number;
  /** The true offset differs from `offsetMs` by this much at most. */
  readonly errorMs: number;
  /** Time since the last reading. */
  readonly ageMs: number;
}

/**
 * How much the monotonic clocks of two machines may drift apart, as a share of the elapsed time: quartz clocks are within
 * 100 ppm each.
 */
const DRIFT = 0.000_2;
/** Brokers return whole milliseconds, rounded down. */
const RESOLUTION_MS = 1;

/** Limits of the difference between the broker's time and the monotonic clock, in milliseconds. */
interface Difference {
  readonly from: number;
  readonly to: number;
}

/**
 * The time that all processes of an installation share: the broker's, extrapolated by the monotonic clock since the last
 * reading. A wrong local clock, and one that is set while the process runs, have no effect on it. Before the first reading
 * it is the local clock.
 */
export class BrokerClock implements Clock {
  readonly #local: Clock;
  readonly #monotonic: MonotonicClock;
  #difference: Difference | undefined;
  #readAtMs = 0;

  constructor(ports: { readonly clock: Clock; readonly monotonic: MonotonicClock }) {
    this.#local = ports.clock;
    this.#monotonic = ports.monotonic;
  }

  now(): number {
    if (this.#difference === undefined) return this.#local.now();
    return Math.floor(middle(this.#difference) + this.#monotonic.elapsedMs());
  }

  /**
   * Takes a reading into account. A reading proves limits of the difference, so that each one makes the time more exact, and
   * one that took long never makes it worse. Returns by how many milliseconds the broker's clock was set since the last
   * reading, positive if forward; 0 if the reading agrees with the earlier ones.
   */
  add({ brokerMs, sentMs, receivedMs }: ClockReading): number {
    const read = { from: brokerMs - receivedMs, to: brokerMs + RESOLUTION_MS - sentMs };
    const known = this.#known();
    this.#readAtMs = this.#monotonic.elapsedMs();
    if (known === undefined) {
      this.#difference = read;
      return 0;
    }
    const both = { from: Math.max(read.from, known.from), to: Math.min(read.to, known.to) };
    const isConsistent = both.from <= both.to;
    this.#difference = isConsistent ? both : read;
    return isConsistent ? 0 : middle(read) - middle(known);
  }

  /** The offset now; undefined before the first reading. */
  offset(): ClockOffset | undefined {
    const known = this.#known();
    if (known === undefined) return undefined;
    const elapsedMs = this.#monotonic.elapsedMs();
    return {
      offsetMs: middle(known) + elapsedMs - this.#local.now(),
      errorMs: (known.to - known.from) / 2,
      ageMs: elapsedMs - this.#readAtMs,
    };
  }

  /** The limits now: they widen with the time since the last reading. */
  #known(): Difference | undefined {
    if (this.#difference === undefined) return undefined;
    const driftMs = (this.#monotonic.elapsedMs() - this.#readAtMs) * DRIFT;
    return { from: this.#difference.from - driftMs, to: this.#difference.to + driftMs };
  }
}

function middle({ from, to }: Difference): number {
  return (from + to) / 2;
}

/** Random choices from a seed, so that a request can be reproduced. */

const STEP = 0x6d2b79f5;
const RANGE = 4_294_967_296;

/** A sequence of random choices. */
export class Picks {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  share(): number {
    this.#state = (this.#state + STEP) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE;
  }

  /** A whole number from `least` to `greatest`, both included. */
  whole(least: number, greatest: number): number {
    return least + Math.floor(this.share() * (Math.max(greatest, least) - least + 1));
  }

  /** True with a probability of `percent` percent. */
  chance(percent: number): boolean {
    return this.share() * 100 < percent;
  }

  /** One of the values; a value that is listed twice is twice as likely. */
  of<Value>(...values: readonly Value[]): Value {
    return values[this.whole(0, values.length - 1)] as Value;
  }

  /** The value with a probability of `percent` percent, otherwise undefined. */
  maybe<Value>(percent: number, value: () => Value): Value | undefined {
    return this.chance(percent) ? value() : undefined;
  }
}

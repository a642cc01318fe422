/** Limits on the work for one annual rate, so that the solver terminates for any cash flows (A4). */

/**
 * Maximum number of trial rates, for the search and the proof together. A usual loan takes five: three to find the
 * rate, two to prove it.
 */
export const MAX_ITERATIONS = 200;
/**
 * Maximum number of cash flows read while rates are isolated from each other, in floating point and in whole numbers.
 */
const MAX_FLOATING_FLOWS = 6_000_000;
const MAX_EXACT_FLOWS = 1_000_000;
/** Maximum number of brackets examined while rates are isolated. */
const MAX_BRACKETS = 20_000;

/** Counts the work of one solution. */
export class SolverEffort {
  iterations = 0;
  #floatingFlows = 0;
  #exactFlows = 0;
  #brackets = 0;

  /** Counts one bracket that is examined by reading this number of cash flows in floating point. */
  countBracket(flows: number): void {
    this.#brackets += 1;
    this.#floatingFlows += flows;
  }

  /** Counts one net present value in whole numbers. */
  countExact(flows: number): void {
    this.#exactFlows += flows;
  }

  /** True if the rates cannot be isolated within the limits, so that there is no answer. */
  get isExhausted(): boolean {
    return (
      this.#floatingFlows > MAX_FLOATING_FLOWS ||
      this.#exactFlows > MAX_EXACT_FLOWS ||
      this.#brackets > MAX_BRACKETS
    );
  }
}

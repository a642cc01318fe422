/** How many trial rates a solver may spend: whatever the flows, an annual rate ends (A4). */

/**
 * Trial rates for one annual rate, search and proof together. The usual loan takes five: three to find the rate, two
 * to prove it.
 */
export const MOST_ITERATIONS = 200;

/** Of these, for the search in floating point; the rest is left to the proof. */
export const SEARCH_ITERATIONS = 150;

/** Counts the trial rates of one solution. */
export class SolverEffort {
  #spent = 0;

  /** Trial rates so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Trial rates that are left. */
  get left(): number {
    return MOST_ITERATIONS - this.#spent;
  }

  /** Notes one more trial rate. */
  spend(): void {
    this.#spent += 1;
  }
}

/** How much a solver may spend: whatever the flows, an annual rate ends (A4). */

/**
 * Trial rates for one annual rate, search and proof together. The usual loan takes five: three to find the rate, two
 * to prove it.
 */
export const MOST_ITERATIONS = 200;

/** Of these, for the search in floating point; the rest is left to the proof. */
export const SEARCH_ITERATIONS = 150;

/**
 * Bounds of a survey, which tells the rates of flows with several apart before any is solved: series around a rate,
 * each as many flows as it sums up, and parts that are told apart within them.
 */
export const MOST_SURVEYED_FLOWS = { inNumbers: 3_000_000, inWholeNumbers: 100_000 } as const;
export const MOST_SURVEYED_PARTS = 10_000;

/** Counts what one solution has spent: trial rates of the solver, and what a survey before it took. */
export class SolverEffort {
  #spent = 0;
  #inNumbers = 0;
  #inWholeNumbers = 0;
  #parts = 0;

  /** Trial rates so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Trial rates that are left. */
  get left(): number {
    return MOST_ITERATIONS - this.#spent;
  }

  /** True when a survey has reached one of its bounds and must end without a rate. */
  get isSurveyOver(): boolean {
    return (
      this.#inNumbers > MOST_SURVEYED_FLOWS.inNumbers ||
      this.#inWholeNumbers > MOST_SURVEYED_FLOWS.inWholeNumbers ||
      this.#parts > MOST_SURVEYED_PARTS
    );
  }

  /** Notes one more trial rate. */
  spend(): void {
    this.#spent += 1;
  }

  /** Notes that a survey has read so many flows. */
  survey(flows: number, kind: keyof typeof MOST_SURVEYED_FLOWS): void {
    if (kind === 'inNumbers') this.#inNumbers += flows;
    else this.#inWholeNumbers += flows;
  }

  /** Notes one more part of a survey. */
  surveyPart(): void {
    this.#parts += 1;
  }
}

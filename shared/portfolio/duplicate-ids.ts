/** Contracts whose id occurred before in the same portfolio. */

/** A contract and the line on which its id occurred first. */
export interface DuplicateId {
  readonly id: string | number;
  readonly line: number;
  readonly firstLine: number;
}

export interface DuplicateIds {
  readonly count: number;
  /** The first {@link MAX_LISTED_DUPLICATES} of them. */
  readonly listed: readonly DuplicateId[];
}

export const MAX_LISTED_DUPLICATES = 10;

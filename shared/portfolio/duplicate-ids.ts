/** Contracts whose id occurred before in the same portfolio. */

/** A contract and the line on which its id occurred first. */
export interface DuplicateId {
  readonly id: string | number;
  readonly line: number;
  readonly firstLine: number;
}

export interface DuplicateIds {
  readonly count: number;
  /** The first ten of them. */
  readonly listed: readonly DuplicateId[];
}

const MAX_LISTED = 10;
/** A million ids take about 100 MB; ids after these are not remembered. */
const MAX_IDS = 5_000_000;

/** An id as a number equals the same id as text. */
export function createDuplicateSearch() {
  const firstLines = new Map<string, number>();
  const listed: DuplicateId[] = [];
  let count = 0;
  return {
    add: (id: string | number, line: number): void => {
      const firstLine = firstLines.get(String(id));
      if (firstLine === undefined) {
        if (firstLines.size < MAX_IDS) firstLines.set(String(id), line);
        return;
      }
      count += 1;
      if (listed.length < MAX_LISTED) listed.push({ id, line, firstLine });
    },
    found: (): DuplicateIds => ({ count, listed }),
  };
}

/** Finds that a whole column of a CSV is at fault, so that a run does not fail contract by contract. */

import type { Fault } from '../platform/problem.ts';

/** As many lines with the same fault in the same column mean that the other lines have it too. */
const MAX_EQUAL_FAULTS = 10;
/** Files with more different faults than this are not at fault as a whole. */
const MAX_COUNTED = 1_000;
const MAX_SHOWN_VALUE = 40;

/** A fault of ten lines, with the last of them. */
export interface EqualFault {
  readonly line: number;
  /** Undefined for a fault of whole lines. */
  readonly column: string | undefined;
  readonly value: string | undefined;
  readonly code: string;
  readonly message: string;
}

/** A cell with the name of its column. */
export interface NamedCell {
  readonly column: string;
  readonly value: string;
}

/** A contract that failed; `cellOf` returns the cell of a field at fault. */
export interface FailedLine {
  readonly line: number;
  readonly faults: readonly Fault[];
  readonly cellOf: (path: string) => NamedCell | undefined;
  /** Whether the fault shows only in a calculation, where it takes equal values to say that the column is at fault. */
  readonly isByValue: boolean;
}

/** Returns a function that counts the faults of a line, and returns the one that ten lines have had. */
export function createEqualFaultCount(): (failed: FailedLine) => EqualFault | undefined {
  const counts = new Map<string, number>();
  return ({ line, faults, cellOf, isByValue }) => {
    for (const { path, code, message } of faults) {
      const cell = cellOf(path);
      if (isByValue && cell === undefined) continue;
      const key = JSON.stringify([path, code, isByValue ? cell?.value : '']);
      const lines = (counts.get(key) ?? 0) + 1;
      if (lines >= MAX_EQUAL_FAULTS) {
        return { line, column: cell?.column, value: cell?.value.slice(0, MAX_SHOWN_VALUE), code, message };
      }
      if (counts.size < MAX_COUNTED || counts.has(key)) counts.set(key, lines);
    }
    return undefined;
  };
}

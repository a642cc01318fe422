/** A line of a portfolio, `{id, jsonParam, schedule?}`, and what is at fault in many: ids that occur again, a column of wrong cells. */

import { isAbsent, isRecord, shapeFault } from '../api/json/faults.ts';
import type { Fault } from '../platform/problem.ts';

export interface ContractLine {
  /** Undefined if it is none; then `faults` says why. */
  readonly id: string | number | undefined;
  readonly jsonParam: unknown;
  /** The previous schedule as sent; undefined if absent. */
  readonly schedule: unknown;
  /** Names of further members, which have no effect. */
  readonly ignored: readonly string[];
  readonly faults: readonly Fault[];
}

/** Maximum length of a contract id in characters; the same as in a request batch. */
const MAX_ID_LENGTH = 200;
const ID = `text of 1 to ${MAX_ID_LENGTH} characters or a whole number`;

/** The members of a line, or the fault of a value that is no object. The request is not checked. */
export function readContractLine(value: unknown): ContractLine | Fault {
  if (!isRecord(value)) {
    return shapeFault('line', 'wrong-type', 'must be an object with the members id and jsonParam');
  }
  const { id: sent, jsonParam, schedule, ...others } = value;
  const id = readId(sent);
  const faults = id === undefined ? [idFault(sent)] : [];
  return { id, jsonParam, schedule: schedule ?? undefined, ignored: Object.keys(others), faults };
}

/** A number above the safe integers would be rounded, and become another id. */
function readId(sent: unknown): string | number | undefined {
  if (typeof sent === 'string') return sent.length > 0 && sent.length <= MAX_ID_LENGTH ? sent : undefined;
  return typeof sent === 'number' && Number.isSafeInteger(sent) ? sent : undefined;
}

function idFault(sent: unknown): Fault {
  const path = 'id';
  if (isAbsent(sent)) return shapeFault(path, 'missing', `is missing; must be ${ID}`);
  if (sent === '') return shapeFault(path, 'empty', `must not be empty; it must be ${ID}`);
  if (typeof sent === 'string') {
    return shapeFault(path, 'too-long', `must have at most ${MAX_ID_LENGTH} characters`);
  }
  if (typeof sent !== 'number' && !JSON.isRawJSON(sent))
    return shapeFault(path, 'wrong-type', `must be ${ID}`);
  const largest = `must be text or a whole number of at most ${Number.MAX_SAFE_INTEGER} in absolute value`;
  return shapeFault(path, 'out-of-range', largest);
}

export interface DuplicateId {
  readonly id: string | number;
  readonly line: number;
  readonly firstLine: number;
}

export interface DuplicateIds {
  readonly count: number;
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

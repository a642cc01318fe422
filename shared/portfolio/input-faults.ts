/** Reads lines of a portfolio, `{id, jsonParam, schedule?}`, and finds ids that occur again. */

import { isAbsent, isRecord, shapeFault } from '../api/json/faults.ts';
import type { Fault } from '../platform/problem.ts';

/** Longest contract id in UTF-16 code units, as in a request batch. */
const MAX_ID_LENGTH = 200;
const ID = `text of 1 to ${MAX_ID_LENGTH} characters or a whole number`;

/** Returns the members of a line, of which it checks only the id; a value that is not an object gives a fault. */
export function readContractLine(value: unknown) {
  if (!isRecord(value)) {
    return shapeFault('line', 'wrong-type', 'must be an object with the members id and jsonParam');
  }
  const { id: sent, jsonParam, schedule, ...others } = value;
  const id = readId(sent);
  const faults = id === undefined ? [idFault(sent)] : [];
  return { id, jsonParam, schedule: schedule ?? undefined, ignored: Object.keys(others), faults };
}

/** A number beyond the safe integers would be rounded, and so become another id. */
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

interface DuplicateId {
  readonly id: string | number;
  readonly line: number;
  readonly firstLine: number;
}

export interface DuplicateIds {
  readonly count: number;
  readonly listed: readonly DuplicateId[];
}

const MAX_LISTED = 10;
/** Maximum number of remembered ids. A million ids take about 100 MB. */
const MAX_IDS = 5_000_000;

/** Finds ids that occur again. The number 7 and the text `7` are the same id. */
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

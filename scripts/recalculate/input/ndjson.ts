/** Reads a portfolio in NDJSON, one JSON object per line. */

import { jsonProblem, parseJson } from '../../../shared/platform/json.ts';
import { readContract } from './contract.ts';
import { isBlankLine } from './lines.ts';
import { type InputRecord, type RawRecord, type RecordFormat, refuseLine } from './records.ts';

/** Reads each line separately, so that a fault in one does not affect the others. */
export const ndjsonFormat: RecordFormat = {
  group: (lines) => lines.filter((line) => !isBlankLine(line)),
  end: () => [],
  read: (raws) => raws.map(readLine),
};

function readLine({ line, bytes, problem }: RawRecord): InputRecord {
  if (problem !== undefined) return refuseLine(line, problem);
  // A line may hold a schedule of 1,200 rows.
  const parsed = parseJson(bytes, { whole: 'line', maxValues: Infinity });
  return parsed.kind === 'parsed'
    ? readContract(line, parsed.value)
    : refuseLine(line, jsonProblem(parsed, 'The line'));
}

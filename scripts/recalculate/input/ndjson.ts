/** Reads a portfolio in NDJSON, one JSON object per line. */

import { readContract } from './contract.ts';
import { isBlankLine } from './lines.ts';
import {
  type InputRecord,
  lineProblem,
  notUtf8,
  parseJson,
  type RawRecord,
  type RecordFormat,
  refuseLine,
  textOf,
} from './records.ts';

/** Reads each line separately, so that a fault in one does not affect the others. */
export const ndjsonFormat: RecordFormat = {
  group: (lines) => lines.filter((line) => !isBlankLine(line)),
  end: () => [],
  read: (raws) => raws.map(readLine),
};

function readLine({ line, bytes, problem }: RawRecord): InputRecord {
  if (problem !== undefined) return refuseLine(line, problem);
  const text = textOf(bytes);
  if (text === undefined) return refuseLine(line, notUtf8('malformed-json'));
  const parsed = parseJson(text, bytes);
  if (parsed.kind === 'parsed') return readContract(line, parsed.value);
  return refuseLine(line, lineProblem('malformed-json', 'malformed-json', parsed.message));
}

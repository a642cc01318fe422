/** A portfolio in NDJSON: each line is one JSON object. */

import { readContract } from './contract.ts';
import type { InputRecord } from './records.ts';
import { isBlankLine, type RawLine } from './lines.ts';
import {
  lineProblem,
  notUtf8,
  parseJson,
  type RawRecord,
  type RecordFormat,
  textOf,
  TOO_LONG,
} from './raw-records.ts';

/** Reads each line by itself: whatever is wrong with one leaves the others alone. */
export const ndjsonLines: RecordFormat = {
  group: (lines) => lines.filter((line) => !isBlankLine(line)).map(rawRecord),
  end: () => [],
  read: (raws) => raws.map(readLine),
};

function rawRecord({ line, bytes, isTooLong }: RawLine): RawRecord {
  return isTooLong ? { line, bytes, problem: TOO_LONG } : { line, bytes };
}

function readLine({ line, bytes, problem }: RawRecord): InputRecord {
  if (problem !== undefined) return { kind: 'refused', line, id: undefined, problem };
  const text = textOf(bytes);
  if (text === undefined) return { kind: 'refused', line, id: undefined, problem: notUtf8('malformed-json') };
  const parsed = parseJson(text, bytes);
  if (parsed.kind === 'parsed') return readContract(line, parsed.value);
  return {
    kind: 'refused',
    line,
    id: undefined,
    problem: lineProblem('malformed-json', 'malformed-json', parsed.message),
  };
}

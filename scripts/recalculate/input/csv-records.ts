/**
 * Lines of CSV (RFC 4180) to whole records: a quoted cell may hold line breaks. A quote that is never closed costs its own
 * line only, not what follows.
 */

import { MAX_LINE_BYTES, isBlankLine, type RawLine } from './lines.ts';
import { lineProblem, type RawRecord, TOO_LONG } from './raw-records.ts';

/** Puts the lines of each record together. */
export interface RecordGrouping {
  /** The records that end with these lines; blank lines between records are left out. */
  push(lines: readonly RawLine[]): readonly RawRecord[];
  end(): readonly RawRecord[];
}

const QUOTE = 0x22;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

const NOT_CLOSED = lineProblem(
  'invalid-request',
  'malformed-csv',
  'opens a quote that is not closed as CSV demands it',
);

/** Groups lines; `delimiter` is the byte between two cells. Holds at most one record of {@link MAX_LINE_BYTES}. */
export function createRecordGrouping(delimiter: number): RecordGrouping {
  let open: RawLine[] = [];
  let openBytes = 0;

  const take = (line: RawLine): readonly RawRecord[] => {
    if (open.length === 0 && isBlankLine(line)) return [];
    const state = line.isTooLong ? 'broken' : stateAfter(line.bytes, delimiter, open.length > 0);
    if (open.length === 0) {
      if (state !== 'open') return [recordOf(line)];
    } else if (state === 'broken' || openBytes + line.bytes.length > MAX_LINE_BYTES) {
      return giveUp([line]);
    }
    open.push(line);
    openBytes += line.bytes.length;
    return state === 'open' ? [] : [close()];
  };
  const close = (): RawRecord => {
    const record = { line: open[0]?.line ?? 0, bytes: Buffer.concat(open.map(({ bytes }) => bytes)) };
    open = [];
    openBytes = 0;
    return record;
  };
  /** The first line alone is to blame; the others are taken as they would be without it. */
  const giveUp = (further: readonly RawLine[]): readonly RawRecord[] => {
    const [first, ...others] = [...open, ...further];
    open = [];
    openBytes = 0;
    if (first === undefined) return [];
    return [{ ...recordOf(first), problem: NOT_CLOSED }, ...others.flatMap(take)];
  };
  return {
    push: (lines) => lines.flatMap(take),
    end: () => {
      const records: RawRecord[] = [];
      while (open.length > 0) records.push(...giveUp([]));
      return records;
    },
  };
}

function recordOf({ line, bytes, isTooLong }: RawLine): RawRecord {
  return isTooLong ? { line, bytes, problem: TOO_LONG } : { line, bytes };
}

/**
 * Whether a record ends with a line, goes on in a quoted cell, or cannot go on like this. A quote opens a cell only as its
 * first character, and closes it only as its last; inside of it two quotes are one. Others are found when cells are read.
 */
function stateAfter(bytes: Buffer, delimiter: number, isQuoted: boolean): 'whole' | 'open' | 'broken' {
  let cell = isQuoted ? -1 : 0;
  if (!isQuoted && !bytes.includes(QUOTE)) return 'whole';
  for (;;) {
    if (cell === -1 || bytes[cell] === QUOTE) {
      const end = closingQuote(bytes, cell + 1);
      if (end === -1) return 'open';
      const next = bytes[end + 1];
      if (next === undefined || next === LINE_FEED || next === CARRIAGE_RETURN) return 'whole';
      if (next !== delimiter) return 'broken';
      cell = end + 2;
    } else {
      const next = bytes.indexOf(delimiter, cell);
      if (next === -1) return 'whole';
      cell = next + 1;
    }
  }
}

/** Index of the quote that ends a quoted cell, or -1. */
function closingQuote(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(QUOTE, from);
  while (at !== -1 && bytes[at + 1] === QUOTE) at = bytes.indexOf(QUOTE, at + 2);
  return at;
}

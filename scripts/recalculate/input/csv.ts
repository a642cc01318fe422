/** Reads a portfolio in CSV: a header line with the columns, then a record for each contract. */

import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';
import { readContract } from './contract.ts';
import { type Columns, lineOfCells, readHeader } from './csv-columns.ts';
import { isBlankLine, MAX_LINE_BYTES, withoutLineEnd } from './lines.ts';
import {
  InputError,
  type InputRecord,
  lineProblem,
  notUtf8,
  type RawRecord,
  type RecordFormat,
  refuseLine,
} from './records.ts';

interface Header {
  readonly record: RawRecord;
  readonly delimiter: string;
  readonly columns: Columns;
  readonly grouping: RecordGrouping;
}

type Cells = readonly string[];

const DELIMITERS = [',', ';', '\t'];
const QUOTED = /"[^"]*"/g;
/** Bytes of records that are split into cells in one step, which takes a few milliseconds. */
const MAX_PARSE_BYTES = 65_536;
const LINE_FEED = Buffer.from('\n');

/**
 * Reads the header from the first line that is not blank, and records after it. The delimiter is whichever of comma,
 * semicolon and tab is most frequent in the header. Grouping throws InputError if the header is invalid or missing.
 */
export function createCsvFormat(): RecordFormat {
  let header: Header | undefined;
  return {
    group: (lines) => {
      if (header !== undefined) return header.grouping.push(lines);
      const index = lines.findIndex((line) => !isBlankLine(line));
      const first = lines[index];
      if (first === undefined) return [];
      header = readHeaderLine(first);
      return [header.record, ...header.grouping.push(lines.slice(index + 1))];
    },
    end: () => {
      if (header === undefined)
        throw new InputError('the CSV is empty; it must start with the names of its columns');
      return header.grouping.end();
    },
    read: (raws) => (header === undefined ? [] : readRecords(raws, header)),
  };
}

function readHeaderLine({ line, bytes, problem }: RawRecord): Header {
  const text = problem !== undefined || !isUtf8(bytes) ? undefined : withoutLineEnd(bytes).toString('utf8');
  if (text === undefined)
    throw new InputError('the first line is too long or not UTF-8; it must name the columns');
  const delimiter = delimiterOf(text);
  const names = cellsOf(bytes, delimiter)?.[0];
  if (names === undefined)
    throw new InputError('the first line has a misplaced quote; it must name the columns');
  const reading = readHeader(names);
  if (reading.kind === 'faults')
    throw new InputError(`the columns are invalid: ${reading.faults.join('. Also ')}`);
  const grouping = createRecordGrouping(delimiter.charCodeAt(0));
  return { record: { line, bytes }, delimiter, columns: reading.columns, grouping };
}

function delimiterOf(header: string): string {
  const plain = header.replaceAll(QUOTED, '');
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function* readRecords(raws: readonly RawRecord[], header: Header): Iterable<InputRecord | undefined> {
  for (const portion of portions(raws)) {
    const together = cellsTogether(portion, header.delimiter);
    for (const [index, raw] of portion.entries()) {
      if (raw === header.record) yield undefined;
      else yield readRecord(raw, together?.[index] ?? cellsOf(raw.bytes, header.delimiter)?.[0], header);
    }
  }
}

function* portions(raws: readonly RawRecord[]): Iterable<readonly RawRecord[]> {
  let portion: RawRecord[] = [];
  let bytes = 0;
  for (const raw of raws) {
    portion.push(raw);
    bytes += raw.bytes.length;
    if (bytes < MAX_PARSE_BYTES) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}

/** The cells of many records, a hundred times faster in one call than one by one; undefined if one is malformed. */
function cellsTogether(portion: readonly RawRecord[], delimiter: string): readonly Cells[] | undefined {
  if (portion.some(({ problem }) => problem !== undefined)) return undefined;
  const bytes = portion.flatMap((raw) => (endsLine(raw.bytes) ? [raw.bytes] : [raw.bytes, LINE_FEED]));
  const all = cellsOf(Buffer.concat(bytes), delimiter);
  return all?.length === portion.length ? all : undefined;
}

function endsLine(bytes: Buffer): boolean {
  return bytes.at(-1) === LINE_FEED[0];
}

/** The cells of each record; undefined for a record with a misplaced quote. */
function cellsOf(bytes: Buffer, delimiter: string): readonly Cells[] | undefined {
  try {
    return parse(bytes, { delimiter, record_delimiter: ['\r\n', '\n'], relax_column_count: true });
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

function readRecord(
  { line, bytes, problem }: RawRecord,
  cells: Cells | undefined,
  { columns }: Header,
): InputRecord | undefined {
  if (problem !== undefined) return refuseLine(line, problem);
  if (!isUtf8(bytes)) return refuseLine(line, notUtf8('invalid-request'));
  if (cells === undefined) return malformed(line, 'has a misplaced quote');
  // Spreadsheets append lines of empty cells.
  if (cells.every((cell) => cell === '')) return undefined;
  if (cells.length !== columns.length) {
    return malformed(line, `has ${cells.length} cells; must have ${columns.length}, one for each column`);
  }
  const { value, faults } = lineOfCells(columns, cells);
  return readContract(line, value, faults);
}

function malformed(line: number, message: string): InputRecord {
  return refuseLine(line, lineProblem('invalid-request', 'malformed-csv', message));
}

/**
 * Groups the lines of each record (RFC 4180): a quoted cell may contain line breaks. An unclosed quote invalidates only
 * its own line.
 */
interface RecordGrouping {
  /** The records that end with these lines; blank lines between records are omitted. */
  push(lines: readonly RawRecord[]): readonly RawRecord[];
  end(): readonly RawRecord[];
}

const QUOTE = 0x22;
const CARRIAGE_RETURN = 0x0d;

const NOT_CLOSED = lineProblem(
  'invalid-request',
  'malformed-csv',
  'has a quote that is not closed as CSV requires',
);

/** `delimiter` is the byte between two cells. Holds at most one record of {@link MAX_LINE_BYTES}. */
function createRecordGrouping(delimiter: number): RecordGrouping {
  let open: RawRecord[] = [];
  let openBytes = 0;

  const take = (line: RawRecord): readonly RawRecord[] => {
    if (open.length === 0 && isBlankLine(line)) return [];
    const state = line.problem !== undefined ? 'broken' : stateAfter(line.bytes, delimiter, open.length > 0);
    if (open.length === 0) {
      if (state !== 'open') return [line];
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
  /** Only the first line is refused; the following ones are read normally. */
  const giveUp = (further: readonly RawRecord[]): readonly RawRecord[] => {
    const [first, ...others] = [...open, ...further];
    open = [];
    openBytes = 0;
    if (first === undefined) return [];
    return [{ ...first, problem: NOT_CLOSED }, ...others.flatMap(take)];
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

/**
 * Whether a record ends with a line, continues in a quoted cell, or is malformed. A quote opens a cell only as its first
 * character, and closes it only as its last; inside a cell two quotes are one. Other quotes are found when cells are read.
 */
function stateAfter(bytes: Buffer, delimiter: number, isQuoted: boolean): 'whole' | 'open' | 'broken' {
  let cell = isQuoted ? -1 : 0;
  if (!isQuoted && !bytes.includes(QUOTE)) return 'whole';
  for (;;) {
    if (cell === -1 || bytes[cell] === QUOTE) {
      const end = closingQuote(bytes, cell + 1);
      if (end === -1) return 'open';
      const next = bytes[end + 1];
      if (next === undefined || next === LINE_FEED[0] || next === CARRIAGE_RETURN) return 'whole';
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

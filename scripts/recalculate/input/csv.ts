/** Reads a portfolio in CSV: a header line with the columns, then a record for each contract. */

import { Buffer, isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';
import {
  areColumns,
  type CellReading,
  type CsvColumn,
  hasAllCells,
  lineOfCells,
  type ReadCell,
  readColumns,
  surveyCells,
} from '../../../shared/portfolio/csv-columns.ts';
import { createNotationSurvey, type Notation } from '../../../shared/portfolio/csv-notation.ts';
import { parseJson, refusalText } from '../../../shared/platform/json.ts';
import { readContract } from './contract.ts';
import { columnSentence, CSV_FIELDS, notationSentence } from './csv-columns.ts';
import { isBlankLine, MAX_LINE_BYTES, withoutLineEnd } from './lines.ts';
import {
  type CsvOptions,
  InputError,
  type InputRecord,
  lineProblem,
  MAX_EQUAL_FAULTS,
  MAX_SHOWN_VALUE,
  notUtf8,
  type RawRecord,
  type RecordFormat,
  type RefusedLine,
  refuseLine,
} from './records.ts';

interface Header {
  readonly record: RawRecord;
  readonly delimiter: string;
  readonly columns: readonly CsvColumn[];
  readonly grouping: RecordGrouping;
}

type Cells = readonly string[];

const DELIMITERS = [',', ';', '\t'];
const QUOTED = /"[^"]*"/g;
/** Bytes of records that are split into cells in one step, which takes a few milliseconds. */
const MAX_PARSE_BYTES = 65_536;
const LINE_FEED = Buffer.from('\n');

/** The reader of CSV, which also recognises the notation of its numbers and dates. */
export interface CsvFormat extends RecordFormat {
  /** Adds records to the survey. */
  survey(raws: readonly RawRecord[]): void;
  /** The notation of the records that were surveyed or read. Throws InputError if they contradict each other. */
  notation(): Notation;
}

/**
 * Reads the header from the first line that is not blank, and records after it. The delimiter is whichever of comma,
 * semicolon and tab is most frequent in the header. Grouping throws InputError if the header is invalid or missing; reading
 * throws it if the notation is contradictory, and after ten equal faults unless `goesOn`.
 */
export function createCsvFormat({ ignore, goesOn = false, ...given }: CsvOptions): CsvFormat {
  let header: Header | undefined;
  const survey = createNotationSurvey(given);
  const isKnown = given.decimal !== undefined && given.dates !== undefined;
  const notation = (): Notation => {
    const faults = survey.faults();
    if (faults.length > 0) throw new InputError(faults.map(notationSentence).join('\n'));
    return survey.notation();
  };
  const count = goesOn ? () => undefined : createFaultCount();
  const surveyAll = (portion: readonly CellsOfRecord[], { columns }: Header): void => {
    if (isKnown) return;
    for (const { raw, cells, isHeader } of portion) {
      if (cells !== undefined && !isHeader) surveyCells(survey, columns, { line: raw.line, cells });
    }
  };
  const readAll = function* (portion: readonly CellsOfRecord[], known: Header, isSkipped: boolean) {
    const { columns } = known;
    surveyAll(portion, known);
    const reading = { notation: notation(), parseJson: parseCell };
    for (const record of portion) {
      const read = readRecord(record, columns, reading);
      yield read;
      if (read?.kind === 'refused' && !isSkipped) count(read, columns, record.cells);
    }
  };
  return {
    group: (lines) => {
      if (header !== undefined) return header.grouping.push(lines);
      const index = lines.findIndex((line) => !isBlankLine(line));
      const first = lines[index];
      if (first === undefined) return [];
      header = readHeaderLine(first, ignore);
      return [header.record, ...header.grouping.push(lines.slice(index + 1))];
    },
    end: () => {
      if (header === undefined)
        throw new InputError('the CSV is empty; it must start with the names of its columns');
      return header.grouping.end();
    },
    survey: (raws) => {
      if (header === undefined || isKnown) return;
      for (const portion of splitRecords(raws, header)) surveyAll(portion, header);
    },
    notation,
    read: function* (raws, isSkipped = false) {
      if (header === undefined) return;
      for (const portion of splitRecords(raws, header)) yield* readAll(portion, header, isSkipped);
    },
  };
}

function parseCell(cell: string): ReadCell {
  const parsed = parseJson(cell, { maxValues: Infinity });
  if (parsed.kind === 'parsed') return parsed;
  return { code: 'invalid-json', message: refusalText(parsed, '').trimStart() };
}

/** Throws InputError, with the value, when {@link MAX_EQUAL_FAULTS} lines have had the same fault. */
function createFaultCount() {
  const counts = new Map<string, number>();
  return ({ line, problem }: RefusedLine, columns: readonly CsvColumn[], cells: Cells | undefined): void => {
    for (const { path, code, message } of problem.errors ?? []) {
      const key = `${path} ${code}`;
      const lines = (counts.get(key) ?? 0) + 1;
      counts.set(key, lines);
      if (lines < MAX_EQUAL_FAULTS) continue;
      const index = columns.findIndex((column) => column.path === path && column.name !== '');
      const value = JSON.stringify(cells?.[index]?.slice(0, MAX_SHOWN_VALUE));
      const where =
        index === -1 ? `line ${line}` : `column ${columns[index]?.name}, ${value} in line ${line},`;
      const hint =
        code === 'not-utf8'
          ? 'save the file as CSV UTF-8'
          : 'correct the file, or set --max-failures to allow more failures';
      throw new InputError(`${lines} lines have the same fault: ${where} ${message}; ${hint}`);
    }
  };
}

function readHeaderLine({ line, bytes, problem }: RawRecord, ignore: readonly string[] | undefined): Header {
  const text = problem !== undefined || !isUtf8(bytes) ? undefined : withoutLineEnd(bytes).toString('utf8');
  if (text === undefined)
    throw new InputError(
      'the first line is too long or not UTF-8; it must name the columns. In Excel the format is called CSV UTF-8',
    );
  const delimiter = delimiterOf(text);
  const names = cellsOf(bytes, delimiter)?.[0];
  if (names === undefined)
    throw new InputError('the first line has a misplaced quote; it must name the columns');
  const columns = readColumns(names, CSV_FIELDS, ignore);
  if (!areColumns(columns))
    throw new InputError(`the columns are invalid: ${columns.map(columnSentence).join('. Also ')}`);
  const grouping = createRecordGrouping(delimiter.charCodeAt(0));
  return { record: { line, bytes }, delimiter, columns, grouping };
}

function delimiterOf(header: string): string {
  const plain = header.replaceAll(QUOTED, '');
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** A record with its cells, which are undefined if they cannot be read. */
interface CellsOfRecord {
  readonly raw: RawRecord;
  readonly cells: Cells | undefined;
  readonly isHeader: boolean;
}

function* splitRecords(raws: readonly RawRecord[], header: Header): Iterable<readonly CellsOfRecord[]> {
  for (const portion of portions(raws)) {
    const together = cellsTogether(portion, header.delimiter);
    yield portion.map((raw, index) => ({
      raw,
      cells: together?.[index] ?? cellsOf(raw.bytes, header.delimiter)?.[0],
      isHeader: raw === header.record,
    }));
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
  { raw: { line, bytes, problem }, cells, isHeader }: CellsOfRecord,
  columns: readonly CsvColumn[],
  reading: CellReading,
): InputRecord | undefined {
  if (isHeader) return undefined;
  if (problem !== undefined) return refuseLine(line, problem);
  if (!isUtf8(bytes)) return refuseLine(line, notUtf8('invalid-request'));
  if (cells === undefined) return malformed(line, 'has a misplaced quote');
  // Spreadsheets append lines of empty cells.
  if (cells.every((cell) => cell === '')) return undefined;
  if (!hasAllCells(columns, cells)) {
    return malformed(line, `has ${cells.length} cells; must have ${columns.length}, one for each column`);
  }
  const { value, faults } = lineOfCells(columns, cells, reading);
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

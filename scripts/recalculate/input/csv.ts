/** A portfolio in CSV: a header line that names the columns, then a record for each contract. */

import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';
import { readContract } from './contract.ts';
import { type Columns, lineOfCells, readHeader } from './csv-columns.ts';
import { createRecordGrouping, type RecordGrouping } from './csv-records.ts';
import { InputError, type InputRecord } from './records.ts';
import { isBlankLine, type RawLine, withoutLineEnd } from './lines.ts';
import { lineProblem, notUtf8, type RawRecord, type RecordFormat } from './raw-records.ts';

interface Header {
  readonly record: RawRecord;
  readonly delimiter: string;
  readonly columns: Columns;
  readonly grouping: RecordGrouping;
}

type Cells = readonly string[];

const DELIMITERS = [',', ';', '\t'];
const QUOTED = /"[^"]*"/g;
/** So many bytes of records are cut into cells at once: a few milliseconds of work. */
const MAX_PARSE_BYTES = 65_536;
const LINE_FEED = Buffer.from('\n');

/**
 * Reads the header from the first line that is not blank, and records after it. The delimiter is the one of comma,
 * semicolon and tab that the header has most of. Grouping throws InputError where the header is wrong or missing.
 */
export function createCsvLines(): RecordFormat {
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
        throw new InputError('the CSV is empty; must begin with the names of its columns');
      return header.grouping.end();
    },
    read: (raws) => (header === undefined ? [] : readRecords(raws, header)),
  };
}

function readHeaderLine({ line, bytes, isTooLong }: RawLine): Header {
  const text = isTooLong || !isUtf8(bytes) ? undefined : withoutLineEnd(bytes).toString('utf8');
  if (text === undefined)
    throw new InputError('the first line is too long or no UTF-8; must name the columns');
  const delimiter = delimiterOf(text);
  const names = cellsOf(bytes, delimiter)?.[0];
  if (names === undefined)
    throw new InputError('the first line has a quote where CSV allows none; must name the columns');
  const reading = readHeader(names);
  if (reading.kind === 'faults')
    throw new InputError(`the columns cannot be used: ${reading.faults.join('. Also ')}`);
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

/** Cells of many records in one call, which is a hundred times cheaper than one by one; undefined if one has none. */
function cellsTogether(portion: readonly RawRecord[], delimiter: string): readonly Cells[] | undefined {
  if (portion.some(({ problem }) => problem !== undefined)) return undefined;
  const bytes = portion.flatMap((raw) => (endsLine(raw.bytes) ? [raw.bytes] : [raw.bytes, LINE_FEED]));
  const all = cellsOf(Buffer.concat(bytes), delimiter);
  return all?.length === portion.length ? all : undefined;
}

function endsLine(bytes: Buffer): boolean {
  return bytes.at(-1) === LINE_FEED[0];
}

/** The cells of each record; undefined where a quote stands in a wrong place. */
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
  const refused = (what: RawRecord['problem']): InputRecord | undefined =>
    what === undefined ? undefined : { kind: 'refused', line, id: undefined, problem: what };
  if (problem !== undefined) return refused(problem);
  if (!isUtf8(bytes)) return refused(notUtf8('invalid-request'));
  if (cells === undefined) return refused(malformed('has a quote in a place where CSV allows none'));
  // Spreadsheets leave such lines behind their last one.
  if (cells.every((cell) => cell === '')) return undefined;
  if (cells.length !== columns.length) {
    return refused(malformed(`has ${cells.length} cells; must have ${columns.length}, one for each column`));
  }
  const { value, faults } = lineOfCells(columns, cells);
  return readContract(line, value, faults);
}

function malformed(message: string) {
  return lineProblem('invalid-request', 'malformed-csv', message);
}

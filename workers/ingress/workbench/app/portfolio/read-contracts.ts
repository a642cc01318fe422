/** Reads a portfolio file in the browser: NDJSON or CSV as for `npm run recalculate` (docs/recalculation.md). */
import { parse } from 'csv-parse/browser/esm/sync';
import { parseJson, refusalText } from '../../../../../shared/platform/json.ts';
import {
  areColumns,
  type CellKind,
  type CsvColumn,
  type ColumnFault,
  hasAllCells,
  lineOfCells,
  type ReadCell,
  readColumns,
  surveyCells,
} from '../../../../../shared/portfolio/csv-columns.ts';
import {
  createNotationSurvey,
  type Notation,
  type NotationFault,
} from '../../../../../shared/portfolio/csv-notation.ts';
import {
  type DuplicateId,
  type DuplicateIds,
  MAX_LISTED_DUPLICATES,
} from '../../../../../shared/portfolio/duplicate-ids.ts';
import type { CountedFailure } from '../../../../../shared/portfolio/tally.ts';
import type { FieldKind, FormField } from '../schedules/form-field.ts';

export interface Contract {
  /** Its line in the file, counted from 1; the first line of a record that spans several lines. */
  readonly line: number;
  readonly id: string | number;
  readonly jsonParam: Readonly<Record<string, unknown>>;
  /** The previous schedule as sent; undefined if absent. */
  readonly schedule: unknown;
  /** Names of further members of the line, which have no effect. */
  readonly ignored: readonly string[];
}

export interface PortfolioFile {
  readonly contracts: readonly Contract[];
  /** The lines that are not contracts. */
  readonly unreadable: readonly CountedFailure[];
  readonly duplicates: DuplicateIds;
}

/** A field of a request, as far as its column needs it. */
export type RequestField = Pick<FormField, 'name' | 'kind'>;

/** What the user chose for a CSV that cannot be read without. */
export interface CsvChoice extends Notation {
  readonly ignore?: readonly string[] | undefined;
}

const CELL_KINDS: Readonly<Record<FieldKind, CellKind>> = {
  number: 'number',
  whole: 'number',
  date: 'date',
  flag: 'flag',
  'numeric-flag': 'flag',
  text: 'text',
  list: 'json',
};

/** Larger files are for `npm run recalculate`, which has no limit. */
export const MAX_CONTRACTS = 10_000;
export const MAX_FILE_BYTES = 50 * 1_024 * 1_024;

const MAX_ID_LENGTH = 200;
/** Enough to recognise a name. */
const MAX_SHOWN_NAME = 60;
const ID = `must be text of 1 to ${MAX_ID_LENGTH} characters or a whole number`;
/** As of the command. A longer record has a quote that is not closed, and must not hide the lines after it. */
const MAX_LENGTH = 1_024 * 1_024;
const TOO_LONG = `is longer than ${MAX_LENGTH} characters`;
/** Of the columns that a fault names: the file may be none of text. */
const MAX_SHOWN_COLUMNS = 20;
/** As many lines with the same fault in the same column mean that the whole file has it. */
const MAX_EQUAL_FAULTS = 10;
/** How .xlsx and .ods begin, which are ZIP files, and .xls. */
const WORKBOOKS = new Set(['PK\u0003\u0004', '\u00D0\u00CF\u0011\u00E0']);
const DELIMITERS = [',', ';', '\t'];

/** A line that is not a contract: the field and what is allowed. */
class LineFault extends Error {
  readonly path: string;
  readonly code: string;
  readonly id: string | number | undefined;

  constructor(path: string, code: string, message: string, id?: string | number) {
    super(message);
    this.path = path;
    this.code = code;
    this.id = id;
  }
}

interface Line {
  readonly line: number;
  readonly text: string;
}

/** The file cannot be read at all. */
export type FileFault =
  | { readonly kind: 'not-utf8' | 'workbook' }
  | { readonly kind: 'notation'; readonly faults: readonly NotationFault[] }
  | { readonly kind: 'equal-faults'; readonly column: string; readonly line: number; readonly value: string }
  | { readonly kind: 'too-many'; readonly count: number }
  | { readonly kind: 'columns'; readonly faults: readonly ColumnFault[] };

export class FileError extends Error {
  readonly fault: FileFault;

  constructor(fault: FileFault) {
    super(fault.kind);
    this.fault = fault;
  }
}

/**
 * Reads the contracts of a file by its name: `.csv` is CSV, whose columns are `fields`, everything else NDJSON. Throws FileError
 * if the file is not UTF-8, there are too many contracts, or a column is at fault.
 */
export function readContracts(
  fileName: string,
  content: BufferSource,
  fields: readonly RequestField[],
  choice: CsvChoice = {},
): PortfolioFile {
  if (isWorkbook(content)) throw new FileError({ kind: 'workbook' });
  const lines = decode(content)
    .split('\n')
    .map((text, index) => ({ line: index + 1, text }));
  return /\.csv$/i.test(fileName)
    ? readCsv(lines, fields, choice)
    : collect(lines.filter(isFilled), ({ text: json }) => readJson(json, 'line'));
}

function isWorkbook(content: BufferSource): boolean {
  const bytes = ArrayBuffer.isView(content)
    ? new Uint8Array(content.buffer, content.byteOffset, content.byteLength)
    : new Uint8Array(content);
  return WORKBOOKS.has(String.fromCodePoint(...bytes.subarray(0, 4)));
}

/** Without its byte order mark. Any other encoding is refused: a character that is replaced would give a contract the id of another. */
function decode(content: BufferSource): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw new FileError({ kind: 'not-utf8' });
  }
}

/** A line that is longer than a record may be is refused unread: searching it for quotes could take more memory than there is. */
function isTooLong({ text }: Line): boolean {
  return text.length > MAX_LENGTH;
}

function isFilled({ text }: Line): boolean {
  return text.trim() !== '';
}

function readCsv(lines: readonly Line[], fields: readonly RequestField[], choice: CsvChoice): PortfolioFile {
  const first = lines.findIndex(isFilled);
  const head = lines[first];
  if (head === undefined) return collect([], () => undefined);
  const delimiter = delimiterOf(head.text);
  const csvFields = fields.map(({ name, kind }) => ({ name, kind: CELL_KINDS[kind] }));
  const columns = readColumns(parseTogether([head], delimiter)?.[0] ?? [], csvFields, choice.ignore);
  if (!areColumns(columns)) throw new FileError({ kind: 'columns', faults: columns.map(shortened) });
  const records = groupRecords(lines.slice(first + 1), delimiter);
  const cells = cellsOf(records, delimiter);
  const filled = [...records.entries()]
    .map(([index, record]) => ({ ...record, cells: cells[index] }))
    // Spreadsheets append lines of empty cells.
    .filter((record) => record.cells?.every((cell) => cell === '') !== true);
  const notation = recogniseNotation(filled, columns, choice);
  const read = collect(filled, (_, index) => readRecord(columns, filled[index]?.cells, notation));
  refuseEqualFaults(read, filled, columns);
  return read;
}

interface CsvRecord extends Line {
  /** Undefined if they cannot be read. */
  readonly cells: Cells | undefined;
}

function recogniseNotation(
  records: readonly CsvRecord[],
  columns: readonly CsvColumn[],
  choice: CsvChoice,
): Notation {
  const survey = createNotationSurvey(choice);
  for (const { line, cells = [] } of records) surveyCells(survey, columns, { line, cells });
  const faults = survey.faults();
  if (faults.length > 0) throw new FileError({ kind: 'notation', faults });
  return survey.notation();
}

function refuseEqualFaults(
  { unreadable }: PortfolioFile,
  records: readonly CsvRecord[],
  columns: readonly CsvColumn[],
): void {
  const equal = Map.groupBy(
    unreadable,
    ({ problem: { errors } }) => `${errors?.[0]?.path} ${errors?.[0]?.code}`,
  );
  for (const [failure, ...others] of equal.values()) {
    const path = failure?.problem.errors?.[0]?.path;
    const index = columns.findIndex((column) => column.path === path && column.name !== '');
    const column = columns[index];
    if (failure === undefined || column === undefined || others.length < MAX_EQUAL_FAULTS - 1) continue;
    const { line } = failure;
    const value = records.find((record) => record.line === line)?.cells?.[index]?.slice(0, MAX_SHOWN_NAME);
    throw new FileError({ kind: 'equal-faults', column: column.name, line, value: value ?? '' });
  }
}

function shortened({ kind, names }: ColumnFault): ColumnFault {
  const shown = names.slice(0, MAX_SHOWN_COLUMNS).map((name) => name.slice(0, MAX_SHOWN_NAME));
  return { kind, names: shown };
}

/** Joins the lines of a record whose quoted cells contain line breaks. */
function groupRecords(lines: readonly Line[], delimiter: string): readonly Line[] {
  const records: Line[] = [];
  let parts: string[] = [];
  let length = 0;
  for (const [index, own] of lines.entries()) {
    const { text } = own;
    const isOpen = !isTooLong(own) && endsInQuotes(text, parts.length > 0, delimiter);
    parts.push(text);
    length += text.length;
    if (isOpen && length < MAX_LENGTH && index < lines.length - 1) continue;
    const line = lines[index + 1 - parts.length]?.line ?? 0;
    // A quote that is never closed is the only fault of its record.
    const record = { line, text: isOpen ? '"' : parts.join('\n') };
    if (isFilled(record)) records.push(record);
    parts = [];
    length = 0;
  }
  return records;
}

/** Whether a line ends within a quoted cell; quotes elsewhere than at the start of a cell are faults of the record. */
function endsInQuotes(line: string, startsInQuotes: boolean, delimiter: string): boolean {
  let rest = line;
  if (startsInQuotes) {
    const closing = /^(?:[^"]|"")*"(?!")/.exec(line);
    if (closing === null) return true;
    // The start of the rest is not the start of a cell.
    rest = `x${line.slice(closing[0].length)}`;
  }
  const cell = `(^|${delimiter}) *"`;
  const outside = rest.replaceAll(new RegExp(`${cell}(?:[^"]|"")*"(?!")`, 'g'), '$1x');
  return new RegExp(cell).test(outside);
}

/** The delimiter that is most frequent in the first line. */
function delimiterOf(head: string): string {
  const counts = DELIMITERS.map((delimiter) => head.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

type Cells = readonly string[];

/** The cells of each record; undefined for one with a misplaced quote. Most files have none, and are parsed at once. */
function cellsOf(records: readonly Line[], delimiter: string): readonly (Cells | undefined)[] {
  const cells = records.some(isTooLong) ? undefined : parseTogether(records, delimiter);
  if (cells?.length === records.length) return cells;
  if (records.length < 2) return records.map(() => undefined);
  const half = Math.ceil(records.length / 2);
  return [records.slice(0, half), records.slice(half)].flatMap((part) => cellsOf(part, delimiter));
}

function parseTogether(records: readonly Line[], delimiter: string): readonly Cells[] | undefined {
  const text = records.map((record) => record.text).join('\n');
  try {
    return parse(text, { delimiter, trim: true, relax_column_count: true, record_delimiter: ['\r\n', '\n'] });
  } catch {
    return undefined;
  }
}

/** A record of CSV as an object of NDJSON: empty cells are absent fields. */
function readRecord(columns: readonly CsvColumn[], cells: Cells | undefined, notation: Notation): unknown {
  if (cells === undefined) throw new LineFault('line', 'malformed-csv', 'has a misplaced quote');
  if (!hasAllCells(columns, cells)) {
    const counts = `has ${cells.length} cells, but the first line names ${columns.length} columns`;
    throw new LineFault('line', 'wrong-cell-count', counts);
  }
  const { value, faults } = lineOfCells(columns, cells, { notation, parseJson: parseCell });
  const [fault] = faults;
  const { id } = value;
  if (fault !== undefined)
    throw new LineFault(fault.path, fault.code, fault.message, isId(id) ? id : undefined);
  return value;
}

function parseCell(cell: string): ReadCell {
  const parsed = parseJson(cell, { maxValues: Infinity });
  if (parsed.kind === 'parsed') return parsed;
  return { code: parsed.faults[0]?.code ?? '', message: refusalText(parsed, '').trimStart() };
}

function readJson(text: string, path: string): unknown {
  const read = parseCell(text);
  if ('value' in read) return read.value;
  throw new LineFault(path, read.code, read.message);
}

function collect(lines: readonly Line[], read: (line: Line, index: number) => unknown): PortfolioFile {
  if (lines.length > MAX_CONTRACTS) throw new FileError({ kind: 'too-many', count: lines.length });
  const contracts: Contract[] = [];
  const unreadable: CountedFailure[] = [];
  const firstLines = new Map<string, number>();
  const repeated: DuplicateId[] = [];
  for (const [index, line] of lines.entries()) {
    try {
      if (isTooLong(line)) throw new LineFault('line', 'too-long', TOO_LONG);
      const contract = readContract(line.line, read(line, index));
      contracts.push(contract);
      const firstLine = firstLines.get(String(contract.id));
      if (firstLine === undefined) firstLines.set(String(contract.id), contract.line);
      else repeated.push({ id: contract.id, line: contract.line, firstLine });
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      unreadable.push(failureOf(line.line, error));
    }
  }
  const listed = repeated.slice(0, MAX_LISTED_DUPLICATES);
  return { contracts, unreadable, duplicates: { count: repeated.length, listed } };
}

/** The problems of faults of a whole line. */
const LINE_CODES: Readonly<Record<string, string>> = {
  'malformed-json': 'malformed-json',
  'number-too-long': 'malformed-json',
  'too-deep': 'malformed-json',
  'too-long': 'body-too-large',
};

/** The failure, with the code that `npm run recalculate` reports for the line. */
function failureOf(line: number, { path, code, message, id }: LineFault): CountedFailure {
  const known = path === 'line' ? LINE_CODES[code] : undefined;
  const problem = { code: known ?? 'invalid-request', title: message };
  return { line, id, problem: { ...problem, errors: [{ path, code, message }] } };
}

function readContract(line: number, value: unknown): Contract {
  if (!isObject(value)) {
    throw new LineFault('line', 'wrong-type', 'must be an object with the members id and jsonParam');
  }
  const { id, jsonParam, schedule, ...others } = value;
  if (id === undefined || id === null) throw new LineFault('id', 'missing', `is missing; ${ID}`);
  if (!isId(id)) throw new LineFault('id', 'wrong-type', ID);
  if (!isObject(jsonParam)) throw new LineFault('jsonParam', 'wrong-type', 'must be an object', id);
  const ignored = Object.keys(others).map((name) => name.slice(0, MAX_SHOWN_NAME));
  return { line, id, jsonParam, schedule: schedule ?? undefined, ignored };
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' ? id !== '' && id.length <= MAX_ID_LENGTH : Number.isSafeInteger(id);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

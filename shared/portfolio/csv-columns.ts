/** The columns of a portfolio in CSV, and the values of their cells as in NDJSON. */

import type { Fault } from '../platform/problem.ts';
import { type Notation, type NotationSurvey, readDate, readNumber } from './csv-notation.ts';

/** A number of this many characters has the value of the nearest binary number (IEEE 754). */
const BINARY_DIGITS = 15;

export type CellKind = 'text' | 'date' | 'number' | 'flag' | 'json';

/** A field of a request. */
export interface CsvField {
  /** The name in the interface. */
  readonly name: string;
  readonly kind: CellKind;
}

export interface CsvColumn {
  readonly name: string;
  /** Its path in faults. */
  readonly path: string;
  /** `ignored` has no effect; `unnamed` must have empty cells. */
  readonly kind: CellKind | 'ignored' | 'unnamed';
  /** Whether it is a field of the request rather than of the line. */
  readonly isRequestField: boolean;
}

/** A fault of the first line, with the names of the columns that have it. */
export interface ColumnFault {
  readonly kind: 'unknown' | 'twice' | 'no-id' | 'no-request' | 'two-requests';
  readonly names: readonly string[];
}

/** The value of a line as in NDJSON, and the faults of cells that could not be read. */
export interface LineOfCells {
  readonly value: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
}

/** Fields of a line besides those of the request. */
export const OWN_COLUMNS = ['id', 'jsonParam', 'schedule'] as const;

const [ID, REQUEST, FORMER] = OWN_COLUMNS;
const OWN_KINDS: Readonly<Record<string, CellKind>> = { [ID]: 'text', [REQUEST]: 'json', [FORMER]: 'json' };
/** The day 1954-10-03 or later as the number in which Excel stores it. */
const EXCEL_DAY = /^[2-9]\d{4}([.,]\d+)?$/;

/**
 * The columns that a first line names, or all its faults. Names are case-insensitive. Columns in `ignored` and those without a
 * name, which a delimiter at the end of each line gives, are not read.
 */
export function readColumns(
  names: readonly string[],
  fields: readonly CsvField[],
  ignored: readonly string[] = [],
): readonly CsvColumn[] | readonly ColumnFault[] {
  const skipped = new Set(ignored.map(keyOf));
  const own = Object.entries(OWN_KINDS).map(([name, kind]) => column(name, name, kind, false));
  const ofRequest = fields.map(({ name, kind }) => column(name, `${REQUEST}.${name}`, kind, true));
  const known = new Map([...own, ...ofRequest].map((found) => [keyOf(found.name), found]));
  const columns = names.map((name): CsvColumn | undefined => {
    const key = keyOf(name);
    if (key === '') return column('', 'line', 'unnamed', false);
    return skipped.has(key) ? column(name, 'line', 'ignored', false) : known.get(key);
  });
  const unknown = names.filter((_, index) => columns[index] === undefined).map((name) => name.trim());
  const read = columns.filter((found) => found?.kind !== 'unnamed' && found?.kind !== 'ignored' && found);
  const twice = read.filter((found, index) => read.indexOf(found) !== index);
  const has = (wanted: string): boolean => read.some((found) => found?.name === wanted);
  const hasFields = read.some((found) => found?.isRequestField);
  const faults: readonly (readonly [boolean, ColumnFault])[] = [
    [unknown.length > 0, { kind: 'unknown', names: unknown }],
    [twice.length > 0, { kind: 'twice', names: [...new Set(twice.map((found) => found?.name ?? ''))] }],
    [!has(ID), { kind: 'no-id', names: [ID] }],
    [!has(REQUEST) && !hasFields, { kind: 'no-request', names: [REQUEST] }],
    [has(REQUEST) && hasFields, { kind: 'two-requests', names: [REQUEST] }],
  ];
  const found = faults.flatMap(([isAtFault, fault]) => (isAtFault ? [fault] : []));
  return found.length > 0 ? found : columns.filter((each) => each !== undefined);
}

function keyOf(name: string): string {
  return name.trim().toLowerCase();
}

function column(name: string, path: string, kind: CsvColumn['kind'], isRequestField: boolean): CsvColumn {
  return { name, path, kind, isRequestField };
}

export function areColumns(
  read: readonly CsvColumn[] | readonly ColumnFault[],
): read is readonly CsvColumn[] {
  return read.every((each) => 'path' in each);
}

/** Whether a record has a cell for each column; empty cells may be added or, below a column without a name, missing. */
export function hasAllCells(columns: readonly CsvColumn[], cells: readonly string[]): boolean {
  const missing = columns.slice(cells.length);
  return missing.every(({ kind }) => kind === 'unnamed') && cells.slice(columns.length).every(isEmpty);
}

function isEmpty(cell: string): boolean {
  return cell.trim() === '';
}

/** Adds the numbers and dates of a record to the survey of the file's notation. */
export function surveyCells(
  survey: NotationSurvey,
  columns: readonly CsvColumn[],
  { line, cells }: { readonly line: number; readonly cells: readonly string[] },
): void {
  for (const [index, { name, kind }] of columns.entries()) {
    if (kind !== 'number' && kind !== 'date') continue;
    const value = (cells[index] ?? '').trim();
    if (value !== '') survey.add(kind, { line, column: name, value });
  }
}

/** The cells of one record as a line, one for each column. An empty cell is an absent field. */
export function lineOfCells(
  columns: readonly CsvColumn[],
  cells: readonly string[],
  { notation, parseJson }: CellReading,
): LineOfCells {
  const line: Record<string, unknown> = {};
  const request: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [index, { name, path, kind, isRequestField }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (kind === 'ignored' || cell === '' || (kind !== 'text' && isEmpty(cell))) continue;
    const read = kind === 'json' ? parseJson(cell) : readCell(kind, cell, { notation, parseJson });
    if ('value' in read) (isRequestField ? request : line)[name] = read.value;
    else faults.push({ path, ...read });
  }
  const hasWhole = columns.some(({ name, kind }) => name === REQUEST && kind === 'json');
  return { value: hasWhole ? line : { ...line, [REQUEST]: request }, faults };
}

export interface CellReading {
  readonly notation: Notation;
  readonly parseJson: (cell: string) => ReadCell;
}

export type ReadCell = { readonly value: unknown } | Pick<Fault, 'code' | 'message'>;

function readCell(
  kind: Exclude<CsvColumn['kind'], 'json' | 'ignored'>,
  cell: string,
  { notation, parseJson }: CellReading,
): ReadCell {
  if (kind === 'text') return { value: cell };
  const shown = cell.trim();
  if (kind === 'unnamed') return { code: 'malformed-csv', message: 'has a value in a column without a name' };
  if (kind === 'date') return dateOf(shown, notation);
  const word = shown.toLowerCase();
  if (kind === 'flag' && (word === 'true' || word === 'false')) return { value: word === 'true' };
  const number = readNumber(shown, notation.decimal);
  // Other text of a flag is left for the reader of the request to refuse.
  if (number === undefined && kind === 'flag') return { value: shown };
  const like = notation.decimal === ',' ? '1234,50 or 1.234,50' : '1234.50 or 1,234.50';
  if (number === undefined) return { code: 'wrong-type', message: `must be a number such as ${like}` };
  return number.length > BINARY_DIGITS ? parseJson(number) : { value: Number(number) };
}

function dateOf(cell: string, { dates }: Notation): ReadCell {
  const hint = 'format the column as yyyy-mm-dd';
  if (EXCEL_DAY.test(cell)) {
    return { code: 'invalid-date', message: `is the number in which Excel stores a date; ${hint}` };
  }
  return { value: readDate(cell, dates) };
}

import type { Options } from 'csv-parse';
import { BINARY_DIGITS, parseJson, refusalText } from '../platform/parse-json.ts';
import type { Fault } from '../platform/problem.ts';
import { delimiterOf, isAmbiguous, type Notation, readDate, readNumber } from './csv-notation.ts';

export type CellKind = 'text' | 'date' | 'number' | 'flag' | 'json';

export interface CsvField {
  readonly name: string;
  readonly kind: CellKind;
}

export interface CsvColumn {
  readonly name: string;
  readonly path: string;
  /** `ignored` columns have no effect. `unnamed` columns must have empty cells. */
  readonly kind: CellKind | 'ignored' | 'unnamed';
}

export interface ColumnFault {
  readonly kind: 'unknown' | 'twice' | 'no-id' | 'no-request' | 'two-requests';
  readonly names: readonly string[];
}

export const OWN_COLUMNS = ['id', 'jsonParam', 'schedule'] as const;

const [ID, REQUEST, FORMER] = OWN_COLUMNS;
const OWN_KINDS: Readonly<Record<string, CellKind>> = { [ID]: 'text', [REQUEST]: 'json', [FORMER]: 'json' };

/** Returns the columns, or all faults. Names are case-insensitive, including those in `ignored`. */
export function readColumns(
  names: readonly string[],
  fields: readonly CsvField[],
  ignored: readonly string[] = [],
): readonly CsvColumn[] | readonly ColumnFault[] {
  const skipped = new Set(ignored.map(keyOf));
  const own = Object.entries(OWN_KINDS).map(([name, kind]) => ({ name, path: name, kind }));
  const ofRequest = fields.map(({ name, kind }) => ({ name, path: `${REQUEST}.${name}`, kind }));
  const known = new Map([...own, ...ofRequest].map((found) => [keyOf(found.name), found]));
  const columns = names.map((name): CsvColumn | undefined => {
    const key = keyOf(name);
    if (key === '') return { name, path: 'line', kind: 'unnamed' };
    return skipped.has(key) ? { name, path: 'line', kind: 'ignored' } : known.get(key);
  });
  const unknown = names.filter((_, index) => columns[index] === undefined).map((name) => name.trim());
  const read = columns.filter((found) => found?.kind !== 'unnamed' && found?.kind !== 'ignored' && found);
  const twice = read.filter((found, index) => read.indexOf(found) !== index);
  const has = (wanted: string): boolean => read.some((found) => found?.name === wanted);
  const hasFields = read.some((found) => found?.path.startsWith(`${REQUEST}.`));
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

export function areColumns(
  read: readonly CsvColumn[] | readonly ColumnFault[],
): read is readonly CsvColumn[] {
  return read.every((each) => 'path' in each);
}

export interface NotationFault {
  readonly kind: 'ambiguous-number' | 'ambiguous-date';
  readonly line: number;
  readonly column: string;
  readonly value: string;
}

/** Columns of rates. A rate has no thousands, so `7.125` never means 7125 percent. */
const RATE_COLUMN = /percent|rate/i;

/** Returns the first cell with two readings in this notation, except in columns of rates; undefined without one. */
export function ambiguousCell(
  columns: readonly CsvColumn[],
  { line, cells }: CsvRecord,
  notation: Notation,
): NotationFault | undefined {
  for (const [index, { name, kind }] of columns.entries()) {
    if ((kind !== 'number' || RATE_COLUMN.test(name)) && kind !== 'date') continue;
    const value = (cells[index] ?? '').trim();
    if (isAmbiguous(kind, value, notation)) {
      return { kind: `ambiguous-${kind}`, line, column: name, value };
    }
  }
  return undefined;
}

const NOT_UTF8 = '\uFFFD';

/** Makes a portfolio line from the cells of a record; undefined if all are empty. An empty cell is an absent field. */
export function lineOfCells(columns: readonly CsvColumn[], cells: readonly string[], notation: Notation) {
  // Spreadsheets append lines of empty cells.
  if (cells.every(isEmpty)) return undefined;
  const fault = lineFault(columns, cells);
  if (fault !== undefined) return { value: undefined, faults: [{ path: 'line', ...fault } satisfies Fault] };
  const line: Record<string, unknown> = {};
  const request: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [index, { name, path, kind }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (kind === 'ignored' || cell === '' || (kind !== 'text' && isEmpty(cell))) continue;
    const read = readCell({ name, kind }, cell, notation);
    if ('value' in read) (path === name ? line : request)[name] = read.value;
    else faults.push({ path, ...read });
  }
  const hasWhole = columns.some(({ name, kind }) => name === REQUEST && kind === 'json');
  return { value: hasWhole ? line : { ...line, [REQUEST]: request }, faults };
}

type CellFault = Pick<Fault, 'code' | 'message'>;

/** Empty cells may follow the last column. Trailing cells may be missing if their columns have no name. */
function lineFault(columns: readonly CsvColumn[], cells: readonly string[]): CellFault | undefined {
  if (cells.some((cell) => cell.includes(NOT_UTF8)))
    return { code: 'not-utf8', message: 'is not valid UTF-8' };
  const missing = columns.slice(cells.length);
  if (missing.every(({ kind }) => kind === 'unnamed') && cells.slice(columns.length).every(isEmpty))
    return undefined;
  const message = `has ${cells.length} cells; must have ${columns.length}, one for each column`;
  return { code: 'malformed-csv', message };
}

function isEmpty(cell: string): boolean {
  return cell.trim() === '';
}

function readCell(
  { name, kind }: Pick<CsvColumn, 'name'> & { readonly kind: Exclude<CsvColumn['kind'], 'ignored'> },
  cell: string,
  notation: Notation,
): { readonly value: unknown } | CellFault {
  if (kind === 'json') return readJson(cell);
  if (kind === 'text') return { value: cell };
  const shown = cell.trim();
  if (kind === 'unnamed') return { code: 'malformed-csv', message: 'has a value in a column without a name' };
  if (kind === 'date') return { value: readDate(shown, notation.dates) };
  const word = shown.toLowerCase();
  if (kind === 'flag' && (word === 'true' || word === 'false')) return { value: word === 'true' };
  const number = isThousandOfRate(name, shown, notation) ? undefined : readNumber(shown, notation.decimal);
  // Other text in a column of flags is left for the reader of the request to refuse.
  if (number === undefined && kind === 'flag') return { value: shown };
  const like = notation.decimal === ',' ? '1234,50 or 1.234,50' : '1234.50 or 1,234.50';
  if (number === undefined) return { code: 'wrong-type', message: `must be a number such as ${like}` };
  return number.length > BINARY_DIGITS ? readJson(number) : { value: Number(number) };
}

/** True for a rate such as `7.125` if the given decimal mark is the other one. */
function isThousandOfRate(name: string, cell: string, { decimal }: Notation): boolean {
  return (
    decimal !== undefined &&
    RATE_COLUMN.test(name) &&
    isAmbiguous('number', cell, {}) &&
    !cell.includes(decimal)
  );
}

function readJson(cell: string): { readonly value: unknown } | CellFault {
  const parsed = parseJson(cell, { maxValues: Infinity });
  if (parsed.kind === 'parsed') return parsed;
  return { code: 'invalid-json', message: refusalText(parsed, '').trimStart() };
}

export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Byte limit of a record. A request with a previous schedule of 1,200 instalments takes a third. */
export const MAX_LINE_BYTES = 1_048_576;
/** Reading ends with this fault, because everything after a stray quote may belong to its cell. */
export const MALFORMED = 'has a misplaced quote, or one that is not closed within 1 MiB';

const LINE_FEED = /\n/g;
const CARRIAGE_RETURN = /\r/g;

/** `head` is the first line. csv-parse outputs what `onRecord` returns, and fails on a misplaced quote. */
export function csvParseOptions(head: string, onRecord: (record: CsvRecord) => unknown): Options {
  // csv-parse counts each carriage return in a cell as a line.
  let carriageReturns = 0;
  return {
    bom: true,
    delimiter: delimiterOf(head),
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE_BYTES,
    on_record: (cells, { lines }) => {
      const all = cells.join('');
      carriageReturns += all.match(CARRIAGE_RETURN)?.length ?? 0;
      const line = lines - carriageReturns - (all.match(LINE_FEED)?.length ?? 0);
      return onRecord({ line, cells }) as string[];
    },
  };
}

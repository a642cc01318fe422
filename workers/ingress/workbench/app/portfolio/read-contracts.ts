/** Reads a portfolio file in the browser: NDJSON or CSV as for `npm run recalculate` (docs/recalculation.md). */
import { CsvError, parse } from 'csv-parse/browser/esm/sync';
import { isRecord } from '../schedules/loan.ts';
import { jsonProblem, parseJson } from '../../../../../shared/platform/parse-json.ts';
import type { Fault, Problem } from '../../../../../shared/platform/problem.ts';
import {
  createDuplicateSearch,
  type DuplicateIds,
  readContractLine,
} from '../../../../../shared/portfolio/input-faults.ts';
import {
  ambiguousCell,
  areColumns,
  type CellKind,
  type ColumnFault,
  csvParseOptions,
  type CsvRecord,
  lineOfCells,
  MAX_LINE_BYTES,
  type NotationFault,
  readColumns,
} from '../../../../../shared/portfolio/csv-columns.ts';
import type { Notation } from '../../../../../shared/portfolio/csv-notation.ts';
import type { CountedFailure } from '../../../../../shared/portfolio/tally.ts';
import type { FieldKind, FormField } from '../schedules/loan-fields.ts';

export interface Contract {
  /** The first line of its record in the file, counted from 1. */
  readonly line: number;
  readonly id: string | number;
  readonly jsonParam: Readonly<Record<string, unknown>>;
  /** The previous schedule as in the file; undefined if it is absent or null. */
  readonly schedule: unknown;
  /** The names of unknown members of the record, which have no effect. */
  readonly ignored: readonly string[];
}

export interface PortfolioFile {
  readonly contracts: readonly Contract[];
  readonly unreadable: readonly CountedFailure[];
  readonly duplicates: DuplicateIds;
}

type RequestField = Pick<FormField, 'name' | 'kind'>;

/** The decisions of the user on values with two readings (`Notation`) and on unknown columns of a CSV file. */
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
  dates: 'json',
};

/** Only `npm run recalculate` reads files with more contracts, or with more bytes than MAX_FILE_BYTES. */
export const MAX_CONTRACTS = 10_000;
export const MAX_FILE_BYTES = 50 * 1_024 * 1_024;

const MAX_SHOWN_NAME = 60;
/** The most columns that a fault names: a file that is not text may seem to have thousands. */
const MAX_SHOWN_COLUMNS = 20;
/** The first characters of ZIP files, such as .xlsx and .ods, and of .xls. */
const WORKBOOKS = new Set(['PK\u0003\u0004', '\u00D0\u00CF\u0011\u00E0']);

/** Why a file is refused. `malformed`: `line` is the first line of the last readable record; 0 if there is none. */
export type FileFault =
  | { readonly kind: 'not-utf8' | 'workbook' }
  | { readonly kind: 'malformed'; readonly line: number }
  | { readonly kind: 'notation'; readonly fault: NotationFault }
  | { readonly kind: 'too-many'; readonly count: number }
  | { readonly kind: 'columns'; readonly faults: readonly ColumnFault[] };

/** Thrown by `readContracts`. Pages translate `fault`; the message is only its kind. */
export class FileError extends Error {
  readonly fault: FileFault;

  constructor(fault: FileFault) {
    super(fault.kind);
    this.fault = fault;
  }
}

/** Reads NDJSON, or CSV with columns for `fields` if the name ends in .csv. Throws FileError if it refuses the file. */
export function readContracts(
  fileName: string,
  content: Uint8Array<ArrayBuffer>,
  fields: readonly RequestField[],
  choice: CsvChoice = {},
): PortfolioFile {
  if (WORKBOOKS.has(String.fromCodePoint(...content.subarray(0, 4)))) {
    throw new FileError({ kind: 'workbook' });
  }
  const text = decode(content);
  return collect(/\.csv$/i.test(fileName) ? csvLines(text, fields, choice) : ndjsonLines(text));
}

/** Drops the byte order mark. Refuses invalid UTF-8: replacing the bytes could give a contract the id of another. */
function decode(content: Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw new FileError({ kind: 'not-utf8' });
  }
}

interface Line {
  readonly line: number;
  readonly read: () => Contract | CountedFailure;
}

function ndjsonLines(text: string): readonly Line[] {
  return text.split('\n').flatMap((sent, index) => {
    const line = index + 1;
    return sent.trim() === '' ? [] : [{ line, read: () => readJsonLine(line, sent) }];
  });
}

function readJsonLine(line: number, sent: string): Contract | CountedFailure {
  if (sent.length > MAX_LINE_BYTES) {
    const message = `is longer than ${MAX_LINE_BYTES} characters`;
    return failureOf(line, [{ path: 'line', code: 'too-long', message }], 'body-too-large');
  }
  const parsed = parseJson(sent, { whole: 'line', maxValues: Infinity });
  return parsed.kind === 'parsed'
    ? readContract(line, parsed.value)
    : { line, id: undefined, problem: jsonProblem(parsed, 'The line') };
}

function csvLines(text: string, fields: readonly RequestField[], choice: CsvChoice): readonly Line[] {
  const [head, ...all] = csvRecords(text);
  if (head === undefined) return [];
  const csvFields = fields.map(({ name, kind }) => ({ name, kind: CELL_KINDS[kind] }));
  const columns = readColumns(head.cells, csvFields, choice.ignore);
  if (!areColumns(columns)) throw new FileError({ kind: 'columns', faults: columns.map(shortened) });
  return all.flatMap((record) => {
    const fault = ambiguousCell(columns, record, choice);
    if (fault !== undefined) throw new FileError({ kind: 'notation', fault });
    const { line, cells } = record;
    const found = lineOfCells(columns, cells, choice);
    if (found === undefined) return [];
    const { value, faults } = found;
    const read = () => (value === undefined ? failureOf(line, faults) : readContract(line, value, faults));
    return [{ line, read }];
  });
}

function csvRecords(text: string): readonly CsvRecord[] {
  const [head = ''] = text.trimStart().split('\n', 1);
  const records: CsvRecord[] = [];
  const keep = (record: CsvRecord): null => {
    records.push(record);
    return null;
  };
  try {
    parse(text, csvParseOptions(head, keep));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new FileError({ kind: 'malformed', line: records.at(-1)?.line ?? 0 });
  }
  return records;
}

function shortened({ kind, names }: ColumnFault): ColumnFault {
  const shown = names.slice(0, MAX_SHOWN_COLUMNS).map((name) => name.slice(0, MAX_SHOWN_NAME));
  return { kind, names: shown };
}

function collect(lines: readonly Line[]): PortfolioFile {
  if (lines.length > MAX_CONTRACTS) throw new FileError({ kind: 'too-many', count: lines.length });
  const contracts: Contract[] = [];
  const unreadable: CountedFailure[] = [];
  const ids = createDuplicateSearch();
  for (const { line, read } of lines) {
    const found = read();
    if (found.id !== undefined) ids.add(found.id, line);
    if ('problem' in found) unreadable.push(found);
    else contracts.push(found);
  }
  return { contracts, unreadable, duplicates: ids.found() };
}

function readContract(line: number, value: unknown, known: readonly Fault[] = []): Contract | CountedFailure {
  const read = readContractLine(value);
  if ('code' in read) return failureOf(line, [read]);
  const { id, jsonParam, schedule } = read;
  const faults = [...read.faults, ...known];
  if (!isRecord(jsonParam))
    faults.push({ path: 'jsonParam', code: 'wrong-type', message: 'must be an object' });
  if (id === undefined || !isRecord(jsonParam) || faults.length > 0) {
    return { ...failureOf(line, faults), id };
  }
  const ignored = read.ignored.map((name) => name.slice(0, MAX_SHOWN_NAME));
  return { line, id, jsonParam, schedule, ignored };
}

/** The failure of a line, with the same code as in `npm run recalculate`. */
function failureOf(
  line: number,
  errors: readonly Fault[],
  code: Problem['code'] = 'invalid-request',
): CountedFailure {
  return { line, id: undefined, problem: { code, title: errors[0]?.message ?? '', errors } };
}

import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import {
  InputError,
  type InputOptions,
  type InputRecord,
  lineProblem,
  type RawRecord,
  readContract,
  refuseLine,
} from './input-records.ts';
import { peek, type Source } from './open-source.ts';
import { flagKind, isDateSchema } from '../../shared/api/json/field-kinds.ts';
import { type JsonSchema, toJsonSchema } from '../../shared/api/json/json-schema.ts';
import { repaymentScheduleFields } from '../../shared/api/actions/schedule-request-fields.ts';
import {
  ambiguousCell,
  areColumns,
  type CellKind,
  type ColumnFault,
  type CsvColumn,
  type CsvField,
  csvParseOptions,
  type CsvRecord,
  lineOfCells,
  MALFORMED,
  type NotationFault,
  OWN_COLUMNS,
  readColumns,
} from '../../shared/portfolio/csv-columns.ts';
import type { Notation } from '../../shared/portfolio/csv-notation.ts';

const MAX_HEAD_BYTES = 65_536;
const NOT_UTF8 = '\uFFFD';

/**
 * Yields the first line, whose `read` returns undefined, and then each record. Rejects with InputError if the CSV is
 * empty, its columns are invalid, a quote is misplaced or not closed, or a cell has two readings.
 */
export async function* csvInput({ csv = {} }: InputOptions, source: Source): AsyncGenerator<RawRecord, void> {
  const records = csvRecords(source);
  const header = (await records.next()).value;
  if (header === undefined)
    throw new InputError('the CSV is empty; it must start with the names of its columns');
  const columns = columnsOf(header, csv.ignore);
  yield { line: header.line, text: JSON.stringify(header.cells), read: () => undefined };
  for await (const record of records) {
    const fault = ambiguousCell(columns, record, csv);
    if (fault !== undefined) throw new InputError(notationSentence(fault));
    const read = (): InputRecord | undefined => readRecord(record, columns, csv);
    yield { line: record.line, text: JSON.stringify(record.cells), read };
  }
}

async function* csvRecords(source: Source): AsyncGenerator<CsvRecord, void> {
  const { start, all } = await peek(
    source.blocks,
    (bytes) => bytes.length > MAX_HEAD_BYTES || bytes.toString('latin1').trimStart().includes('\n'),
  );
  const [head = ''] = start.toString('latin1').trimStart().split('\n', 1);
  let line = 0;
  const parser = parse(
    csvParseOptions(head, (record) => {
      ({ line } = record);
      return record;
    }),
  );
  pipeline(Readable.from(all), parser, () => undefined);
  try {
    yield* parser as AsyncIterable<CsvRecord>;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const where = line === 0 ? 'the first line' : `the record after line ${line}`;
    throw new InputError(`${where} ${MALFORMED}`, { cause: error });
  } finally {
    source.close();
  }
}

function columnsOf({ cells }: CsvRecord, ignore: readonly string[] | undefined): readonly CsvColumn[] {
  if (cells.some((cell) => cell.includes(NOT_UTF8)))
    throw new InputError(
      'the first line, which must name the columns, is not UTF-8. In Excel, save the file as "CSV UTF-8"',
    );
  const columns = readColumns(cells, CSV_FIELDS, ignore);
  if (areColumns(columns)) return columns;
  throw new InputError(`the first line is invalid; ${columns.map(columnSentence).join('. Also ')}`);
}

function readRecord(
  { line, cells }: CsvRecord,
  columns: readonly CsvColumn[],
  notation: Notation,
): InputRecord | undefined {
  const found = lineOfCells(columns, cells, notation);
  if (found === undefined) return undefined;
  const { value, faults } = found;
  const [fault] = faults;
  return value === undefined && fault !== undefined
    ? refuseLine(line, lineProblem('invalid-request', fault))
    : readContract(line, value, faults);
}

const MAX_SHOWN_NAME = 60;

/** The fields of a schedule request that can be columns. */
export const CSV_FIELDS: readonly CsvField[] = Object.entries(
  toJsonSchema(repaymentScheduleFields).properties ?? {},
).map(([name, schema]) => ({ name, kind: kindOf(schema) }));

function kindOf(schema: JsonSchema): CellKind {
  if (flagKind(schema) !== undefined) return 'flag';
  const types = new Set([schema.type].flat());
  if (types.has('number') || types.has('integer')) return 'number';
  if (types.has('array') || types.has('object')) return 'json';
  return isDateSchema(schema) ? 'date' : 'text';
}

const COLUMN_FAULTS = {
  twice: (names: readonly string[]) => `${names.join(', ')} occurs more than once`,
  'no-id': () => 'id is missing; there must be a column with the ids of the contracts',
  'no-request': () => 'no column is a field of the request; add such columns, or the column jsonParam',
  'two-requests': () =>
    'jsonParam contains the whole request; it must not be combined with columns for the fields of the request',
} as const;

/** A clause that says what is wrong with the columns. */
export function columnSentence({ kind, names }: ColumnFault): string {
  if (kind !== 'unknown') return COLUMN_FAULTS[kind](names);
  const known = [...OWN_COLUMNS, ...CSV_FIELDS.map(({ name }) => name)];
  const shown = names.map((name) => JSON.stringify(name.slice(0, MAX_SHOWN_NAME)));
  return `unknown columns: ${shown.join(', ')}; --ignore NAME leaves a column out; known columns (case-insensitive) are ${known.join(', ')}`;
}

function notationSentence({ kind, line, column, value }: NotationFault): string {
  const remedy =
    kind === 'ambiguous-number'
      ? 'name its decimal mark with --decimal point or --decimal comma'
      : 'name the order of day and month with --dates day-first or --dates month-first';
  return `${JSON.stringify(value)} (line ${line}, column ${column}) has two readings; ${remedy}`;
}

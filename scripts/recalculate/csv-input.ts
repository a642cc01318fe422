/** Reads a portfolio in CSV: a first line with the columns, then a record for each contract. */

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
import { openSource, peek, type Source } from './open-source.ts';
import { flagKind, isDateSchema } from '../../shared/api/json/field-kinds.ts';
import { type JsonSchema, toJsonSchema } from '../../shared/api/json/json-schema.ts';
import { repaymentScheduleFields } from '../../shared/api/actions/schedule-request-fields.ts';
import { nearestName } from '../../shared/platform/nearest-name.ts';
import {
  areColumns,
  type CellKind,
  type ColumnFault,
  type CsvColumn,
  type CsvField,
  csvParseOptions,
  type CsvRecord,
  findCell,
  lineOfCells,
  MALFORMED,
  OWN_COLUMNS,
  readColumns,
  surveyCells,
} from '../../shared/portfolio/csv-columns.ts';
import {
  createNotationSurvey,
  type CsvValue,
  type Notation,
  type NotationFault,
} from '../../shared/portfolio/csv-notation.ts';

/** Of a stream, the notation is recognised from as many characters; records after them must agree. */
const SURVEYED_CHARACTERS = 65_536;
const MAX_HEAD_BYTES = 65_536;
const NOT_UTF8 = '\uFFFD';

/** The records, the first line before them. Rejects with InputError for invalid columns, and if a record has no certain end. */
export async function* csvInput(options: InputOptions, source: Source): AsyncGenerator<RawRecord, void> {
  const { csv = {} } = options;
  const records = csvRecords(source);
  const header = (await records.next()).value;
  if (header === undefined)
    throw new InputError('the CSV is empty; it must start with the names of its columns');
  const columns = columnsOf(header, csv.ignore);
  const isKnown = csv.decimal !== undefined && csv.dates !== undefined;
  const isFile = source.totalBytes !== undefined;
  const survey = createNotationSurvey(csv);
  const start = isFile || isKnown ? [] : await firstRecords(records);
  const seen = isFile && !isKnown ? (await reopened(options)).records : start;
  for await (const record of seen) surveyCells(survey, columns, record);
  const notation = (): Notation => {
    const faults = survey.faults();
    if (faults.length > 0) throw new InputError(faults.map(notationSentence).join('\n'));
    return survey.notation();
  };
  const whole = notation();
  yield { line: header.line, text: JSON.stringify(header.cells), read: () => undefined };
  for (const record of start) yield rawRecord(record, columns, whole);
  for await (const record of records) {
    if (!isFile && !isKnown) surveyCells(survey, columns, record);
    yield rawRecord(record, columns, isFile ? whole : notation());
  }
}

/** The records of the file after its first line, for a reading of its own. */
async function reopened({ file }: InputOptions) {
  const records = csvRecords(await openSource({ file }));
  await records.next();
  return { records };
}

async function firstRecords(records: AsyncGenerator<CsvRecord, void>): Promise<readonly CsvRecord[]> {
  const first: CsvRecord[] = [];
  for (let size = 0; size < SURVEYED_CHARACTERS;) {
    const { value, done } = await records.next();
    if (done === true) break;
    first.push(value);
    size += value.cells.join().length;
  }
  return first;
}

async function* csvRecords(source: Source): AsyncGenerator<CsvRecord, void> {
  const { start, all } = await peek(
    source.blocks,
    (bytes) => bytes.length > MAX_HEAD_BYTES || bytes.toString('latin1').trimStart().includes('\n'),
  );
  const [head = ''] = start.toString('latin1').trimStart().split('\n', 1);
  /** Of the last record that could be split. */
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
      'the first line is not UTF-8; it must name the columns. In Excel the format is called CSV UTF-8',
    );
  const columns = readColumns(cells, CSV_FIELDS, ignore);
  if (areColumns(columns)) return columns;
  throw new InputError(`the columns are invalid: ${columns.map(columnSentence).join('. Also ')}`);
}

function rawRecord({ line, cells }: CsvRecord, columns: readonly CsvColumn[], notation: Notation): RawRecord {
  const read = (): InputRecord | undefined => {
    const found = lineOfCells(columns, cells, notation);
    if (found === undefined) return undefined;
    const [fault] = found.faults;
    const record =
      found.value === undefined && fault !== undefined
        ? refuseLine(line, lineProblem('invalid-request', fault))
        : readContract(line, found.value, found.faults);
    return { ...record, cellOf: (path) => findCell(columns, cells, path) };
  };
  return { line, text: JSON.stringify(cells), read };
}

/** Unknown columns that are compared with the known ones; the first line may be none of columns, and long. */
const MAX_HINTS = 10;
const MAX_SHOWN_NAME = 60;

/** The fields of a request, after which columns are named, in the order and casing of the interface. */
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

export function columnSentence({ kind, names }: ColumnFault): string {
  if (kind === 'unknown') return unknownSentence(names);
  if (kind === 'twice') return `${names.join(', ')} occurs more than once`;
  if (kind === 'no-id') return 'id is missing; there must be a column with the ids of the contracts';
  if (kind === 'no-request') {
    return 'there is no column for any field of the request; there must be such columns, or the column jsonParam';
  }
  return 'jsonParam contains the whole request; it must not be combined with columns for the fields of the request';
}

function unknownSentence(names: readonly string[]): string {
  const known = [...OWN_COLUMNS, ...CSV_FIELDS.map(({ name }) => name)];
  const shown = names.map((name, index) => {
    const nearest = index < MAX_HINTS ? nearestName(name, known) : undefined;
    const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    return JSON.stringify(name.slice(0, MAX_SHOWN_NAME)) + hint;
  });
  return `not known: ${shown.join(', ')}; --ignore NAME leaves a column out; known columns (case-insensitive) are ${known.join(', ')}`;
}

export function notationSentence({ kind, examples }: NotationFault): string {
  const [first, second] = examples.map(exampleText);
  switch (kind) {
    case 'ambiguous-number':
      return `${first} has two readings, and no value of the file decides between them; name its decimal mark with --decimal point or --decimal comma`;
    case 'mixed-numbers':
      return `${first} and ${second} are not in the same notation; correct one of them, or name the decimal mark with --decimal point or --decimal comma`;
    case 'ambiguous-date':
      return `${first} has two readings, and no value of the file decides between them; name the order with --dates day-first or --dates month-first`;
    case 'mixed-dates':
      return `${first} and ${second} are not in the same order; correct one of them, or format the columns as yyyy-mm-dd`;
    default:
      return kind satisfies never;
  }
}

function exampleText({ line, column, value }: CsvValue): string {
  return `${JSON.stringify(value)} (line ${line}, column ${column})`;
}

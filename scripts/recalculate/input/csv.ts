/** Reads a portfolio in CSV: a first line with the columns, then a record for each contract. */

import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import {
  areColumns,
  type CsvColumn,
  findCell,
  lineOfCells,
  readColumns,
  surveyCells,
} from '../../../shared/portfolio/csv-columns.ts';
import { createNotationSurvey, type Notation } from '../../../shared/portfolio/csv-notation.ts';
import { csvParseOptions, type CsvRecord, MALFORMED } from '../../../shared/portfolio/csv-records.ts';
import { readContract } from './contract.ts';
import { columnSentence, CSV_FIELDS, notationSentence } from './csv-columns.ts';
import {
  type InputOptions,
  InputError,
  type InputRecord,
  lineProblem,
  type RawRecord,
  refuseLine,
} from './records.ts';
import { openSource, peek, type Source } from './source.ts';

/** Of a stream, the notation is recognised from as many characters; records after them must agree. */
const SURVEYED_CHARACTERS = 65_536;
const MAX_HEAD_BYTES = 65_536;
const NOT_UTF8 = '\uFFFD';

/**
 * The records, the first line before them. Rejects with InputError if the columns are invalid, the notation is contradictory, or
 * a record cannot be told from the next one.
 */
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

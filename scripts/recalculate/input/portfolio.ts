/** Reads a portfolio: bytes into lines, lines into records, records into chunks. */

import { createHash, type Hash } from 'node:crypto';
import { type InputBytes, openInputBytes } from './bytes.ts';
import { createCsvFormat } from './csv.ts';
import { createDuplicateSearch } from './duplicate-ids.ts';
import { createLineSplitter } from './lines.ts';
import { ndjsonFormat } from './ndjson.ts';
import {
  InputChangedError,
  InputError,
  type InputChunk,
  type InputOptions,
  type CsvOptions,
  type InputRecord,
  type PortfolioInput,
  type RawRecord,
  type RecordFormat,
} from './records.ts';

/** Maximum number of instalments of a chunk, which one batch calculates and one reply contains. */
const MAX_CHUNK_ROWS = 12_000;
/** Maximum size of a chunk of several records, which bounds the memory of a batch in flight with previous schedules. */
const MAX_CHUNK_BYTES = 1_048_576;
/** Maximum number of refused lines of a chunk, which are not sent but take memory. */
const MAX_REFUSED = 500;

/** Of a stream of CSV, the notation is recognised from these first bytes; records after them must agree. */
const SURVEYED_BYTES = 65_536;

/**
 * Opens the input and reads its start, and a file in CSV once as a whole, to recognise its notation. Rejects with InputError if
 * it cannot be opened, does not match its name, or has invalid columns or a contradictory notation.
 */
export async function openInput(options: InputOptions): Promise<PortfolioInput> {
  const bytes = await openInputBytes(options);
  try {
    const { format, batches, kept: start } = await openRecords(options, bytes);
    const ids = createDuplicateSearch();
    // SHA-256 over the bytes of the records, line ends included, blank lines excluded.
    const digest = createHash('sha256');
    /** Records that were read but not yet skipped or returned. */
    let kept = start;
    return {
      records: () => chunksOf(following(kept, batches), { format, digest, options, bytes, ids }),
      totalBytes: bytes.totalBytes,
      bytesRead: () => bytes.bytesRead(),
      skip: async (lastLine, expected) => {
        const all = following(kept, batches);
        kept = await skipLines(all, lastLine, (raws) => {
          for (const { bytes: skipped } of raws) digest.update(skipped);
          for (const record of format.read(raws, true)) addId(ids, record);
        });
        if (digestText(digest) === expected) return;
        throw new InputChangedError(
          `the first ${lastLine} lines of the input have changed since the run started`,
        );
      },
      duplicateIds: ids.found,
      close: () => bytes.close(),
    };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

interface OpenRecords {
  readonly format: RecordFormat;
  readonly batches: Batches;
  /** The first records. */
  readonly kept: readonly RawRecord[];
}

async function openRecords(options: InputOptions, bytes: InputBytes): Promise<OpenRecords> {
  if (options.format !== 'csv') {
    const batches = rawRecords(bytes, ndjsonFormat);
    return { format: ndjsonFormat, batches, kept: await firstRecords(batches, 1) };
  }
  const isFile = bytes.totalBytes !== undefined;
  const format = createCsvFormat(isFile ? await surveyFile(options) : { ...options.csv });
  const batches = rawRecords(bytes, format);
  const kept = await firstRecords(batches, isFile ? 1 : SURVEYED_BYTES);
  format.survey(kept);
  format.notation();
  return { format, batches, kept };
}

/** Reads a file once to recognise its notation; returns the options with it. */
async function surveyFile({ file, csv = {} }: InputOptions): Promise<CsvOptions> {
  if (csv.decimal !== undefined && csv.dates !== undefined) return csv;
  const bytes = await openInputBytes({ file });
  try {
    const format = createCsvFormat(csv);
    for await (const raws of rawRecords(bytes, format)) format.survey(raws);
    const { decimal = '.', dates = 'day-first' } = format.notation();
    return { ...csv, decimal, dates };
  } finally {
    await bytes.close();
  }
}

/** The records of the first batches that have this many bytes together. */
async function firstRecords(batches: Batches, wantedBytes: number): Promise<readonly RawRecord[]> {
  const first: RawRecord[] = [];
  let size = 0;
  while (size < wantedBytes) {
    const { value: raws, done } = await batches.next();
    if (done === true) break;
    first.push(...raws);
    for (const { bytes } of raws) size += bytes.length;
  }
  return first;
}

type Batches = AsyncGenerator<readonly RawRecord[], void>;

/** The records that end in each block of bytes. */
async function* rawRecords({ blocks }: InputBytes, format: RecordFormat): Batches {
  const splitter = createLineSplitter();
  for await (const block of blocks) {
    const raws = format.group(splitter.push(block));
    if (raws.length > 0) yield raws;
  }
  const rest = [...format.group(splitter.end()), ...format.end()];
  if (rest.length > 0) yield rest;
}

async function* following(first: readonly RawRecord[], others: Batches): Batches {
  if (first.length > 0) yield first;
  yield* others;
}

/** Passes the records up to a line; resolves with the records of the last batch that come after it. */
async function skipLines(
  batches: Batches,
  lastLine: number,
  skip: (raws: readonly RawRecord[]) => void,
): Promise<readonly RawRecord[]> {
  // `for await` would close the iterator of the batches.
  for (;;) {
    const { value: raws, done } = await batches.next();
    if (done === true) return [];
    const behind = raws.findIndex(({ line }) => line > lastLine);
    skip(behind === -1 ? raws : raws.slice(0, behind));
    if (behind !== -1) return raws.slice(behind);
  }
}

interface Reading {
  readonly format: RecordFormat;
  /** The digest of the records that have been skipped. */
  readonly digest: Hash;
  readonly options: Pick<InputOptions, 'maxContracts'>;
  readonly bytes: Pick<InputBytes, 'bytesRead'>;
  readonly ids: DuplicateSearch;
}

type DuplicateSearch = ReturnType<typeof createDuplicateSearch>;

function addId(ids: DuplicateSearch, record: InputRecord | undefined): void {
  if (record?.id !== undefined) ids.add(record.id, record.line);
}

async function* chunksOf(batches: Batches, reading: Reading): AsyncGenerator<InputChunk, void> {
  const builder = createChunkBuilder(reading);
  let fault: unknown;
  try {
    for await (const raws of batches) yield* completeChunks(raws, reading.format, builder);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    fault = error;
  }
  // If the input breaks off, what was read before is a chunk too.
  const last = builder.close();
  if (last !== undefined) yield last;
  if (fault !== undefined) throw fault;
}

/** The chunks that these records complete. */
function* completeChunks(
  raws: readonly RawRecord[],
  format: RecordFormat,
  builder: ReturnType<typeof createChunkBuilder>,
): Generator<InputChunk, void> {
  let index = 0;
  for (const record of format.read(raws)) {
    const raw = raws[index++];
    const chunk = raw === undefined ? undefined : builder.add(raw, record);
    if (chunk !== undefined) yield chunk;
  }
}

/** Collects records into chunks of at most `maxContracts`, {@link MAX_CHUNK_ROWS} rows and 1 MiB of text. */
function createChunkBuilder({ digest, options, bytes: input, ids }: Reading) {
  let records: InputRecord[] = [];
  let contracts = 0;
  let rows = 0;
  let bytes = 0;
  let lastLine = 0;

  const isFull = (): boolean =>
    contracts === options.maxContracts || records.length - contracts === MAX_REFUSED;
  const close = (): InputChunk | undefined => {
    if (records.length === 0) return undefined;
    const chunk = { records, lastLine, digest: digestText(digest), bytesRead: input.bytesRead() };
    records = [];
    contracts = 0;
    rows = 0;
    bytes = 0;
    return chunk;
  };
  return {
    /** Adds the next record of the input, which is undefined if it is empty; returns the chunk if it is complete. */
    add: (raw: RawRecord, record: InputRecord | undefined): InputChunk | undefined => {
      const newRows = record?.kind === 'contract' ? record.rows : 0;
      const isBeyond = rows + newRows > MAX_CHUNK_ROWS || bytes + raw.bytes.length > MAX_CHUNK_BYTES;
      const before = isBeyond || isFull() ? close() : undefined;
      digest.update(raw.bytes);
      lastLine = raw.line;
      if (record === undefined) return before;
      addId(ids, record);
      records.push(record);
      rows += newRows;
      bytes += raw.bytes.length;
      if (record.kind === 'contract') contracts += 1;
      return before ?? (isFull() ? close() : undefined);
    },
    close,
  };
}

function digestText(digest: Hash): string {
  return digest.copy().digest('hex');
}

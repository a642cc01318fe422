import { createHash } from 'node:crypto';
import { csvInput } from './csv-input.ts';
import {
  type InputChunk,
  InputError,
  type InputOptions,
  type InputRecord,
  lineProblem,
  type RawRecord,
  readContract,
  refuseLine,
} from './input-records.ts';
import { openSource } from './open-source.ts';
import { jsonProblem, parseJson } from '../../shared/platform/parse-json.ts';
import { MAX_LINE_BYTES } from '../../shared/portfolio/csv-columns.ts';
import { createDuplicateSearch } from '../../shared/portfolio/input-faults.ts';

const MAX_CHUNK_ROWS = 12_000;
/** Limits a chunk of several records, and so the memory of a batch in flight: records may have previous schedules. */
const MAX_CHUNK_BYTES = 1_048_576;
const MAX_REFUSED = 500;

export type PortfolioInput = Awaited<ReturnType<typeof openInput>>;

/** Rejects with InputError if the input cannot be opened, is named .gz but is not gzip, or has invalid columns. */
export async function openInput(options: InputOptions) {
  const source = await openSource(options);
  try {
    const records = options.format === 'csv' ? csvInput(options, source) : ndjsonRecords(source.blocks);
    const ids = createDuplicateSearch();
    // Line ends and blank lines are not part of the digest, so a resumed run accepts changes of them.
    const digest = createHash('sha256');
    let first: RawRecord | undefined = (await records.next()).value ?? undefined;
    const next = async (): Promise<RawRecord | undefined> => {
      const raw = first ?? (await records.next()).value ?? undefined;
      first = undefined;
      return raw;
    };
    const pass = (raw: RawRecord, read: InputRecord | undefined): void => {
      digest.update(raw.text).update('\n');
      if (read?.id !== undefined) ids.add(read.id, read.line);
    };
    const digestText = (): string => digest.copy().digest('hex');
    return {
      /** Yields the chunks once, and reads each on demand. Rejects with InputError if the input breaks off. */
      records: () =>
        chunksOf(next, pass, options.maxContracts, () => ({
          digest: digestText(),
          bytesRead: source.bytesRead(),
        })),
      totalBytes: source.totalBytes,
      bytesRead: source.bytesRead,
      /** Skips the lines that earlier sessions processed. Rejects with InputError if their digest differs. */
      skip: async (lastLine: number, expected: string) => {
        for (first = await next(); first !== undefined && first.line <= lastLine;) {
          pass(first, first.read());
          first = (await records.next()).value ?? undefined;
        }
        if (digestText() === expected) return;
        throw new InputError(`the first ${lastLine} lines of the input have changed since the run started`);
      },
      duplicateIds: ids.found,
      close: source.close,
    };
  } catch (error) {
    source.close();
    throw error;
  }
}

async function* chunksOf(
  next: () => Promise<RawRecord | undefined>,
  pass: (raw: RawRecord, read: InputRecord | undefined) => void,
  maxContracts: number,
  state: () => Pick<InputChunk, 'digest' | 'bytesRead'>,
): AsyncGenerator<InputChunk, void> {
  let records: InputRecord[] = [];
  let [contracts, rows, bytes, lastLine] = [0, 0, 0, 0];
  const close = (): InputChunk => {
    const chunk = { records, lastLine, ...state() };
    records = [];
    [contracts, rows, bytes] = [0, 0, 0];
    return chunk;
  };
  let fault: unknown;
  try {
    for (let raw = await next(); raw !== undefined; raw = await next()) {
      const record = raw.read();
      const newRows = record?.kind === 'contract' ? record.rows : 0;
      const isBeyond = rows + newRows > MAX_CHUNK_ROWS || bytes + raw.text.length > MAX_CHUNK_BYTES;
      if (isBeyond && records.length > 0) yield close();
      pass(raw, record);
      lastLine = raw.line;
      if (record === undefined) continue;
      records.push(record);
      rows += newRows;
      bytes += raw.text.length;
      if (record.kind === 'contract') contracts += 1;
      if (contracts === maxContracts || records.length - contracts === MAX_REFUSED) yield close();
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    fault = error;
  }
  // If the input breaks off, the records before the break are still processed.
  if (records.length > 0) yield close();
  if (fault !== undefined) throw fault;
}

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const BLANK = /^[ \t\r]*$/;
const MAX_BLANK_BYTES = 1_000;

/** Yields the lines that are not blank. Each is parsed by itself, so that a fault in one does not affect the others. */
async function* ndjsonRecords(blocks: AsyncIterable<Buffer>): AsyncGenerator<RawRecord, void> {
  for await (const { line, bytes } of linesOf(blocks)) {
    if (bytes.length < MAX_BLANK_BYTES && BLANK.test(bytes.toString('latin1'))) continue;
    yield { line, text: bytes, read: () => readLine(line, bytes) };
  }
}

function readLine(line: number, bytes: Buffer): InputRecord {
  if (bytes.length > MAX_LINE_BYTES) {
    const message = `is longer than ${MAX_LINE_BYTES} bytes`;
    return refuseLine(line, lineProblem('body-too-large', { code: 'too-long', message }));
  }
  // No limit on the number of values, since a line may contain a schedule of 1,200 rows.
  const parsed = parseJson(bytes, { whole: 'line', maxValues: Infinity });
  if (parsed.kind === 'parsed') return readContract(line, parsed.value);
  return refuseLine(line, jsonProblem(parsed, 'The line'));
}

/** Keeps at most one line in memory, and only the first part of a line that is too long. */
async function* linesOf(blocks: AsyncIterable<Buffer>) {
  let held: Buffer = Buffer.alloc(0);
  let line = 0;
  const finish = (): { line: number; bytes: Buffer } => {
    line += 1;
    const hasMark = line === 1 && held.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    const bytes = hasMark ? held.subarray(BYTE_ORDER_MARK.length) : held;
    held = Buffer.alloc(0);
    return { line, bytes: bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes };
  };
  const hold = (part: Buffer): void => {
    const room = MAX_LINE_BYTES + BYTE_ORDER_MARK.length + 2 - held.length;
    if (held.length === 0) held = part.subarray(0, room);
    else if (part.length > 0 && room > 0) held = Buffer.concat([held, part.subarray(0, room)]);
  };
  for await (const block of blocks) {
    let start = 0;
    for (let at = block.indexOf(LINE_FEED); at !== -1; at = block.indexOf(LINE_FEED, start)) {
      hold(block.subarray(start, at));
      start = at + 1;
      yield finish();
    }
    hold(block.subarray(start));
  }
  if (held.length > 0) yield finish();
}

/** A portfolio as it is read: bytes to lines, lines to records, records to chunks. */

import { assertNever } from '../../../shared/platform/errors.ts';
import { createCsvLines } from './csv.ts';
import { createChunkBuilder, createInputDigest, type InputDigest } from './input-chunks.ts';
import { type InputBytes, openInputBytes } from './bytes.ts';
import {
  InputChangedError,
  type InputChunk,
  type InputFormat,
  type InputOptions,
  type PortfolioInput,
} from './records.ts';
import { ndjsonLines } from './ndjson.ts';
import { createLineSplitter } from './lines.ts';
import type { RawRecord, RecordFormat } from './raw-records.ts';

/**
 * Opens the input and reads its beginning: the header of CSV. Rejects with InputError when it cannot be opened, is not what
 * its name says, or has columns that cannot be used.
 */
export async function openInput(options: InputOptions): Promise<PortfolioInput> {
  const bytes = await openInputBytes(options);
  try {
    const format = formatOf(options.format);
    const batches = rawRecords(bytes, format);
    const first = await batches.next();
    const all = first.done === true ? batches : following(first.value, batches);
    return createPortfolio({ bytes, format, maxContracts: options.maxContracts }, all);
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

interface Reading {
  readonly bytes: InputBytes;
  readonly format: RecordFormat;
  readonly maxContracts: number;
}

type Batches = AsyncGenerator<readonly RawRecord[], void>;

function formatOf(format: InputFormat): RecordFormat {
  if (format === 'ndjson') return ndjsonLines;
  return format === 'csv' ? createCsvLines() : assertNever(format);
}

function createPortfolio({ bytes, format, maxContracts }: Reading, batches: Batches): PortfolioInput {
  const digest = createInputDigest();
  /** Read while skipping, but not skipped. */
  let kept: readonly RawRecord[] = [];
  async function* chunks(): AsyncGenerator<InputChunk, void> {
    const builder = createChunkBuilder(maxContracts, digest, () => bytes.bytesRead());
    for await (const raws of following(kept, batches)) {
      let index = 0;
      for (const record of format.read(raws)) {
        const raw = raws[index++];
        const chunk = raw === undefined ? undefined : builder.add(raw, record);
        if (chunk !== undefined) yield chunk;
      }
    }
    const last = builder.end();
    if (last !== undefined) yield last;
  }
  return {
    records: chunks,
    totalBytes: bytes.totalBytes,
    bytesRead: () => bytes.bytesRead(),
    skip: async (lastLine, expected) => {
      kept = await skipLines(batches, lastLine, digest);
      if (digest.text() !== expected) {
        throw new InputChangedError(
          `the first ${lastLine} lines of the input are not those that the run began with`,
        );
      }
    },
    close: () => bytes.close(),
  };
}

/** Adds the records up to a line to the digest; answers those of the last batch that lie behind it. */
async function skipLines(
  batches: Batches,
  lastLine: number,
  digest: InputDigest,
): Promise<readonly RawRecord[]> {
  for (;;) {
    const { value: raws, done } = await batches.next();
    if (done === true) return [];
    const behind = raws.findIndex(({ line }) => line > lastLine);
    for (const raw of behind === -1 ? raws : raws.slice(0, behind)) digest.add(raw);
    if (behind !== -1) return raws.slice(behind);
  }
}

async function* following(first: readonly RawRecord[], others: Batches): Batches {
  if (first.length > 0) yield first;
  yield* others;
}

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

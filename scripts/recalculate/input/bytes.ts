/** Reads the bytes of a file or the standard input, and decompresses gzip. */

import { constants, openSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { errorText } from '../../../shared/platform/errors.ts';
import { gunzipMembers } from './gunzip.ts';
import { type InputOptions, InputError } from './records.ts';

/** The name of the standard input and output. */
export const STANDARD_STREAM = '-';

/** The bytes of an input, read on demand. */
export interface InputBytes {
  /** Blocks of decompressed bytes; rejects with InputError if the input breaks off. Can be iterated once. */
  readonly blocks: AsyncIterable<Buffer>;
  /** Size of a file; undefined for a stream. */
  readonly totalBytes: number | undefined;
  /** Bytes read so far, before decompression. */
  bytesRead(): number;
  close(): Promise<void>;
}

interface RawSource {
  readonly stream: NodeJS.ReadableStream;
  readonly totalBytes: number | undefined;
  close(): Promise<void>;
}

/** Size of the blocks that are read and decompressed: large enough to be cheap, small enough not to block. */
const BLOCK_BYTES = 65_536;
const GZIP_NAME = /\.gz$/i;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
/** The first bytes of .xlsx and .ods, which are ZIP files, and of .xls. */
const WORKBOOK_MAGICS = [Buffer.from('PK\u0003\u0004'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])];
const MAGIC_BYTES = 4;

/**
 * Opens a file, or the standard input for `-`. Input that starts like gzip is decompressed, whatever its name; a file
 * named `.gz` must start like gzip. Rejects with InputError if it cannot be read.
 */
export async function openInputBytes(options: Pick<InputOptions, 'file' | 'stdin'>): Promise<InputBytes> {
  const source = await openSource(options);
  try {
    let bytesRead = 0;
    const raw = counted(source.stream, (bytes) => (bytesRead += bytes));
    const start = await firstBytes(raw, MAGIC_BYTES);
    if (WORKBOOK_MAGICS.some((magic) => start.subarray(0, MAGIC_BYTES).equals(magic))) {
      throw new InputError(
        `${options.file} is a workbook of a spreadsheet (such as .xlsx) or a ZIP file: save the sheet as CSV, in Excel as CSV UTF-8`,
      );
    }
    const isCompressed = start.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
    if (!isCompressed && GZIP_NAME.test(options.file)) {
      throw new InputError(`${options.file} is not compressed with gzip, although its name ends in .gz`);
    }
    const all = rejoined(start, raw);
    return {
      blocks: isCompressed ? decompressed(all) : all,
      totalBytes: source.totalBytes,
      bytesRead: () => bytesRead,
      close: () => source.close(),
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function openSource({
  file,
  stdin = process.stdin,
}: Pick<InputOptions, 'file' | 'stdin'>): Promise<RawSource> {
  if (file === STANDARD_STREAM) {
    return { stream: stdin, totalBytes: undefined, close: () => Promise.resolve(letGo(stdin)) };
  }
  try {
    if ((await stat(file)).isFIFO()) return openPipe(file);
    const handle = await open(file, 'r');
    const found = await handle.stat();
    if (found.isDirectory()) {
      await handle.close();
      throw new Error('is a directory');
    }
    const stream = handle.createReadStream({ highWaterMark: BLOCK_BYTES });
    return { stream, totalBytes: found.isFile() ? found.size : undefined, close: () => closed(stream) };
  } catch (error) {
    throw new InputError(`the input cannot be opened: ${errorText(error)}`, { cause: error });
  }
}

/**
 * A named pipe is not opened like a file: a system call that waits for a writer, or for its data, cannot be cancelled and
 * would keep the process from ending.
 */
function openPipe(file: string): RawSource {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stream = new Socket({ fd: descriptor, readable: true, writable: false });
  return { stream, totalBytes: undefined, close: () => closed(stream) };
}

/** Signals the writer of a pipe that the reader has closed it. */
function letGo(stream: NodeJS.ReadableStream): void {
  if (stream instanceof Readable) stream.destroy();
}

/** Closes a file, also during a read. */
async function closed(stream: Readable): Promise<void> {
  if (stream.closed) return;
  await new Promise<void>((resolve) => {
    stream.once('close', resolve).once('error', () => undefined);
    stream.destroy();
  });
}

async function* counted(
  stream: NodeJS.ReadableStream,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer, void> {
  try {
    for await (const part of stream) {
      const block = typeof part === 'string' ? Buffer.from(part) : part;
      count(block.length);
      yield block;
    }
  } catch (error) {
    throw new InputError(`the input broke off: ${errorText(error)}`, { cause: error });
  }
}

async function firstBytes(blocks: AsyncGenerator<Buffer, void>, wanted: number): Promise<Buffer> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length < wanted) {
    const next = await blocks.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  return start;
}

async function* rejoined(start: Buffer, others: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  if (start.length > 0) yield start;
  yield* others;
}

/** Reads concatenated gzip members as one file (RFC 1952); any other data after them is an error. */
async function* decompressed(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield* gunzipMembers(blocks);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`the gzip data of the input is truncated or corrupt: ${errorText(error)}`, {
      cause: error,
    });
  }
}

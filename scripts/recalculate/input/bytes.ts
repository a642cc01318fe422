/** The bytes of an input, from a file or the standard input, unpacked where they are packed by gzip. */

import { constants, openSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { errorText } from '../../../shared/platform/errors.ts';
import { unpackMembers } from './gunzip.ts';
import { type InputOptions, InputError } from './records.ts';

/** Name that stands for the standard input and output. */
export const STANDARD_STREAM = '-';

/** Bytes of an input as they are asked for. */
export interface InputBytes {
  /** Blocks of unpacked bytes; rejects with InputError where they break off. Can be iterated once. */
  readonly blocks: AsyncIterable<Buffer>;
  /** Size of a file; undefined for what has none. */
  readonly totalBytes: number | undefined;
  /** Bytes read so far, packed ones where it is packed. */
  bytesRead(): number;
  close(): Promise<void>;
}

interface RawSource {
  readonly stream: NodeJS.ReadableStream;
  readonly totalBytes: number | undefined;
  close(): Promise<void>;
}

/** Read and unpacked at once: large enough to be cheap, small enough that nothing waits for it. */
const BLOCK_BYTES = 65_536;
const GZIP_NAME = /\.gz$/i;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * Opens a file, or takes the standard input for `-`. What begins like gzip is unpacked, whatever its name; a file named
 * `.gz` must begin so. Rejects with InputError when there is nothing to read there.
 */
export async function openInputBytes(options: Pick<InputOptions, 'file' | 'stdin'>): Promise<InputBytes> {
  const source = await openSource(options);
  try {
    let bytesRead = 0;
    const raw = counted(source.stream, (bytes) => (bytesRead += bytes));
    const start = await firstBytes(raw, GZIP_MAGIC.length);
    const isPacked = start.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
    if (!isPacked && GZIP_NAME.test(options.file)) {
      throw new InputError(`${options.file} is not packed by gzip, as its name says`);
    }
    const all = rejoined(start, raw);
    return {
      blocks: isPacked ? unpacked(all) : all,
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
 * A named pipe is not opened as a file is: a call of the system that waits for a writer, or for what it writes, could not
 * be ended, and would keep the process from ending.
 */
function openPipe(file: string): RawSource {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stream = new Socket({ fd: descriptor, readable: true, writable: false });
  return { stream, totalBytes: undefined, close: () => closed(stream) };
}

/** Whoever writes into a pipe learns that nobody reads on. */
function letGo(stream: NodeJS.ReadableStream): void {
  if (stream instanceof Readable) stream.destroy();
}

/** Closes a file, which may be in the middle of a read. */
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
    throw new InputError(`the input cannot be read on: ${errorText(error)}`, { cause: error });
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

/** Several packed parts after one another count as one, as gzip has it; anything else behind them is damage. */
async function* unpacked(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield* unpackMembers(blocks);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`the gzip packing of the input is cut off or damaged: ${errorText(error)}`, {
      cause: error,
    });
  }
}

import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { InputError, type InputOptions } from './input-records.ts';
import { errorText } from '../../shared/platform/errors.ts';

/** This file name means standard input. */
export const STANDARD_STREAM = '-';

export type Source = Awaited<ReturnType<typeof openSource>>;

const BLOCK_BYTES = 65_536;
const GZIP_NAME = /\.gz$/i;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Decompresses gzip under any name. Rejects with InputError if the file cannot be opened or a .gz file is not gzip. */
export async function openSource(options: Pick<InputOptions, 'file' | 'stdin'>) {
  const { stream, totalBytes } = await openStream(options);
  const raw = stream[Symbol.asyncIterator]() as AsyncGenerator<Buffer, void>;
  const source = {
    totalBytes,
    bytesRead: (): number => stream.bytesRead ?? 0,
    close: (): void => void stream.once('error', () => undefined).destroy(),
  };
  try {
    const { start, all } = await peek(named(raw), (bytes) => bytes.length >= GZIP_MAGIC.length);
    const isCompressed = start.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
    if (!isCompressed && GZIP_NAME.test(options.file)) {
      throw new InputError(`${options.file} is not compressed with gzip, although its name ends in .gz`);
    }
    /** Decompressed blocks, to be iterated once. Rejects with InputError if the input breaks off or is corrupt. */
    const blocks = isCompressed ? decompressed(all) : all;
    return { ...source, blocks };
  } catch (error) {
    source.close();
    throw error;
  }
}

async function openStream({ file, stdin = process.stdin }: Pick<InputOptions, 'file' | 'stdin'>): Promise<{
  readonly stream: Readable & { readonly bytesRead?: number };
  readonly totalBytes: number | undefined;
}> {
  if (file === STANDARD_STREAM) return { stream: stdin, totalBytes: undefined };
  try {
    const handle = await open(file, 'r');
    const found = await handle.stat();
    if (found.isDirectory()) {
      await handle.close();
      throw new Error('is a directory');
    }
    const stream = handle.createReadStream({ highWaterMark: BLOCK_BYTES });
    return { stream, totalBytes: found.isFile() ? found.size : undefined };
  } catch (error) {
    throw new InputError(`the input cannot be opened: ${errorText(error)}`, { cause: error });
  }
}

/** Reads blocks until `isEnough` is true of their bytes. `all` yields these bytes again, and then the rest. */
export async function peek(
  blocks: AsyncGenerator<Buffer, void>,
  isEnough: (start: Buffer) => boolean,
): Promise<{ readonly start: Buffer; readonly all: AsyncGenerator<Buffer, void> }> {
  let start: Buffer = Buffer.alloc(0);
  while (!isEnough(start)) {
    const next = await blocks.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  const rejoined = async function* () {
    if (start.length > 0) yield start;
    yield* blocks;
  };
  return { start, all: rejoined() };
}

async function* named(blocks: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  try {
    yield* blocks;
  } catch (error) {
    throw new InputError(`the input broke off: ${errorText(error)}`, { cause: error });
  }
}

/** Decompresses a gzip file of one or more members (RFC 1952). */
async function* decompressed(blocks: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  const gunzip = createGunzip({ chunkSize: BLOCK_BYTES });
  pipeline(Readable.from(blocks), gunzip, () => undefined);
  try {
    for await (const block of gunzip) yield block as Buffer;
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`the gzip data of the input is truncated or corrupt: ${errorText(error)}`, {
      cause: error,
    });
  }
}

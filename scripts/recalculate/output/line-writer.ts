/** Writes lines in large blocks to a file or the standard output, plain or compressed. */

import { fsync, write } from 'node:fs';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip, type Gzip, gzipSync } from 'node:zlib';
import { errorText } from '../../../shared/platform/errors.ts';
import { RunError } from '../run-error.ts';

/** Writes lines in large blocks. */
export interface LineWriter {
  /**
   * Writes a line with its end. If it returns a promise, the next call must wait for it; it rejects with the error of
   * this line or an earlier one.
   */
  write(line: string): Promise<void> | undefined;
  /**
   * Resolves with the length of the file when all lines are durably on disk. Once it or a write has failed, each later call rejects
   * with the same error: the system may have dropped what it could not write, and would then report a success.
   */
  sync(): Promise<number>;
}

/** A line of 60 instalments has 20 KB, so one system call writes 50 of them. */
const BUFFER_BYTES = 1_024 * 1_024;
/** Maximum number of UTF-8 bytes of one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/** Alternates between two buffers: one is filled while the other is written. */
export function createLineWriter(sink: ByteSink): LineWriter {
  let filling = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let spare = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let used = 0;
  let inFlight: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    await inFlight;
    if (used === 0) return;
    const full = filling;
    inFlight = sink.write(full.subarray(0, used));
    inFlight.catch(() => undefined);
    filling = spare;
    spare = full;
    used = 0;
  };
  const fits = (line: string): boolean => line.length * MAX_BYTES_PER_UNIT <= BUFFER_BYTES - used;
  const put = (line: string): void => {
    used += filling.write(line, used, 'utf8');
  };
  const putAfterFlush = async (line: string): Promise<void> => {
    await flush();
    if (fits(line)) return put(line);
    await inFlight;
    inFlight = sink.write(Buffer.from(line, 'utf8'));
    inFlight.catch(() => undefined);
  };

  return {
    write: (line) => {
      if (!fits(line)) return putAfterFlush(line);
      put(line);
      return undefined;
    },
    sync: async () => {
      await flush();
      await inFlight;
      const synced = sink.sync();
      inFlight = synced.then(() => undefined);
      inFlight.catch(() => undefined);
      return synced;
    },
  };
}

/** Writes bytes; each call must wait for the previous one. */
export interface ByteSink {
  /** Resolves when the buffer may be reused. Rejects with the error of the system. */
  write(bytes: Buffer): Promise<void>;
  /** Resolves with the length up to which the file is durably on disk. */
  sync(): Promise<number>;
}

const writeSome = promisify(write);
const syncFile = promisify(fsync);

/** A reader of a pipe may be slow; polling at this interval costs nothing. */
const FULL_PIPE_WAIT_MS = 5;

/** An open file. */
export interface OpenFile {
  readonly descriptor: number;
  /** The name in messages. */
  readonly name: string;
  /** The position where writing continues; undefined for files without positions, such as a pipe. */
  readonly from: number | undefined;
}

/** Writes the bytes of an open file. Rejects with RunError. */
export function fileSink({ descriptor, name, from }: OpenFile): ByteSink {
  let position = from ?? 0;
  const writeOnce = async (bytes: Buffer): Promise<number> => {
    try {
      const at = from === undefined ? null : position;
      return (await writeSome(descriptor, bytes, 0, bytes.length, at)).bytesWritten;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw outputError(name, error);
      await sleep(FULL_PIPE_WAIT_MS);
      return 0;
    }
  };
  return {
    write: async (bytes) => {
      for (let done = 0; done < bytes.length;) {
        const written = await writeOnce(bytes.subarray(done));
        done += written;
        position += written;
      }
    },
    sync: async () => {
      if (from === undefined) return position;
      try {
        await syncFile(descriptor);
      } catch (error) {
        throw outputError(name, error);
      }
      return position;
    },
  };
}

function outputError(name: string, cause: unknown): RunError {
  return new RunError(`${name} cannot be written: ${errorText(cause)}`, { cause });
}

/** A low level gives most of the compression for a third of the processor time. */
const GZIP_LEVEL = 3;

/**
 * Compresses the bytes for another sink. Each sync ends a member of the gzip file (RFC 1952, 2.2), so that the file can
 * be truncated there and continued.
 */
export function gzipSink(target: ByteSink): ByteSink {
  let member: Member | undefined;
  return {
    write: async (bytes) => {
      member ??= startMember();
      await member.add(bytes);
      await target.write(member.takeOutput());
    },
    sync: async () => {
      const ended = member;
      member = undefined;
      if (ended !== undefined) {
        await ended.end();
        await target.write(ended.takeOutput());
      }
      const length = await target.sync();
      if (length > 0) return length;
      // Readers of gzip take an empty file as truncated.
      await target.write(gzipSync(''));
      return target.sync();
    },
  };
}

interface Member {
  add(bytes: Buffer): Promise<void>;
  end(): Promise<void>;
  /** Returns the bytes that were compressed since the last call. */
  takeOutput(): Buffer;
}

function startMember(): Member {
  const gzip: Gzip = createGzip({ level: GZIP_LEVEL });
  let output: Buffer[] = [];
  gzip.on('data', (bytes: Buffer) => output.push(bytes));
  return {
    add: (bytes) =>
      new Promise((resolve, reject) => {
        gzip.write(bytes, (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    end: () =>
      new Promise((resolve, reject) => {
        gzip.once('end', resolve);
        gzip.once('error', reject);
        gzip.end();
      }),
    takeOutput: () => {
      const taken = Buffer.concat(output);
      output = [];
      return taken;
    },
  };
}

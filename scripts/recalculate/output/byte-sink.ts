/** Where bytes go: a file or the standard output, as they are or packed. */

import { fsync, write } from 'node:fs';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { errorText } from '../../../shared/platform/errors.ts';

/** Takes bytes one call after the other: the next one only when the last has resolved. */
export interface ByteSink {
  /** Resolves when the bytes were taken; their buffer may be used again. Rejects with the error of the system. */
  write(bytes: Buffer): Promise<void>;
  /** Resolves with the length of what lies on the disk to stay, which is a whole file up to there. */
  sync(): Promise<number>;
}

const writeSome = promisify(write);
const syncFile = promisify(fsync);

/** A reader of a pipe may be slow; asking so often costs nothing. */
const FULL_PIPE_WAIT_MS = 5;

/** What was to be written could not be: the disk is full, or nobody reads the pipe any more. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** An open file. */
export interface OpenFile {
  readonly descriptor: number;
  /** For messages. */
  readonly name: string;
  /** Where to write on; undefined for something without positions, such as a pipe. */
  readonly from: number | undefined;
}

/** The bytes of an open file. Rejects with OutputError. */
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

function outputError(name: string, cause: unknown): OutputError {
  return new OutputError(`${name} cannot be written: ${errorText(cause)}`, { cause });
}

/** Packing is not to hold up the calculation on a machine of few processors: most of the gain at a third of the cost. */
const GZIP_LEVEL = 3;

/**
 * Packs what goes to another sink. Each sync ends a member of the gzip file (RFC 1952, 2.2), so that the file may be cut
 * there and continued.
 */
export function gzipSink(target: ByteSink): ByteSink {
  let member: Member | undefined;
  return {
    write: async (bytes) => {
      member ??= startMember();
      await member.add(bytes);
      await target.write(member.takePacked());
    },
    sync: async () => {
      const ended = member;
      member = undefined;
      if (ended !== undefined) {
        await ended.end();
        await target.write(ended.takePacked());
      }
      return target.sync();
    },
  };
}

interface Member {
  add(bytes: Buffer): Promise<void>;
  end(): Promise<void>;
  /** What was packed since the last call. */
  takePacked(): Buffer;
}

function startMember(): Member {
  const gzip: Gzip = createGzip({ level: GZIP_LEVEL });
  let packed: Buffer[] = [];
  gzip.on('data', (bytes: Buffer) => packed.push(bytes));
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
    takePacked: () => {
      const taken = Buffer.concat(packed);
      packed = [];
      return taken;
    },
  };
}

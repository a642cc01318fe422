/** Writes lines in large blocks to a file or the standard output, plain or compressed. */

import { fsync, write } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { errorText } from '../../../shared/platform/errors.ts';
import { RunError } from '../run-error.ts';

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

/** An open file. */
export interface OpenFile {
  readonly descriptor: number;
  /** The name in messages. */
  readonly name: string;
  /** The position where writing continues; undefined for files without positions, such as a pipe. */
  readonly from: number | undefined;
  readonly isCompressed: boolean;
}

/** A line of 60 instalments has 20 kB, so one system call writes 50 of them. */
const BLOCK_LENGTH = 1_024 * 1_024;
/** A low level gives most of the compression for a third of the processor time. */
const GZIP_LEVEL = 3;
/** A reader of a pipe may be slow; polling at this interval costs nothing. */
const FULL_PIPE_WAIT_MS = 5;

const compress = promisify(gzip);
const writeSome = promisify(write);
const syncFile = promisify(fsync);

/**
 * Each block of a compressed file is a member of its own (RFC 1952, 2.2), so that the file can be truncated after any of them and
 * continued.
 */
export function createLineWriter({ descriptor, name, from, isCompressed }: OpenFile): LineWriter {
  let position = from ?? 0;
  let lines: string[] = [];
  let length = 0;
  let failed: unknown;

  const put = async (bytes: Buffer): Promise<void> => {
    for (let done = 0; done < bytes.length;) {
      try {
        const at = from === undefined ? null : position;
        const { bytesWritten } = await writeSome(descriptor, bytes, done, bytes.length - done, at);
        done += bytesWritten;
        position += bytesWritten;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        await sleep(FULL_PIPE_WAIT_MS);
      }
    }
  };
  const flush = async (): Promise<void> => {
    const text = lines.join('');
    lines = [];
    length = 0;
    // Readers of gzip take an empty file as truncated.
    const isMember = isCompressed && (text !== '' || position === 0);
    await put(isMember ? await compress(text, { level: GZIP_LEVEL }) : Buffer.from(text));
  };
  const orFail = async (work: () => Promise<void>): Promise<void> => {
    if (failed !== undefined) throw failed;
    try {
      await work();
    } catch (cause) {
      failed = new RunError(`${name} cannot be written: ${errorText(cause)}`, { cause });
      throw failed;
    }
  };
  return {
    write: (line) => {
      lines.push(line);
      length += line.length;
      return length < BLOCK_LENGTH ? undefined : orFail(flush);
    },
    sync: async () => {
      await orFail(async () => {
        await flush();
        if (from !== undefined) await syncFile(descriptor);
      });
      return position;
    },
  };
}

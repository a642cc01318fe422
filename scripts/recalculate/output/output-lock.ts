/** One process at a time works on an output: whoever holds the lock file beside it. */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { errorText } from '../../../shared/platform/errors.ts';
import { removeCheckpointDraft, checkpointFile, isStillRunning, thisProcess } from './checkpoint.ts';
import { UsageError } from '../../command-line.ts';

/** The right to change an output and what stands beside it. */
export interface OutputLock {
  /** Like no other that was ever held. */
  readonly token: string;
  /** Gives it back; nothing happens where it is held by somebody else by now. */
  release(): void;
}

const holderShape = z.object({ pid: z.number().int().min(0), host: z.string(), token: z.string() });
type Holder = z.output<typeof holderShape>;

const TOKEN_BYTES = 8;
/** Between the making of a lock file and its content lie microseconds; what stays empty for longer was left by a kill. */
const UNWRITTEN_MS = 5_000;
/** Each further attempt means that somebody else was quicker. */
const MAX_ATTEMPTS = 20;

/** Where the lock of an output lies: beside the file itself, whatever links lead to it. */
export function lockFile(output: string): string {
  return `${realFile(output)}.lock`;
}

/**
 * Takes the lock of an output; one whose process is gone from this machine is taken over. Throws UsageError when somebody
 * else holds it, or may do so on another machine, and when there is no place for it.
 */
export function lockOutput(output: string): OutputLock {
  const file = lockFile(output);
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const content = JSON.stringify({ ...thisProcess(), token } satisfies Holder);
  const lock: OutputLock = {
    token,
    release: () => {
      if (holderOf(file)?.token === token) rmSync(file, { force: true });
    },
  };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (isCreated(file, content)) return lock;
    const holder = holderOf(file);
    if (holder === undefined) {
      removeUnwritten(file, output);
      continue;
    }
    refuseHeld(holder, file, output);
    if (!isTakenOver(file, holder, { token, content })) continue;
    removeCheckpointDraft(checkpointFile(output), holder.token);
    return lock;
  }
  throw new UsageError(
    `others take and leave ${file} all the time: nobody may work on ${output} beside this run`,
  );
}

function realFile(output: string): string {
  try {
    return realpathSync(output);
  } catch {
    return output;
  }
}

/** False when there is one already. */
function isCreated(file: string, content: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new UsageError(`${file} cannot be written: ${errorText(error)}`);
  }
  try {
    writeFileSync(descriptor, content);
  } catch (error) {
    rmSync(file, { force: true });
    throw new UsageError(`${file} cannot be written: ${errorText(error)}`);
  } finally {
    closeSync(descriptor);
  }
  return true;
}

/** Undefined where there is no lock, or none that could be read. */
function holderOf(file: string): Holder | undefined {
  try {
    return holderShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function refuseHeld(holder: Holder, file: string, output: string): void {
  if (holder.host !== hostname()) {
    const where = `process ${holder.pid} of ${holder.host} holds ${file}`;
    throw new UsageError(
      `${where}, and whether it still works on ${output} cannot be told from here: remove that file when it does not`,
    );
  }
  if (isStillRunning(holder)) throw new UsageError(`process ${holder.pid} still works on ${output}`);
}

function removeUnwritten(file: string, output: string): void {
  const madeAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (madeAtMs === undefined) return;
  if (Date.now() - madeAtMs < UNWRITTEN_MS) {
    throw new UsageError(`another process just begins to work on ${output} (${file})`);
  }
  rmSync(file, { force: true });
}

/**
 * Puts this lock in the place of one whose process is gone. Tokens are never used twice, so only one process can make the
 * claim that is named by the old one; and only who has it may replace the old one. False when that was somebody else.
 */
function isTakenOver(file: string, gone: Holder, own: { token: string; content: string }): boolean {
  const claim = `${file}.${gone.token}`;
  if (!isCreated(claim, own.content)) {
    removeUnwrittenClaim(claim);
    return false;
  }
  try {
    if (holderOf(file)?.token !== gone.token) return false;
    renameSync(claim, file);
  } finally {
    rmSync(claim, { force: true });
  }
  return holderOf(file)?.token === own.token;
}

/** A claim is held for microseconds. */
function removeUnwrittenClaim(claim: string): void {
  const madeAtMs = statSync(claim, { throwIfNoEntry: false })?.mtimeMs;
  if (madeAtMs === undefined) return;
  if (Date.now() - madeAtMs < UNWRITTEN_MS) {
    throw new UsageError(`another process just takes over ${path.basename(claim)}`);
  }
  rmSync(claim, { force: true });
}

/** Lets only one process work on an output: the one with the lock file next to it. */

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
import { UsageError } from '../../command-line/parse-command-line.ts';

/** The lock of an output and its files. */
export interface OutputLock {
  /** Unique for each lock. */
  readonly token: string;
  /** Does nothing if another process holds the lock now. */
  release(): void;
}

const holderShape = z.object({ pid: z.number().int().min(0), host: z.string(), token: z.string() });
type Holder = z.output<typeof holderShape>;

const TOKEN_BYTES = 8;
/** A lock file is empty only for microseconds after its creation; one that stays empty was left by a killed process. */
const UNWRITTEN_MS = 5_000;
/** A further attempt is needed only if another process was faster. */
const MAX_ATTEMPTS = 20;

/** The lock is next to the file itself, not next to links to it. */
export function lockFile(output: string): string {
  return `${realFile(output)}.lock`;
}

/**
 * Takes the lock of an output, or takes over the lock of a process of this machine that is gone. Throws UsageError if
 * another process holds it, or may hold it on another machine, or if it cannot be written.
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
      removeUnwritten(file, `another process is about to work on ${output} (${file})`);
      continue;
    }
    refuseHeld(holder, file, output);
    if (!isTakenOver(file, holder, { token, content })) continue;
    removeCheckpointDraft(checkpointFile(output), holder.token);
    return lock;
  }
  throw new UsageError(
    `other processes keep taking ${file}: no other process may work on ${output} during this run`,
  );
}

function realFile(output: string): string {
  try {
    return realpathSync(output);
  } catch {
    return output;
  }
}

/** Returns false if the file exists. */
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

/** Undefined if there is no valid lock. */
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
      `${where}, and this machine cannot check whether it is still working on ${output}: remove that file if it is not`,
    );
  }
  if (isStillRunning(holder)) throw new UsageError(`process ${holder.pid} is still working on ${output}`);
}

/** Throws UsageError if another process may still be writing the file; removes it otherwise. */
function removeUnwritten(file: string, busy: string): void {
  const madeAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (madeAtMs === undefined) return;
  if (Date.now() - madeAtMs < UNWRITTEN_MS) throw new UsageError(busy);
  rmSync(file, { force: true });
}

/**
 * Replaces the lock of a process that is gone. Tokens are unique, so only one process can create the claim named after the
 * old one, and only the owner of the claim may replace the old lock. False if that was another process.
 */
function isTakenOver(file: string, gone: Holder, own: { token: string; content: string }): boolean {
  const claim = `${file}.${gone.token}`;
  if (!isCreated(claim, own.content)) {
    // A claim exists for microseconds.
    removeUnwritten(claim, `another process is taking over ${path.basename(claim)}`);
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

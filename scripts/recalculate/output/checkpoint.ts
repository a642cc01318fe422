/** The progress of a recalculation in a file next to its output, which is replaced atomically. */

import { readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { RecalculateArguments } from '../arguments.ts';
import { replaceFile } from './replace-file.ts';
import { storedTally, tallyShape } from './stored-tally.ts';

const count = z.number().int().min(0);

/** Another version of the command may count and store other figures. */
const VERSION = 2;

const checkpointShape = z.object({
  version: z.literal(VERSION),
  runId: z.string(),
  /** Number of processes that have worked on the run. */
  sessions: count,
  /** The last of these processes. */
  process: z.object({ pid: count, host: z.string() }),
  /** The options that determine the bytes of the output. */
  options: z.object({
    inputFormat: z.string(),
    outputFormat: z.string(),
    gzip: z.boolean(),
    failures: z.string().optional(),
    compare: z.boolean(),
    ignore: z.string().optional(),
    decimal: z.string().optional(),
    dates: z.string().optional(),
  }),
  /** The start of the first session. */
  startedAtMs: z.number().int(),
  /** The time at which all requests count as sent (D2). */
  originTimestampMs: z.number().int(),
  /** Line 0 before anything was read. */
  input: z.object({ lastLine: count, digest: z.string() }),
  outputBytes: count,
  failuresBytes: count,
  elapsedMs: z.number().min(0),
  tally: tallyShape,
});

export type Checkpoint = z.output<typeof checkpointShape>;

/** The path of the checkpoint of an output. */
export function checkpointFile(output: string): string {
  return `${output}.checkpoint.json`;
}

/** The options that determine the bytes of the output; the path of the file of failures is relative to the output. */
export function outputOptions(args: RecalculateArguments): Checkpoint['options'] {
  const folder = path.dirname(args.output?.file ?? '');
  return {
    inputFormat: args.inputFormat,
    outputFormat: args.output?.format ?? 'ndjson',
    gzip: args.output?.gzip ?? false,
    failures: args.failures === undefined ? undefined : path.relative(folder, args.failures),
    compare: args.compare,
    ignore: args.csv.ignore?.length ? args.csv.ignore.join() : undefined,
    decimal: args.csv.decimal,
    dates: args.csv.dates,
  };
}

/** Reads a checkpoint; undefined if there is none. Throws if it is invalid or of another version, with advice. */
export function readCheckpoint(file: string): Checkpoint | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const stored = parsedOrUndefined(text);
  const read = checkpointShape.safeParse(stored);
  if (read.success) return read.data;
  const { version } = (stored ?? {}) as { readonly version?: unknown };
  const isOther = Number.isSafeInteger(version) && version !== VERSION;
  const [fault] = read.error.issues;
  throw new Error(
    isOther
      ? `${file} was written by another version of the command (checkpoint version ${Number(version)}, not ${VERSION}): resume the run with that version, or start a new one with --overwrite`
      : `${file} is not a valid checkpoint${fault === undefined || fault.path.length === 0 ? '' : ` (${fault.path.join('.')})`}: --overwrite starts a new run`,
  );
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The path of the next checkpoint, which contains the token of the writer's lock so that no other process writes it.
 */
function draftOf(file: string, token: string): string {
  return `${file}.${token}.new`;
}

/** Resolves when this checkpoint, and not the previous one, would be found after a power loss. */
export async function writeCheckpoint(file: string, token: string, checkpoint: Checkpoint): Promise<void> {
  const text = JSON.stringify({ ...checkpoint, tally: storedTally(checkpoint.tally) });
  await replaceFile(file, draftOf(file, token), text);
}

export function removeCheckpoint(file: string): void {
  rmSync(file, { force: true });
}

/** Removes the unfinished checkpoint of a process that was killed. */
export function removeCheckpointDraft(file: string, token: string): void {
  rmSync(draftOf(file, token), { force: true });
}

/** This process, as recorded in checkpoints and locks. */
export function thisProcess(): Checkpoint['process'] {
  return { pid: process.pid, host: hostname() };
}

/** Whether the process still runs, as far as this machine can determine. */
export function isStillRunning({ pid, host }: Checkpoint['process']): boolean {
  if (host !== hostname() || pid === process.pid || pid === 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' && isRecalculation(pid);
  }
  return isRecalculation(pid);
}

/** Process ids are reused: where /proc exists, the process must be running this command. */
function isRecalculation(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('recalculate');
  } catch {
    return true;
  }
}

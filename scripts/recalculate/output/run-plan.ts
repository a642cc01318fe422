/** Decides whether a recalculation starts a new run or resumes an earlier one, and at which line. */

import { randomUUID } from 'node:crypto';
import { statSync, type Stats } from 'node:fs';
import {
  checkpointFile,
  isStillRunning,
  outputOptions,
  readCheckpoint,
  type Checkpoint,
} from './checkpoint.ts';
import { isPlausibleTime } from '../../../shared/messaging/handler/request-time.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { UsageError } from '../../command-line/parse-command-line.ts';
import type { RecalculateArguments } from '../arguments.ts';
import { STANDARD_STREAM } from '../input/bytes.ts';
import { emptyTally, type Tally } from '../../../shared/portfolio/tally.ts';

export interface RunPlan {
  readonly runId: string;
  /** The number of this process among those that worked on the run, from 1. */
  readonly session: number;
  /** The start of the first session. */
  readonly startedAtMs: number;
  readonly originTimestampMs: number;
  readonly tally: Tally;
  /** Duration of earlier sessions in milliseconds. */
  readonly elapsedMs: number;
  /** The processed part of the input; line 0 for none. */
  readonly input: Checkpoint['input'];
  readonly outputBytes: number;
  readonly failuresBytes: number;
  /** Undefined if there can be none; the run then cannot be resumed. */
  readonly checkpointFile: string | undefined;
}

/**
 * Inspects the existing files; changes nothing. Throws UsageError if a file would be lost, or if there is no run that
 * matches the arguments.
 */
export function planRun(args: RecalculateArguments, nowMs: number): RunPlan {
  const output = args.output?.file;
  if (output === undefined || !isPlainFile(output)) {
    refuseExisting(args, [args.failures, args.html]);
    return newRun(args, nowMs, undefined);
  }
  const file = checkpointFile(output);
  const checkpoint = checkpointOf(file, args);
  if (checkpoint !== undefined && isStillRunning(checkpoint.process)) {
    throw new UsageError(`process ${checkpoint.process.pid} is still working on ${output}`);
  }
  if (!args.resume) {
    refuseExisting(args, [output, args.failures, file, args.html]);
    return newRun(args, nowMs, file);
  }
  if (checkpoint !== undefined) return resumedRun(args, checkpoint, file);
  // A process that was killed before its first checkpoint leaves empty files, which may be replaced.
  const written = [output, args.failures].filter((name) => name !== undefined && hasContent(name));
  if (written.length > 0 && sizeOf(output) !== undefined) {
    throw new UsageError(
      `${output} has no checkpoint (${file}), so its run is complete or it does not belong to a run; --overwrite replaces it`,
    );
  }
  refuseExisting(args, written);
  return newRun(args, nowMs, file);
}

function hasContent(file: string): boolean {
  return isPlainFile(file) && (sizeOf(file) ?? 0) > 0;
}

/** Ignores an invalid checkpoint with --overwrite. */
function checkpointOf(file: string, { overwrite }: RecalculateArguments): Checkpoint | undefined {
  try {
    return readCheckpoint(file);
  } catch (error) {
    if (overwrite) return undefined;
    throw new UsageError(errorText(error));
  }
}

function newRun(args: RecalculateArguments, nowMs: number, file: string | undefined): RunPlan {
  if (args.asOfMs !== undefined && !isPlausibleTime(args.asOfMs, nowMs)) {
    throw new UsageError('--as-of must be a day from 2000-01-01 to tomorrow (UTC)');
  }
  return {
    runId: randomUUID(),
    session: 1,
    startedAtMs: nowMs,
    originTimestampMs: args.asOfMs ?? nowMs,
    tally: emptyTally(),
    elapsedMs: 0,
    input: { lastLine: 0, digest: '' },
    outputBytes: 0,
    failuresBytes: 0,
    checkpointFile: file,
  };
}

function resumedRun(args: RecalculateArguments, checkpoint: Checkpoint, file: string): RunPlan {
  const { options, originTimestampMs, outputBytes, failuresBytes } = checkpoint;
  const faults = Object.entries(outputOptions(args))
    .filter(([name, value]) => value !== options[name as keyof typeof options])
    .map(
      ([name]) =>
        `${name} must have its value at the start of the run: ${options[name as keyof typeof options]}`,
    );
  if (args.asOfMs !== undefined && args.asOfMs !== originTimestampMs) {
    faults.push(
      `--as-of must have its value at the start of the run: ${new Date(originTimestampMs).toISOString()}`,
    );
  }
  const lengths: [string | undefined, number][] = [
    [args.output?.file, outputBytes],
    [args.failures, failuresBytes],
  ];
  for (const [name, bytes] of lengths) {
    if (name === undefined || !isPlainFile(name) || (sizeOf(name) ?? 0) >= bytes) continue;
    faults.push(`${name} was truncated: it must have ${bytes} bytes or more`);
  }
  if (faults.length > 0) throw new UsageError(`the run cannot be resumed:\n  ${faults.join('\n  ')}`);
  const { runId, sessions, startedAtMs, tally, elapsedMs, input } = checkpoint;
  const session = sessions + 1;
  const kept = { runId, session, startedAtMs, originTimestampMs, tally, elapsedMs, input };
  return { ...kept, outputBytes, failuresBytes, checkpointFile: file };
}

function refuseExisting({ overwrite }: RecalculateArguments, files: readonly (string | undefined)[]): void {
  if (overwrite) return;
  const existing = files.filter(
    (file) => file !== undefined && isPlainFile(file) && sizeOf(file) !== undefined,
  );
  if (existing.length === 0) return;
  throw new UsageError(
    `already exists: ${existing.join(', ')}; --resume continues an unfinished run, --overwrite starts a new one`,
  );
}

/** Whether the target is a regular file, existing or not, rather than a pipe, a device or the standard output. */
export function isPlainFile(file: string): boolean {
  if (file === STANDARD_STREAM) return false;
  const stats = statsOf(file);
  return stats === undefined || stats.isFile() || stats.isDirectory();
}

function sizeOf(file: string): number | undefined {
  return statsOf(file)?.size;
}

function statsOf(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

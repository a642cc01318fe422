/** Decides whether a recalculation starts a new run or resumes an earlier one, and at which line. */

import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { isPlausibleTime } from '../../../shared/messaging/handler/request.ts';
import { emptyTally } from '../../../shared/portfolio/tally.ts';
import { UsageError } from '../../command-line/parse-command-line.ts';
import type { RecalculateArguments } from '../arguments.ts';
import { STANDARD_STREAM } from '../input/source.ts';
import { type Checkpoint, outputOptions } from './checkpoint.ts';

/** Where the run continues; the number of this process among those that worked on it is `sessions`. */
export type RunPlan = Checkpoint;

/**
 * Inspects the existing files; changes nothing. Throws UsageError if a file would be lost, or if there is no run that
 * matches the arguments.
 */
export function planRun(args: RecalculateArguments, nowMs: number, stored?: Checkpoint): RunPlan {
  const output = args.output?.file;
  if (args.resume && stored !== undefined) return resumedRun(args, stored);
  if (!args.resume || output === undefined || !isPlainFile(output)) {
    refuseExisting(args, [output, args.failures, args.html]);
    if (stored !== undefined && !args.overwrite)
      throw new UsageError(alreadyExists([`${output} (unfinished)`]));
    return newRun(args, nowMs);
  }
  // A process that was killed before its first checkpoint leaves empty files, which may be replaced.
  const written = [output, args.failures].filter((name) => name !== undefined && (sizeOf(name) ?? 0) > 0);
  if (written.length > 0 && sizeOf(output) !== undefined) {
    throw new UsageError(
      `${output} has no checkpoint, so its run is complete or it does not belong to a run; --overwrite replaces it`,
    );
  }
  refuseExisting(args, written);
  return newRun(args, nowMs);
}

function newRun(args: RecalculateArguments, nowMs: number): RunPlan {
  if (args.asOfMs !== undefined && !isPlausibleTime(args.asOfMs, nowMs)) {
    throw new UsageError('--as-of must be a day from 2000-01-01 to tomorrow (UTC)');
  }
  return {
    runId: randomUUID(),
    sessions: 1,
    options: outputOptions(args),
    startedAtMs: nowMs,
    originTimestampMs: args.asOfMs ?? nowMs,
    tally: emptyTally(),
    elapsedMs: 0,
    input: { lastLine: 0, digest: '' },
    outputBytes: 0,
    failuresBytes: 0,
  };
}

function resumedRun(args: RecalculateArguments, stored: Checkpoint): RunPlan {
  const { options, originTimestampMs, outputBytes, failuresBytes, sessions } = stored;
  const must = 'must have its value at the start of the run';
  const faults = Object.entries(outputOptions(args)).flatMap(([name, value]) => {
    const former = options[name as keyof typeof options];
    return value === former ? [] : [`${name} ${must}: ${String(former)}`];
  });
  if (args.asOfMs !== undefined && args.asOfMs !== originTimestampMs) {
    faults.push(`--as-of ${must}: ${new Date(originTimestampMs).toISOString()}`);
  }
  const lengths = [
    [args.output?.file, outputBytes],
    [args.failures, failuresBytes],
  ] as const;
  for (const [name, bytes] of lengths) {
    if (name === undefined || !isPlainFile(name) || (sizeOf(name) ?? 0) >= bytes) continue;
    faults.push(`${name} was truncated: it must have ${bytes} bytes or more`);
  }
  if (faults.length > 0) throw new UsageError(`the run cannot be resumed:\n  ${faults.join('\n  ')}`);
  return { ...stored, sessions: sessions + 1 };
}

function refuseExisting({ overwrite }: RecalculateArguments, files: readonly (string | undefined)[]): void {
  const existing = files.filter((file) => file !== undefined && sizeOf(file) !== undefined);
  if (!overwrite && existing.length > 0) throw new UsageError(alreadyExists(existing));
}

function alreadyExists(files: readonly (string | undefined)[]): string {
  return `already exists: ${files.join(', ')}; --resume continues an unfinished run, --overwrite starts a new one`;
}

/** Whether the target is a regular file, existing or not, rather than a pipe, a device or the standard output. */
export function isPlainFile(file: string): boolean {
  if (file === STANDARD_STREAM) return false;
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined || stats.isFile() || stats.isDirectory();
}

/** Undefined if it does not exist or is not a plain file. */
function sizeOf(file: string): number | undefined {
  return isPlainFile(file) ? statSync(file, { throwIfNoEntry: false })?.size : undefined;
}

/** Decides whether a recalculation starts a new run or resumes an earlier one, and at which line. */

import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';
import { UsageError } from '../command-line/parse-command-line.ts';
import type { RecalculateArguments } from './recalculate-arguments.ts';
import { isPlausibleTime } from '../../shared/messaging/handler/request.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { emptyTally, type Tally } from '../../shared/portfolio/tally.ts';

/** Plans the run without changing a file. Throws UsageError if a file would be lost, or the run cannot be resumed. */
export function planRun(args: RecalculateArguments, nowMs: number, stored?: Checkpoint): Checkpoint {
  const output = args.output?.file;
  if (args.resume && stored !== undefined) return resumedRun(args, stored);
  if (!args.resume || output === undefined) {
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

function newRun(args: RecalculateArguments, nowMs: number): Checkpoint {
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

function resumedRun(args: RecalculateArguments, stored: Checkpoint): Checkpoint {
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
    if (name === undefined || (sizeOf(name) ?? 0) >= bytes) continue;
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

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

export interface Checkpoint {
  /** The processed part of the input; line 0 for none. */
  readonly input: { readonly lastLine: number; readonly digest: string };
  readonly tally: Tally;
  /** The duration of all sessions of the run so far. */
  readonly elapsedMs: number;
  readonly runId: string;
  readonly sessions: number;
  readonly options: ReturnType<typeof outputOptions>;
  readonly startedAtMs: number;
  /** The time at which all requests count as sent (D2). */
  readonly originTimestampMs: number;
  readonly outputBytes: number;
  readonly failuresBytes: number;
}

export type CheckpointFile = ReturnType<typeof openCheckpoint>;

/** Increase this when the contents of checkpoints change: checkpoints of other versions are refused or overwritten. */
const VERSION = 3;
/** Result codes of SQLite. */
const [BUSY, NOT_A_DATABASE] = [5, 26];

/** The name of the checkpoint of an output: beside the file itself, not beside a link to it. */
export function checkpointName(output: string): string {
  try {
    return `${realpathSync(output)}.checkpoint`;
  } catch {
    return `${output}.checkpoint`;
  }
}

function outputOptions(args: RecalculateArguments) {
  const folder = path.dirname(args.output?.file ?? '');
  return {
    inputFormat: args.inputFormat,
    outputFormat: args.output?.format,
    gzip: args.output?.gzip,
    failures: args.failures === undefined ? undefined : path.relative(folder, args.failures),
    compare: args.compare,
    ignore: args.csv.ignore?.length ? args.csv.ignore.join() : undefined,
    decimal: args.csv.decimal,
    dates: args.csv.dates,
  };
}

/** Opens and locks the checkpoint, or throws UsageError. `overwrite` replaces a file of another version or format. */
export function openCheckpoint(output: string, overwrite: boolean) {
  const name = checkpointName(output);
  const { db, stored } = openDatabase(name, output, overwrite);
  let last = stored;
  const save = db.prepare('INSERT OR REPLACE INTO checkpoint (id, state) VALUES (1, ?)');
  const close = (): void => {
    if (!db.isOpen) return;
    db.close();
    if (last === undefined) rmSync(name, { force: true });
  };
  return {
    name,
    stored,
    /** Returns when the checkpoint would survive a power loss. */
    save: (checkpoint: Checkpoint): void => {
      save.run(serialize(checkpoint));
      last = checkpoint;
    },
    remove: (): void => {
      last = undefined;
      close();
    },
    /** Releases the lock, and removes a file without a checkpoint. */
    close,
  };
}

function openDatabase(
  name: string,
  output: string,
  overwrite: boolean,
): { readonly db: DatabaseSync; readonly stored: Checkpoint | undefined } {
  const isNew = !existsSync(name);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(name, { timeout: 0 });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE');
    db.exec('CREATE TABLE IF NOT EXISTS checkpoint (id INTEGER PRIMARY KEY, state BLOB NOT NULL)');
    const row = db.prepare('SELECT state FROM checkpoint').get();
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
    if (row !== undefined && version !== VERSION && !overwrite) {
      throw new UsageError(
        `${name} was written by another version of the command (checkpoint version ${version}, not ${VERSION}): resume the run with that version, or start a new one with --overwrite`,
      );
    }
    db.exec(`PRAGMA user_version = ${VERSION}; COMMIT`);
    const stored = row === undefined || version !== VERSION ? undefined : deserialize(row['state'] as Buffer);
    return { db, stored: stored as Checkpoint | undefined };
  } catch (error) {
    db?.close();
    const code = (error as { readonly errcode?: unknown }).errcode;
    if (code === BUSY) throw new UsageError(`another process is still working on ${output} (${name})`);
    if (code === NOT_A_DATABASE && overwrite) {
      rmSync(name);
      return openDatabase(name, output, false);
    }
    if (isNew) rmSync(name, { force: true });
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      isNew
        ? `${name} cannot be written: ${errorText(error)}`
        : `${name} is not a valid checkpoint (${errorText(error)}): --overwrite starts a new run`,
    );
  }
}

/**
 * The progress of a run, in an SQLite file next to its output. Only one process can work on an output, since SQLite locks that
 * file; the system releases the lock of a process that was killed.
 */

import { existsSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';
import { errorText } from '../../../shared/platform/errors.ts';
import type { Tally } from '../../../shared/portfolio/tally.ts';
import { UsageError } from '../../command-line/parse-command-line.ts';
import type { RecalculateArguments } from '../arguments.ts';

/** What has been done so far. */
export interface RunState {
  /** The processed part of the input; line 0 for none. */
  readonly input: { readonly lastLine: number; readonly digest: string };
  readonly tally: Tally;
  /** Duration of all sessions in milliseconds. */
  readonly elapsedMs: number;
}

export interface Checkpoint extends RunState {
  readonly runId: string;
  /** Number of processes that have worked on the run. */
  readonly sessions: number;
  readonly options: ReturnType<typeof outputOptions>;
  /** The start of the first session. */
  readonly startedAtMs: number;
  /** The time at which all requests count as sent (D2). */
  readonly originTimestampMs: number;
  readonly outputBytes: number;
  readonly failuresBytes: number;
}

/** The locked file of the checkpoint. */
export interface CheckpointFile {
  readonly name: string;
  /** Undefined if no run is unfinished. */
  readonly stored: Checkpoint | undefined;
  /** Returns when this checkpoint, and not the previous one, would be found after a power loss. */
  save(checkpoint: Checkpoint): void;
  /** Removes the checkpoint of a complete run, and releases the lock. */
  remove(): void;
  /** Releases the lock; a file without a checkpoint is removed. */
  close(): void;
}

/** Another version of the command may count and store other figures. */
const VERSION = 3;
const BUSY = 5;
const NOT_A_DATABASE = 26;

/** The checkpoint is next to the file itself, not next to links to it. */
export function checkpointName(output: string): string {
  try {
    return `${realpathSync(output)}.checkpoint`;
  } catch {
    return `${output}.checkpoint`;
  }
}

/** The options that determine the bytes of the output; the path of the file of failures is relative to the output. */
export function outputOptions(args: RecalculateArguments) {
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

/**
 * Opens and locks the checkpoint of an output. Throws UsageError if another process works on the output, and for a file that is
 * no checkpoint of this version, unless `overwrite`.
 */
export function openCheckpoint(output: string, overwrite: boolean): CheckpointFile {
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
    save: (checkpoint) => {
      save.run(serialize(checkpoint));
      last = checkpoint;
    },
    remove: () => {
      last = undefined;
      close();
    },
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
    if (row !== undefined && version !== VERSION && !overwrite) throw otherVersion(name, version);
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

function otherVersion(name: string, version: number): UsageError {
  return new UsageError(
    `${name} was written by another version of the command (checkpoint version ${version}, not ${VERSION}): resume the run with that version, or start a new one with --overwrite`,
  );
}

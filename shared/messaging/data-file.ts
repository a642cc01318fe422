import { closeSync, existsSync, fdatasync, fstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { errorText, MessagingError } from '../platform/errors.ts';

const CACHE_KIB = 8_192;
/** The low byte of an extended SQLite error code is the primary code. */
const PRIMARY_CODE = 0xff;
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
const DAMAGED_CODES: ReadonlySet<number> = new Set([11, 26]);

/** Disk operations that tests and the simulation replace. */
export interface DiskCalls {
  readonly checkpointBytes: number;
  open(file: string): DatabaseSync;
  commit(database: DatabaseSync): void;
  /** Resolves when everything that was written to the file is on the disk. */
  sync(fd: number): Promise<void>;
}

export const systemDisk: DiskCalls = {
  checkpointBytes: 2 * 1_048_576,
  open: (file) => new DatabaseSync(file),
  commit: (database) => database.exec('COMMIT'),
  sync: promisify(fdatasync),
};

/**
 * An SQLite file that only this process has open. SQLite would wait for the disk on the event loop, so `sync` and
 * `checkpoint` wait in a thread. A commit survives a crash of the process, and after `sync` also a power failure.
 * No transaction is stored in part: log pages have checksums, and the log is emptied once the file is on the disk.
 */
export class DataFile {
  readonly database: DatabaseSync;
  readonly #disk: DiskCalls;
  readonly #path: string | undefined;
  readonly #fds: { readonly file: number; readonly log: number } | undefined;
  #isCheckpointing = false;
  #isClosed = false;

  /** Without `file`, the data is in memory. Throws MessagingError `data-in-use`, `data-damaged` or `data-unusable`. */
  constructor(schema: string, version: number, file?: string, disk: DiskCalls = systemDisk) {
    this.#disk = disk;
    this.#path = file;
    if (file === undefined) {
      this.database = new DatabaseSync(':memory:');
      this.database.exec(schema);
      return;
    }
    let database: DatabaseSync | undefined;
    try {
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      // SQLite gives its log the mode of the file. An existing file is not opened: closing it would release locks.
      if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
      database = disk.open(file);
      // Commits of a killed process may be only in the page cache. With FULL, the checkpoint below syncs them.
      database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
        PRAGMA cache_size = -${CACHE_KIB}; PRAGMA cache_spill = OFF; PRAGMA wal_autocheckpoint = 0`);
      checkVersion(database, file, version);
      database.exec(`BEGIN; ${schema}; COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = OFF`);
      this.#fds = { file: openSync(file, 'r+'), log: openSync(`${file}-wal`, 'r+') };
      this.database = database;
    } catch (error) {
      database?.close();
      throw dataError(file, error);
    }
  }

  /** True during a checkpoint: transaction() would throw. */
  get isBusy(): boolean {
    return this.#isCheckpointing;
  }

  /** If `work` or the commit throws, rolls back and throws the error. Throws during a checkpoint and after close(). */
  transaction(work: () => void): void {
    if (this.#isCheckpointing || this.#isClosed)
      throw new Error('the data file is closed, or a checkpoint is running');
    this.database.exec('BEGIN');
    try {
      work();
      this.#disk.commit(this.database);
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Resolves when everything that was committed is on the disk. If it rejects, the content of the disk is unknown. */
  async sync(): Promise<void> {
    if (this.#fds !== undefined) await this.#disk.sync(this.#fds.log);
  }

  get isCheckpointDue(): boolean {
    return this.#fds !== undefined && fstatSync(this.#fds.log).size >= this.#disk.checkpointBytes;
  }

  /** Moves the log to the file. transaction() throws meanwhile: the log must stay until the file is on the disk. */
  async checkpoint(): Promise<void> {
    const fds = this.#fds;
    if (fds === undefined) return;
    this.#isCheckpointing = true;
    try {
      await this.#disk.sync(fds.log);
      if (this.#isClosed) return;
      this.database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
      await this.#disk.sync(fds.file);
      if (this.#isClosed) return;
      this.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      await this.#disk.sync(fds.log);
    } finally {
      this.#isCheckpointing = false;
    }
  }

  /** Closes and removes the file, so that the next start begins a new one. Never throws. */
  remove(): void {
    try {
      this.close();
    } catch {
      // A failed write does not matter, because the file is removed.
    }
    if (this.#path !== undefined) removeDataFile(this.#path);
  }

  /** Moves everything to the disk, which blocks the event loop. Throws what SQLite reports. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.database.exec('PRAGMA synchronous = FULL');
    } finally {
      this.database.close();
      // Closed after the database: a process that closes any descriptor of a file loses its POSIX locks on the file.
      for (const fd of Object.values(this.#fds ?? {})) closeSync(fd);
    }
  }
}

/** Removes a closed file and its log. Never throws: the next start opens a file that could not be removed. */
export function removeDataFile(file: string): void {
  for (const name of [file, `${file}-wal`]) {
    try {
      rmSync(name, { force: true });
    } catch {
      continue;
    }
  }
}

function checkVersion(database: DatabaseSync, file: string, version: number): void {
  // This transaction takes the lock, and `locking_mode = EXCLUSIVE` keeps it until the file is closed.
  database.exec('BEGIN EXCLUSIVE; COMMIT');
  const found = database.prepare('PRAGMA user_version').get()?.['user_version'];
  if (found === 0) database.exec(`PRAGMA user_version = ${version}`);
  else if (found !== version) {
    throw dataUnusable(
      `${file} has format ${String(found)}, and this version reads format ${version}: start the version that wrote it, or ` +
        'set another DATA_DIR',
    );
  }
}

function codeOf(error: unknown): number {
  return ((error as { readonly errcode?: number } | undefined)?.errcode ?? 0) & PRIMARY_CODE;
}

export function isFileDamaged(error: unknown): boolean {
  return DAMAGED_CODES.has(codeOf(error));
}

export function isOutOfSpace(error: unknown): boolean {
  return codeOf(error) === SQLITE_FULL;
}

/** Converts an error of SQLite or the file system to `data-in-use`, `data-damaged` or `data-unusable`. */
export function dataError(file: string, error: unknown): MessagingError {
  if (error instanceof MessagingError) return error;
  if (codeOf(error) === SQLITE_BUSY) {
    const text = `${file} is open in another process: end that process, or set another DATA_DIR`;
    return new MessagingError('data-in-use', text, { canRetry: false });
  }
  if (isFileDamaged(error)) {
    const text = `${file} is damaged (${errorText(error)}): restore the data folder from a copy, or set another DATA_DIR`;
    return new MessagingError('data-damaged', text, { canRetry: false, cause: error });
  }
  const text = `${file} cannot be read or written; set another DATA_DIR, or DATA_DIR=memory`;
  return dataUnusable(text, error);
}

function dataUnusable(reason: string, cause?: unknown): MessagingError {
  const detail = cause === undefined ? '' : `: ${errorText(cause)}`;
  const text = `the data folder cannot be used: ${reason}${detail}`;
  return new MessagingError('data-unusable', text, { canRetry: false, cause });
}

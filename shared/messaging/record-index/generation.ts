import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { PartitionOffset } from '../message.ts';

/** Memory for pages of the generation that is written, and of each other one; the page cache of the system has the rest. */
const WRITTEN_CACHE_KIB = 16_384;
const READ_CACHE_KIB = 2_048;
/** A commit that finds this many pages of 4 KiB in the write-ahead log moves them to the file, in a few milliseconds. */
const CHECKPOINT_PAGES = 1_000;

/**
 * The write-ahead log makes a transaction whole although the process is killed. It is not synchronised with the disk: the
 * records are on a topic, and after a loss of power the files are built again (index-files.ts).
 */
const SETTINGS = `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
  PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA cache_size = -${WRITTEN_CACHE_KIB};`;
const SCHEMA = `CREATE TABLE IF NOT EXISTS records
    (key BLOB NOT NULL UNIQUE, value BLOB NOT NULL, at INTEGER NOT NULL, open INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS open_records ON records (open) WHERE open = 1;
  CREATE TABLE IF NOT EXISTS positions
    (topic TEXT NOT NULL, partition INTEGER NOT NULL, offset INTEGER NOT NULL, PRIMARY KEY (topic, partition)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS figures (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;`;

/** A record as the index keeps it. */
export interface IndexedRecord {
  readonly value: Uint8Array;
  /** Epoch milliseconds. */
  readonly writtenAtMs: number;
  /** It is kept beyond its retention, until a later record of its key is not open. */
  readonly isOpen: boolean;
}

/** By key; `null`: the key is to be removed. */
export type Write = readonly [key: string, row: IndexedRecord | null];

/** What is written together with the last rows that led to it. */
export interface Progress {
  readonly positions: readonly PartitionOffset[];
  /** From here on the index knows all records, in epoch milliseconds. */
  readonly completeFromMs: number;
}

/** Rows in one database, in the order in which they came. Expired rows are removed together, with their generation. */
export class Generation {
  readonly number: number;
  readonly file: string;
  readonly #database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  #rows: number;
  #firstAtMs: number | undefined;
  #newestAtMs: number;

  /** Opens or creates the file, or a database in memory (`:memory:`). Throws what SQLite reports. */
  constructor(file: string, number: number) {
    this.number = number;
    this.file = file;
    this.#database = new DatabaseSync(file);
    try {
      this.#database.exec(SETTINGS + SCHEMA);
      this.#find = this.#database.prepare('SELECT value, at, open FROM records WHERE key = ?');
      this.#put = this.#database.prepare(
        `INSERT INTO records VALUES (?, ?, ?, ?) ON CONFLICT (key)
         DO UPDATE SET value = excluded.value, at = excluded.at, open = excluded.open`,
      );
      this.#remove = this.#database.prepare('DELETE FROM records WHERE key = ?');
      this.#rows = this.#integer('SELECT max(rowid) AS value FROM records') ?? 0;
      this.#firstAtMs = this.#figure('first');
      this.#newestAtMs = this.#figure('newest') ?? 0;
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** The rows that were ever added. */
  get rows(): number {
    return this.#rows;
  }

  /** Whether no row was ever added. */
  get isEmpty(): boolean {
    return this.#firstAtMs === undefined;
  }

  /** The time of the newest record, in epoch milliseconds. */
  get newestAtMs(): number {
    return this.#newestAtMs;
  }

  /** The time from its first record, or from `sinceMs` if that is later, to its newest record, in milliseconds. */
  spanMs(sinceMs: number): number {
    return this.#firstAtMs === undefined
      ? 0
      : Math.max(0, this.#newestAtMs - Math.max(this.#firstAtMs, sinceMs));
  }

  find(key: string): IndexedRecord | undefined {
    const row = this.#find.get(Buffer.from(key, 'latin1'));
    return row === undefined ? undefined : readRow(row);
  }

  /** Writes the rows, and the progress if this is its last part, as a whole or not at all. Throws what SQLite reports. */
  write(rows: readonly Write[], progress: Progress | undefined): void {
    const before = [this.#rows, this.#firstAtMs, this.#newestAtMs] as const;
    this.#database.exec('BEGIN');
    try {
      for (const [key, row] of rows) this.#writeRow(Buffer.from(key, 'latin1'), row);
      if (progress !== undefined) this.#writeProgress(progress);
      this.#setFigure('newest', this.#newestAtMs);
      if (this.#firstAtMs !== undefined) this.#setFigure('first', this.#firstAtMs);
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      [this.#rows, this.#firstAtMs, this.#newestAtMs] = before;
      throw error;
    }
  }

  /** Removes keys that a tombstone names. */
  remove(keys: readonly string[]): void {
    for (const key of keys) this.#remove.run(Buffer.from(key, 'latin1'));
  }

  /** Undefined: no progress was written yet. */
  progress(): Progress | undefined {
    const completeFromMs = this.#figure('complete-from');
    if (completeFromMs === undefined) return undefined;
    const rows = this.#database.prepare('SELECT topic, partition, offset FROM positions').all();
    const positions = rows.map(({ topic, partition, offset }) => ({
      topic: String(topic),
      partition: Number(partition),
      offset: Number(offset),
    }));
    return { positions, completeFromMs };
  }

  /** The open rows. */
  *openRows(): Generator<readonly [key: string, row: IndexedRecord]> {
    const rows = this.#database.prepare('SELECT key, value, at, open FROM records WHERE open = 1');
    for (const row of rows.iterate()) {
      yield [Buffer.from(row['key'] as Uint8Array).toString('latin1'), readRow(row)];
    }
  }

  /** Another generation is written from now on. */
  retire(): void {
    this.#database.exec(`PRAGMA wal_checkpoint(TRUNCATE); PRAGMA cache_size = -${READ_CACHE_KIB}`);
  }

  close(): void {
    this.#database.close();
  }

  #writeRow(key: Buffer, row: IndexedRecord | null): void {
    if (row === null) {
      this.#remove.run(key);
      return;
    }
    const { value, writtenAtMs, isOpen } = row;
    const { lastInsertRowid } = this.#put.run(key, value, writtenAtMs, isOpen ? 1 : 0);
    this.#rows = Math.max(this.#rows, Number(lastInsertRowid));
    this.#firstAtMs ??= writtenAtMs;
    if (writtenAtMs > this.#newestAtMs) this.#newestAtMs = writtenAtMs;
  }

  #writeProgress({ positions, completeFromMs }: Progress): void {
    const put = this.#database.prepare('INSERT OR REPLACE INTO positions VALUES (?, ?, ?)');
    for (const { topic, partition, offset } of positions) put.run(topic, partition, offset);
    this.#setFigure('complete-from', completeFromMs);
  }

  #setFigure(name: string, value: number): void {
    this.#database.prepare('INSERT OR REPLACE INTO figures VALUES (?, ?)').run(name, value);
  }

  #figure(name: string): number | undefined {
    return this.#integer('SELECT value FROM figures WHERE name = ?', name);
  }

  #integer(sql: string, ...parameters: readonly string[]): number | undefined {
    const value = this.#database.prepare(sql).get(...parameters)?.['value'];
    return typeof value === 'number' ? value : undefined;
  }
}

function readRow(row: Readonly<Record<string, unknown>>): IndexedRecord {
  const { value, at, open } = row;
  return { value: value as Uint8Array, writtenAtMs: Number(at), isOpen: open === 1 };
}

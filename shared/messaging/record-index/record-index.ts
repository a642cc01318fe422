import { hash } from 'node:crypto';
import path from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { ConfigError, errorText, InfrastructureError, MessagingError } from '../../platform/errors.ts';
import type { Clock, Timers } from '../../platform/system-ports.ts';
import type { Health } from '../../platform/health.ts';
import type { Config } from '../../platform/load-config.ts';
import type { Log } from '../../platform/log.ts';
import { QUEUE_LIMITS } from '../../platform/queue-limits.ts';
import { DataFile, isFileDamaged, isOutOfSpace, removeDataFile } from '../data-file.ts';
import { partitionId, type PartitionOffset } from '../message.ts';
import type { Broker } from '../ports.ts';

const VERSION = 1;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS records
    (key BLOB NOT NULL UNIQUE, value BLOB NOT NULL, at INTEGER NOT NULL, open INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS ended_records ON records (at) WHERE open = 0;
  CREATE INDEX IF NOT EXISTS open_records ON records (open) WHERE open = 1;
  CREATE TABLE IF NOT EXISTS positions
    (topic TEXT NOT NULL, partition INTEGER NOT NULL, offset INTEGER NOT NULL, PRIMARY KEY (topic, partition)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS figures (name TEXT PRIMARY KEY, value) WITHOUT ROWID`;
/** Maximum number of processes with the same data folder, in case a supervisor starts processes without end. */
const MAX_PROCESSES = 64;
/** Rows are written together, this long after the first: most records of a notification come within that time. */
const WRITE_DELAY_MS = 250;
/** A transaction writes at most this many rows, and removes as many expired ones. It blocks for some milliseconds. */
const ROWS_PER_TRANSACTION = 250;
/** Maximum number of transactions of close(), which must be short. The next start reads the rest from the topic. */
const LAST_TRANSACTIONS = 50;
const ROWS_PER_READ = 250;
const RETRY_MS = 1_000;
const BUSY_MS = 10;
/** Memory of a waiting record in addition to its value: map slots, key, object. */
const WAITING_OVERHEAD_BYTES = 250;
const MEMORY_BYTES = 256 * 1_048_576;
const PAGE_BYTES = 4_096;
const KEY_BYTES = 16;

export interface IndexLimits {
  /** Maximum memory of the records that are not written yet, with an allowance for their objects. */
  readonly waitingBytes: number;
  /** Maximum size of an index in memory (`DATA_DIR=memory`). A full index takes no records until others expire. */
  readonly memoryBytes: number;
}

interface IndexedRecord {
  readonly value: Uint8Array;
  readonly writtenAtMs: number;
  /** An open record is kept beyond its retention, until a later record of its key is not open. */
  readonly isOpen: boolean;
}

export interface RecordIndexOptions {
  readonly name: string;
  /** Closed with the index. Undefined if the index is in memory. */
  readonly file: DataFile | undefined;
  /** Milliseconds after which a record expires. Open records never expire. */
  readonly retentionMs: number;
  /** Measures the age of records. It should not jump ahead, because expired records are removed. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly limits?: Partial<IndexLimits>;
}

/** The file of an index; undefined if the broker or DATA_DIR is in memory. Throws ConfigError for unusable folders. */
export function openIndex(
  { broker, config, log }: { readonly broker: Broker; readonly config: Config; readonly log: Log },
  name: string,
): DataFile | undefined {
  const { dataFolder: folder, kafka, topicPrefix } = config;
  if (folder === undefined || (broker.kind === 'embedded' && broker.health === undefined)) return undefined;
  const origin = JSON.stringify([broker.kind, topicPrefix, ...(kafka?.brokers ?? []).toSorted()]);
  return openIndexFile(folder, name, origin, log);
}

/** Opens the first file that is not in use. Empties a damaged file, or one of another `origin`. Throws ConfigError. */
export function openIndexFile(folder: string, name: string, origin: string, log: Log): DataFile {
  for (let process = 1; process <= MAX_PROCESSES; process += 1) {
    const file = path.join(folder, `${name}-index-${process}.db`);
    const opened = openUnlessInUse(file, log);
    if (opened === undefined) continue;
    if (readFigure(opened, 'origin') !== origin) {
      opened.transaction(() => {
        clear(opened);
        opened.database.prepare('INSERT OR REPLACE INTO figures VALUES (?, ?)').run('origin', origin);
      });
    }
    return opened;
  }
  throw new ConfigError(`${MAX_PROCESSES} processes use ${folder}: set another DATA_DIR`);
}

function openUnlessInUse(file: string, log: Log): DataFile | undefined {
  const open = (): DataFile => new DataFile(SCHEMA, VERSION, file);
  try {
    return open();
  } catch (error) {
    const code = error instanceof MessagingError ? error.code : undefined;
    if (code === 'data-in-use') return undefined;
    if (code !== 'data-damaged') throw new ConfigError(errorText(error));
    log.warn({ error: errorText(error) }, 'the index is damaged and is built again');
    removeDataFile(file);
    return open();
  }
}

/**
 * The newest record of each key of compacted topics. A start reads on from the positions, which are never
 * stored before their records. `health` is not ready while writes fail. `accepts` is false while too many records wait.
 */
export class RecordIndex {
  readonly #options: RecordIndexOptions;
  readonly #limits: IndexLimits;
  readonly #file: DataFile;
  readonly #statements: Statements;
  readonly #positions = new Map<string, PartitionOffset>();
  #completeFromMs: number;
  /** Records that are not written yet; `null` if the key is to be removed. */
  readonly #waiting = new Map<string, IndexedRecord | null>();
  #waitingBytes = 0;
  #isChanged = false;
  #cancelWrite: (() => void) | undefined;
  #failure: { readonly reason: string; readonly isPermanent: boolean } | undefined;
  #onRecovered: () => void = () => undefined;
  #isClosed = false;

  constructor(options: RecordIndexOptions) {
    this.#options = options;
    this.#limits = {
      waitingBytes: QUEUE_LIMITS.indexWaitingBytes,
      memoryBytes: MEMORY_BYTES,
      ...options.limits,
    };
    this.#file = options.file ?? new DataFile(SCHEMA, VERSION);
    const { database } = this.#file;
    if (options.file === undefined)
      database.exec(`PRAGMA max_page_count = ${Math.ceil(this.#limits.memoryBytes / PAGE_BYTES)}`);
    this.#statements = prepareStatements(this.#file);
    this.#completeFromMs = Number(readFigure(this.#file, 'complete-from') ?? 0);
    const rows = database.prepare('SELECT topic, partition, offset FROM positions').all();
    for (const { topic, partition, offset } of rows) {
      this.#setPosition({ topic: String(topic), partition: Number(partition), offset: Number(offset) });
    }
  }

  /** Undefined if the id has no record, or an expired one. Throws `index-unavailable` if the file cannot be read. */
  find(id: string): IndexedRecord | undefined {
    const key = keyOf(id);
    const waiting = this.#waiting.get(key);
    const row = waiting === undefined ? this.#findRow(key) : (waiting ?? undefined);
    return row?.isOpen === true || (row?.writtenAtMs ?? 0) >= this.#expiredBeforeMs() ? row : undefined;
  }

  put(id: string, row: IndexedRecord): void {
    this.#add(keyOf(id), row);
  }

  delete(id: string): void {
    this.#add(keyOf(id), null);
  }

  /** Tells the index that it has all records of the partition before the offset. */
  passed({ topic, partition, offset }: PartitionOffset): void {
    this.#setPosition({ topic, partition, offset });
    this.#changed();
  }

  /** Where reading continues: the next offset of each partition. */
  get positions(): readonly PartitionOffset[] {
    return [...this.#positions.values()];
  }

  /** Epoch milliseconds: the index has all records since then, and may lack earlier ones. 0 if it has all. */
  get completeFromMs(): number {
    return this.#completeFromMs;
  }

  /** Tells the index that it may lack records before this time, which the topic removed too early. */
  setIncompleteBefore(timeMs: number): void {
    this.#completeFromMs = Math.max(this.#completeFromMs, timeMs);
    this.#changed();
  }

  /** The open records, except those that are not written yet. */
  openRecords(): readonly IndexedRecord[] {
    return this.#file.database
      .prepare('SELECT value, at, open FROM records WHERE open = 1')
      .all()
      .map(readRow);
  }

  /**
   * The records that are not open, the newest first, from those before a place: `<epoch milliseconds>.<row>`, since rows
   * tell apart records of a moment. `isOf`: whether a record was put under an id. Throws like `find`.
   */
  *recent(before = `${Number.MAX_SAFE_INTEGER}.0`) {
    if (this.#waiting.size > 0 && this.#failure === undefined && !this.#file.isBusy) this.#write();
    let place = before;
    for (;;) {
      const [atMs = 0, row = 0] = place.split('.').map(Number);
      const rows = this.#read(() => this.#statements.recent.all(this.#expiredBeforeMs(), atMs, row));
      if (rows.length === 0) return;
      for (const { rowid, key, value, at } of rows) {
        place = `${Number(at)}.${Number(rowid)}`;
        const own = Buffer.from(key as Uint8Array).toString('latin1');
        yield { value: value as Uint8Array, place, isOf: (id: string) => keyOf(id) === own };
      }
    }
  }

  /** Whether another record can be added. If not, the reader must stop, and begin again at `positions`. */
  accepts(): boolean {
    return this.#waitingBytes < this.#limits.waitingBytes;
  }

  /** Sets the function to call after each successful write, if records are accepted. */
  onRecovered(callback: () => void): void {
    this.#onRecovered = callback;
  }

  health(): Health {
    if (this.#failure === undefined) return { status: 'ready' };
    const { reason, isPermanent } = this.#failure;
    return { status: isPermanent ? 'unhealthy' : 'starting', reason };
  }

  /** Approximate: a removed record counts as long as there are older and newer ones. */
  size(): { readonly records: number; readonly waiting: number } {
    const waiting = this.#waiting.size;
    if (this.#failure?.isPermanent === true || this.#isClosed) return { records: waiting, waiting };
    const { oldest, newest } = this.#statements.range.get() ?? {};
    const written = typeof newest === 'number' ? 1 + newest - Number(oldest) : 0;
    return { records: written + waiting, waiting };
  }

  /** Removes all records and positions. Throws what SQLite reports. */
  discard(): void {
    this.#file.transaction(() => clear(this.#file));
    this.#waiting.clear();
    this.#waitingBytes = 0;
    this.#positions.clear();
    this.#completeFromMs = 0;
  }

  /** Writes the waiting records as far as that is possible in a short time. Never throws. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelWrite?.();
    for (let count = 0; count < LAST_TRANSACTIONS && this.#isChanged; count += 1) {
      if (this.#failure === undefined && !this.#file.isBusy) this.#write();
    }
    try {
      this.#file.close();
    } catch (error) {
      const { name, log } = this.#options;
      log.warn({ index: name, error: errorText(error) }, 'the index was not closed');
    }
  }

  #expiredBeforeMs(): number {
    return this.#options.clock.now() - this.#options.retentionMs;
  }

  #findRow(key: string): IndexedRecord | undefined {
    const row = this.#read(() => this.#statements.find.get(Buffer.from(key, 'latin1')));
    return row === undefined ? undefined : readRow(row);
  }

  #read<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      this.#fail(error);
      throw new InfrastructureError('index-unavailable', 'the index cannot be read', error);
    }
  }

  #add(key: string, row: IndexedRecord | null): void {
    const former = this.#waiting.get(key);
    const bytes = bytesOf(row);
    this.#waitingBytes += bytes - (former === undefined ? 0 : bytesOf(former));
    this.#waiting.set(key, row);
    this.#changed();
    // The reader asks accepts() first. For others that add records, this makes room at once.
    while (!this.accepts() && this.#failure === undefined && !this.#file.isBusy) this.#write();
  }

  #setPosition(position: PartitionOffset): void {
    this.#positions.set(partitionId(position.topic, position.partition), position);
  }

  #changed(): void {
    this.#isChanged = true;
    if (this.#cancelWrite === undefined && this.#failure === undefined) this.#schedule(WRITE_DELAY_MS);
  }

  #schedule(afterMs: number): void {
    if (this.#isClosed) return;
    this.#cancelWrite = this.#options.timers.schedule(
      () => {
        this.#cancelWrite = undefined;
        if (this.#failure?.isPermanent === true) return;
        if (!this.#file.isBusy) this.#write();
        if (this.#file.isBusy) this.#schedule(BUSY_MS);
        else if (this.#failure !== undefined) this.#schedule(RETRY_MS);
        else if (this.#isChanged) this.#schedule(0);
      },
      afterMs,
      'background',
    );
  }

  #write(): void {
    const rows: (readonly [string, IndexedRecord | null])[] = [];
    for (const entry of this.#waiting) if (rows.push(entry) === ROWS_PER_TRANSACTION) break;
    const isLast = rows.length === this.#waiting.size;
    const { put, remove, expire, setPosition, setFigure } = this.#statements;
    try {
      this.#file.transaction(() => {
        expire.run(this.#expiredBeforeMs(), ROWS_PER_TRANSACTION);
        for (const [key, row] of rows) {
          const id = Buffer.from(key, 'latin1');
          if (row === null) remove.run(id);
          else put.run(id, row.value, row.writtenAtMs, row.isOpen ? 1 : 0);
        }
        if (!isLast) return;
        for (const { topic, partition, offset } of this.positions) setPosition.run(topic, partition, offset);
        setFigure.run('complete-from', this.#completeFromMs);
      });
    } catch (error) {
      this.#fail(error);
      return;
    }
    for (const [key, row] of rows) {
      this.#waiting.delete(key);
      this.#waitingBytes -= bytesOf(row);
    }
    if (isLast) this.#isChanged = false;
    this.#recover();
    if (this.#file.isCheckpointDue)
      this.#file.checkpoint().catch((error: unknown) => this.#fail(error, true));
  }

  #fail(error: unknown, isPermanent = isFileDamaged(error)): void {
    const { name, file, log } = this.#options;
    const cause =
      isOutOfSpace(error) && file === undefined ? 'its memory is full: set DATA_DIR' : errorText(error);
    const reason = isPermanent
      ? `the index ${name} cannot be used (${cause}): a restart reads its records again`
      : `the index ${name} cannot be written: ${cause}`;
    if (this.#failure?.reason !== reason) log.error({ reason }, 'records are not indexed');
    this.#failure = { reason, isPermanent };
    if (isPermanent) this.#file.remove();
    else if (this.#cancelWrite === undefined) this.#schedule(RETRY_MS);
  }

  #recover(): void {
    if (this.#failure !== undefined) {
      this.#failure = undefined;
      this.#options.log.info({ index: this.#options.name }, 'records are indexed again');
    }
    if (this.accepts()) this.#onRecovered();
  }
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements({ database }: DataFile) {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  return {
    find: prepare('SELECT value, at, open FROM records WHERE key = ?'),
    recent: prepare(`SELECT rowid, key, value, at FROM records
      WHERE open = 0 AND at >= ? AND (at, rowid) < (?, ?) ORDER BY at DESC, rowid DESC LIMIT ${ROWS_PER_READ}`),
    put: prepare(`INSERT INTO records VALUES (?, ?, ?, ?) ON CONFLICT (key)
      DO UPDATE SET value = excluded.value, at = excluded.at, open = excluded.open`),
    remove: prepare('DELETE FROM records WHERE key = ?'),
    expire: prepare(`DELETE FROM records WHERE rowid IN
      (SELECT rowid FROM records WHERE open = 0 AND at < ? LIMIT ?)`),
    range: prepare(
      'SELECT (SELECT min(rowid) FROM records) AS oldest, (SELECT max(rowid) FROM records) AS newest',
    ),
    setPosition: prepare('INSERT OR REPLACE INTO positions VALUES (?, ?, ?)'),
    setFigure: prepare('INSERT OR REPLACE INTO figures VALUES (?, ?)'),
  };
}

function clear({ database }: DataFile): void {
  database.exec("DELETE FROM records; DELETE FROM positions; DELETE FROM figures WHERE name <> 'origin'");
}

function readFigure({ database }: DataFile, name: string): unknown {
  return database.prepare('SELECT value FROM figures WHERE name = ?').get(name)?.['value'];
}

function readRow(row: Readonly<Record<string, unknown>>): IndexedRecord {
  const { value, at, open } = row;
  return { value: value as Uint8Array, writtenAtMs: Number(at), isOpen: open === 1 };
}

/** The first 16 bytes of a hash, as a string of one-byte characters, which is a cheap key of a map. */
function keyOf(id: string): string {
  return hash('sha256', id, 'buffer').toString('latin1', 0, KEY_BYTES);
}

function bytesOf(row: IndexedRecord | null): number {
  return WAITING_OVERHEAD_BYTES + (row?.value.length ?? 0);
}

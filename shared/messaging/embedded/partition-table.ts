import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setHeader } from '../headers.ts';
import type { HeaderValue, LogMessage, MessageHeaders, TopicPartition } from '../message.ts';

/** Limits of one removal, which takes a few milliseconds. Bytes matter: SQLite visits each page of a large row. */
const REMOVED_AT_ONCE = 500;
const REMOVED_BYTES = 4 * 1_048_576;
const ALWAYS = Number.MAX_SAFE_INTEGER;

/** `next` is the position after the messages, beyond any gap that compaction left. */
export interface LogBatch {
  readonly messages: readonly LogMessage[];
  readonly next: number;
}

export interface TableFigures {
  readonly records: number;
  readonly bytes: number;
  readonly low: number;
}

interface PartitionTableOptions extends TopicPartition {
  readonly database: DatabaseSync;
  readonly name: string;
  readonly isCompacted: boolean;
  readonly figures?: TableFigures | undefined;
}

/** Each partition has its own table, so that inserts append to its last page. Methods throw what SQLite reports. */
export class PartitionTable {
  readonly #options: PartitionTableOptions;
  #statements: Statements | undefined;
  #exists: boolean;
  #figures: TableFigures;

  constructor(options: PartitionTableOptions) {
    this.#options = options;
    this.#exists = options.figures !== undefined;
    this.#figures = options.figures ?? { records: 0, bytes: 0, low: 0 };
  }

  get figures(): TableFigures {
    return this.#figures;
  }

  /** Resets the figures to the stored ones after a failed transaction; undefined if the table does not exist. */
  restore(figures: TableFigures | undefined): void {
    this.#exists = figures !== undefined;
    this.#figures = figures ?? { records: 0, bytes: 0, low: 0 };
  }

  /** On a compacted topic, also removes older records with the same key. */
  insert({ offset, key, value, headers, timestampMs }: LogMessage, storedAtMs: number, bytes: number): void {
    if (!this.#exists) this.#create();
    const { insert, supersede } = this.#prepared();
    insert.run(offset, key, value, writeHeaders(headers), timestampMs, storedAtMs, bytes);
    const { records, low } = this.#figures;
    this.#figures = {
      records: records + 1,
      bytes: this.#figures.bytes + bytes,
      low: records === 0 ? offset : low,
    };
    if (this.#options.isCompacted) this.#count(supersede.all(key, offset));
  }

  read(from: number, to: number, maxRecords: number, maxBytes: number): LogBatch {
    if (this.#figures.records === 0) return { messages: [], next: to };
    const { topic, partition } = this.#options;
    const messages: LogMessage[] = [];
    let bytes = 0;
    for (const row of this.#prepared().read.iterate(from, to, maxRecords)) {
      messages.push({
        topic,
        partition,
        offset: Number(row['offset']),
        key: bufferOf(row['key']),
        value: bufferOf(row['value']),
        headers: readHeaders(row['headers']),
        timestampMs: Number(row['timestamp']),
      });
      bytes += Number(row['bytes']);
      if (bytes >= maxBytes) break;
    }
    const last = messages.at(-1);
    const isWhole = messages.length < maxRecords && bytes < maxBytes;
    return { messages, next: isWhole || last === undefined ? to : last.offset + 1 };
  }

  /** Removes up to `count` of the oldest rows below `below`, as many as a few milliseconds allow. Returns how many. */
  removeOldest(below: number, count: number, storedBeforeMs = ALWAYS): number {
    const { records, bytes, low } = this.#figures;
    if (records === 0 || count <= 0 || (below !== Infinity && below <= low)) return 0;
    const { removeOldest, first } = this.#prepared();
    const most = Math.min(count, REMOVED_AT_ONCE, Math.ceil((REMOVED_BYTES * records) / bytes));
    const removed = removeOldest.all(Math.min(below, ALWAYS), most, storedBeforeMs);
    if (removed.length === 0) return 0;
    this.#count(removed);
    const after = 1 + Math.max(...removed.map((row) => Number(row['offset'])));
    this.#figures = { ...this.#figures, low: Number(first.get()?.['offset'] ?? after) };
    return removed.length;
  }

  /** Removes at most 500 tombstones, and returns their number. */
  removeTombstones(storedBeforeMs: number): number {
    if (this.#figures.records === 0) return 0;
    const removed = this.#prepared().removeTombstones.all(storedBeforeMs, REMOVED_AT_ONCE);
    this.#count(removed);
    return removed.length;
  }

  #create(): void {
    const { database, name, isCompacted } = this.#options;
    database.exec(`CREATE TABLE ${name} (offset INTEGER PRIMARY KEY, key BLOB, value BLOB, headers TEXT,
      timestamp INTEGER NOT NULL, stored_at INTEGER NOT NULL, bytes INTEGER NOT NULL)`);
    if (isCompacted) {
      database.exec(`CREATE INDEX ${name}_keys ON ${name} (key);
        CREATE INDEX ${name}_tombstones ON ${name} (stored_at) WHERE value IS NULL`);
    }
    this.#exists = true;
  }

  #prepared(): Statements {
    const { database, name } = this.#options;
    return (this.#statements ??= prepareStatements(database, name));
  }

  #count(removed: readonly Readonly<Record<string, unknown>>[]): void {
    const { records, bytes, low } = this.#figures;
    const freed = removed.reduce((sum, row) => sum + Number(row['bytes']), 0);
    this.#figures = { records: records - removed.length, bytes: bytes - freed, low };
  }
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(database: DatabaseSync, name: string) {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  return {
    insert: prepare(`INSERT INTO ${name} VALUES (?, ?, ?, ?, ?, ?, ?)`),
    supersede: prepare(`DELETE FROM ${name} WHERE key = ? AND offset < ? RETURNING bytes`),
    read: prepare(`SELECT * FROM ${name} WHERE offset >= ? AND offset < ? ORDER BY offset LIMIT ?`),
    first: prepare(`SELECT min(offset) AS offset FROM ${name}`),
    // Compares the ages of the first rows only, because ages have no index.
    removeOldest:
      prepare(`DELETE FROM ${name} WHERE offset IN (SELECT offset FROM (SELECT offset, stored_at FROM ${name}
      WHERE offset < ? ORDER BY offset LIMIT ?) WHERE stored_at < ?) RETURNING offset, bytes`),
    removeTombstones: prepare(`DELETE FROM ${name} WHERE offset IN (SELECT offset FROM ${name}
      WHERE value IS NULL AND stored_at <= ? LIMIT ?) RETURNING bytes`),
  };
}

function bufferOf(value: unknown): Buffer | null {
  if (!(value instanceof Uint8Array)) return null;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** JSON of the names and values. Each byte of a value becomes one character (Latin-1). */
function writeHeaders(headers: MessageHeaders): string | null {
  const all: (readonly string[])[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) all.push([name, ...[value].flat().map(latin1)]);
  }
  return all.length === 0 ? null : JSON.stringify(all);
}

function readHeaders(text: unknown): MessageHeaders {
  const headers: Record<string, HeaderValue | readonly HeaderValue[]> = {};
  if (typeof text !== 'string') return headers;
  for (const [name = '', ...values] of JSON.parse(text) as string[][]) {
    const [first = Buffer.alloc(0), ...others] = values.map((value) => Buffer.from(value, 'latin1'));
    setHeader(headers, name, others.length === 0 ? first : [first, ...others]);
  }
  return headers;
}

function latin1(value: HeaderValue): string {
  return (typeof value === 'string' ? Buffer.from(value) : value).toString('latin1');
}

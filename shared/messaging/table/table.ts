import { errorText } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Health } from '../../platform/health.ts';
import type { LogMessage, MessageHeaders } from '../message.ts';
import type { Broker, Tail } from '../ports.ts';

/** The latest record of a key, as it is on the log. */
export interface TableRecord {
  readonly value: Buffer;
  readonly headers: MessageHeaders;
  readonly partition: number;
  readonly offset: number;
  readonly timestampMs: number;
}

export interface TableOptions<T> {
  readonly broker: Pick<Broker, 'createTail'>;
  /** A compacted topic. */
  readonly topic: string;
  readonly clientId: string;
  readonly log: Log;
  /** Called when a value is first asked for; what it answers is remembered until the record changes. */
  readonly decode: (record: TableRecord) => T;
  /** Looks at each record that comes in, tombstones too; a throw means that it is bad: it is counted, and the former one stays. */
  readonly check?: (message: LogMessage) => void;
  /** Default 100,000. */
  readonly maxRecords?: number;
  /** Of the encoded values. Default 256 MiB. */
  readonly maxBytes?: number;
  /** The first reading of the topic may take so long. Default 30,000 ms. */
  readonly catchUpTimeoutMs?: number;
}

export interface TableStats {
  readonly records: number;
  readonly bytes: number;
  readonly badRecords: number;
  /** Records that found no room: the table is not whole. */
  readonly leftOut: number;
}

export type TableListener = (key: string, record: TableRecord | undefined) => void;

/** The present state of a compacted topic, in memory. */
export interface Table<T> {
  /** Resolves when all that was on the topic has been read. Rejects when that takes too long. */
  start(): Promise<void>;
  /** Resolves when all that is on the topic at this moment has been read (after gaining a partition). */
  caughtUp(timeoutMs: number): Promise<void>;
  /** Read to the end once, and still reading. */
  isReady(): boolean;
  /** The value of a key. Throws what `decode` throws. */
  get(key: string): T | undefined;
  record(key: string): TableRecord | undefined;
  keys(): IterableIterator<string>;
  readonly size: number;
  /** Calls the listener after each change (undefined: removed); answers how to end that. */
  onChange(listener: TableListener): () => void;
  health(): Health;
  stats(): TableStats;
  stop(timeoutMs?: number): Promise<void>;
}

const MAX_RECORDS = 100_000;
const MAX_BYTES = 256 * 1_024 * 1_024;
const CATCH_UP_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

interface Row<T> {
  readonly record: TableRecord;
  decoded: { readonly value: T } | undefined;
}

/** Materialises a compacted topic through a group of one; values stay encoded until they are asked for. */
export function createTable<T>(options: TableOptions<T>): Table<T> {
  return new LogTable(options);
}

class LogTable<T> implements Table<T> {
  readonly #options: TableOptions<T>;
  readonly #tail: Tail;
  readonly #rows = new Map<string, Row<T>>();
  readonly #listeners = new Set<TableListener>();
  #caughtUp = false;
  #bytes = 0;
  #badRecords = 0;
  #leftOut = 0;

  constructor(options: TableOptions<T>) {
    this.#options = options;
    const { broker, clientId, topic } = options;
    this.#tail = broker.createTail({ clientId, topics: [topic], from: 'earliest' });
  }

  get size(): number {
    return this.#rows.size;
  }

  async start(): Promise<void> {
    await this.#tail.start((message) => this.#take(message));
    await this.#tail.caughtUp(this.#options.catchUpTimeoutMs ?? CATCH_UP_TIMEOUT_MS);
    this.#caughtUp = true;
  }

  caughtUp(timeoutMs: number): Promise<void> {
    return this.#tail.caughtUp(timeoutMs);
  }

  isReady(): boolean {
    return this.#caughtUp && this.#tail.isReady();
  }

  get(key: string): T | undefined {
    const row = this.#rows.get(key);
    if (row === undefined) return undefined;
    row.decoded ??= { value: this.#options.decode(row.record) };
    return row.decoded.value;
  }

  record(key: string): TableRecord | undefined {
    return this.#rows.get(key)?.record;
  }

  keys(): IterableIterator<string> {
    return this.#rows.keys();
  }

  onChange(listener: TableListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  health(): Health {
    const { topic } = this.#options;
    if (this.#leftOut > 0) return { status: 'unhealthy', reason: `${topic} has outgrown its table` };
    if (!this.#caughtUp) return { status: 'starting', reason: `${topic} is being read` };
    return this.#tail.isReady()
      ? { status: 'ready' }
      : { status: 'degraded', reason: `${topic} is not read` };
  }

  stats(): TableStats {
    return {
      records: this.#rows.size,
      bytes: this.#bytes,
      badRecords: this.#badRecords,
      leftOut: this.#leftOut,
    };
  }

  async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
    await this.#tail.stop(timeoutMs);
  }

  #take(message: LogMessage): void {
    try {
      this.#options.check?.(message);
    } catch (error) {
      this.#skip(message, errorText(error));
      return;
    }
    if (message.key === null) this.#skip(message, 'it has no key');
    else if (message.value === null) this.#remove(message.key.toString());
    else this.#put(message.key.toString(), { ...message, value: message.value });
  }

  #skip({ topic, partition, offset }: LogMessage, reason: string): void {
    this.#badRecords += 1;
    this.#options.log.warn({ topic, partition, offset, reason }, 'a record of a table was skipped');
  }

  #put(key: string, { value, headers, partition, offset, timestampMs }: TableRecord): void {
    const { maxRecords = MAX_RECORDS, maxBytes = MAX_BYTES } = this.#options;
    const known = this.#rows.get(key);
    const bytes = this.#bytes + value.length - (known?.record.value.length ?? 0);
    if (bytes > maxBytes || (known === undefined && this.#rows.size >= maxRecords)) {
      this.#leftOut += 1;
      return;
    }
    this.#bytes = bytes;
    const record = { value: ownBytes(value), headers, partition, offset, timestampMs };
    this.#rows.set(key, { record, decoded: undefined });
    this.#tell(key, record);
  }

  #remove(key: string): void {
    const known = this.#rows.get(key);
    if (known === undefined) return;
    this.#bytes -= known.record.value.length;
    this.#rows.delete(key);
    this.#tell(key, undefined);
  }

  #tell(key: string, record: TableRecord | undefined): void {
    for (const listener of this.#listeners) {
      try {
        listener(key, record);
      } catch (error) {
        this.#options.log.error({ err: error, topic: this.#options.topic }, 'a listener of a table failed');
      }
    }
  }
}

/** A value that is a part of what was fetched would keep all of that in memory for as long as it is kept itself. */
function ownBytes(value: Buffer): Buffer {
  if (value.length === value.buffer.byteLength) return value;
  const own = Buffer.allocUnsafeSlow(value.length);
  value.copy(own);
  return own;
}

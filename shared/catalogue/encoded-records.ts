/** The encoded records of the catalogue topic, which are indexed on arrival and unpacked on demand. */

import { readIdentity, readPayload, unpackRecord } from '../contract/catalogue-files/catalogue-message.ts';
import type { Codec } from '../messaging/codec.ts';
import type { LogMessage } from '../messaging/message.ts';
import type { Broker } from '../messaging/ports.ts';
import { isTransientFailure } from '../messaging/processing-result.ts';
import { createTable, type Table, type TableRecord } from '../messaging/table/table.ts';
import { errorText, MessagingError } from '../platform/errors.ts';
import type { Health } from '../platform/health.ts';
import type { Log } from '../platform/log.ts';
import type { Timers } from '../platform/timers.ts';
import type { CatalogueRecord, RecordIdentity } from '../product/catalogue/catalogue-record.ts';
import { BoundedCache } from './bounded-cache.ts';
import { CatalogueIndex, createIndexEntry, type IndexEntry } from './catalogue-index.ts';

/** Limits of the topic; the table is unhealthy when they are exceeded. */
const MAX_RECORDS = 100_000;
const MAX_ENCODED_BYTES = 256 * 1_024 * 1_024;
/** Limits of the cache of unpacked records. Bytes are counted in the JSON text; the objects need somewhat more. */
const MAX_UNPACKED_RECORDS = 1_000;
const MAX_UNPACKED_BYTES = 16 * 1_024 * 1_024;
const CATCH_UP_TIMEOUT_MS = 30_000;
/** Interval of retries while the schema registry is unavailable. */
const RETRY_MS = 500;

export interface EncodedRecordsOptions {
  readonly broker: Pick<Broker, 'createTail'>;
  readonly topic: string;
  readonly codec: Codec;
  readonly clientId: string;
  readonly log: Log;
  readonly timers: Timers;
  /** Time limit of the first read of the topic. Default 30,000 ms. */
  readonly catchUpTimeoutMs?: number;
  /** Called after each change. */
  readonly onChange: (identity: RecordIdentity) => void;
}

export interface EncodedRecordsStats {
  readonly records: number;
  /** Size of the encoded records. */
  readonly bytes: number;
  /** Records that were skipped because they are unreadable. */
  readonly badRecords: number;
  /** Records that were rejected because of the limits. */
  readonly leftOut: number;
  readonly unpackedRecords: number;
  /** Size of the JSON text of the cached unpacked records. */
  readonly unpackedBytes: number;
}

/** Follows the catalogue topic. */
export class EncodedRecords {
  readonly index = new CatalogueIndex();
  readonly #options: EncodedRecordsOptions;
  readonly #table: Table;
  readonly #unpacked = new BoundedCache<CatalogueRecord>({
    maxEntries: MAX_UNPACKED_RECORDS,
    maxBytes: MAX_UNPACKED_BYTES,
  });
  readonly #unreadable = new WeakSet<IndexEntry>();
  /** Readers of records whose schema must be fetched, by key: one of each, so that replaced records take no memory. */
  readonly #waiting = new Map<string, Promise<void>>();
  /** Those of them whose schema could not be fetched yet: the registry is unavailable. */
  readonly #delayed = new Set<string>();
  #fresh: { readonly message: LogMessage; readonly identity: RecordIdentity } | undefined;
  #badRecords = 0;
  #started = false;
  #stopped = false;

  constructor(options: EncodedRecordsOptions) {
    this.#options = options;
    this.#table = createTable({
      ...options,
      check: (message) => this.#check(message),
      onChange: (key, record) => this.#changed(key, record),
      maxRecords: MAX_RECORDS,
      maxBytes: MAX_ENCODED_BYTES,
    });
  }

  async start(): Promise<void> {
    await this.#table.start();
    await this.#awaitSchemas(this.#options.catchUpTimeoutMs ?? CATCH_UP_TIMEOUT_MS);
    this.#started = true;
  }

  /** Resolves when all records that are on the topic at the time of the call are indexed. */
  async caughtUp(timeoutMs: number): Promise<void> {
    await this.#table.caughtUp(timeoutMs);
    await this.#awaitSchemas(timeoutMs);
  }

  /** The record of an entry; undefined when it is unreadable, which is counted and logged once. */
  unpack(entry: IndexEntry): CatalogueRecord | undefined {
    const known = this.#unpacked.get(entry.key);
    if (known !== undefined) return known;
    if (this.#unreadable.has(entry)) return undefined;
    try {
      const decoded = this.#options.codec.decode(entry.encoded);
      if (decoded instanceof Promise) throw new Error('its schema is no longer known');
      const { entry: record, bytes } = unpackRecord(readPayload(decoded), entry.key);
      this.#unpacked.set(entry.key, record, bytes);
      return record;
    } catch (error) {
      this.#unreadable.add(entry);
      this.#skip(entry.encoded, error);
      return undefined;
    }
  }

  health(): Health {
    const health = this.#table.health();
    const { topic } = this.#options;
    if (!this.#started && this.#table.stats().leftOut === 0)
      return { status: 'starting', reason: `${topic} is being read` };
    if (health.status !== 'ready' || this.#delayed.size === 0) return health;
    const records = this.#delayed.size === 1 ? '1 record' : `${this.#delayed.size} records`;
    const reason = `${records} of ${topic} cannot be read until the schema registry answers`;
    return { status: 'degraded', reason };
  }

  stats(): EncodedRecordsStats {
    const { bytes, badRecords, leftOut } = this.#table.stats();
    return {
      records: this.index.size,
      bytes,
      badRecords: badRecords + this.#badRecords,
      leftOut,
      unpackedRecords: this.#unpacked.size,
      unpackedBytes: this.#unpacked.bytes,
    };
  }

  async stop(timeoutMs?: number): Promise<void> {
    this.#stopped = true;
    await this.#table.stop(timeoutMs);
  }

  /** Throws to keep the previous record of the key. A record whose schema must be fetched first is read later. */
  #check(message: LogMessage): void {
    this.#fresh = undefined;
    if (message.key === null || message.value === null) return;
    const key = message.key.toString();
    // Its reader continues with this record.
    if (this.#waiting.has(key)) return;
    const decoded = this.#options.codec.decode(message);
    if (decoded instanceof Promise) decoded.catch(() => undefined);
    else this.#fresh = { message, identity: readIdentity(key, readPayload(decoded)) };
  }

  #changed(key: string, record: TableRecord | undefined): void {
    if (record === undefined) {
      const previous = this.index.get(key);
      this.index.remove(key);
      this.#unpacked.delete(key);
      if (previous !== undefined) this.#options.onChange(previous.identity);
    } else if (isOf(record, this.#fresh?.message) && this.#fresh !== undefined) {
      this.#put(key, this.#fresh.identity, record);
    } else if (!this.#waiting.has(key)) this.#waiting.set(key, this.#readLater(key));
  }

  #put(key: string, identity: RecordIdentity, record: TableRecord): void {
    this.#unpacked.delete(key);
    this.index.put(createIndexEntry(key, identity, record));
    this.#options.onChange(identity);
  }

  /** Reads the newest record of a key, whose schema must be fetched; a newer one may arrive meanwhile. */
  async #readLater(key: string): Promise<void> {
    let read: TableRecord | undefined;
    for (;;) {
      const record = this.#table.record(key);
      if (record === undefined || record === read || record === this.index.get(key)?.encoded) break;
      try {
        const identity = readIdentity(key, readPayload(await this.#options.codec.decode(record)));
        read = record;
        if (this.#table.record(key) === record) this.#put(key, identity, record);
      } catch (error) {
        if (isTransientFailure(error) && !this.#stopped) {
          this.#delayed.add(key);
          await this.#pause();
        } else {
          read = record;
          this.#skip(record, error);
        }
      }
    }
    this.#waiting.delete(key);
    this.#delayed.delete(key);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#options.timers.schedule(resolve, RETRY_MS, 'background');
    });
  }

  async #awaitSchemas(timeoutMs: number): Promise<void> {
    if (this.#waiting.size === 0) return;
    const { topic, timers } = this.#options;
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const cancel = timers.schedule(() => {
      const text = `records of ${topic} are still waiting for their schema after ${timeoutMs} ms`;
      reject(new MessagingError('tail-behind', text, { canRetry: true }));
    }, timeoutMs);
    try {
      await Promise.race([Promise.all(this.#waiting.values()), tooLate]);
    } finally {
      cancel();
    }
  }

  #skip({ partition, offset }: TableRecord, error: unknown): void {
    this.#badRecords += 1;
    const { log, topic } = this.#options;
    log.warn(
      { topic, partition, offset, reason: errorText(error) },
      'an unreadable catalogue record was skipped',
    );
  }
}

function isOf(record: TableRecord, message: LogMessage | undefined): boolean {
  return message?.offset === record.offset && message.partition === record.partition;
}

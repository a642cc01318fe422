import { type MessageContent, contentBytes, copyContent } from '../../messaging/headers.ts';
import {
  codeKey,
  type RecordIdentity,
  type RecordKind,
  type CatalogueRecord,
} from '../catalogue/catalogue-record.ts';
import type { ItemStatus } from '../catalogue/record-kinds.ts';
import type { ProductStatus } from '../catalogue/product-record.ts';
import { LRUCache } from 'lru-cache';
import { readIdentity, readPayload, unpackRecord } from './catalogue-message.ts';
import type { Codec } from '../../messaging/codec.ts';
import type { LogMessage } from '../../messaging/message.ts';
import type { Broker, Tail } from '../../messaging/ports.ts';
import { isTransientFailure } from '../../messaging/outcome.ts';
import { errorText, MessagingError } from '../../platform/errors.ts';
import type { Health } from '../../platform/health.ts';
import type { Log } from '../../platform/log.ts';
import type { Timers } from '../../platform/system-ports.ts';

interface EncodedRecord extends MessageContent {
  readonly partition: number;
  readonly offset: number;
}

/** One version of a record. version-in-force.ts reads the capitalised fields. */
export interface IndexEntry {
  readonly key: string;
  readonly identity: RecordIdentity;
  readonly encoded: EncodedRecord;
  readonly Version: number;
  readonly Status: ProductStatus & ItemStatus;
  readonly StartDate: string | null;
  readonly EndDate: string | null;
}

class CatalogueIndex {
  readonly #byKey = new Map<string, IndexEntry>();
  readonly #byPlace = new Map<string, IndexEntry[]>();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): IndexEntry | undefined {
    return this.#byKey.get(key);
  }

  all(): IterableIterator<IndexEntry> {
    return this.#byKey.values();
  }

  /** The codes of a kind as {@link codeKey} normalises them, in no particular order. */
  codes(kind: RecordKind): readonly string[] {
    const prefix = `${kind}/`;
    return [...this.#byPlace.keys()].flatMap((place) =>
      place.startsWith(prefix) ? [place.slice(prefix.length)] : [],
    );
  }

  versions(kind: RecordKind, code: string): readonly IndexEntry[] {
    return this.#byPlace.get(`${kind}/${codeKey(code)}`) ?? [];
  }

  /** The versions with this id; a valid catalogue has at most one. */
  withId(kind: RecordKind, id: string): readonly IndexEntry[] {
    return this.#byPlace.get(`${kind}#${codeKey(id)}`) ?? [];
  }

  put(entry: IndexEntry): void {
    this.remove(entry.key);
    this.#byKey.set(entry.key, entry);
    for (const place of placesOf(entry)) {
      const entries = this.#byPlace.get(place);
      if (entries === undefined) this.#byPlace.set(place, [entry]);
      else entries.push(entry);
    }
  }

  remove(key: string): void {
    const entry = this.#byKey.get(key);
    if (entry === undefined) return;
    this.#byKey.delete(key);
    for (const place of placesOf(entry)) {
      const left = this.#byPlace.get(place)?.filter((one) => one !== entry) ?? [];
      if (left.length === 0) this.#byPlace.delete(place);
      else this.#byPlace.set(place, left);
    }
  }
}

function placesOf({ identity: { kind, code, id } }: IndexEntry): readonly string[] {
  const byCode = `${kind}/${codeKey(code)}`;
  return id === null ? [byCode] : [byCode, `${kind}#${codeKey(id)}`];
}

/** Limits on the number and bytes of encoded records. Records beyond them are left out; health is then not ready. */
const MAX_RECORDS = 100_000;
const MAX_ENCODED_BYTES = 256 * 1_024 * 1_024;
/** Limits on the cache of unpacked records. The bytes are those of JSON text; the objects need somewhat more. */
const MAX_UNPACKED_RECORDS = 1_000;
const MAX_UNPACKED_BYTES = 16 * 1_024 * 1_024;
/** Interval of retries while the schema registry is unavailable. */
const RETRY_MS = 500;

export interface EncodedRecordsOptions {
  readonly broker: Pick<Broker, 'createTail'>;
  readonly topic: string;
  readonly codec: Codec;
  readonly clientId: string;
  readonly log: Log;
  readonly timers: Timers;
  readonly catchUpTimeoutMs?: number;
  readonly maxRecords?: number;
  readonly maxBytes?: number;
  /** Called after each change to a record that is or was in the index; must not throw. */
  readonly onChange: (identity: RecordIdentity) => void;
}

/** Follows the catalogue topic, indexes its records by code and id on arrival, and unpacks them on demand. */
export class EncodedRecords {
  readonly index = new CatalogueIndex();
  readonly #options: EncodedRecordsOptions;
  readonly #tail: Tail;
  readonly #records = new Map<string, EncodedRecord>();
  readonly #unpacked = new LRUCache<string, CatalogueRecord>({
    max: MAX_UNPACKED_RECORDS,
    maxSize: MAX_UNPACKED_BYTES,
  });
  readonly #unreadable = new WeakSet<IndexEntry>();
  /** Reads that wait for a schema, by key. Each key has at most one, so replaced records take no memory. */
  readonly #waiting = new Map<string, Promise<void>>();
  readonly #delayed = new Set<string>();
  #bytes = 0;
  #badRecords = 0;
  #leftOut = 0;
  #started = false;
  #stopped = false;

  constructor(options: EncodedRecordsOptions) {
    this.#options = options;
    const { broker, clientId, topic } = options;
    this.#tail = broker.createTail({ clientId, topics: [topic], from: 'earliest' });
  }

  /** Rejects with MessagingError `tail-behind` if reading, or fetching schemas afterwards, exceeds 30 s (default). */
  async start(): Promise<void> {
    await this.#tail.start((message) => this.#receive(message));
    await this.caughtUp(this.#options.catchUpTimeoutMs ?? 30_000);
    this.#started = true;
  }

  async caughtUp(timeoutMs: number): Promise<void> {
    await this.#tail.caughtUp(timeoutMs);
    await this.#awaitSchemas(timeoutMs);
  }

  /** Returns undefined if the record is unreadable, which is counted and logged once. */
  unpack(entry: IndexEntry): CatalogueRecord | undefined {
    const known = this.#unpacked.get(entry.key);
    if (known !== undefined) return known;
    if (this.#unreadable.has(entry)) return undefined;
    try {
      const decoded = this.#options.codec.decode(entry.encoded);
      if (decoded instanceof Promise) throw new Error('its schema is no longer known');
      const { entry: record, bytes } = unpackRecord(readPayload(decoded), entry.key);
      this.#unpacked.set(entry.key, record, { size: bytes });
      return record;
    } catch (error) {
      this.#unreadable.add(entry);
      this.#skip(entry.encoded, error);
      return undefined;
    }
  }

  health(): Health {
    const { topic } = this.#options;
    if (this.#leftOut > 0)
      return { status: 'starting', reason: `${topic} exceeds the limits of the catalogue` };
    if (!this.#started) return { status: 'starting', reason: `${topic} is being read` };
    if (!this.#tail.isReady()) return { status: 'degraded', reason: `${topic} is not being read` };
    if (this.#delayed.size === 0) return { status: 'ready' };
    const records = this.#delayed.size === 1 ? '1 record' : `${this.#delayed.size} records`;
    const reason = `${records} of ${topic} cannot be read until the schema registry answers`;
    return { status: 'degraded', reason };
  }

  /** `badRecords` were unreadable, `leftOut` exceeded the limits. `bytes` are encoded, `unpackedBytes` JSON text. */
  stats() {
    return {
      records: this.index.size,
      bytes: this.#bytes,
      badRecords: this.#badRecords,
      leftOut: this.#leftOut,
      unpackedRecords: this.#unpacked.size,
      unpackedBytes: this.#unpacked.calculatedSize,
    };
  }

  async stop(timeoutMs = 5_000): Promise<void> {
    this.#stopped = true;
    await this.#tail.stop(timeoutMs);
  }

  /** An undecodable record does not replace an earlier one with its key. One that needs a new schema is read later. */
  #receive(message: LogMessage): void {
    const key = message.key?.toString();
    const { value } = message;
    if (key === undefined) return this.#skip(message, new Error('it has no key'));
    if (value === null) return this.#remove(key);
    // A read of this key that already waits for a schema will continue with this record.
    const identity = this.#waiting.has(key) ? undefined : this.#identify(key, message);
    if (identity === 'unreadable') return;
    const record = this.#keep(key, { ...message, value });
    if (record === undefined) return;
    if (identity !== undefined) this.#put(key, identity, record);
    else if (!this.#waiting.has(key)) this.#waiting.set(key, this.#readLater(key));
  }

  #identify(key: string, message: LogMessage): RecordIdentity | 'unreadable' | undefined {
    try {
      const decoded = this.#options.codec.decode(message);
      if (!(decoded instanceof Promise)) return readIdentity(key, readPayload(decoded));
      decoded.catch(() => undefined);
      return undefined;
    } catch (error) {
      this.#skip(message, error);
      return 'unreadable';
    }
  }

  #keep(key: string, fetched: EncodedRecord): EncodedRecord | undefined {
    const { maxRecords = MAX_RECORDS, maxBytes = MAX_ENCODED_BYTES } = this.#options;
    const known = this.#records.get(key);
    const bytes = this.#bytes + contentBytes(fetched) - (known === undefined ? 0 : contentBytes(known));
    if (bytes > maxBytes || (known === undefined && this.#records.size >= maxRecords)) {
      this.#leftOut += 1;
      return undefined;
    }
    this.#bytes = bytes;
    const { partition, offset } = fetched;
    const record = { ...copyContent(fetched), partition, offset };
    this.#records.set(key, record);
    return record;
  }

  #remove(key: string): void {
    const known = this.#records.get(key);
    if (known === undefined) return;
    this.#bytes -= contentBytes(known);
    this.#records.delete(key);
    const previous = this.index.get(key);
    this.index.remove(key);
    this.#unpacked.delete(key);
    if (previous !== undefined) this.#options.onChange(previous.identity);
  }

  #put(key: string, identity: RecordIdentity, record: EncodedRecord): void {
    this.#unpacked.delete(key);
    const { version: Version, validFrom: StartDate, validTo: EndDate } = identity;
    // A newer version of the software may have added a status. A record with an unknown status is never selected.
    const Status = (identity.status ?? undefined) as ProductStatus & ItemStatus;
    this.index.put({ key, identity, encoded: record, Version, Status, StartDate, EndDate });
    this.#options.onChange(identity);
  }

  /** Reads the newest record of a key when its schema has been fetched, then any newer one that arrived meanwhile. */
  async #readLater(key: string): Promise<void> {
    let read: EncodedRecord | undefined;
    for (;;) {
      const record = this.#records.get(key);
      if (record === undefined || record === read || record === this.index.get(key)?.encoded) break;
      try {
        const identity = readIdentity(key, readPayload(await this.#options.codec.decode(record)));
        read = record;
        if (this.#records.get(key) === record) this.#put(key, identity, record);
      } catch (error) {
        if (isTransientFailure(error) && !this.#stopped) {
          this.#delayed.add(key);
          const { timers } = this.#options;
          await new Promise<void>((resolve) => timers.schedule(resolve, RETRY_MS, 'background'));
        } else {
          read = record;
          this.#skip(record, error);
        }
      }
    }
    this.#waiting.delete(key);
    this.#delayed.delete(key);
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

  #skip({ partition, offset }: Pick<EncodedRecord, 'partition' | 'offset'>, error: unknown): void {
    this.#badRecords += 1;
    const { log, topic } = this.#options;
    log.warn(
      { topic, partition, offset, reason: errorText(error) },
      'an unreadable catalogue record was skipped',
    );
  }
}

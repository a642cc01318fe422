import { errorText } from '../../platform/errors.ts';
import type { Health } from '../../platform/health.ts';
import type { Log } from '../../platform/log.ts';
import type { LogMessage } from '../message.ts';
import { contentBytes, copyContent, type MessageContent } from '../message-content.ts';
import type { Broker, Tail } from '../ports.ts';

/** The latest record of a key. */
export interface TableRecord extends MessageContent {
  readonly partition: number;
  readonly offset: number;
  readonly timestampMs: number;
}

export interface TableOptions {
  readonly broker: Pick<Broker, 'createTail'>;
  /** A compacted topic. */
  readonly topic: string;
  readonly clientId: string;
  readonly log: Log;
  /**
   * Validates each record, including tombstones: when it throws, the record is counted and the previous one is kept.
   */
  readonly check?: (message: LogMessage) => void;
  /** Called after each change; undefined: the key was removed. An error is logged. */
  readonly onChange?: (key: string, record: TableRecord | undefined) => void;
  /** Default 100,000. */
  readonly maxRecords?: number;
  /** Maximum total size of all values and headers in bytes. Default 256 MiB. */
  readonly maxBytes?: number;
  /** Time limit for the first read of the topic. Default 30,000 ms. */
  readonly catchUpTimeoutMs?: number;
}

export interface TableStats {
  readonly records: number;
  readonly bytes: number;
  readonly badRecords: number;
  /** Records that were left out because of the limits: the table is incomplete. */
  readonly leftOut: number;
}

/** The latest records of a compacted topic, in memory. */
export interface Table {
  /** Resolves when everything on the topic has been read. Rejects with `tail-behind` after the time limit. */
  start(): Promise<void>;
  /** Resolves when everything that was on the topic at the time of the call has been read (see Tail). */
  caughtUp(timeoutMs: number): Promise<void>;
  record(key: string): TableRecord | undefined;
  health(): Health;
  stats(): TableStats;
  stop(timeoutMs?: number): Promise<void>;
}

const MAX_RECORDS = 100_000;
const MAX_BYTES = 256 * 1_024 * 1_024;
const CATCH_UP_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

/** Keeps a compacted topic in memory, read without a consumer group; values stay encoded. */
export function createTable(options: TableOptions): Table {
  return new LogTable(options);
}

class LogTable implements Table {
  readonly #options: TableOptions;
  readonly #tail: Tail;
  readonly #records = new Map<string, TableRecord>();
  #isComplete = false;
  #bytes = 0;
  #badRecords = 0;
  #leftOut = 0;

  constructor(options: TableOptions) {
    this.#options = options;
    const { broker, clientId, topic } = options;
    this.#tail = broker.createTail({ clientId, topics: [topic], from: 'earliest' });
  }

  async start(): Promise<void> {
    await this.#tail.start((message) => this.#receive(message));
    await this.#tail.caughtUp(this.#options.catchUpTimeoutMs ?? CATCH_UP_TIMEOUT_MS);
    this.#isComplete = true;
  }

  caughtUp(timeoutMs: number): Promise<void> {
    return this.#tail.caughtUp(timeoutMs);
  }

  record(key: string): TableRecord | undefined {
    return this.#records.get(key);
  }

  health(): Health {
    const { topic } = this.#options;
    if (this.#leftOut > 0) return { status: 'starting', reason: `${topic} exceeds the limits of its table` };
    if (!this.#isComplete) return { status: 'starting', reason: `${topic} is being read` };
    return this.#tail.isReady()
      ? { status: 'ready' }
      : { status: 'degraded', reason: `${topic} is currently not being read` };
  }

  stats(): TableStats {
    return {
      records: this.#records.size,
      bytes: this.#bytes,
      badRecords: this.#badRecords,
      leftOut: this.#leftOut,
    };
  }

  async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
    await this.#tail.stop(timeoutMs);
  }

  #receive(message: LogMessage): void {
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

  #put(key: string, fetched: TableRecord): void {
    const { maxRecords = MAX_RECORDS, maxBytes = MAX_BYTES } = this.#options;
    const known = this.#records.get(key);
    const bytes = this.#bytes + contentBytes(fetched) - (known === undefined ? 0 : contentBytes(known));
    if (bytes > maxBytes || (known === undefined && this.#records.size >= maxRecords)) {
      this.#leftOut += 1;
      return;
    }
    this.#bytes = bytes;
    const { partition, offset, timestampMs } = fetched;
    const record = { ...copyContent(fetched), partition, offset, timestampMs };
    this.#records.set(key, record);
    this.#notify(key, record);
  }

  #remove(key: string): void {
    const known = this.#records.get(key);
    if (known === undefined) return;
    this.#bytes -= contentBytes(known);
    this.#records.delete(key);
    this.#notify(key, undefined);
  }

  #notify(key: string, record: TableRecord | undefined): void {
    try {
      this.#options.onChange?.(key, record);
    } catch (error) {
      this.#options.log.error({ err: error, topic: this.#options.topic }, 'a listener of a table failed');
    }
  }
}

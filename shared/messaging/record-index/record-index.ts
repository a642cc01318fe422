import { hash } from 'node:crypto';
import { errorText, InfrastructureError } from '../../platform/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Health } from '../../platform/health.ts';
import type { Log } from '../../platform/log.ts';
import { QUEUE_LIMITS } from '../../platform/queues/queue-limits.ts';
import type { Timers } from '../../platform/timers.ts';
import { partitionId, type PartitionOffset } from '../message.ts';
import { Generation, type IndexedRecord, type Progress, type Write } from './generation.ts';
import type { IndexFiles } from './index-files.ts';

const HOUR_MS = 3_600_000;

/** Bounds of an index. Tests shorten them. */
export interface IndexLimits {
  /** A generation of this size is followed by the next; about 1 GB on the disk. Each look-up of an unknown key asks all. */
  readonly generationRows: number;
  /** The longest time that a generation is ahead of all before it; it is removed as a whole when all its records are expired. */
  readonly generationSpanMs: number;
  /** Records that are not written yet, with an allowance for their objects. */
  readonly waitingBytes: number;
  /** Rows of an index in memory, with `DATA_DIR=memory`. It is full beyond them until a generation expires. */
  readonly memoryRows: number;
}

export const INDEX_LIMITS: IndexLimits = {
  generationRows: 5_000_000,
  generationSpanMs: 24 * HOUR_MS,
  waitingBytes: QUEUE_LIMITS.indexWaitingBytes,
  memoryRows: 500_000,
};

/** Rows are written together this long after the first: most records of a notification follow each other by less. */
const WRITE_DELAY_MS = 250;
/** Rows of one transaction: 1 to 3 ms on the event loop. */
const ROWS_PER_TRANSACTION = 128;
/** Transactions of a stop, which may not take long: what is not written then is read again from the topic. */
const LAST_TRANSACTIONS = 100;
/** Interval of attempts to write after a failure. */
const RETRY_MS = 1_000;
/** Memory of a waiting record in addition to its value: map slots, key, object. */
const WAITING_OVERHEAD_BYTES = 250;
const KEY_BYTES = 16;
/** Ids whose keys are remembered, and absent keys, each below a megabyte; far more than records that change at one time. */
const MAX_RECENT = 4_096;
/** A longer id is not remembered. */
const MAX_RECENT_CHARACTERS = 100;
/** SQLite's codes for a damaged file; extended codes, such as that of a damaged index, have them in their last byte. */
const PRIMARY_CODE = 0xff;
const DAMAGED_CODES: ReadonlySet<number> = new Set([11, 26]);
const READY: Health = { status: 'ready' };

export interface RecordIndexOptions {
  /** Name in the log. */
  readonly name: string;
  /** Undefined: in memory. */
  readonly files: IndexFiles | undefined;
  /** Records that are older are expired, in milliseconds; open ones never are. */
  readonly retentionMs: number;
  /** Measures the age of records; it should not jump ahead, since what expired is removed. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly limits?: Partial<IndexLimits>;
}

/**
 * The newest record of each key of compacted topics, in files with an index, so that memory does not limit how many there
 * are. It is a copy of the topics: positions are written in the same transaction as the records before them, a start
 * continues there, and lost files are built again. Keys are stored as 128 bits of their SHA-256.
 *
 * New records wait in memory and are written in turns of a few milliseconds. While they cannot be written `health` is not
 * ready, and `accepts` is false once too many wait: nothing is forgotten meanwhile, and the reader has to stop.
 */
export class RecordIndex {
  readonly #options: RecordIndexOptions;
  readonly #limits: IndexLimits;
  /** Oldest first; the last one is written. */
  readonly #generations: Generation[] = [];
  readonly #positions = new Map<string, PartitionOffset>();
  readonly #keys = new Keys();
  /** Keys that are in no file, of those that were looked up recently: a new one is looked up more than once. */
  readonly #absent = new Set<string>();
  #completeFromMs = 0;
  /** Not yet written. `#queue` is being written, in parts of which `#written` are done; `#front` has what came later. */
  #front = new Map<string, IndexedRecord | null>();
  #queued = new Map<string, IndexedRecord | null>();
  #queue: Write[] = [];
  #written = 0;
  #queuedProgress: Progress | undefined;
  #waitingBytes = 0;
  #isChanged = false;
  #cancelWrite: (() => void) | undefined;
  #failure: { readonly reason: string; readonly isDamaged: boolean } | undefined;
  #onRecovered: () => void = () => undefined;
  #isClosed = false;

  /** Opens the files. Damaged ones are removed: the records are then read again. */
  constructor(options: RecordIndexOptions) {
    this.#options = options;
    this.#limits = { ...INDEX_LIMITS, ...options.limits };
    try {
      for (const number of options.files?.generations ?? []) this.#open(number);
      // A killed process may leave the last one empty; SQLite takes any empty file for a new database.
      if (this.#generations.slice(0, -1).some(({ isEmpty }) => isEmpty)) throw new Error('a file is empty');
    } catch (error) {
      const { name, log } = options;
      log.warn({ index: name, error: errorText(error) }, 'the index is damaged and is built again');
      this.discard();
    }
    if (this.#generations.length === 0) this.#open(1);
    const progress = this.#lastProgress();
    this.#completeFromMs = progress?.completeFromMs ?? 0;
    for (const position of progress?.positions ?? []) this.#setPosition(position);
  }

  /** The newest record of the key. Throws InfrastructureError when the files cannot be read. */
  find(id: string): IndexedRecord | undefined {
    const row = this.#findRow(this.#keys.of(id));
    if (row === undefined || row.isOpen || row.writtenAtMs >= this.#expiredBeforeMs()) return row;
    return undefined;
  }

  /** Adds a record, which replaces the known one of its key. */
  put(id: string, row: IndexedRecord): void {
    this.#add(this.#keys.of(id), row);
  }

  delete(id: string): void {
    this.#add(this.#keys.of(id), null);
  }

  /** The records of this partition before the offset are in the index. */
  passed({ topic, partition, offset }: PartitionOffset): void {
    this.#setPosition({ topic, partition, offset });
    this.#changed();
  }

  /** Where each partition is read next; partitions that were not read yet are left out. */
  get positions(): readonly PartitionOffset[] {
    return [...this.#positions.values()];
  }

  /** The index has all records from this time on, in epoch milliseconds; earlier ones may be missing. 0: it has all. */
  get completeFromMs(): number {
    return this.#completeFromMs;
  }

  /** Records before this time were removed from the topic before the index had them. */
  setIncompleteBefore(timeMs: number): void {
    this.#completeFromMs = Math.max(this.#completeFromMs, timeMs);
    this.#changed();
  }

  /** The open records, at the start. */
  *openRecords(): Generator<IndexedRecord> {
    for (const generation of this.#generations) {
      for (const [key, row] of generation.openRows()) {
        if (this.#generationOf(key) === generation) yield row;
      }
    }
  }

  /** Whether another record can be added. If not, the reader must stop, and begin again at `positions`. */
  accepts(): boolean {
    return this.#failure === undefined || this.#waitingBytes < this.#limits.waitingBytes;
  }

  /** Called when records can be written again after a failure. */
  onRecovered(callback: () => void): void {
    this.#onRecovered = callback;
  }

  health(): Health {
    if (this.#failure === undefined) return READY;
    const { reason, isDamaged } = this.#failure;
    return { status: isDamaged ? 'unhealthy' : 'starting', reason };
  }

  /** Rows of replaced and expired records count until their generation is removed. */
  size(): { readonly records: number; readonly waiting: number } {
    const waiting = this.#front.size + this.#queue.length - this.#written;
    return { records: this.#generations.reduce((sum, { rows }) => sum + rows, waiting), waiting };
  }

  /** Forgets everything, so that the topics are read from their beginning. */
  discard(): void {
    for (const generation of this.#generations.splice(0)) generation.close();
    this.#options.files?.removeAll();
    this.#front.clear();
    this.#takeQueue();
    this.#queue = [];
    this.#queued.clear();
    this.#queuedProgress = undefined;
    this.#waitingBytes = 0;
    this.#positions.clear();
    this.#completeFromMs = 0;
    this.#open(1);
  }

  /** Writes what waits, as far as that is possible in a short time, and releases the files. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelWrite?.();
    for (let count = 0; count < LAST_TRANSACTIONS && this.#hasWork(); count += 1) {
      if (this.#failure === undefined) this.#writePart();
    }
    for (const generation of this.#generations) generation.close();
    this.#unlessFailing(() => this.#options.files?.close());
  }

  /**
   * Logs a failure instead of throwing it: the next start does not need this action. It uses unclosed files unless the machine
   * was restarted, and detects damage itself.
   */
  #unlessFailing(action: () => void): void {
    const { name, log } = this.#options;
    try {
      action();
    } catch (error) {
      log.warn({ index: name, error: errorText(error) }, 'the state of the index could not be written');
    }
  }

  /** The newest progress that was written; the last generation may have none if the process was killed. */
  #lastProgress(): Progress | undefined {
    return this.#generations.map((generation) => generation.progress()).findLast((one) => one !== undefined);
  }

  #expiredBeforeMs(): number {
    const { clock, retentionMs } = this.#options;
    return clock.now() - retentionMs;
  }

  #open(number: number): void {
    const file = this.#options.files?.fileOf(number) ?? ':memory:';
    this.#generations.push(new Generation(file, number));
  }

  #findRow(key: string): IndexedRecord | undefined {
    const waiting = this.#front.get(key) ?? (this.#front.has(key) ? null : this.#queued.get(key));
    if (waiting !== undefined) return waiting ?? undefined;
    if (this.#absent.has(key)) return undefined;
    try {
      for (let at = this.#generations.length - 1; at >= 0; at -= 1) {
        const row = this.#generations[at]?.find(key);
        if (row !== undefined) return row;
      }
      if (this.#absent.size >= MAX_RECENT) this.#absent.clear();
      this.#absent.add(key);
      return undefined;
    } catch (error) {
      this.#fail(error);
      throw new InfrastructureError('index-unavailable', 'the index cannot be read', error);
    }
  }

  #generationOf(key: string): Generation | undefined {
    return this.#generations.findLast((generation) => generation.find(key) !== undefined);
  }

  #add(key: string, row: IndexedRecord | null): void {
    this.#absent.delete(key);
    const former = this.#front.get(key);
    const bytes = bytesOf(row);
    this.#waitingBytes += bytes - (former === undefined ? 0 : bytesOf(former));
    this.#front.set(key, row);
    this.#changed();
    // Here, since not only a reader, which asks before it goes on, adds records.
    const { waitingBytes } = this.#limits;
    while (this.#waitingBytes >= waitingBytes && this.#failure === undefined && this.#hasWork())
      this.#writePart();
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
        this.#writePart();
        if (this.#cancelWrite !== undefined || this.#failure?.isDamaged === true) return;
        if (this.#failure !== undefined) this.#schedule(RETRY_MS);
        else if (this.#queue.length > this.#written) this.#schedule(0);
        else if (this.#isChanged) this.#schedule(WRITE_DELAY_MS);
      },
      afterMs,
      'background',
    );
  }

  #hasWork(): boolean {
    return this.#isChanged || this.#queuedProgress !== undefined;
  }

  /** Takes what waits, with the progress that it stands for. */
  #takeQueue(): void {
    this.#isChanged = false;
    this.#queued = this.#front;
    this.#queue = [...this.#front];
    this.#front = new Map();
    this.#written = 0;
    this.#queuedProgress = { positions: this.positions, completeFromMs: this.#completeFromMs };
  }

  /** Writes one transaction. A failure leaves everything as it was. */
  #writePart(): void {
    if (this.#failure?.isDamaged === true) return;
    if (this.#queuedProgress === undefined) {
      // After a failure, an empty transaction shows whether the files can be written again.
      if (!this.#isChanged && this.#failure === undefined) return;
      this.#takeQueue();
    }
    const rows = this.#queue.slice(this.#written, this.#written + ROWS_PER_TRANSACTION);
    const isLast = this.#written + rows.length === this.#queue.length;
    try {
      this.#makeRoom(rows.length);
      const removed = rows.flatMap(([key, row]) => (row === null ? [key] : []));
      for (const generation of this.#generations.slice(0, -1)) generation.remove(removed);
      this.#generations.at(-1)?.write(rows, isLast ? this.#queuedProgress : undefined);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#written += rows.length;
    for (const [key, row] of rows) {
      this.#queued.delete(key);
      this.#waitingBytes -= bytesOf(row);
    }
    if (isLast) this.#queuedProgress = undefined;
    this.#recover();
  }

  /** Removes the generations that are expired, and begins the next one when the last is large or long enough. */
  #makeRoom(added: number): void {
    const { generationRows, generationSpanMs, memoryRows } = this.#limits;
    const { files } = this.#options;
    const last = this.#generations.at(-1);
    if (last === undefined) throw new Error('the index has no generation');
    const rows = files === undefined ? Math.min(generationRows, Math.ceil(memoryRows / 4)) : generationRows;
    // An index that is built again reads old records of one partition between new ones of another. The span is counted from the
    // newest record of earlier generations, so that each new one is ahead of them, instead of each write beginning another.
    const reachedMs = Math.max(...this.#generations.slice(0, -1).map(({ newestAtMs }) => newestAtMs));
    if (last.rows >= rows || last.spanMs(reachedMs) >= generationSpanMs) {
      const progress = this.#lastProgress();
      this.#open(last.number + 1);
      // The older ones will be removed.
      if (progress !== undefined) this.#generations.at(-1)?.write([], progress);
      last.retire();
    }
    const beforeMs = this.#expiredBeforeMs();
    for (let oldest = this.#generations[0]; oldest !== undefined; oldest = this.#generations[0]) {
      if (this.#generations.length === 1 || oldest.newestAtMs >= beforeMs) break;
      this.#removeOldest(oldest);
    }
    const { records, waiting } = this.size();
    if (files === undefined && records - waiting + added > memoryRows) {
      throw new InfrastructureError(
        'index-full',
        `the index holds ${memoryRows} records in memory: set DATA_DIR`,
      );
    }
  }

  #removeOldest(oldest: Generation): void {
    const kept = [...oldest.openRows()].filter(([key]) => this.#generationOf(key) === oldest);
    this.#generations.at(-1)?.write(kept, undefined);
    this.#generations.shift();
    oldest.close();
    this.#options.files?.remove(oldest.number).catch((error: unknown) => {
      const { name, log } = this.#options;
      log.warn({ index: name, error: errorText(error) }, 'a file of the index could not be removed');
    });
  }

  #fail(error: unknown): void {
    const isDamaged = DAMAGED_CODES.has(((error as { errcode?: number }).errcode ?? 0) & PRIMARY_CODE);
    const reason = isDamaged
      ? `the index ${this.#options.name} is damaged: a restart builds it again`
      : `the index ${this.#options.name} cannot be written: ${errorText(error)}`;
    if (this.#failure?.reason !== reason) this.#options.log.error({ reason }, 'records are not indexed');
    this.#failure = { reason, isDamaged };
    if (isDamaged) this.#unlessFailing(() => this.#options.files?.markDamaged());
    else if (this.#cancelWrite === undefined) this.#schedule(RETRY_MS);
  }

  #recover(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#options.log.info({ index: this.#options.name }, 'records are indexed again');
    this.#onRecovered();
  }
}

/** The keys of ids. Those of recent ones are remembered: a record is looked up several times while it changes. */
class Keys {
  readonly #recent = new Map<string, string>();

  of(id: string): string {
    const known = this.#recent.get(id);
    if (known !== undefined) return known;
    const key = digest(id);
    if (id.length > MAX_RECENT_CHARACTERS) return key;
    if (this.#recent.size >= MAX_RECENT) this.#recent.clear();
    this.#recent.set(id, key);
    return key;
  }
}

/** 16 bytes as a string of one-byte characters, which is a cheap key of a map. */
function digest(id: string): string {
  return hash('sha256', id, 'buffer').toString('latin1', 0, KEY_BYTES);
}

function bytesOf(row: IndexedRecord | null): number {
  return WAITING_OVERHEAD_BYTES + (row?.value.length ?? 0);
}

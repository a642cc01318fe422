import path from 'node:path';
import type { StatementSync } from 'node:sqlite';
import type { Health } from '../../platform/health.ts';
import { errorText } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { type SystemPorts, repeat } from '../../platform/system-ports.ts';
import { dataError, DataFile, isFileDamaged, type DiskCalls } from '../data-file.ts';
import { partitionId, type PartitionOffset } from '../message.ts';
import type { TopicSpec } from '../ports.ts';
import { PartitionLog, type LogParts } from './partition-log.ts';
import { PartitionTable, type TableFigures } from './partition-table.ts';
import { parseTopicConfig, type EmbeddedTopicConfig, type MemoryLimits } from './topic-config.ts';

const FILE = 'broker.db';
const VERSION = 1;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS topics (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS partitions (topic INTEGER, partition INTEGER, records INTEGER NOT NULL,
    bytes INTEGER NOT NULL, low INTEGER NOT NULL, next INTEGER NOT NULL, PRIMARY KEY (topic, partition)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS commits (member_group TEXT, topic TEXT, partition INTEGER, offset INTEGER NOT NULL,
    PRIMARY KEY (member_group, topic, partition)) WITHOUT ROWID`;
/** While this many rows or bytes wait for a group commit, publishers wait. Writing them takes a few milliseconds. */
const MAX_QUEUED = { rows: 1_000, bytes: 4 * 1_048_576 };
const PROBE_INTERVAL_MS = 1_000;
/** Even a slow disk writes a few MiB within this time, so a longer group commit is reported. */
const STALLED_COMMIT_MS = 5_000;

export interface SqliteStoreOptions {
  readonly folder?: string | undefined;
  readonly limits: MemoryLimits;
  readonly specs?: readonly TopicSpec[] | undefined;
  readonly ports: Pick<SystemPorts, 'clock' | 'monotonic' | 'timers'>;
  readonly log?: Log | undefined;
  readonly onReadable: (log: PartitionLog) => void;
  readonly disk?: DiskCalls | undefined;
}

export interface StoredTopic {
  readonly id: number;
  readonly spec: TopicSpec;
  readonly config: EmbeddedTopicConfig;
  readonly logs: readonly PartitionLog[];
  nextPartition: number;
}

/** A group commit failed. `isMaybeStored`: its records may be on the log after a restart. */
export class FlushError extends Error {
  override readonly name = 'FlushError';
  readonly isMaybeStored: boolean;

  constructor(cause: unknown, isMaybeStored: boolean) {
    super(`the data folder cannot be written: ${errorText(cause)}`, { cause });
    this.isMaybeStored = isMaybeStored;
  }
}

interface Failure {
  readonly reason: string;
  /** Only a restart can help, for example because the state of the file is unknown after a failed fdatasync. */
  readonly isPermanent: boolean;
}

/** Rows added during a group commit are written by the next one. Without a folder, only compacted topics have rows. */
export class SqliteStore implements LogParts {
  readonly topics = new Map<string, StoredTopic>();
  readonly commits: ReadonlyMap<string, readonly PartitionOffset[]>;
  readonly #options: SqliteStoreOptions;
  readonly #path: string | undefined;
  readonly #file: DataFile;
  readonly #statements = new Map<string, StatementSync>();
  #lastId = 0;
  readonly #stored = new Map<string, number>();
  /** Topics to create. The next group commit that succeeds begins with them. */
  #changes: (() => void)[] = [];
  #queue: (() => void)[] = [];
  #queued = new Set<PartitionLog>();
  #queuedBytes = 0;
  /** The group commit that will store what is added now, and the one in progress. */
  #next: PromiseWithResolvers<void> | undefined;
  #current: PromiseWithResolvers<void> | undefined;
  #currentSinceMs = 0;
  #running: Promise<void> | undefined;
  #failure: Failure | undefined;
  #stopProbes: (() => void) | undefined;
  #isClosed = false;

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
    const { folder, disk } = options;
    this.#path = folder === undefined ? undefined : path.join(folder, FILE);
    this.#file = new DataFile(SCHEMA, VERSION, this.#path, disk);
    try {
      this.commits = this.#readCommits();
      this.#readTopics();
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** The topic is durable once flushed() resolves. */
  createTopic(spec: TopicSpec, config: EmbeddedTopicConfig): void {
    const id = this.#lastId + 1;
    this.#addTopic(id, spec, config);
    if (this.#path === undefined) return;
    this.#changes.push(() =>
      this.#run('INSERT INTO topics VALUES (?, ?, ?)', id, spec.topic, JSON.stringify(spec)),
    );
    this.#schedule();
  }

  /** Durable once flushed() resolves. An offset is skipped if only records in memory follow the stored offset. */
  saveCommits(groupId: string, offsets: readonly PartitionOffset[]): void {
    if (this.#path === undefined) return;
    for (const { topic, partition, offset } of offsets) {
      const known = this.topics.get(topic);
      const log = known?.logs[partition];
      if (log?.table === undefined) continue;
      const id = `${groupId} ${partitionId(topic, partition)}`;
      const isStored = Math.max(0, this.#stored.get(id) ?? 0) > log.lastStored;
      if (known?.spec.storage === 'as-reply' && isStored && offset >= 0) continue;
      this.#stored.set(id, offset);
      const sql = 'INSERT OR REPLACE INTO commits VALUES (?, ?, ?, ?)';
      this.#queue.push(() => this.#run(sql, groupId, topic, partition, offset));
      this.#schedule();
    }
  }

  /** Resolves when everything that was added is durable; undefined if it already is. Rejects with FlushError. */
  flushed(): Promise<void> | undefined {
    // Topics are left from a group commit that failed: try again.
    if (this.#changes.length > 0 && this.#next === undefined) this.#schedule();
    return (this.#next ?? this.#current)?.promise;
  }

  health(): Health {
    if (this.#failure !== undefined) {
      const { reason, isPermanent } = this.#failure;
      return { status: isPermanent ? 'unhealthy' : 'starting', reason };
    }
    const sinceMs =
      this.#current === undefined ? 0 : this.#options.ports.monotonic.elapsedMs() - this.#currentSinceMs;
    if (sinceMs <= STALLED_COMMIT_MS) return { status: 'ready' };
    const seconds = Math.round(sinceMs / 1_000);
    const reason = `${this.#options.folder} cannot be written (a write has not ended for ${seconds} s): check the disk`;
    return { status: 'starting', reason };
  }

  /** Writes what is left, however long the disk takes. A process that ends earlier loses what was not committed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopProbes?.();
    while (this.#running !== undefined) await this.#running;
    try {
      this.#file.close();
    } catch (error) {
      this.#options.log?.warn({ error: errorText(error) }, 'the data folder was not closed');
    }
  }

  #readTopics(): void {
    const { specs, limits } = this.#options;
    for (const row of this.#file.database.prepare('SELECT id, spec FROM topics ORDER BY id').all()) {
      const stored = JSON.parse(String(row['spec'])) as TopicSpec;
      const known = specs?.find(({ topic }) => topic === stored.topic);
      const spec = known === undefined ? stored : { ...known, partitions: stored.partitions };
      this.#addTopic(Number(row['id']), spec, parseTopicConfig(spec, limits));
    }
  }

  #addTopic(id: number, spec: TopicSpec, config: EmbeddedTopicConfig): void {
    const { topic, partitions, storage } = spec;
    const { database } = this.#file;
    const isCompacted = config.compact;
    const hasTable = this.#path === undefined ? isCompacted : storage !== 'memory';
    const groups = [...this.commits.values()].flat().filter((offset) => offset.topic === topic);
    const logs = Array.from({ length: partitions }, (_, partition) => {
      const figures = this.#figures(id, partition);
      const name = `records_${id}_${partition}`;
      const table = hasTable
        ? new PartitionTable({ database, name, topic, partition, isCompacted, figures })
        : undefined;
      // A group may have committed offsets of records in memory, beyond the last stored record.
      const committed = groups.filter((offset) => offset.partition === partition);
      const end = Math.max(figures?.next ?? 0, ...committed.map(({ offset }) => offset));
      const isEager = storage !== undefined;
      return new PartitionLog({ topic, partition, config, table, isEager, end }, this);
    });
    this.#lastId = id;
    this.topics.set(topic, { id, spec, config, logs, nextPartition: 0 });
  }

  #figures(id: number, partition: number): (TableFigures & { readonly next: number }) | undefined {
    const sql = 'SELECT records, bytes, low, next FROM partitions WHERE topic = ? AND partition = ?';
    const row = this.#file.database.prepare(sql).get(id, partition);
    if (row === undefined) return undefined;
    const { records, bytes, low, next } = row;
    return { records: Number(records), bytes: Number(bytes), low: Number(low), next: Number(next) };
  }

  #readCommits(): ReadonlyMap<string, readonly PartitionOffset[]> {
    const groups = new Map<string, PartitionOffset[]>();
    for (const row of this.#file.database.prepare('SELECT * FROM commits').all()) {
      const [groupId, topic] = [String(row['member_group']), String(row['topic'])];
      const [partition, offset] = [Number(row['partition']), Number(row['offset'])];
      groups.set(groupId, [...(groups.get(groupId) ?? []), { topic, partition, offset }]);
      this.#stored.set(`${groupId} ${partitionId(topic, partition)}`, offset);
    }
    return groups;
  }

  #saveFigures(log: PartitionLog): void {
    const topic = this.topics.get(log.topic);
    if (topic === undefined || log.table === undefined) return;
    const { records, bytes, low } = log.table.figures;
    const sql = 'INSERT OR REPLACE INTO partitions VALUES (?, ?, ?, ?, ?, ?)';
    this.#run(sql, topic.id, log.partition, records, bytes, low, log.end);
  }

  #run(sql: string, ...values: readonly (string | number)[]): void {
    const statement = this.#statements.get(sql) ?? this.#file.database.prepare(sql);
    this.#statements.set(sql, statement);
    statement.run(...values);
  }

  onReadable(log: PartitionLog): void {
    this.#options.onReadable(log);
  }

  isCongested(): boolean {
    return this.#queue.length >= MAX_QUEUED.rows || this.#queuedBytes >= MAX_QUEUED.bytes;
  }

  runNow(log: PartitionLog, work: () => void): boolean {
    if (this.#isClosed || this.#failure !== undefined) return true;
    if (this.#file.isBusy) return false;
    try {
      this.#file.transaction(() => {
        work();
        this.#saveFigures(log);
      });
      // A group commit also moves the write-ahead log to the file if that is due.
      if (this.#file.isCheckpointDue) this.#schedule();
    } catch (error) {
      this.#restore(log);
      this.#fail(error, isFileDamaged(error));
    }
    return true;
  }

  enqueue(log: PartitionLog, work: () => void, bytes: number): boolean {
    if (this.#path === undefined) {
      work();
      return false;
    }
    this.#queued.add(log);
    this.#queuedBytes += bytes;
    this.#queue.push(work);
    this.#schedule();
    return true;
  }

  #schedule(): void {
    if (this.#next === undefined) {
      this.#next = Promise.withResolvers<void>();
      // There may be no waiter: after a probe, or if a call was rejected for another reason.
      this.#next.promise.catch(() => undefined);
    }
    this.#running ??= this.#commitAll();
  }

  async #commitAll(): Promise<void> {
    const { monotonic, timers } = this.#options.ports;
    // Waits for the end of this turn of the event loop, so that everything added in it is in the same commit.
    await new Promise<void>((resolve) => timers.nextTurn(resolve));
    do {
      const commit = this.#next;
      this.#next = undefined;
      this.#current = commit;
      this.#currentSinceMs = monotonic.elapsedMs();
      if (commit !== undefined) await this.#commit(commit);
      this.#current = undefined;
    } while (this.#next !== undefined);
    this.#running = undefined;
  }

  async #commit(commit: PromiseWithResolvers<void>): Promise<void> {
    const logs = [...this.#queued];
    try {
      if (this.#failure?.isPermanent === true) throw new Error(this.#failure.reason);
      this.#file.transaction(() => {
        for (const work of [...this.#changes, ...this.#queue]) work();
        for (const log of logs) this.#saveFigures(log);
      });
      this.#changes = [];
      this.#clearQueue();
    } catch (cause) {
      this.#fail(cause, isFileDamaged(cause));
      commit.reject(this.#loseQueue(cause));
      return;
    }
    for (const log of logs) log.written();
    try {
      await this.#file.sync();
      this.#recovered();
      commit.resolve();
      for (const log of logs) log.settled();
      if (this.#file.isCheckpointDue) await this.#file.checkpoint();
    } catch (cause) {
      this.#fail(cause, true);
      commit.reject(new FlushError(cause, true));
      // Records added meanwhile may be results of those that failed, so they fail, too.
      this.#next?.reject(this.#loseQueue(cause));
      this.#next = undefined;
    }
  }

  #loseQueue(cause: unknown): FlushError {
    for (const log of this.#queued) {
      this.#restore(log);
      log.lost();
    }
    this.#clearQueue();
    this.#stored.clear();
    return new FlushError(cause, false);
  }

  #clearQueue(): void {
    this.#queue = [];
    this.#queued.clear();
    this.#queuedBytes = 0;
  }

  #restore({ topic, partition, table }: PartitionLog): void {
    const { id } = this.topics.get(topic) ?? {};
    try {
      if (id !== undefined) table?.restore(this.#figures(id, partition));
    } catch (error) {
      this.#fail(error, true);
    }
  }

  readFailed(error: unknown): Error {
    this.#fail(error, true);
    return dataError(this.#path ?? 'memory', error);
  }

  #fail(error: unknown, isPermanent: boolean): void {
    if (this.#failure?.isPermanent === true) return;
    const remedy = isFileDamaged(error)
      ? 'restore the data folder from a copy'
      : 'check the disk and restart';
    const advice = isPermanent ? remedy : 'free some space';
    const reason = `${this.#options.folder} cannot be written (${errorText(error)}): ${advice}`;
    if (this.#failure === undefined || isPermanent)
      this.#options.log?.error({ reason }, 'messages are not stored');
    this.#failure = { reason, isPermanent };
    const { timers } = this.#options.ports;
    this.#stopProbes ??= repeat(timers, () => this.#tryAgain(), PROBE_INTERVAL_MS, 'background');
  }

  /** Writes a meaningless row as a probe, because clients publish nothing while the broker is not healthy. */
  #tryAgain(): void {
    if (this.#failure?.isPermanent !== false) return this.#stopProbes?.();
    this.#queue.push(() => this.#run("INSERT OR REPLACE INTO commits VALUES ('', '', 0, 0)"));
    this.#schedule();
  }

  #recovered(): void {
    if (this.#failure?.isPermanent !== false) return;
    this.#failure = undefined;
    this.#stopProbes?.();
    this.#stopProbes = undefined;
    this.#options.log?.info({}, 'messages are stored again');
  }
}

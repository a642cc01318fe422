import path from 'node:path';
import { errorText, isOutOfFiles, RAISE_OPEN_FILES } from '../../platform/errors.ts';
import type { Health } from '../../platform/health.ts';
import type { Log } from '../../platform/log.ts';
import type { SystemPorts } from '../../platform/system-ports.ts';
import { repeat, sleep } from '../../platform/timers.ts';
import { openDataFolder } from './data-folder.ts';
import { folderError } from './disk-errors.ts';
import { isDiskFull, isSyncFailure, systemIo, type DiskIo, type FolderLock } from './disk-io.ts';
import { DiskTopic, type TopicParts, type TopicPlace } from './disk-topic.ts';
import { Journal } from './commit-journal.ts';
import { redoJournal } from './redo-journal.ts';
import { rewriteSegments } from './rewrite-segments.ts';
import { SegmentFiles } from './segment-files.ts';
import {
  FlushError,
  type LogStore,
  type OnReadable,
  type PartitionLog,
  type StoredTopic,
} from '../embedded/log-store.ts';
import { parseTopicConfig, type MemoryLimits, type EmbeddedTopicConfig } from '../embedded/topic-config.ts';
import type { PartitionOffset } from '../message.ts';
import type { TopicSpec } from '../ports.ts';

/** Records that wait for a group commit; publishers wait beyond it. Bounds the memory while the disk is slow. */
const MAX_WAITING_BYTES = 16 * 1_048_576;
/**
 * Records that no reader waits for share a commit for this time: a sync costs a quarter of a millisecond of processor time.
 */
const COMMIT_DELAY_MS = 10;
/** A file of the journal is closed at this length. A start after a crash reads two at most. */
const JOURNAL_BYTES = 16 * 1_048_576;
/** Interval at which a store whose disk was full tries to write. */
const PROBE_INTERVAL_MS = 1_000;
/** A slow disk writes 16 MiB and syncs a few files within this time. Callers wait longer, so that they see few errors before. */
const STALLED_COMMIT_MS = 5_000;
/** Less than the five seconds that a process has after its drain. What is left then is done by the next start. */
const CLOSE_LIMIT_MS = 4_000;
const TOPICS_FOLDER = 'topics';
const DELETED_FOLDER = 'deleted';
const COMMITS_FOLDER = 'commits';
const JOURNAL_FOLDER = 'journal';
/** The committed offsets: one compacted log, the latest of each group and partition, as on Kafka. */
const COMMITS_SPEC: TopicSpec = { topic: '__consumer_offsets', partitions: 1 };
const COMMITS_CONFIG: EmbeddedTopicConfig = {
  compact: true,
  delete: false,
  retentionMs: Infinity,
  deleteRetentionMs: 0,
  maxMessageBytes: Infinity,
  maxRecords: Infinity,
  maxBytes: Infinity,
  keptRecords: Infinity,
  keptBytes: Infinity,
};
/** Limits of one read of the committed offsets at the start. */
const LOAD_RECORDS = 1_000;
const LOAD_BYTES = 1_048_576;

export interface DiskStoreOptions {
  /** Is created if it is missing; one process at a time may have it open. */
  readonly folder: string;
  /** Limits of each topic. */
  readonly limits: MemoryLimits;
  /** The topics as this version defines them: the settings of stored ones follow, their partitions stay. */
  readonly specs?: readonly TopicSpec[];
  readonly ports: Pick<SystemPorts, 'clock' | 'monotonic' | 'timers' | 'newId'>;
  readonly log?: Log;
  /** For tests only. */
  readonly io?: DiskIo;
  /** For tests only: length of a file of the journal. */
  readonly journalBytes?: number;
}

/**
 * Keeps topics, records and committed offsets in a folder. Everything that is added while a group commit is in progress is
 * written and made durable together by the next one. Throws MessagingError `data-in-use`, `data-damaged` or `data-unusable`.
 */
export function openDiskStore(options: DiskStoreOptions): LogStore {
  return new DiskStore(options, openDataFolder(options.folder, options.io ?? systemIo));
}

/** Why nothing is stored at present. */
interface Failure {
  readonly reason: string;
  /** Only a restart can help: after a failed fdatasync the state of the file is unknown. */
  readonly isPermanent: boolean;
}

class DiskStore implements LogStore {
  readonly topics: readonly StoredTopic[];
  readonly commits: ReadonlyMap<string, readonly PartitionOffset[]>;
  readonly #options: DiskStoreOptions;
  readonly #lock: FolderLock;
  readonly #io: DiskIo;
  readonly #files: SegmentFiles;
  readonly #journal: Journal;
  readonly #open = new Map<string, DiskTopic>();
  readonly #deleted = new Set<DiskTopic>();
  readonly #commits: DiskTopic;
  #onReadable: OnReadable = () => undefined;
  #waitingBytes = 0;
  /** The group commit that takes what is added now. */
  #next: PromiseWithResolvers<void> | undefined;
  /** The group commit in progress. */
  #current: PromiseWithResolvers<void> | undefined;
  #currentSinceMs = 0;
  /** A reader or caller waits for it. */
  #isNextUrgent = false;
  #cancelDelay: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #checkpoint: Promise<void> | undefined;
  #failure: Failure | undefined;
  /** The first record that could not be read back. */
  #damage: string | undefined;
  #stopProbes: (() => void) | undefined;
  #reclaiming: Promise<void> | undefined;
  /** Topics were deleted, and the entries of their folder are not yet durable. */
  #isFolderChanged = false;
  #isClosed = false;
  #deletions = 0;
  /** The highest id of a segment of deleted topics: a file that is being removed is not one of a new topic of that name. */
  #lastDeletedId = 0;

  constructor(options: DiskStoreOptions, lock: FolderLock) {
    this.#options = options;
    this.#lock = lock;
    this.#io = options.io ?? systemIo;
    this.#files = new SegmentFiles(this.#io);
    this.#journal = new Journal({
      folder: this.#path(JOURNAL_FOLDER),
      io: this.#io,
      newId: options.ports.newId,
      maxFileBytes: options.journalBytes ?? JOURNAL_BYTES,
    });
    try {
      for (const name of [TOPICS_FOLDER, DELETED_FOLDER, JOURNAL_FOLDER])
        this.#io.makeFolder(this.#path(name));
      for (const folder of [this.#path(TOPICS_FOLDER), options.folder]) this.#io.syncFolderNow(folder);
      redoJournal(this.#journal, options.folder, this.#io);
      this.topics = this.#openTopics();
      this.#commits = this.#openCommits();
      this.commits = this.#storedCommits();
      for (const name of this.#io.list(this.#path(DELETED_FOLDER)))
        this.#io.remove(this.#path(DELETED_FOLDER, name));
    } catch (error) {
      this.#files.close();
      lock.release();
      throw folderError(options.folder, error);
    }
  }

  open(onReadable: OnReadable): void {
    this.#onReadable = onReadable;
  }

  createLogs(spec: TopicSpec, config: EmbeddedTopicConfig): readonly PartitionLog[] {
    const topic = this.#createTopic(spec, config);
    this.#open.set(spec.topic, topic);
    this.#schedule(true);
    return topic.logs;
  }

  #createTopic(spec: TopicSpec, config: EmbeddedTopicConfig): DiskTopic {
    try {
      const place = { ...this.#placeOf(TOPICS_FOLDER, spec.topic), spec, config };
      return DiskTopic.create(place, this.#parts(), this.#lastDeletedId);
    } catch (error) {
      throw folderError(this.#options.folder, error);
    }
  }

  deleteLogs(name: string): void {
    const topic = this.#open.get(name);
    if (topic === undefined) return;
    this.#deletions += 1;
    let commits: readonly Buffer[];
    try {
      // Before anything changes: what fails leaves the topic as it is.
      commits = this.#commitsOf(name);
      topic.markDeleted(this.#path(DELETED_FOLDER, String(this.#deletions)));
    } catch (error) {
      throw folderError(this.#options.folder, error);
    }
    this.#open.delete(name);
    this.#deleted.add(topic);
    this.#lastDeletedId = Math.max(this.#lastDeletedId, topic.lastId);
    this.#isFolderChanged = true;
    for (const key of commits) this.#appendCommit(key, null);
    this.#schedule(true);
  }

  saveCommits(groupId: string, offsets: readonly PartitionOffset[]): void {
    for (const { topic, partition, offset } of offsets) {
      this.#appendCommit(commitKey(groupId, topic, partition), Buffer.from(String(offset)));
    }
  }

  flushed(): Promise<void> | undefined {
    const commit = this.#next ?? this.#current;
    if (commit !== undefined) return commit.promise;
    // What a failed commit left: a topic that was created or deleted.
    const isLeft = this.#isFolderChanged || [...this.#open.values()].some((topic) => topic.isNew);
    if (isLeft) this.#schedule(true);
    return this.#next?.promise;
  }

  reclaim(): void {
    if (this.#isClosed || this.#reclaiming !== undefined) return;
    this.#commits.logs[0]?.compact(this.#options.ports.clock.now());
    this.#reclaiming = this.#reclaimAll().finally(() => {
      this.#reclaiming = undefined;
    });
  }

  health(): Health {
    if (this.#failure !== undefined) {
      const { reason, isPermanent } = this.#failure;
      return { status: isPermanent ? 'unhealthy' : 'starting', reason };
    }
    const sinceMs = this.#current === undefined ? 0 : this.#nowMs() - this.#currentSinceMs;
    if (sinceMs > STALLED_COMMIT_MS) {
      const seconds = Math.round(sinceMs / 1_000);
      const reason = `${this.#options.folder} cannot be written (a write has not ended for ${seconds} s): check the disk`;
      return { status: 'starting', reason };
    }
    return this.#damage === undefined ? { status: 'ready' } : { status: 'degraded', reason: this.#damage };
  }

  #nowMs(): number {
    return this.#options.ports.monotonic.elapsedMs();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopProbes?.();
    const ended = new AbortController();
    const ending = this.#end().finally(() => ended.abort());
    await Promise.race([ending, sleep(this.#options.ports.timers, CLOSE_LIMIT_MS, ended.signal)]);
    if (ended.signal.aborted) return;
    const seconds = CLOSE_LIMIT_MS / 1_000;
    this.#options.log?.warn({ seconds }, 'the data folder was not closed: the disk does not finish a write');
  }

  async #end(): Promise<void> {
    while (this.#next !== undefined || this.#running !== undefined) {
      this.#start();
      await this.#running;
    }
    await this.#reclaiming;
    await this.#checkpoint;
    const isClean = await this.#closeTopics();
    this.#journal.close(isClean);
    this.#files.close();
    this.#lock.release();
  }

  /** Returns whether all segments are synced, so that the journal is not needed. */
  async #closeTopics(): Promise<boolean> {
    const topics = [...this.#open.values(), this.#commits];
    let isClean = this.#failure === undefined;
    try {
      for (const topic of isClean ? topics : []) {
        await topic.syncSegments();
        await topic.saveRemovals();
      }
    } catch (error) {
      isClean = false;
      this.#options.log?.warn({ error: errorText(error) }, 'the data folder was not closed');
    }
    for (const topic of topics) topic.close(isClean);
    this.#removeDeleted();
    return isClean;
  }

  #path(...names: readonly string[]): string {
    return path.join(this.#options.folder, ...names);
  }

  #parts(): TopicParts {
    return {
      io: this.#io,
      files: this.#files,
      newId: this.#options.ports.newId,
      onDamage: (error) => {
        if (this.#damage === undefined)
          this.#options.log?.error({ reason: error.message }, 'a record is damaged');
        this.#damage ??= error.message;
      },
      isCongested: () => this.#waitingBytes >= MAX_WAITING_BYTES,
      onEnqueued: (log, bytes, isUrgent) => {
        this.#waitingBytes += bytes;
        this.#schedule(isUrgent);
        this.#onReadable(log, 'eager');
      },
    };
  }

  #placeOf(...names: readonly string[]): Pick<TopicPlace, 'folder' | 'name'> {
    return { folder: this.#path(...names), name: names.join('/') };
  }

  #openTopics(): StoredTopic[] {
    const read = (stored: TopicSpec): Pick<TopicPlace, 'spec' | 'config'> => {
      const config =
        this.#options.specs?.find(({ topic }) => topic === stored.topic)?.config ?? stored.config;
      const spec = config === undefined ? stored : { ...stored, config };
      return { spec, config: parseTopicConfig(spec, this.#options.limits) };
    };
    return this.#io.list(this.#path(TOPICS_FOLDER)).flatMap((name) => {
      const topic = DiskTopic.open(this.#placeOf(TOPICS_FOLDER, name), read, this.#parts());
      if (topic === undefined) return [];
      this.#open.set(topic.spec.topic, topic);
      return [{ spec: topic.spec, config: topic.config, logs: topic.logs }];
    });
  }

  #openCommits(): DiskTopic {
    const place = { ...this.#placeOf(COMMITS_FOLDER), spec: COMMITS_SPEC, config: COMMITS_CONFIG };
    const isThere = this.#io.list(this.#options.folder).includes(COMMITS_FOLDER);
    const stored = isThere ? DiskTopic.open(place, () => place, this.#parts()) : undefined;
    return stored ?? DiskTopic.create(place, this.#parts());
  }

  /** The committed offsets of the topics that are there: a crash may have come between the end of a topic and theirs. */
  #storedCommits(): ReadonlyMap<string, readonly PartitionOffset[]> {
    const all = readCommits(this.#commits);
    for (const [groupId, offsets] of all) {
      const isLost = ({ topic }: PartitionOffset): boolean => !this.#open.has(topic);
      for (const { topic, partition } of offsets.filter(isLost)) {
        this.#appendCommit(commitKey(groupId, topic, partition), null);
      }
      all.set(
        groupId,
        offsets.filter((offset) => !isLost(offset)),
      );
    }
    return all;
  }

  /** Leaves what was added to the next group commit, and begins it if it is urgent. */
  #schedule(isUrgent: boolean): void {
    if (this.#next === undefined) {
      this.#next = Promise.withResolvers<void>();
      // The caller may have stopped waiting: a probe, or a call that was rejected for another reason.
      this.#next.promise.catch(() => undefined);
    }
    this.#isNextUrgent ||= isUrgent;
    if (this.#running === undefined) this.#startInTime();
  }

  #startInTime(): void {
    if (this.#isNextUrgent || this.#isClosed) this.#start();
    else this.#cancelDelay ??= this.#options.ports.timers.schedule(() => this.#start(), COMMIT_DELAY_MS);
  }

  #start(): void {
    this.#cancelDelay?.();
    this.#cancelDelay = undefined;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    const { timers } = this.#options.ports;
    // At the end of this turn of the event loop, so that everything of the turn is in the same commit.
    await new Promise<void>((resolve) => timers.nextTurn(resolve));
    do {
      const commit = this.#next;
      this.#next = undefined;
      this.#isNextUrgent = false;
      this.#current = commit;
      this.#currentSinceMs = this.#nowMs();
      if (commit !== undefined) await this.#commitNext(commit);
      this.#current = undefined;
    } while (this.#isNextUrgent);
    this.#running = undefined;
    if (this.#next !== undefined) this.#startInTime();
  }

  async #commitNext(commit: PromiseWithResolvers<void>): Promise<void> {
    const topics = [...this.#open.values(), this.#commits].filter((topic) => topic.isDirty);
    for (const topic of topics) topic.take();
    try {
      await this.#commitAll(topics);
      commit.resolve();
    } catch (error) {
      commit.reject(error);
      // What came meanwhile may be the result of what failed.
      this.#next?.reject(new FlushError(errorText(error), { isMaybeStored: false, cause: error }));
      this.#next = undefined;
      this.#isNextUrgent = false;
      return;
    }
    for (const topic of topics) await this.#apply(topic);
    this.#removeDeleted();
    this.#checkpointIfDue();
  }

  /** Makes the records of the topics durable in the journal. Rejects with FlushError. */
  async #commitAll(topics: readonly DiskTopic[]): Promise<void> {
    let stage: 'none' | 'written' | 'syncing' = 'none';
    try {
      if (this.#failure?.isPermanent === true) throw new Error(this.#failure.reason);
      await allDone(topics.map((topic) => topic.prepare()));
      await this.#syncDeletions();
      await this.#prepareJournal();
      const parts = topics.flatMap((topic) => {
        const piece = topic.piece();
        return piece === undefined ? [] : [{ topic, piece }];
      });
      if (parts.length > 0) {
        const pieces = parts.map(({ piece }) => piece);
        const bytes = this.#journal.write(pieces, (index, content) => parts[index]?.topic.fill(content));
        stage = 'syncing';
        await this.#journal.sync();
        this.#journal.commit(bytes);
      }
    } catch (cause) {
      throw this.#failed(cause, stage === 'syncing');
    }
    this.#recovered();
  }

  /** Gives up everything that is not durable, since it may depend on what failed. Returns the error of its publishes. */
  #failed(cause: unknown, isSyncing: boolean): FlushError {
    if (this.#failure?.isPermanent !== true) {
      this.#fail(cause, (isSyncing || isSyncFailure(cause)) && !isDiskFull(cause));
      try {
        this.#journal.rollBack();
      } catch (error) {
        this.#fail(error, true);
      }
    }
    for (const topic of [...this.#open.values(), this.#commits]) this.#waitingBytes -= topic.giveUp();
    const text = `the data folder cannot be written: ${errorText(cause)}`;
    return new FlushError(text, { isMaybeStored: isSyncing, cause });
  }

  /** Writes durable records to their segment, however long the disk is full, and wakes their readers. */
  async #apply(topic: DiskTopic): Promise<void> {
    for (;;) {
      try {
        const { logs, bytes } = topic.apply();
        this.#waitingBytes -= bytes;
        this.#recovered();
        for (const log of logs) this.#onReadable(log, 'durable');
        return;
      } catch (error) {
        // No further commit may follow at their place: the next start has them from the journal.
        this.#fail(error, !isDiskFull(error) || this.#isClosed);
      }
      if (this.#failure?.isPermanent === true) return;
      await sleep(this.#options.ports.timers, PROBE_INTERVAL_MS);
    }
  }

  async #syncDeletions(): Promise<void> {
    if (!this.#isFolderChanged) return;
    this.#isFolderChanged = false;
    try {
      await this.#io.syncFolder(this.#path(TOPICS_FOLDER));
    } catch (error) {
      this.#isFolderChanged = true;
      throw error;
    }
  }

  /** Two files of the journal exist at most: a third begins when the segments of the first are synced. */
  async #prepareJournal(): Promise<void> {
    if (this.#journal.isFull) await this.#checkpoint;
    await this.#journal.prepare();
  }

  #checkpointIfDue(): void {
    if (this.#checkpoint !== undefined || !this.#journal.hasClosed || this.#failure !== undefined) return;
    this.#checkpoint = this.#syncSegments().finally(() => {
      this.#checkpoint = undefined;
      this.#removeDeleted();
    });
  }

  /** Syncs what has been written to segments, and removes the files of the journal that held it. */
  async #syncSegments(): Promise<void> {
    const files = this.#journal.takeClosed();
    try {
      for (const topic of [...this.#open.values(), this.#commits]) await topic.syncSegments();
      await this.#journal.removeFiles(files);
    } catch (error) {
      // A second sync could succeed without effect. The next start writes the segments again.
      this.#fail(error, true);
    }
  }

  #fail(error: unknown, isPermanent: boolean): void {
    const remedy = isOutOfFiles(error) ? RAISE_OPEN_FILES : undefined;
    const advice = isPermanent ? `${remedy ?? 'check the disk'} and restart` : (remedy ?? 'free some space');
    const reason = `${this.#options.folder} cannot be written (${errorText(error)}): ${advice}`;
    if (this.#failure === undefined || isPermanent)
      this.#options.log?.error({ reason }, 'messages are not stored');
    if (this.#failure?.isPermanent === true) return;
    this.#failure = { reason, isPermanent };
    const { timers } = this.#options.ports;
    this.#stopProbes ??= repeat(timers, () => this.#tryAgain(), PROBE_INTERVAL_MS, 'background');
  }

  /** Writes a record without meaning, for nothing else may be published while the broker is not healthy. */
  #tryAgain(): void {
    if (this.#failure?.isPermanent === false) this.#appendCommit(Buffer.from('[]'), null);
    else this.#stopProbes?.();
  }

  #recovered(): void {
    if (this.#failure === undefined || this.#failure.isPermanent) return;
    this.#failure = undefined;
    this.#stopProbes?.();
    this.#stopProbes = undefined;
    this.#options.log?.info({}, 'messages are stored again');
  }

  #appendCommit(key: Buffer, value: Buffer | null): void {
    const message = { topic: COMMITS_SPEC.topic, key, value };
    this.#commits.logs[0]?.append(message, key, this.#options.ports.clock.now());
  }

  /** The keys of the committed offsets of a topic. */
  #commitsOf(topic: string): Buffer[] {
    return [...readCommits(this.#commits)].flatMap(([groupId, offsets]) =>
      offsets
        .filter((offset) => offset.topic === topic)
        .map(({ partition }) => commitKey(groupId, topic, partition)),
    );
  }

  async #reclaimAll(): Promise<void> {
    for (const topic of [...this.#open.values(), this.#commits]) {
      try {
        await rewriteSegments(topic, this.#io, this.#files);
      } catch (error) {
        this.#options.log?.warn(
          { topic: topic.spec.topic, error: errorText(error) },
          'the space of removed messages could not be freed',
        );
      }
    }
  }

  /** Between two group commits, and not during a checkpoint: they may still use files of a topic that was deleted meanwhile. */
  #removeDeleted(): void {
    if (this.#checkpoint !== undefined) return;
    for (const topic of this.#deleted) {
      this.#waitingBytes -= topic.discard();
      void this.#remove(topic);
    }
    this.#deleted.clear();
  }

  /** What is left is removed by the next start. */
  async #remove(topic: DiskTopic): Promise<void> {
    try {
      topic.close(false);
      await this.#io.removeLater(topic.folder);
    } catch (error) {
      const text = 'the folder of a deleted topic was not removed';
      this.#options.log?.warn({ topic: topic.spec.topic, error: errorText(error) }, text);
    }
  }
}

/** Waits for all, also when one rejects: what follows needs them to have ended. */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

function commitKey(groupId: string, topic: string, partition: number): Buffer {
  return Buffer.from(JSON.stringify([groupId, topic, partition]));
}

/** The committed offsets by group. */
function readCommits(topic: DiskTopic): Map<string, PartitionOffset[]> {
  const latest = new Map<string, string | undefined>();
  for (const log of topic.logs) {
    for (let position = log.low; position < log.end;) {
      const { messages, next } = log.read(position, LOAD_RECORDS, LOAD_BYTES);
      for (const { key, value } of messages) latest.set(String(key), value?.toString());
      position = next;
    }
  }
  const groups = new Map<string, PartitionOffset[]>();
  for (const [key, offset] of latest) {
    if (offset === undefined) continue;
    const [groupId, name, partition] = JSON.parse(key) as [string, string, number];
    const known = groups.get(groupId) ?? [];
    groups.set(groupId, known);
    known.push({ topic: name, partition, offset: Number(offset) });
  }
  return groups;
}

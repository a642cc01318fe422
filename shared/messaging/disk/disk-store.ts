import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { errorText } from '../../platform/errors.ts';
import type { Health } from '../../platform/health.ts';
import type { Log } from '../../platform/log.ts';
import type { SystemPorts } from '../../platform/system-ports.ts';
import { repeat } from '../../platform/timers.ts';
import { openDataFolder, type FolderLock } from './data-folder.ts';
import { folderError } from './disk-errors.ts';
import { isDiskFull, isSyncFailure, systemIo, type DiskIo } from './disk-io.ts';
import { DiskTopic, type TopicParts } from './disk-topic.ts';
import { rewriteSegments } from './rewrite-segments.ts';
import { SegmentFiles } from './segment-files.ts';
import { FlushError, type LogStore, type PartitionLog, type StoredTopic } from '../memory/log-store.ts';
import { parseTopicConfig, type MemoryLimits, type MemoryTopicConfig } from '../memory/topic-config.ts';
import type { PartitionOffset } from '../message.ts';
import type { TopicSpec } from '../ports.ts';

/** Records that wait for a group commit; publishers wait beyond it. Bounds the memory while the disk is slow. */
const MAX_WAITING_BYTES = 16 * 1_048_576;
/** Interval at which a store whose disk was full tries to write. */
const PROBE_INTERVAL_MS = 1_000;
const TOPICS_FOLDER = 'topics';
const DELETED_FOLDER = 'deleted';
const COMMITS_FOLDER = 'commits';
/** The committed offsets: one compacted log, the latest of each group and partition, as on Kafka. */
const COMMITS_SPEC: TopicSpec = { topic: '__consumer_offsets', partitions: 1 };
const COMMITS_CONFIG: MemoryTopicConfig = {
  compact: true,
  delete: false,
  retentionMs: Infinity,
  deleteRetentionMs: 0,
  maxMessageBytes: Infinity,
  maxRecords: Infinity,
  maxBytes: Infinity,
};
/** Limits of one read of the committed offsets at the start. */
const LOAD_RECORDS = 1_000;
const LOAD_BYTES = 1_048_576;

export interface DiskStoreOptions {
  /** Is created if it is missing; one process at a time may have it open. */
  readonly folder: string;
  /** Limits of each topic. */
  readonly limits: MemoryLimits;
  readonly ports: Pick<SystemPorts, 'clock' | 'timers' | 'newId'>;
  readonly log?: Log;
  /** For tests only. */
  readonly io?: DiskIo;
}

/**
 * Keeps topics, records and committed offsets in a folder. Everything that is added while a group commit is in progress is
 * written and made durable together by the next one. Throws MessagingError `data-in-use`, `data-damaged` or `data-unusable`.
 */
export function openDiskStore(options: DiskStoreOptions): LogStore {
  return new DiskStore(options, openDataFolder(options.folder));
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
  readonly #files = new SegmentFiles();
  readonly #open = new Map<string, DiskTopic>();
  readonly #deleted = new Set<DiskTopic>();
  readonly #commits: DiskTopic;
  #onReadable: (log: PartitionLog) => void = () => undefined;
  #waitingBytes = 0;
  /** The group commit that takes what is added now. */
  #next: PromiseWithResolvers<void> | undefined;
  #running: Promise<void> | undefined;
  #failure: Failure | undefined;
  /** The first record that could not be read back. */
  #damage: string | undefined;
  #stopProbes: (() => void) | undefined;
  #reclaiming: Promise<void> | undefined;
  #isClosed = false;
  #deletions = 0;

  constructor(options: DiskStoreOptions, lock: FolderLock) {
    this.#options = options;
    this.#lock = lock;
    this.#io = options.io ?? systemIo;
    try {
      for (const name of [TOPICS_FOLDER, DELETED_FOLDER]) makePrivateFolder(this.#path(name));
      this.topics = this.#openTopics();
      this.#commits =
        this.#openTopic(this.#path(COMMITS_FOLDER), () => COMMITS_CONFIG) ??
        DiskTopic.create(this.#path(COMMITS_FOLDER), COMMITS_SPEC, COMMITS_CONFIG, this.#parts());
      this.commits = readCommits(this.#commits);
      for (const name of readdirSync(this.#path(DELETED_FOLDER))) {
        rmSync(this.#path(DELETED_FOLDER, name), { recursive: true, force: true });
      }
    } catch (error) {
      this.#files.close();
      lock.release();
      throw folderError(options.folder, error);
    }
  }

  open(onReadable: (log: PartitionLog) => void): void {
    this.#onReadable = onReadable;
  }

  createLogs(spec: TopicSpec, config: MemoryTopicConfig): readonly PartitionLog[] {
    const topic = this.#createTopic(spec, config);
    this.#open.set(spec.topic, topic);
    this.#schedule();
    return topic.logs;
  }

  #createTopic(spec: TopicSpec, config: MemoryTopicConfig): DiskTopic {
    try {
      return DiskTopic.create(this.#path(TOPICS_FOLDER, spec.topic), spec, config, this.#parts());
    } catch (error) {
      throw folderError(this.#options.folder, error);
    }
  }

  deleteLogs(name: string): void {
    const topic = this.#open.get(name);
    if (topic === undefined) return;
    this.#open.delete(name);
    this.#deletions += 1;
    topic.markDeleted(this.#path(DELETED_FOLDER, `${process.pid}-${this.#deletions}`));
    this.#deleted.add(topic);
    this.#forgetCommits(name);
    this.#schedule();
  }

  saveCommits(groupId: string, offsets: readonly PartitionOffset[]): void {
    for (const { topic, partition, offset } of offsets) {
      this.#appendCommit(commitKey(groupId, topic, partition), Buffer.from(String(offset)));
    }
  }

  flushed(): Promise<void> | undefined {
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
    if (this.#failure === undefined) {
      return this.#damage === undefined ? { status: 'ready' } : { status: 'degraded', reason: this.#damage };
    }
    const { reason, isPermanent } = this.#failure;
    return { status: isPermanent ? 'unhealthy' : 'starting', reason };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopProbes?.();
    await this.#running;
    await this.#reclaiming;
    for (const topic of [...this.#open.values(), this.#commits, ...this.#deleted]) topic.close();
    this.#removeDeleted();
    this.#files.close();
    this.#lock.release();
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
      onEnqueued: (bytes) => {
        this.#waitingBytes += bytes;
        this.#schedule();
      },
    };
  }

  #openTopics(): StoredTopic[] {
    const readConfig = (spec: TopicSpec): MemoryTopicConfig => parseTopicConfig(spec, this.#options.limits);
    return readdirSync(this.#path(TOPICS_FOLDER)).flatMap((name) => {
      const topic = this.#openTopic(this.#path(TOPICS_FOLDER, name), readConfig);
      if (topic === undefined) return [];
      this.#open.set(topic.spec.topic, topic);
      return [{ spec: topic.spec, config: topic.config, logs: topic.logs }];
    });
  }

  #openTopic(folder: string, readConfig: (spec: TopicSpec) => MemoryTopicConfig): DiskTopic | undefined {
    makePrivateFolder(folder);
    return DiskTopic.open(folder, readConfig, this.#parts());
  }

  /** Begins a group commit, or leaves what was added to the one that follows the one in progress. */
  #schedule(): void {
    if (this.#next !== undefined) return;
    this.#next = Promise.withResolvers<void>();
    // The caller may have stopped waiting: a probe, or a call that was rejected for another reason.
    this.#next.promise.catch(() => undefined);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    const { timers } = this.#options.ports;
    // At the end of this turn of the event loop, so that everything of the turn is in the same commit.
    await new Promise<void>((resolve) => timers.nextTurn(resolve));
    for (let commit = this.#next; commit !== undefined; commit = this.#next) {
      this.#next = undefined;
      const topics = [...this.#open.values(), this.#commits].filter((topic) => topic.isDirty);
      for (const topic of topics) topic.take();
      try {
        await this.#commitAll(topics);
        commit.resolve();
      } catch (error) {
        commit.reject(error);
      }
      this.#removeDeleted();
    }
    this.#running = undefined;
  }

  async #commitAll(topics: readonly DiskTopic[]): Promise<void> {
    if (this.#failure?.isPermanent === true) {
      this.#rollBack(topics);
      throw new FlushError(this.#failure.reason, { isMaybeStored: false, cause: undefined });
    }
    let isSyncing = false;
    try {
      for (const topic of topics) await topic.prepare();
      for (const topic of topics) topic.write();
      isSyncing = true;
      await allSynced(topics);
    } catch (cause) {
      const isMaybeStored = isSyncing || topics.some((topic) => topic.isWritten);
      this.#fail(cause, (isSyncing || isSyncFailure(cause)) && !isDiskFull(cause));
      this.#rollBack(topics);
      const text = `the data folder cannot be written: ${errorText(cause)}`;
      throw new FlushError(text, { isMaybeStored, cause });
    }
    this.#recovered();
    for (const topic of topics) {
      const { logs, bytes } = topic.commit();
      this.#waitingBytes -= bytes;
      for (const log of logs) this.#onReadable(log);
    }
  }

  #rollBack(topics: readonly DiskTopic[]): void {
    for (const topic of topics) {
      try {
        this.#waitingBytes -= topic.rollBack();
      } catch (error) {
        this.#fail(error, true);
      }
    }
  }

  #fail(error: unknown, isPermanent: boolean): void {
    const advice = isPermanent ? 'check the disk and restart' : 'free some space';
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
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#stopProbes?.();
    this.#stopProbes = undefined;
    this.#options.log?.info({}, 'messages are stored again');
  }

  #appendCommit(key: Buffer, value: Buffer | null): void {
    const message = { topic: COMMITS_SPEC.topic, key, value };
    this.#commits.logs[0]?.append(message, key, this.#options.ports.clock.now());
  }

  #forgetCommits(topic: string): void {
    for (const [groupId, offsets] of readCommits(this.#commits)) {
      for (const offset of offsets) {
        if (offset.topic === topic) this.#appendCommit(commitKey(groupId, topic, offset.partition), null);
      }
    }
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

  /** Only between two group commits: one may still write to a topic that was deleted meanwhile. */
  #removeDeleted(): void {
    for (const topic of this.#deleted) {
      this.#waitingBytes -= topic.discard();
      topic.close();
      rmSync(topic.folder, { recursive: true, force: true });
    }
    this.#deleted.clear();
  }
}

/** The data folder itself may have been there, with other rights. */
function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Waits for all, also when one fails: what follows truncates the files. */
async function allSynced(topics: readonly DiskTopic[]): Promise<void> {
  const results = await Promise.allSettled(topics.map((topic) => topic.sync()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

function commitKey(groupId: string, topic: string, partition: number): Buffer {
  return Buffer.from(JSON.stringify([groupId, topic, partition]));
}

/** The committed offsets by group. */
function readCommits(topic: DiskTopic): Map<string, PartitionOffset[]> {
  const latest = new Map<string, string | undefined>();
  for (const log of topic.logs) {
    for (let position = log.low; position < log.high;) {
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

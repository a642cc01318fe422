import path from 'node:path';
import type { MessagingError } from '../../platform/errors.ts';
import { dataDamaged, dataUnusable } from './disk-errors.ts';
import { readFileNow, syncFound, writeFileNow, type DiskIo } from './disk-io.ts';
import { DiskLog, type LogFiles } from './disk-partition.ts';
import type { PieceSpace } from './commit-journal.ts';
import { writeFrame, type FramedRecord } from './record-frame.ts';
import type { Row } from './row-columns.ts';
import {
  BATCH_HEAD_BYTES,
  FIXED_HEAD_BYTES,
  FORMAT_VERSION,
  headBytes,
  headLength,
  keyDigest,
  markFrom,
  markOf,
  readHead,
  scanSegment,
  writeBatchHead,
  type SegmentHead,
} from './segment.ts';
import type { SegmentFiles } from './segment-files.ts';
import { SegmentIndex } from './segment-index.ts';
import type { EmbeddedTopicConfig } from '../embedded/topic-config.ts';
import type { TopicSpec } from '../ports.ts';

/**
 * A segment that has reached this length is closed. A start after a crash reads the last segment of each topic, so that it
 * has to be short.
 */
const MAX_SEGMENT_BYTES = 8 * 1_048_576;
/** Ends the name of a file that is not finished. */
export const UNFINISHED = '.new';
const STATE_FILE = 'topic.json';
const ID_DIGITS = 12;

/** A closed segment, or the one that is written. */
export interface Segment {
  readonly id: number;
  /** Last id that it replaces. */
  readonly last: number;
  readonly file: string;
  /** Bytes of all its records, and of those that are still needed. */
  recordBytes: number;
  liveBytes: number;
}

interface ActiveSegment {
  readonly segment: Segment;
  readonly head: SegmentHead;
  readonly fd: number;
  readonly index: SegmentIndex;
  bytes: number;
  nextBatch: number;
}

/** What is durable of a topic beside its segments. */
interface TopicState {
  readonly version: number;
  readonly spec: TopicSpec;
  /** The ids of its segments: one that is missing was lost, and one that is not listed is not needed. */
  readonly segments: readonly number[];
  /** First retained offset of each partition: what was removed stays removed, whatever the clock says. */
  readonly low: readonly number[];
}

/** The batch of the group commit in progress. */
interface Batch {
  readonly rows: (readonly [log: DiskLog, row: Row])[];
  content: Buffer;
}

/** What a topic shares with the others of its store. */
export interface TopicParts {
  readonly io: DiskIo;
  readonly files: SegmentFiles;
  readonly newId: () => string;
  /** A record of this log waits for a group commit. */
  readonly onEnqueued: (log: DiskLog, bytes: number, isUrgent: boolean) => void;
  readonly isCongested: () => boolean;
  /** A record could not be read back. */
  readonly onDamage: (error: MessagingError) => void;
}

/** Where a topic is, and how. */
export interface TopicPlace {
  readonly folder: string;
  /** The folder, relative to the data folder. */
  readonly name: string;
  readonly spec: TopicSpec;
  readonly config: EmbeddedTopicConfig;
}

/** The folder of a topic: its state, and the segments with the records of all its partitions. */
export class DiskTopic implements LogFiles {
  readonly spec: TopicSpec;
  readonly config: EmbeddedTopicConfig;
  /** A segment of this length is closed. */
  readonly segmentBytes: number;
  readonly logs: readonly DiskLog[];
  /** In the order of their ids; the last one is written. */
  readonly segments = new Map<number, Segment>();
  readonly #parts: TopicParts;
  readonly #name: string;
  #folder: string;
  /** Records that wait for the next group commit, and those of the one in progress. */
  #pending: FramedRecord[] = [];
  #taken: FramedRecord[] = [];
  #batch: Batch | undefined;
  #active: ActiveSegment | undefined;
  /** The entry of the folder itself is not yet durable. */
  #isNew = false;
  /** Files of closed segments that are not yet synced. */
  readonly #closing: number[] = [];
  /** The active segment has batches that are not yet synced. */
  #isUnsynced = false;
  #isDeleted = false;
  #isRollDue = false;
  #storedLow: readonly number[] = [];
  /** The id of a segment that is being begun. */
  #begun: number | undefined;
  /** The highest id that was used: the state may list a segment whose beginning failed. */
  #lastId = 0;
  /** The ids in the file of the state, durable or not. */
  #listed: readonly number[] = [];
  /** Files of segments that are not needed, and that the stored state may list. */
  readonly #obsolete: string[] = [];
  /** Those that it does not list: they can be removed. */
  readonly #unlisted: string[] = [];
  /** Resolves when the state has been saved, or not. */
  #saved = Promise.resolve();

  private constructor({ folder, name, spec, config }: TopicPlace, parts: TopicParts) {
    this.#folder = folder;
    this.#name = name;
    this.spec = spec;
    this.config = config;
    this.segmentBytes = Math.min(Number(spec.config?.['segment.bytes'] ?? Infinity), MAX_SEGMENT_BYTES);
    this.#parts = parts;
    this.logs = Array.from(
      { length: spec.partitions },
      (_, index) => new DiskLog(spec.topic, index, config, this),
    );
  }

  /** Creates the folder; it is durable after the next group commit. The ids of its segments follow `lastId`. */
  static create(place: TopicPlace, parts: TopicParts, lastId = 0): DiskTopic {
    const topic = new DiskTopic(place, parts);
    topic.#lastId = lastId;
    parts.io.makeFolder(place.folder);
    topic.#saveNow();
    topic.#isNew = true;
    return topic;
  }

  /**
   * Opens a folder; undefined, and the folder is removed, when a crash interrupted its creation. `specOf` returns the topic as
   * this version defines it. Throws MessagingError `data-damaged` or `data-unusable`.
   */
  static open(
    { folder, name }: Pick<TopicPlace, 'folder' | 'name'>,
    read: (stored: TopicSpec) => Pick<TopicPlace, 'spec' | 'config'>,
    parts: TopicParts,
  ): DiskTopic | undefined {
    const { io } = parts;
    const file = path.join(folder, STATE_FILE);
    const state = readState(file, io);
    if (state === undefined) {
      // It is durable before the first segment is created.
      if (segmentIds(folder, io).length > 0) throw dataDamaged(file, 0);
      io.remove(folder);
      return undefined;
    }
    syncFound(io, file);
    const topic = new DiskTopic({ folder, name, ...read(state.spec) }, parts);
    topic.#load(state);
    return topic;
  }

  get folder(): string {
    return this.#folder;
  }

  /** The highest id that a segment of it has had. */
  get lastId(): number {
    return this.#lastId;
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  /** Its folder is not yet durable. */
  get isNew(): boolean {
    return this.#isNew;
  }

  get isDirty(): boolean {
    return this.#pending.length > 0 || this.#isNew || this.#isRollDue;
  }

  enqueue(log: DiskLog, record: FramedRecord, isUrgent: boolean): void {
    this.#pending.push(record);
    this.#parts.onEnqueued(log, record.bytes, isUrgent);
  }

  isCongested(): boolean {
    return this.#parts.isCongested();
  }

  read(segment: number, position: number, bytes: number): Buffer {
    return this.#parts.files.read(this.#fileOf(segment), position, bytes);
  }

  release(segment: number, bytes: number): void {
    const found = this.segments.get(segment);
    if (found !== undefined) found.liveBytes -= bytes;
  }

  damagedAt(segment: number, position: number): MessagingError {
    const error = dataDamaged(this.#fileOf(segment), position);
    this.#parts.onDamage(error);
    return error;
  }

  #fileOf(segment: number): string {
    return this.segments.get(segment)?.file ?? path.join(this.#folder, fileName(segment));
  }

  /** Begins a group commit: it takes what waits now, and nothing that comes while it is in progress. */
  take(): void {
    this.#taken = this.#pending;
    this.#pending = [];
  }

  /**
   * Before the records are written: begins a new segment if there is none or the last one has its length, and makes it and its
   * place in the state durable. Rejects with what the disk reports.
   */
  async prepare(): Promise<void> {
    if (this.#isDeleted) return;
    const isFull = this.#active === undefined || this.#active.bytes >= this.segmentBytes;
    if (this.#isRollDue || (isFull && this.#taken.length > 0)) await this.#roll();
    if (this.#isNew && !this.#isDeleted) {
      const { io } = this.#parts;
      await io.syncFolder(this.#folder);
      if (!this.#isDeleted) await io.syncFolder(path.dirname(this.#folder));
      this.#isNew = false;
    }
  }

  /** The place of the taken records in the active segment; undefined: there are none. */
  piece(): PieceSpace | undefined {
    const active = this.#active;
    if (this.#isDeleted || active === undefined || this.#taken.length === 0) return undefined;
    const bytes = this.#taken.reduce((sum, record) => sum + record.bytes, BATCH_HEAD_BYTES);
    return { folder: this.#name, segment: active.segment.id, position: active.bytes, bytes };
  }

  /** Writes the taken records to `content` as one batch; it has the length of piece(). */
  fill(content: Buffer): void {
    const active = this.#active;
    if (active === undefined) return;
    const records = this.#taken;
    const size = { bytes: content.length - BATCH_HEAD_BYTES, count: records.length };
    writeBatchHead(content, markOf(active.head), { number: active.nextBatch, ...size });
    const rows: (readonly [DiskLog, Row])[] = [];
    let at = BATCH_HEAD_BYTES;
    for (const record of records) {
      writeFrame(content, at, record);
      const log = this.logs[record.partition];
      if (log !== undefined) rows.push([log, this.#rowOf(record, active.bytes + at)]);
      at += record.bytes;
    }
    this.#batch = { rows, content };
  }

  /**
   * The batch is durable in the journal: writes it to the segment, where its records can be read. Returns the logs that have
   * new ones, and the bytes of the records. Throws what the disk reports, and can then be repeated.
   */
  apply(): { readonly logs: ReadonlySet<DiskLog>; readonly bytes: number } {
    const logs = new Set<DiskLog>();
    const active = this.#active;
    const batch = this.#batch;
    if (this.#isDeleted || active === undefined || batch === undefined) return { logs, bytes: 0 };
    this.#parts.io.write(active.fd, batch.content, active.bytes);
    this.#isUnsynced = true;
    this.#batch = undefined;
    const bytes = this.#settleTaken();
    for (const [log, row] of batch.rows) {
      log.add(row);
      active.index.push(log.partition, row);
      active.segment.recordBytes += row.bytes;
      active.segment.liveBytes += row.bytes;
      logs.add(log);
    }
    active.bytes += batch.content.length;
    active.nextBatch += 1;
    return { logs, bytes };
  }

  /**
   * The group commit failed: gives up its records and those that came since. The next segment continues their offsets. Returns
   * their bytes.
   */
  giveUp(): number {
    this.#batch = undefined;
    if (this.#taken.length + this.#pending.length > 0) this.#isRollDue = !this.#isDeleted;
    return this.discard();
  }

  /** Gives up the records that wait. Returns their bytes. */
  discard(): number {
    const bytes = this.#settleTaken();
    this.take();
    return bytes + this.#settleTaken();
  }

  /** The next group commit begins a new segment, so that compaction can rewrite this one. */
  roll(): void {
    this.#isRollDue = true;
  }

  get activeSegment(): Segment | undefined {
    return this.#active?.segment;
  }

  /** Resolves when everything that apply() has written is on the disk. Rejects with what the disk reports. */
  async syncSegments(): Promise<void> {
    const { io } = this.#parts;
    const closing = [...this.#closing];
    const active = this.#active;
    const isUnsynced = this.#isUnsynced;
    this.#isUnsynced = false;
    for (const fd of closing) await io.sync(fd);
    if (active !== undefined && isUnsynced) await io.sync(active.fd);
    for (const fd of closing) io.close(fd);
    this.#closing.splice(0, closing.length);
  }

  /**
   * The head of a segment that replaces those from `first` to `last`. It names no next offsets: the records that follow may
   * be older than the segment, and those of the last segment suffice.
   */
  replacingHead(first: number, last: number): SegmentHead {
    const next = this.logs.map(() => 0);
    return { ...this.#newHead(first), last, next };
  }

  /** Makes the list of segments and the first retained offsets durable. Rejects with what the disk reports. */
  saveState(): Promise<void> {
    const saved = this.#saved.then(() => this.#save());
    this.#saved = saved.catch(() => undefined);
    return saved;
  }

  /** Takes out segments whose records are not needed; saveRemovals() removes their files. */
  retire(segments: readonly Segment[]): void {
    for (const { id, file } of segments) {
      this.segments.delete(id);
      this.#parts.files.drop(file);
      this.#obsolete.push(file);
    }
  }

  /**
   * As saveState(), if messages or segments were removed since; then removes the files of these. What fails is left to the next
   * call. Rejects with what the disk reports.
   */
  async saveRemovals(): Promise<void> {
    const isChanged = this.logs.some((log, at) => log.low !== (this.#storedLow[at] ?? 0));
    if (isChanged || this.#obsolete.length > 0) await this.saveState();
    for (let [file] = this.#unlisted; file !== undefined; [file] = this.#unlisted) {
      await removeSegmentLater(this.#parts.io, file);
      this.#unlisted.shift();
    }
  }

  /** Gives the folder a name that is no topic's, so that a topic of the same name can be created. */
  markDeleted(newFolder: string): void {
    for (const { file } of this.segments.values()) this.#parts.files.drop(file);
    this.#parts.io.rename(this.#folder, newFolder);
    this.#isDeleted = true;
    this.#folder = newFolder;
    this.segments.clear();
  }

  /** Closes the files. `isClean`: records where each log ends, so that the next start need not read the last segment. */
  close(isClean: boolean): void {
    const active = this.#active;
    this.#active = undefined;
    for (const fd of this.#closing.splice(0)) this.#parts.io.close(fd);
    if (active === undefined) return;
    if (!this.#isDeleted && isClean) this.#writeIndex(active);
    this.#parts.io.close(active.fd);
  }

  async #save(): Promise<void> {
    const { io } = this.#parts;
    const low = this.logs.map((log) => log.low);
    const ids = [...this.segments.keys(), ...(this.#begun === undefined ? [] : [this.#begun])];
    const obsolete = this.#obsolete.length;
    try {
      if (this.#isDeleted) return;
      const file = path.join(this.#folder, STATE_FILE);
      const fd = io.open(`${file}${UNFINISHED}`, 'new');
      try {
        io.write(fd, this.#state(ids), 0);
        await io.sync(fd);
      } finally {
        io.close(fd);
      }
      if (this.#isDeleted) return;
      io.rename(`${file}${UNFINISHED}`, file);
      this.#listed = ids;
      await io.syncFolder(this.#folder);
      this.#storedLow = low;
      this.#unlisted.push(...this.#obsolete.splice(0, obsolete));
    } catch (error) {
      // Its folder has another name since.
      if (!this.#isDeleted) throw error;
    }
  }

  #state(segments: readonly number[]): Buffer {
    const low = this.logs.map((log) => log.low);
    const state: TopicState = { version: FORMAT_VERSION, spec: this.spec, segments, low };
    return Buffer.from(JSON.stringify(state));
  }

  #newHead(id: number): SegmentHead {
    const low = this.logs.map((log) => log.low);
    const next = this.logs.map((log) => log.firstPending);
    const mark = markFrom(this.#parts.newId());
    return { version: FORMAT_VERSION, first: id, last: id, mark, low, next };
  }

  #settleTaken(): number {
    const counts = this.logs.map(() => 0);
    let all = 0;
    for (const { partition, bytes } of this.#taken) {
      counts[partition] = (counts[partition] ?? 0) + 1;
      all += bytes;
    }
    for (const [partition, count] of counts.entries()) if (count > 0) this.logs[partition]?.settled(count);
    this.#taken = [];
    return all;
  }

  #rowOf(record: FramedRecord, position: number): Row {
    return {
      offset: record.offset,
      storedAtMs: record.storedAtMs,
      segment: this.#active?.segment.id ?? 0,
      position,
      bytes: record.bytes,
      isTombstone: record.value === null,
      digest: this.config.compact ? keyDigest(record.key) : undefined,
    };
  }

  /** Its head is durable before the state lists it, and that before its first record. */
  async #roll(): Promise<void> {
    const { io } = this.#parts;
    const before = this.#active;
    this.#lastId += 1;
    const id = this.#lastId;
    const file = path.join(this.#folder, fileName(id));
    const head = this.#newHead(id);
    const content = headBytes(head);
    const fd = io.open(file, 'new');
    try {
      io.write(fd, content, 0);
      await io.sync(fd);
      if (!this.#isDeleted) await io.syncFolder(this.#folder);
      this.#begun = id;
      await this.saveState();
    } catch (error) {
      io.close(fd);
      if (!this.#isDeleted && !this.#listed.includes(id)) io.remove(file);
      throw error;
    } finally {
      this.#begun = undefined;
    }
    this.#isRollDue = false;
    const segment: Segment = { id, last: id, file, recordBytes: 0, liveBytes: 0 };
    if (!this.#isDeleted) this.segments.set(id, segment);
    const index = new SegmentIndex(this.config.compact);
    this.#active = { segment, head, fd, index, bytes: content.length, nextBatch: 0 };
    if (before === undefined) return;
    this.#writeIndex(before);
    this.#closing.push(before.fd);
  }

  /** Best effort: without its index a segment is read as a whole. */
  #writeIndex({ segment, head, bytes, index, nextBatch }: ActiveSegment): void {
    writeIndex(this.#parts.io, segment.file, index.toBytes(markOf(head), bytes, nextBatch));
  }

  #load(state: TopicState): void {
    const { io } = this.#parts;
    const found = segmentIds(this.#folder, io);
    const lost = state.segments.find((id) => !found.includes(id));
    if (lost !== undefined) throw dataDamaged(path.join(this.#folder, fileName(lost)), 0);
    // Created before a crash and never used, or no longer needed.
    for (const id of found.filter((one) => !state.segments.includes(one))) {
      removeSegment(io, path.join(this.#folder, fileName(id)));
    }
    let replaced = 0;
    for (const id of state.segments.toSorted((one, other) => one - other)) {
      const file = path.join(this.#folder, fileName(id));
      if (id <= replaced) this.#obsolete.push(file);
      else replaced = this.#loadSegment(id, file, id === Math.max(...state.segments));
    }
    for (const [partition, log] of this.logs.entries()) log.loaded(state.low[partition] ?? 0);
    this.#storedLow = state.low;
    this.#lastId = Math.max(0, ...found, ...[...this.segments.values()].map(({ last }) => last));
    for (const name of io.list(this.#folder)) {
      if (name.endsWith(UNFINISHED)) io.remove(path.join(this.#folder, name));
    }
    const isChanged = JSON.stringify(state.spec) !== JSON.stringify(this.spec);
    if (!isChanged && this.segments.size === state.segments.length) return;
    this.#saveNow();
    io.syncFolderNow(this.#folder);
    for (const file of this.#obsolete.splice(0)) removeSegment(io, file);
  }

  /** Replaces the state; it is durable when the folder is synced. Blocks. */
  #saveNow(): void {
    const { io } = this.#parts;
    const file = path.join(this.#folder, STATE_FILE);
    writeFileNow(io, `${file}${UNFINISHED}`, this.#state([...this.segments.keys()]), true);
    io.rename(`${file}${UNFINISHED}`, file);
  }

  /** Returns the last id that the segment replaces. */
  #loadSegment(id: number, file: string, isLast: boolean): number {
    const { files, io } = this.#parts;
    const bytes = io.size(file) ?? 0;
    const headEnd = headLength(files.read(file, 0, FIXED_HEAD_BYTES)) ?? 0;
    const head = readHead(files.read(file, 0, Math.min(bytes, headEnd)), file);
    if (head === undefined) throw dataDamaged(file, 0);
    for (const [partition, log] of this.logs.entries()) {
      log.startAt(head.low[partition] ?? 0, head.next[partition] ?? 0);
    }
    const { index, nextBatch } = this.#readRows(head, file, bytes);
    const segment: Segment = { id, last: head.last, file, recordBytes: 0, liveBytes: 0 };
    this.segments.set(id, segment);
    index.forEach(id, (partition, row) => {
      const log = this.logs[partition];
      segment.recordBytes += row.bytes;
      if (log === undefined || row.offset < log.high) return;
      segment.liveBytes += row.bytes;
      log.add(row);
    });
    if (!isLast) return head.last;
    files.drop(file);
    const fd = io.open(file, 'existing');
    io.remove(indexName(file));
    this.#active = { segment, head, fd, index, bytes, nextBatch };
    return head.last;
  }

  #readRows(head: SegmentHead, file: string, bytes: number) {
    const { files, io } = this.#parts;
    const owner = { mark: markOf(head), bytes, hasDigests: this.config.compact };
    const known = readIndex(io, file, owner);
    if (known === 'longer') throw dataDamaged(file, bytes);
    if (known !== undefined) return known;
    return scanSegment(files.read(file, 0, bytes), head, { file, isCompacted: this.config.compact });
  }
}

export function fileName(id: number): string {
  return `${String(id).padStart(ID_DIGITS, '0')}.log`;
}

function indexName(file: string): string {
  return file.replace(/\.log$/, '.index');
}

/** Removes the files of a segment. */
function removeSegment(io: DiskIo, file: string): void {
  io.remove(indexName(file));
  io.remove(file);
}

/** As removeSegment, but does not block. */
async function removeSegmentLater(io: DiskIo, file: string): Promise<void> {
  await io.removeLater(indexName(file));
  await io.removeLater(file);
}

/** Best effort: without its index a segment is read as a whole. */
export function writeIndex(io: DiskIo, file: string, content: Buffer): void {
  try {
    // Otherwise a loss of power could leave a mixture of both.
    io.remove(indexName(file));
    writeFileNow(io, indexName(file), content, false);
  } catch {
    io.remove(indexName(file));
  }
}

function segmentIds(folder: string, io: DiskIo): number[] {
  return io
    .list(folder)
    .filter((name) => /^\d+\.log$/.test(name))
    .map((name) => Number.parseInt(name, 10));
}

function readState(file: string, io: DiskIo): TopicState | undefined {
  let state: TopicState;
  try {
    state = JSON.parse(readFileNow(io, file)?.toString() ?? '') as TopicState;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (state.version === FORMAT_VERSION) return state;
  throw dataUnusable(`${file} has format ${state.version}; this version reads format ${FORMAT_VERSION}`);
}

function readIndex(
  io: DiskIo,
  file: string,
  segment: { readonly mark: Buffer; readonly bytes: number; readonly hasDigests: boolean },
) {
  const content = readFileNow(io, indexName(file));
  return content === undefined ? undefined : SegmentIndex.fromBytes(content, segment);
}

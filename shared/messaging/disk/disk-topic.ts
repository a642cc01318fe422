import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { MessagingError } from '../../platform/errors.ts';
import { dataDamaged, dataUnusable } from './disk-errors.ts';
import { syncFolder, writeDurably, type DiskIo } from './disk-io.ts';
import { DiskLog, type LogFiles } from './disk-log.ts';
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
import type { MemoryTopicConfig } from '../memory/topic-config.ts';
import type { TopicSpec } from '../ports.ts';

/**
 * A segment that has reached this length is closed. A start after a crash reads the last segment of each topic, so that it
 * has to be short.
 */
const MAX_SEGMENT_BYTES = 8 * 1_048_576;
/** Ends the name of a segment that compaction has not finished. */
export const UNFINISHED = '.new';
const SPEC_FILE = 'topic.json';
const ID_DIGITS = 12;
/** Heads of a topic differ in the digits of their offsets. */
const HEAD_SLACK_BYTES = 64;

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

interface Written {
  readonly rows: readonly (readonly [log: DiskLog, row: Row])[];
  readonly bytes: number;
  isWhole: boolean;
}

/** What a topic shares with the others of its store. */
export interface TopicParts {
  readonly io: DiskIo;
  readonly files: SegmentFiles;
  readonly newId: () => string;
  /** A record of this length waits for a group commit. */
  readonly onEnqueued: (bytes: number) => void;
  readonly isCongested: () => boolean;
  /** A record could not be read back. */
  readonly onDamage: (error: MessagingError) => void;
}

/** The folder of a topic: its specification, and the segments with the records of all its partitions. */
export class DiskTopic implements LogFiles {
  readonly spec: TopicSpec;
  readonly config: MemoryTopicConfig;
  /** A segment of this length is closed. */
  readonly segmentBytes: number;
  readonly logs: readonly DiskLog[];
  /** In the order of their ids; the last one is written. */
  readonly segments = new Map<number, Segment>();
  readonly #parts: TopicParts;
  #folder: string;
  /** Records that wait for the next group commit, and those of the one in progress. */
  #pending: FramedRecord[] = [];
  #taken: FramedRecord[] = [];
  #written: Written | undefined;
  #active: ActiveSegment | undefined;
  /** Folders with entries that are not yet durable. */
  readonly #unsynced = new Set<string>();
  /** Closed segments: a batch that was removed from one must not come back by a crash. */
  readonly #closing: number[] = [];
  #isDeleted = false;
  #isRollDue = false;

  private constructor(folder: string, spec: TopicSpec, config: MemoryTopicConfig, parts: TopicParts) {
    this.#folder = folder;
    this.spec = spec;
    this.config = config;
    this.segmentBytes = Math.min(Number(spec.config?.['segment.bytes'] ?? Infinity), MAX_SEGMENT_BYTES);
    this.#parts = parts;
    this.logs = Array.from(
      { length: spec.partitions },
      (_, index) => new DiskLog(spec.topic, index, config, this),
    );
  }

  /** Creates the folder; it is durable after the next group commit. */
  static create(folder: string, spec: TopicSpec, config: MemoryTopicConfig, parts: TopicParts): DiskTopic {
    const topic = new DiskTopic(folder, spec, config, parts);
    mkdirSync(folder, { mode: 0o700 });
    writeDurably(path.join(folder, SPEC_FILE), JSON.stringify({ version: FORMAT_VERSION, spec }));
    topic.#unsynced.add(path.dirname(folder));
    topic.#openActive(1);
    return topic;
  }

  /**
   * Opens a folder; undefined, and the folder is removed, when a crash interrupted its creation. Throws MessagingError
   * `data-damaged` or `data-unusable`.
   */
  static open(
    folder: string,
    readConfig: (spec: TopicSpec) => MemoryTopicConfig,
    parts: TopicParts,
  ): DiskTopic | undefined {
    const segments = segmentIds(folder);
    const spec = readSpec(path.join(folder, SPEC_FILE));
    if (spec === undefined) {
      // It is durable before the first record is written.
      if (segments.some((id) => hasRecords(path.join(folder, fileName(id))))) {
        throw dataDamaged(path.join(folder, SPEC_FILE), 0);
      }
      rmSync(folder, { recursive: true, force: true });
      return undefined;
    }
    const lost = lostSegment(folder);
    if (lost !== undefined) throw dataDamaged(lost, 0);
    const topic = new DiskTopic(folder, spec, readConfig(spec), parts);
    topic.#load(segments);
    return topic;
  }

  get folder(): string {
    return this.#folder;
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  get isDirty(): boolean {
    return this.#pending.length > 0 || this.#unsynced.size > 0;
  }

  enqueue(record: FramedRecord): void {
    this.#pending.push(record);
    this.#parts.onEnqueued(record.bytes);
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
   * Before the records are written: begins a new segment if the last one has its length, and makes it durable, so that only
   * a segment without records can have a torn head. Rejects with what the disk reports.
   */
  async prepare(): Promise<void> {
    if (this.#isDeleted) return;
    const active = this.#active;
    if (active === undefined || active.bytes >= this.segmentBytes || this.#isRollDue) this.#roll(active);
    if (this.#unsynced.size === 0) return;
    const folders = [...this.#unsynced];
    for (const fd of [...this.#closing, ...(this.#active === undefined ? [] : [this.#active.fd])]) {
      await this.#parts.io.sync(fd);
    }
    for (const fd of this.#closing.splice(0)) closeSync(fd);
    for (const folder of folders) if (!this.#isDeleted) await syncFolder(folder);
    for (const folder of folders) this.#unsynced.delete(folder);
  }

  /** Writes the records as one batch. Throws what the disk reports. */
  write(): void {
    const active = this.#active;
    if (this.#isDeleted || active === undefined || this.#taken.length === 0) return;
    const records = this.#taken;
    const bytes = records.reduce((sum, record) => sum + record.bytes, BATCH_HEAD_BYTES);
    const content = Buffer.allocUnsafe(bytes);
    writeBatchHead(content, markOf(active.head), {
      number: active.nextBatch,
      bytes: bytes - BATCH_HEAD_BYTES,
      count: records.length,
    });
    const next = this.logs.map((log) => log.high);
    let at = BATCH_HEAD_BYTES;
    const rows: (readonly [DiskLog, Row])[] = [];
    for (const record of records) {
      const offset = next[record.partition] ?? 0;
      next[record.partition] = offset + 1;
      writeFrame(content, at, record, offset);
      const log = this.logs[record.partition];
      if (log !== undefined) rows.push([log, this.#rowOf(record, offset, active.bytes + at)]);
      at += record.bytes;
    }
    this.#written = { rows, bytes, isWhole: false };
    this.#parts.io.write(active.fd, content, active.bytes);
    this.#written.isWhole = true;
  }

  /** Resolves when everything that was written is durable. */
  async sync(): Promise<void> {
    if (this.#active !== undefined && this.#written !== undefined) await this.#parts.io.sync(this.#active.fd);
  }

  /** Whether the batch of this group commit was written as a whole. */
  get isWritten(): boolean {
    return this.#written?.isWhole === true;
  }

  /** The group commit succeeded: its records can be read. Returns the logs that have new ones, and the bytes. */
  commit(): { readonly logs: ReadonlySet<DiskLog>; readonly bytes: number } {
    const logs = new Set<DiskLog>();
    const written = this.#written;
    const active = this.#active;
    this.#written = undefined;
    const bytes = this.#settleTaken();
    if (written === undefined || active === undefined) return { logs, bytes };
    for (const [log, row] of written.rows) {
      log.add(row);
      active.index.push(log.partition, row);
      active.segment.recordBytes += row.bytes;
      active.segment.liveBytes += row.bytes;
      logs.add(log);
    }
    active.bytes += written.bytes;
    active.nextBatch += 1;
    return { logs, bytes };
  }

  /** The group commit failed: removes its records from the segment. Returns their bytes; throws what the disk reports. */
  rollBack(): number {
    this.#written = undefined;
    const bytes = this.#settleTaken();
    if (this.#active !== undefined && !this.#isDeleted) {
      this.#parts.io.truncate(this.#active.fd, this.#active.bytes);
    }
    return bytes;
  }

  /** Gives up the records of a deleted topic that wait. Returns their bytes. */
  discard(): number {
    this.take();
    return this.#settleTaken();
  }

  /** The next group commit begins a new segment, so that compaction can rewrite this one. */
  roll(): void {
    this.#isRollDue = true;
  }

  get activeSegment(): Segment | undefined {
    return this.#active?.segment;
  }

  /**
   * The head of a segment that replaces those from `first` to `last`. It names no next offsets: the records that follow may
   * be older than the segment, and those of the last segment suffice.
   */
  replacingHead(first: number, last: number): SegmentHead {
    const next = this.logs.map(() => 0);
    return { ...this.#newHead(first), last, next };
  }

  /** Gives the folder a name that is no topic's, so that a topic of the same name can be created. */
  markDeleted(newFolder: string): void {
    this.#isDeleted = true;
    for (const { file } of this.segments.values()) this.#parts.files.drop(file);
    renameSync(this.#folder, newFolder);
    this.#folder = newFolder;
    this.segments.clear();
  }

  /** Closes the files, and records where each log ends, so that the next start need not read the last segment. */
  close(): void {
    const active = this.#active;
    this.#active = undefined;
    if (active === undefined) return;
    if (!this.#isDeleted) this.#writeIndex(active);
    for (const fd of [active.fd, ...this.#closing.splice(0)]) closeSync(fd);
  }

  #newHead(id: number): SegmentHead {
    const low = this.logs.map((log) => log.low);
    const next = this.logs.map((log) => log.high);
    const mark = markFrom(this.#parts.newId());
    return { version: FORMAT_VERSION, first: id, last: id, mark, low, next };
  }

  #settleTaken(): number {
    let bytes = 0;
    for (const record of this.#taken) {
      this.logs[record.partition]?.settled(record.bytes);
      bytes += record.bytes;
    }
    this.#taken = [];
    return bytes;
  }

  #rowOf(record: FramedRecord, offset: number, position: number): Row {
    return {
      offset,
      storedAtMs: record.storedAtMs,
      segment: this.#active?.segment.id ?? 0,
      position,
      bytes: record.bytes,
      isTombstone: record.value === null,
      digest: this.config.compact ? keyDigest(record.key) : undefined,
    };
  }

  #roll(active: ActiveSegment | undefined): void {
    this.#isRollDue = false;
    this.#openActive((active?.segment.id ?? 0) + 1);
    if (active === undefined) return;
    this.#writeIndex(active);
    this.#closing.push(active.fd);
  }

  #openActive(id: number): void {
    const file = path.join(this.#folder, fileName(id));
    const head = this.#newHead(id);
    const content = headBytes(head);
    const fd = openSync(file, 'w+');
    try {
      this.#parts.io.write(fd, content, 0);
    } catch (error) {
      closeSync(fd);
      rmSync(file, { force: true });
      throw error;
    }
    const segment: Segment = { id, last: id, file, recordBytes: 0, liveBytes: 0 };
    this.segments.set(id, segment);
    const index = new SegmentIndex(this.config.compact);
    this.#active = { segment, head, fd, index, bytes: content.length, nextBatch: 0 };
    this.#unsynced.add(this.#folder);
  }

  /** Best effort: without its index a segment is read as a whole. */
  #writeIndex({ segment, head, bytes, index, nextBatch }: ActiveSegment): void {
    try {
      writeFileSync(indexName(segment.file), index.toBytes(markOf(head), bytes, nextBatch));
    } catch {
      rmSync(indexName(segment.file), { force: true });
    }
  }

  #load(found: readonly number[]): void {
    const ids = this.#withoutUnfinished(found);
    let replaced = 0;
    for (const [at, id] of ids.entries()) {
      const file = path.join(this.#folder, fileName(id));
      const isLast = at === ids.length - 1;
      if (id <= replaced) {
        removeSegment(file);
        continue;
      }
      replaced = this.#loadSegment(id, file, isLast);
    }
    for (const log of this.logs) log.loaded();
    for (const name of readdirSync(this.#folder)) {
      if (name.endsWith(UNFINISHED)) rmSync(path.join(this.#folder, name), { force: true });
    }
    if (this.#active === undefined) this.#openActive(replaced + 1);
  }

  /**
   * The segments but the last one if a crash interrupted its creation: records are written when the head is durable, and a
   * later segment when this one is whole.
   */
  #withoutUnfinished(ids: readonly number[]): readonly number[] {
    const last = ids.at(-1);
    if (last === undefined) return ids;
    const file = path.join(this.#folder, fileName(last));
    const bytes = statSync(file).size;
    if (this.#readHead(file, bytes) !== undefined) return ids;
    if (existsSync(indexName(file)) || bytes > headBytes(this.#newHead(last)).length + HEAD_SLACK_BYTES)
      throw dataDamaged(file, 0);
    this.#parts.files.drop(file);
    removeSegment(file);
    return ids.slice(0, -1);
  }

  #readHead(file: string, bytes: number): SegmentHead | undefined {
    const { files } = this.#parts;
    const length = headLength(files.read(file, 0, FIXED_HEAD_BYTES)) ?? 0;
    return readHead(files.read(file, 0, Math.min(bytes, length)), file);
  }

  /** Returns the last id that the segment replaces. */
  #loadSegment(id: number, file: string, isLast: boolean): number {
    const { files } = this.#parts;
    const bytes = statSync(file).size;
    const head = this.#readHead(file, bytes);
    if (head === undefined) throw dataDamaged(file, 0);
    for (const [partition, log] of this.logs.entries()) {
      log.startAt(head.low[partition] ?? 0, head.next[partition] ?? 0);
    }
    const { index, end, nextBatch } = this.#readRows(head, file, bytes, isLast);
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
    const fd = openSync(file, 'r+');
    if (end < bytes) this.#parts.io.truncate(fd, end);
    rmSync(indexName(file), { force: true });
    this.#active = { segment, head, fd, index, bytes: end, nextBatch };
    return head.last;
  }

  #readRows(head: SegmentHead, file: string, bytes: number, isLast: boolean) {
    const owner = { mark: markOf(head), bytes, hasDigests: this.config.compact };
    const known = readIndex(indexName(file), owner);
    if (known === 'longer') throw dataDamaged(file, bytes);
    if (known !== undefined) return { ...known, end: bytes };
    const content = this.#parts.files.read(file, 0, bytes);
    const scanned = scanSegment(content, head, { file, isCompacted: this.config.compact });
    if (!isLast && scanned.end < bytes) throw dataDamaged(file, scanned.end);
    return scanned;
  }
}

export function fileName(id: number): string {
  return `${String(id).padStart(ID_DIGITS, '0')}.log`;
}

export function indexName(file: string): string {
  return file.replace(/\.log$/, '.index');
}

function segmentOf(index: string): string {
  return index.replace(/\.index$/, '.log');
}

/** Removes the files of a segment, the index first: one without its segment would stay. */
export function removeSegment(file: string): void {
  rmSync(indexName(file), { force: true });
  rmSync(file, { force: true });
}

function segmentIds(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+\.log$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .toSorted((one, other) => one - other);
}

/**
 * A segment of which only the index is left: it was lost by a partial copy, or by a program that removes old `.log` files. The
 * index is removed before its segment.
 */
function lostSegment(folder: string): string | undefined {
  const names = readdirSync(folder);
  const index = names.find((name) => /^\d+\.index$/.test(name) && !names.includes(segmentOf(name)));
  return index === undefined ? undefined : path.join(folder, segmentOf(index));
}

/** Whether a segment is longer than its head. */
function hasRecords(file: string): boolean {
  const content = readFileSync(file);
  return content.length > (headLength(content) ?? 0);
}

function readSpec(file: string): TopicSpec | undefined {
  let content: { readonly version: number; readonly spec: TopicSpec };
  try {
    content = JSON.parse(readFileSync(file, 'utf8')) as typeof content;
  } catch {
    return undefined;
  }
  if (content.version === FORMAT_VERSION) return content.spec;
  throw dataUnusable(`${file} has format ${content.version}; this version reads format ${FORMAT_VERSION}`);
}

function readIndex(
  file: string,
  segment: { readonly mark: Buffer; readonly bytes: number; readonly hasDigests: boolean },
) {
  try {
    return SegmentIndex.fromBytes(readFileSync(file), segment);
  } catch {
    return undefined;
  }
}

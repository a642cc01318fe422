/**
 * The log of all group commits, in files of their own. A group commit is durable when its entry is: one write and one sync,
 * however many topics it has. Then its batches are written to the segments of their topics, where they are read; these files
 * are synced later, and the entries before are removed. After a crash the batches of all entries are written once more. So
 * what a crash leaves is the result of the first group commits, all of them up to one.
 *
 * A file begins with its mark. An entry is a head (mark, number, length, checksum of the rest, checksum of the head), then its
 * pieces: lengths of the name and content, segment, position, name of the topic's folder, content.
 */

import path from 'node:path';
import { crc32 } from 'node:zlib';
import { dataDamaged } from './disk-errors.ts';
import { readFileNow, syncFound, type DiskIo } from './disk-io.ts';
import { markFrom } from './segment.ts';

const FILE_MAGIC = Buffer.from('BPEJRNL\n', 'latin1');
const MARK_BYTES = 8;
const FILE_HEAD_BYTES = FILE_MAGIC.length + MARK_BYTES;
const ENTRY_HEAD_BYTES = 28;
const ENTRY_CHECKED_BYTES = 24;
const PIECE_HEAD_BYTES = 24;
const ID_DIGITS = 12;
/** Entries up to this length share one buffer, since memory outside of the heap costs collections of it. */
const MAX_SHARED_BYTES = 1_048_576;

/** Bytes of a segment: a batch of one topic. */
export interface JournalPiece {
  /** The folder of the topic, relative to the data folder. */
  readonly folder: string;
  readonly segment: number;
  readonly position: number;
  readonly content: Buffer;
}

/** A piece whose content is not yet known; it is written to the entry. */
export interface PieceSpace extends Omit<JournalPiece, 'content'> {
  readonly bytes: number;
}

export interface JournalOptions {
  readonly folder: string;
  readonly io: DiskIo;
  readonly newId: () => string;
  /** A file of this length is closed. */
  readonly maxFileBytes: number;
}

interface JournalFile {
  readonly file: string;
  readonly fd: number;
  readonly mark: Buffer;
  bytes: number;
  nextEntry: number;
}

/** Calls of the disk report what the system does; see DiskIo. */
export class Journal {
  readonly #folder: string;
  readonly #io: DiskIo;
  readonly #newId: () => string;
  readonly #maxFileBytes: number;
  /** For one entry after another: the batches of an entry are in their segments before the next one is written. */
  #shared = Buffer.alloc(0);
  #nextFile = 1;
  #active: JournalFile | undefined;
  /** Closed files, whose entries are not all in synced segments. */
  readonly #closed: string[] = [];

  constructor({ folder, io, newId, maxFileBytes }: JournalOptions) {
    this.#folder = folder;
    this.#io = io;
    this.#newId = newId;
    this.#maxFileBytes = maxFileBytes;
  }

  /**
   * Calls `apply` with the pieces of all whole entries, in the order of their commits. Throws MessagingError `data-damaged` for
   * an entry that is damaged and not the last one.
   */
  replay(apply: (piece: JournalPiece) => void): void {
    this.#io.makeFolder(this.#folder);
    // A file that a clean end removed must not come back, and with it what was cut from it.
    this.#io.syncFolderNow(this.#folder);
    const ids = this.#io
      .list(this.#folder)
      .map((name) => Number.parseInt(name, 10))
      .toSorted((one, other) => one - other);
    for (const id of ids) {
      const file = path.join(this.#folder, fileName(id));
      const isLast = id === ids.at(-1);
      this.#nextFile = id + 1;
      this.#closed.push(file);
      // Before its entries are in segments: a power loss could take them from the journal and leave a part of them there.
      syncFound(this.#io, file);
      replayFile(readFileNow(this.#io, file) ?? Buffer.alloc(0), { file, isLast }, apply);
    }
  }

  /** Before the first entry, and when the file has its length: begins a new file. */
  async prepare(): Promise<void> {
    const active = this.#active;
    if (active !== undefined && !this.isFull) return;
    // What was cut from the file must not come back: a later file says that this one is whole.
    if (active !== undefined) await this.#io.sync(active.fd);
    const file = path.join(this.#folder, fileName(this.#nextFile));
    const mark = Buffer.from(markFrom(this.#newId()), 'hex');
    const fd = this.#io.open(file, 'new');
    try {
      this.#io.write(fd, Buffer.concat([FILE_MAGIC, mark]), 0);
      await this.#io.sync(fd);
      await this.#io.syncFolder(this.#folder);
    } catch (error) {
      this.#io.close(fd);
      throw error;
    }
    if (active !== undefined) {
      this.#closed.push(active.file);
      this.#io.close(active.fd);
    }
    this.#nextFile += 1;
    this.#active = { file, fd, mark, bytes: FILE_HEAD_BYTES, nextEntry: 0 };
  }

  /** Whether the next prepare() begins a new file in place of a full one. */
  get isFull(): boolean {
    return this.#active !== undefined && this.#active.bytes >= this.#maxFileBytes;
  }

  /** Whether there are files for takeClosed(). */
  get hasClosed(): boolean {
    return this.#closed.length > 0;
  }

  /** The files to remove when all segments that have been written so far are synced. */
  takeClosed(): readonly string[] {
    return this.#closed.splice(0);
  }

  /** Removes files that takeClosed() returned. */
  async removeFiles(files: readonly string[]): Promise<void> {
    for (const file of files) await this.#io.removeLater(file);
  }

  /** Everything in closed files is in synced segments. Blocks. */
  removeClosed(): void {
    for (const file of this.takeClosed()) this.#io.remove(file);
  }

  /**
   * Writes an entry: `fill` writes the content of each piece to its place in the entry. It is durable when sync() has resolved.
   * Returns the length of the entry, for commit().
   */
  write(pieces: readonly PieceSpace[], fill: (index: number, target: Buffer) => void): number {
    const active = this.#activeFile();
    const entry = this.#bufferOf(pieces.reduce((sum, piece) => sum + sizeOf(piece), ENTRY_HEAD_BYTES));
    writeEntry(entry, active, pieces, fill);
    this.#io.write(active.fd, entry, active.bytes);
    return entry.length;
  }

  async sync(): Promise<void> {
    await this.#io.sync(this.#activeFile().fd);
  }

  /** The entry of this length is durable. */
  commit(bytes: number): void {
    const active = this.#activeFile();
    active.bytes += bytes;
    active.nextEntry += 1;
  }

  /** Removes an entry that is not durable. */
  rollBack(): void {
    if (this.#active !== undefined) this.#io.truncate(this.#active.fd, this.#active.bytes);
  }

  /** All segments are synced, if `isClean`: the next start needs no entry. */
  close(isClean: boolean): void {
    const active = this.#active;
    this.#active = undefined;
    if (active !== undefined) this.#io.close(active.fd);
    if (!isClean) return;
    this.removeClosed();
    if (active !== undefined) this.#io.remove(active.file);
  }

  #bufferOf(bytes: number): Buffer {
    if (bytes > MAX_SHARED_BYTES) return Buffer.allocUnsafe(bytes);
    if (bytes > this.#shared.length) {
      this.#shared = Buffer.allocUnsafe(Math.min(MAX_SHARED_BYTES, 2 * bytes));
    }
    return this.#shared.subarray(0, bytes);
  }

  #activeFile(): JournalFile {
    if (this.#active === undefined) throw new Error('the journal has no file');
    return this.#active;
  }
}

function fileName(id: number): string {
  return `${String(id).padStart(ID_DIGITS, '0')}.journal`;
}

function sizeOf({ folder, bytes }: PieceSpace): number {
  return PIECE_HEAD_BYTES + Buffer.byteLength(folder) + bytes;
}

function writeEntry(
  entry: Buffer,
  { mark, nextEntry }: JournalFile,
  pieces: readonly PieceSpace[],
  fill: (index: number, target: Buffer) => void,
): void {
  let at = ENTRY_HEAD_BYTES;
  for (const [index, { folder, segment, position, bytes }] of pieces.entries()) {
    const start = at + PIECE_HEAD_BYTES;
    const name = entry.write(folder, start);
    entry.writeUInt32LE(name, at);
    entry.writeUInt32LE(bytes, at + 4);
    entry.writeDoubleLE(segment, at + 8);
    entry.writeDoubleLE(position, at + 16);
    fill(index, entry.subarray(start + name, start + name + bytes));
    at = start + name + bytes;
  }
  mark.copy(entry);
  entry.writeDoubleLE(nextEntry, 8);
  entry.writeUInt32LE(entry.length - ENTRY_HEAD_BYTES, 16);
  entry.writeUInt32LE(crc32(entry.subarray(ENTRY_HEAD_BYTES)), 20);
  entry.writeUInt32LE(crc32(entry.subarray(0, ENTRY_CHECKED_BYTES)), 24);
}

function replayFile(
  content: Buffer,
  { file, isLast }: { readonly file: string; readonly isLast: boolean },
  apply: (piece: JournalPiece) => void,
): void {
  const hasHead =
    content.length >= FILE_HEAD_BYTES && content.subarray(0, FILE_MAGIC.length).equals(FILE_MAGIC);
  if (!hasHead) {
    // A crash interrupted its creation: entries are written when the head is durable.
    if (isLast && content.length <= FILE_HEAD_BYTES) return;
    throw dataDamaged(file, 0);
  }
  const mark = content.subarray(FILE_MAGIC.length, FILE_HEAD_BYTES);
  let at = FILE_HEAD_BYTES;
  let number = 0;
  for (;;) {
    const end = endOfEntry(content, at, mark, number);
    if (end === undefined) break;
    applyEntry(content.subarray(at + ENTRY_HEAD_BYTES, end), apply);
    at = end;
    number += 1;
  }
  if ((!isLast && at < content.length) || hasLaterEntry(content, at, mark, number))
    throw dataDamaged(file, at);
}

/** Where a whole entry ends; undefined: it is torn, or there is none. */
function endOfEntry(content: Buffer, at: number, mark: Buffer, number: number): number | undefined {
  if (numberOfEntry(content, at, mark) !== number) return undefined;
  const end = at + ENTRY_HEAD_BYTES + content.readUInt32LE(at + 16);
  if (end > content.length) return undefined;
  return crc32(content.subarray(at + ENTRY_HEAD_BYTES, end)) === content.readUInt32LE(at + 20)
    ? end
    : undefined;
}

/** The number of the entry whose whole head is at `at`. */
function numberOfEntry(content: Buffer, at: number, mark: Buffer): number | undefined {
  if (at + ENTRY_HEAD_BYTES > content.length || mark.compare(content, at, at + MARK_BYTES) !== 0)
    return undefined;
  const isWhole = crc32(content.subarray(at, at + ENTRY_CHECKED_BYTES)) === content.readUInt32LE(at + 24);
  return isWhole ? content.readDoubleLE(at + 8) : undefined;
}

/** An entry is written when the one before is durable: one behind the torn entry is no result of a crash. */
function hasLaterEntry(content: Buffer, from: number, mark: Buffer, torn: number): boolean {
  for (let at = content.indexOf(mark, from); at >= 0; at = content.indexOf(mark, at + 1)) {
    if ((numberOfEntry(content, at, mark) ?? -1) > torn) return true;
  }
  return false;
}

function applyEntry(entry: Buffer, apply: (piece: JournalPiece) => void): void {
  let at = 0;
  while (at < entry.length) {
    const start = at + PIECE_HEAD_BYTES;
    const name = start + entry.readUInt32LE(at);
    const end = name + entry.readUInt32LE(at + 4);
    apply({
      folder: entry.toString('utf8', start, name),
      segment: entry.readDoubleLE(at + 8),
      position: entry.readDoubleLE(at + 16),
      content: entry.subarray(name, end),
    });
    at = end;
  }
}

import {
  closeSync,
  fdatasync,
  fsync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { dataInUse } from './disk-errors.ts';

/** Released by release(), and by the end of the process, however it ends. */
export interface FolderLock {
  release(): void;
}

/** `existing`: reads and writes; `new`: writes and reads a file that is created or emptied. */
export type OpenMode = 'reading' | 'existing' | 'new';

/**
 * All calls of the file system that a data folder needs. Those that are not asynchronous block. Each reports what the system
 * does, as an error with `code` and `syscall`. A simulation has its own, on which a crash loses what was not synced.
 */
export interface DiskIo {
  open(file: string, mode: OpenMode): number;
  close(fd: number): void;
  /** Reads into `target`, and returns the number of bytes; 0 at the end of the file. */
  read(fd: number, target: Uint8Array, position: number): number;
  /** Writes into the page cache; a full disk shows here. */
  write(fd: number, content: Uint8Array, position: number): void;
  truncate(fd: number, bytes: number): void;
  /** Resolves when everything that was written to the file is on the disk. */
  sync(fd: number): Promise<void>;
  /** As sync, but blocks. */
  syncNow(fd: number): void;
  /** The length of a file in bytes; undefined: there is none. */
  size(file: string): number | undefined;
  /** The names in a folder. */
  list(folder: string): string[];
  /** Creates a folder for this user, and those above it. */
  makeFolder(folder: string): void;
  rename(from: string, to: string): void;
  /** Removes a file, or a folder with everything in it, if it is there. */
  remove(target: string): void;
  /** As remove, but does not block: the system needs milliseconds to free a long file. */
  removeLater(target: string): Promise<void>;
  /** Makes the entries of a folder durable. Windows has no such call, and needs none. */
  syncFolder(folder: string): Promise<void>;
  /** As syncFolder, but blocks. */
  syncFolderNow(folder: string): void;
  /** Throws MessagingError `data-in-use` when another process has it. */
  lock(folder: string): FolderLock;
}

const LOCK_FILE = 'lock';
const FLAGS: Readonly<Record<OpenMode, string>> = { reading: 'r', existing: 'r+', new: 'w+' };
const isWindows = process.platform === 'win32';
const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);

export const systemIo: DiskIo = {
  open: (file, mode) => openSync(file, FLAGS[mode]),
  close: (fd) => closeSync(fd),
  read: (fd, target, position) => readSync(fd, target, 0, target.length, position),
  write: (fd, content, position) => {
    let done = 0;
    while (done < content.length) {
      done += writeSync(fd, content, done, content.length - done, position + done);
    }
  },
  truncate: (fd, bytes) => ftruncateSync(fd, bytes),
  sync: (fd) => syncData(fd),
  syncNow: (fd) => fsyncSync(fd),
  size: (file) => statSync(file, { throwIfNoEntry: false })?.size,
  list: (folder) => readdirSync(folder),
  makeFolder: (folder) => void mkdirSync(folder, { recursive: true, mode: 0o700 }),
  rename: (from, to) => renameSync(from, to),
  remove: (target) => rmSync(target, { recursive: true, force: true }),
  removeLater: (target) => rm(target, { recursive: true, force: true }),
  syncFolder: async (folder) => {
    if (isWindows) return;
    const fd = openSync(folder, 'r');
    try {
      await syncAll(fd);
    } finally {
      closeSync(fd);
    }
  },
  syncFolderNow: (folder) => {
    if (isWindows) return;
    const fd = openSync(folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
  lock: lockFolder,
};

/** Node has no file locks; SQLite has, on every system, and the system releases them with the process. */
function lockFolder(folder: string): FolderLock {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path.join(folder, LOCK_FILE));
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (error instanceof Error && error.message.includes('locked')) throw dataInUse(folder);
    throw error;
  }
  const held = database;
  return { release: () => held.close() };
}

/** Reads a file; undefined: there is none. */
export function readFileNow(io: DiskIo, file: string): Buffer | undefined {
  const bytes = io.size(file);
  if (bytes === undefined) return undefined;
  const fd = io.open(file, 'reading');
  try {
    const content = Buffer.allocUnsafe(bytes);
    return content.subarray(0, readFully(io, fd, content, 0));
  } finally {
    io.close(fd);
  }
}

/** Fills `target` from `position` on; returns the number of bytes, fewer at the end of the file. */
export function readFully(io: DiskIo, fd: number, target: Buffer, position: number): number {
  let done = 0;
  while (done < target.length) {
    const count = io.read(fd, target.subarray(done), position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** Writes a small file; it is durable when its sync, and that of its folder, have returned. */
export function writeFileNow(io: DiskIo, file: string, content: Buffer, isSynced: boolean): void {
  const fd = io.open(file, 'new');
  try {
    io.write(fd, content, 0);
    if (isSynced) io.syncNow(fd);
  } finally {
    io.close(fd);
  }
}

/**
 * Makes durable what was found in a file and its folder: after a kill the page cache has what a power loss would still remove.
 */
export function syncFound(io: DiskIo, file: string): void {
  const fd = io.open(file, 'existing');
  try {
    io.syncNow(fd);
  } finally {
    io.close(fd);
  }
  io.syncFolderNow(path.dirname(file));
}

/** Whether a sync failed: the system may take the pages for written, so that a second sync would succeed without effect. */
export function isSyncFailure(error: unknown): boolean {
  const { syscall } = error as NodeJS.ErrnoException;
  return syscall === 'fdatasync' || syscall === 'fsync';
}

/** The disk, or the quota on it, is full: room can come back without a restart. */
export function isDiskFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}

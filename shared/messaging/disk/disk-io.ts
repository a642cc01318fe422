import { closeSync, fdatasync, fsync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** The calls that make records durable; tests replace them by ones that fail. */
export interface DiskIo {
  /** Writes into the page cache; a full disk shows here. */
  write(fd: number, content: Buffer, position: number): void;
  /** Resolves when everything that was written is on the disk. */
  sync(fd: number): Promise<void>;
  truncate(fd: number, bytes: number): void;
}

const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);

export const systemIo: DiskIo = {
  write: (fd, content, position) => {
    let done = 0;
    while (done < content.length) {
      done += writeSync(fd, content, done, content.length - done, position + done);
    }
  },
  sync: (fd) => syncData(fd),
  truncate: (fd, bytes) => ftruncateSync(fd, bytes),
};

/** Writes a small file and makes its content durable; its entry in the folder is not yet. Blocks. */
export function writeDurably(file: string, content: string): void {
  const fd = openSync(file, 'w');
  try {
    writeSync(fd, content);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** As syncFolder, but blocks. */
export function syncFolderNow(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes the entries of a folder durable. Windows has no such call, and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    await syncAll(fd);
  } finally {
    closeSync(fd);
  }
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

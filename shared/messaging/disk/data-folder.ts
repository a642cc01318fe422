import path from 'node:path';
import { MessagingError } from '../../platform/errors.ts';
import { INDEX_FOLDER } from '../record-index/index-files.ts';
import { dataUnusable } from './disk-errors.ts';
import { readFileNow, syncFound, writeFileNow, type DiskIo, type FolderLock } from './disk-io.ts';
import { FORMAT_VERSION } from './segment.ts';

const LOCK_FILE = 'lock';
const FORMAT_FILE = 'format.json';
/** The local outbox is kept here. */
const OUTBOX_FOLDER = 'outbox';
/** The root of a file system has it. */
const VOLUME_FOLDER = 'lost+found';
const ADVICE = 'set another DATA_DIR, or DATA_DIR=memory';
const FORMAT_TEXT = `${JSON.stringify({ format: FORMAT_VERSION })}\n`;

/**
 * Creates the folder if it is missing, locks it and checks its format. A folder with files of others is refused, since what
 * has the name of a topic without records would be removed. Throws MessagingError `data-in-use` or `data-unusable`.
 */
export function openDataFolder(folder: string, io: DiskIo): FolderLock {
  try {
    io.makeFolder(folder);
  } catch (error) {
    throw dataUnusable(`${folder} cannot be created; ${ADVICE}`, error);
  }
  const others = entriesOfOthers(folder, io);
  if (others.length > 0) {
    throw dataUnusable(
      `${folder} has no ${FORMAT_FILE} and holds other files (${others.join(', ')}); set DATA_DIR to an empty folder`,
    );
  }
  const lock = lockFolder(folder, io);
  try {
    checkFormat(folder, io);
  } catch (error) {
    lock.release();
    throw error;
  }
  return lock;
}

/** What is in a folder that is no data folder; the root of a volume and hidden files do not matter. */
function entriesOfOthers(folder: string, io: DiskIo): readonly string[] {
  let names: string[];
  try {
    names = io.list(folder).toSorted();
  } catch (error) {
    throw dataUnusable(`${folder} cannot be read; ${ADVICE}`, error);
  }
  if (names.includes(FORMAT_FILE)) return [];
  const own: ReadonlySet<string> = new Set([LOCK_FILE, INDEX_FOLDER, OUTBOX_FOLDER, VOLUME_FOLDER]);
  return names.filter((name) => !own.has(name) && !name.startsWith('.'));
}

function lockFolder(folder: string, io: DiskIo): FolderLock {
  try {
    return io.lock(folder);
  } catch (error) {
    if (error instanceof MessagingError) throw error;
    throw dataUnusable(`${folder} cannot be written; ${ADVICE}`, error);
  }
}

function checkFormat(folder: string, io: DiskIo): void {
  const file = path.join(folder, FORMAT_FILE);
  let content: string;
  try {
    content = readFileNow(io, file)?.toString() ?? '';
    if (content === '') {
      content = FORMAT_TEXT;
      syncParents(folder, io);
      const unfinished = path.join(folder, `.${FORMAT_FILE}`);
      writeFileNow(io, unfinished, Buffer.from(content), true);
      io.rename(unfinished, file);
    }
    syncFound(io, file);
  } catch (error) {
    throw dataUnusable(`${file} cannot be read or written; ${ADVICE}`, error);
  }
  const found = readFormat(content);
  if (found === FORMAT_VERSION) return;
  throw dataUnusable(
    `${file} names format ${found ?? '(none)'}, and this version reads format ${FORMAT_VERSION}: start the version ` +
      'that wrote it, or set another DATA_DIR',
  );
}

/** A process that was killed may have created any of them, and left that to the page cache. */
function syncParents(folder: string, io: DiskIo): void {
  for (let parent = path.dirname(folder); ; parent = path.dirname(parent)) {
    try {
      io.syncFolderNow(parent);
    } catch (error) {
      // It belongs to another user, and was not created by this program.
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    }
    if (parent === path.dirname(parent)) return;
  }
}

function readFormat(text: string): number | undefined {
  try {
    return (JSON.parse(text) as { format?: number }).format;
  } catch {
    return undefined;
  }
}

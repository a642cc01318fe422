import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dataInUse, dataUnusable } from './disk-errors.ts';
import { syncFolderNow, writeDurably } from './disk-io.ts';
import { FORMAT_VERSION } from './segment.ts';

const LOCK_FILE = 'lock';
const FORMAT_FILE = 'format.json';
/** The root of a file system has it. */
const VOLUME_FOLDER = 'lost+found';
const ADVICE = 'set another DATA_DIR, or DATA_DIR=memory';
const FORMAT_TEXT = `${JSON.stringify({ format: FORMAT_VERSION })}\n`;

/** The folder is released by release(), and by the end of the process, however it ends. */
export interface FolderLock {
  release(): void;
}

/**
 * Creates the folder if it is missing, locks it and checks its format. A folder with files of others is refused, since what
 * has the name of a topic without records would be removed. Throws MessagingError `data-in-use` or `data-unusable`.
 */
export function openDataFolder(folder: string): FolderLock {
  try {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined) for (const one of [folder, made]) syncFolderNow(path.dirname(one));
  } catch (error) {
    throw dataUnusable(`${folder} cannot be created; ${ADVICE}`, error);
  }
  const others = entriesOfOthers(folder);
  if (others.length > 0) {
    throw dataUnusable(
      `${folder} has no ${FORMAT_FILE} and holds other files (${others.join(', ')}); set DATA_DIR to an empty folder`,
    );
  }
  const lock = lockFolder(folder);
  try {
    checkFormat(folder);
  } catch (error) {
    lock.release();
    throw error;
  }
  return lock;
}

/** What is in a folder that is no data folder; the root of a volume and hidden files do not matter. */
function entriesOfOthers(folder: string): readonly string[] {
  let names: string[];
  try {
    names = readdirSync(folder).toSorted();
  } catch (error) {
    throw dataUnusable(`${folder} cannot be read; ${ADVICE}`, error);
  }
  if (names.includes(FORMAT_FILE)) return [];
  return names.filter((name) => name !== LOCK_FILE && name !== VOLUME_FOLDER && !name.startsWith('.'));
}

/** Node has no file locks; SQLite has, on every system, and the system releases them with the process. */
function lockFolder(folder: string): FolderLock {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path.join(folder, LOCK_FILE));
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (error instanceof Error && error.message.includes('locked')) throw dataInUse(folder);
    throw dataUnusable(`${folder} cannot be written; ${ADVICE}`, error);
  }
  const held = database;
  return { release: () => held.close() };
}

function checkFormat(folder: string): void {
  const file = path.join(folder, FORMAT_FILE);
  try {
    // Empty: a crash interrupted the first start on this folder.
    if (!existsSync(file) || readFileSync(file, 'utf8') === '') {
      writeDurably(file, FORMAT_TEXT);
      syncFolderNow(folder);
    }
  } catch (error) {
    throw dataUnusable(`${file} cannot be read or written; ${ADVICE}`, error);
  }
  const found = readFormat(readFileSync(file, 'utf8'));
  if (found === FORMAT_VERSION) return;
  throw dataUnusable(
    `${file} names format ${found ?? '(none)'}, and this version reads format ${FORMAT_VERSION}: start the version ` +
      'that wrote it, or set another DATA_DIR',
  );
}

function readFormat(text: string): number | undefined {
  try {
    return (JSON.parse(text) as { format?: number }).format;
  } catch {
    return undefined;
  }
}

import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dataInUse, dataUnusable } from './disk-errors.ts';
import { syncFolderNow, writeDurably } from './disk-io.ts';
import { FORMAT_VERSION } from './segment.ts';

const LOCK_FILE = 'lock';
const FORMAT_FILE = 'format.json';
const FORMAT_TEXT = `${JSON.stringify({ format: FORMAT_VERSION })}\n`;

/** The folder is released by release(), and by the end of the process, however it ends. */
export interface FolderLock {
  release(): void;
}

/**
 * Creates the folder if it is missing, locks it and checks its format. Throws MessagingError `data-in-use` or
 * `data-unusable`.
 */
export function openDataFolder(folder: string): FolderLock {
  try {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined) for (const one of [folder, made]) syncFolderNow(path.dirname(one));
  } catch (error) {
    throw dataUnusable(`${folder} cannot be created; set another DATA_DIR, or DATA_DIR=memory`, error);
  }
  const lock = lockFolder(folder);
  try {
    checkFormat(path.join(folder, FORMAT_FILE));
  } catch (error) {
    lock.release();
    throw error;
  }
  return lock;
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
    throw dataUnusable(`${folder} cannot be written; set another DATA_DIR, or DATA_DIR=memory`, error);
  }
  const held = database;
  return { release: () => held.close() };
}

function checkFormat(file: string): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    writeDurably(file, FORMAT_TEXT);
    return;
  }
  const found = readFormat(text);
  if (found === FORMAT_VERSION) return;
  // A crash interrupted the first start on this folder.
  if (text === '') return writeDurably(file, FORMAT_TEXT);
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

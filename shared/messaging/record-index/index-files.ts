import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError, errorText } from '../../platform/errors.ts';

/** The folder of the indexes in the data folder. */
export const INDEX_FOLDER = 'index';
/** Processes of one machine that may share a data folder, each with files of its own. The limit stops a supervisor that starts processes without end. */
const MAX_PROCESSES = 64;
/** Another layout of the files has another version. */
const FORMAT = 'record-index 1';
/** Linux: changes with each start of the system. Elsewhere files are used again only if they were closed. */
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
const DIGITS = 9;
const SQLITE_BUSY = 5;

export interface IndexFilesOptions {
  /** The data folder. */
  readonly folder: string;
  /** Name of the index, the beginning of its files. */
  readonly name: string;
  /** What the records belong to; files of another origin are not used. */
  readonly origin: string;
  /** For tests only. */
  readonly bootId?: string | undefined;
}

/** The files of one index, which this process alone has open; the system releases them with the process. */
export interface IndexFiles {
  /** The numbers of the generations that can be used, in order. */
  readonly generations: readonly number[];
  fileOf(generation: number): string;
  /** Removes the file of a generation that was closed. */
  remove(generation: number): Promise<void>;
  removeAll(): void;
  /** The next start builds the index again. Throws what SQLite reports. */
  markDamaged(): void;
  /** Makes all files durable, and releases them. Throws what SQLite or the disk reports; they are released all the same. */
  close(): void;
}

/**
 * Opens the files that the last process left, or new ones: each process of a machine has its own. Files are used again if
 * their process closed them, or if it was killed and the system has not been restarted since, so that everything that was
 * written is in its page cache. Throws ConfigError when the folder cannot be used.
 */
export function openIndexFiles(options: IndexFilesOptions): IndexFiles {
  const folder = path.join(options.folder, INDEX_FOLDER);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (let process = 1; process <= MAX_PROCESSES; process += 1) {
      const prefix = `${options.name}-${process}`;
      const state = lockState(path.join(folder, `${prefix}.lock`));
      if (state !== undefined) return filesOf(folder, prefix, { ...options, state });
    }
  } catch (error) {
    throw new ConfigError(
      `the folder ${folder} cannot be used: set DATA_DIR to a folder that can be written, or DATA_DIR=memory (${errorText(error)})`,
    );
  }
  throw new ConfigError(`${MAX_PROCESSES} processes use ${folder}: set another DATA_DIR`);
}

/** The lock, and what is known about the files; changes of it are durable at once. */
interface FilesState {
  read(): string | undefined;
  write(text: string): void;
  close(): void;
}

/** Undefined: another process has it. */
function lockState(file: string): FilesState | undefined {
  const database = new DatabaseSync(file);
  try {
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL',
    );
    database.exec(
      'BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY, text TEXT); COMMIT',
    );
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return {
    read: () => database.prepare('SELECT text FROM state').get()?.['text']?.toString(),
    write: (text) => void database.prepare('INSERT OR REPLACE INTO state VALUES (1, ?)').run(text),
    close: () => database.close(),
  };
}

function filesOf(
  folder: string,
  prefix: string,
  { state, origin, bootId = readBootId() }: IndexFilesOptions & { readonly state: FilesState },
): IndexFiles {
  const fileOf = (generation: number): string =>
    path.join(folder, `${prefix}.${String(generation).padStart(DIGITS, '0')}.db`);
  const numbers = (): number[] => {
    const pattern = new RegExp(`^${prefix}\\.(\\d{${DIGITS}})\\.db$`);
    return readdirSync(folder)
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((one, other) => one - other);
  };
  const removeAll = (): void => {
    for (const name of readdirSync(folder)) {
      if (name.startsWith(`${prefix}.`) && !name.startsWith(`${prefix}.lock`))
        rmSync(path.join(folder, name));
    }
  };
  const closed = JSON.stringify([FORMAT, origin, 'closed']);
  const inUse = JSON.stringify([FORMAT, origin, 'open', bootId ?? '']);
  const left = state.read();
  if (left !== closed && (left !== inUse || bootId === undefined)) removeAll();
  const generations = numbers();
  if (generations.some((number, at) => number !== (generations[0] ?? 0) + at)) removeAll();
  state.write(inUse);
  return {
    generations: numbers(),
    fileOf,
    remove: (generation) => rm(fileOf(generation), { force: true }),
    removeAll,
    markDamaged: () => state.write('damaged'),
    close: () => {
      try {
        for (const number of numbers()) syncFile(fileOf(number));
        if (state.read() === inUse) state.write(closed);
      } finally {
        state.close();
      }
    },
  };
}

function syncFile(file: string): void {
  const fd = openSync(file, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function readBootId(): string | undefined {
  try {
    return readFileSync(BOOT_ID_FILE, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/**
 * Reads an institution's whole catalogue from a folder of JSON files (docs/catalogue.md): a folder for each kind of
 * records, each optional, a record or a list of them in each file. A file or folder that cannot be read is a fault,
 * because its records would be missing unnoticed; README files, `*.md` and hidden ones are left alone.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import { buildCatalogue } from '../../product/validation/build-catalogue.ts';
import {
  type CatalogueRecord,
  KIND_FOLDERS,
  RECORD_KINDS,
  type RecordKind,
} from '../../product/catalogue/catalogue-record.ts';
import type { CatalogueView } from '../../product/catalogue/catalogue-view.ts';
import { ConfigError, errorText } from '../../platform/errors.ts';
import { readCatalogueRecord } from './read-record.ts';

/** Most files of a folder and bytes of a file: mistakes such as a folder of data dumps are found before they are read. */
const MAX_FILES = 1000;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Files that are not records: explanations, and those of editors, version control and mounted volumes. */
const LEFT_ALONE = /^\.|^readme(?!.*\.json$)|\.md$/i;
const LEFT_ALONE_TEXT = 'only README files, *.md and hidden files are left alone';
/** Written by some editors before the text of a file; JSON has no such character. */
const BYTE_ORDER_MARK = '\u{FEFF}';

/** What a folder holds, and all that is wrong with it. */
export interface FolderCatalogue {
  /** The records whose shape is right, kind by kind, in the order of the file names. */
  readonly records: readonly CatalogueRecord[];
  readonly faults: readonly CatalogueFault[];
  /** Undefined when there is any fault. */
  readonly catalogue: CatalogueView | undefined;
}

/**
 * The records of a folder, checked one by one and against each other. `otherCalendars` finds countries that are not
 * built in. Throws ConfigError only when there is no such folder.
 */
export function readWholeCatalogue(folder: string, otherCalendars?: OtherCalendars): FolderCatalogue {
  const { records, partial, unknown, faults } = readFolder(folder);
  const outcome = buildCatalogue(records, otherCalendars, { partial, unknown });
  const all = outcome.kind === 'refused' ? [...faults, ...outcome.faults] : faults;
  const isWhole = outcome.kind === 'catalogue' && all.length === 0;
  return { records, faults: all, catalogue: isWhole ? outcome.catalogue : undefined };
}

/**
 * The records of a folder, each checked by its shape only: what it names may be kept elsewhere. Throws ConfigError only
 * when there is no such folder.
 */
export function readFolderRecords(folder: string): Omit<FolderCatalogue, 'catalogue'> {
  const { records, faults } = readFolder(folder);
  return { records, faults };
}

interface FolderRecords extends Omit<FolderCatalogue, 'catalogue'> {
  /** What can be read of records whose shape is wrong. */
  readonly partial: readonly CatalogueRecord[];
  /** Kinds of which there are records without a code that could be read, or files that could not be read at all. */
  readonly unknown: ReadonlySet<RecordKind>;
}

function readFolder(folder: string): FolderRecords {
  requireFolder(folder);
  const faults: CatalogueFault[] = [];
  const records: CatalogueRecord[] = [];
  const partial: CatalogueRecord[] = [];
  const unknown = new Set<RecordKind>();
  reportUnknownEntries(folder, Object.values(KIND_FOLDERS), faults);
  for (const kind of RECORD_KINDS) {
    const { items, isWhole } = readItems(folder, KIND_FOLDERS[kind], faults);
    if (!isWhole) unknown.add(kind);
    for (const { source, item } of items) {
      const read = readCatalogueRecord(kind, item, source);
      if (read.kind === 'record') records.push(read.entry);
      else faults.push(...read.faults);
      if (read.kind !== 'invalid') continue;
      partial.push(...read.partial);
      if (read.partial.every(({ unread }) => unread?.has('Code') === true)) unknown.add(kind);
    }
  }
  return { records, partial, unknown, faults };
}

/** The faults of a catalogue as one error, a line each. */
export function catalogueError(folder: string, faults: readonly CatalogueFault[]): ConfigError {
  return new ConfigError(`the catalogue ${folder} is wrong:\n  ${faults.map(formatFault).join('\n  ')}`);
}

/** A fault as a human-readable line. */
export function formatFault({ source, record, message }: CatalogueFault): string {
  return record === '' ? `${source}: ${message}` : `${source}: ${record}: ${message}`;
}

/** Throws ConfigError when there is no such folder. */
function requireFolder(folder: string): void {
  if (!isFolder(folder)) throw new ConfigError(`CATALOGUE_FOLDER: there is no folder ${folder}`);
}

/** Reports files and folders in a catalogue's folder that are none of `kinds`, the folders that are read. */
function reportUnknownEntries(folder: string, kinds: readonly string[], faults: CatalogueFault[]): void {
  const unknown = recordNames(folder).filter((name) => !kinds.includes(name));
  const message = `must be one of the folders ${kinds.join(', ')}; ${LEFT_ALONE_TEXT}`;
  faults.push(...unknown.slice(0, MAX_FILES).map((source) => ({ source, record: '', message })));
}

/** A value of a file, not looked at yet. */
interface FileItem {
  readonly source: string;
  readonly item: unknown;
}

/** The values of a folder. */
interface FolderItems {
  readonly items: readonly FileItem[];
  /** False: there may be others, in a file that could not be read. */
  readonly isWhole: boolean;
}

/** The values in the files of one kind, in the order of the file names. */
function readItems(folder: string, kind: string, faults: CatalogueFault[]): FolderItems {
  const known = faults.length;
  const items = readKind(folder, kind, faults);
  return { items, isWhole: faults.length === known };
}

function readKind(folder: string, kind: string, faults: CatalogueFault[]): readonly FileItem[] {
  const place = path.join(folder, kind);
  if (!existsSync(place)) return [];
  const names = isFolder(place) ? recordNames(place) : [];
  if (names.length > MAX_FILES || !isFolder(place)) {
    faults.push({
      source: kind,
      record: '',
      message: `must be a folder of at most ${MAX_FILES} JSON files`,
    });
    return [];
  }
  return names.flatMap((name) => {
    const source = `${kind}/${name}`;
    if (!name.endsWith('.json')) {
      const message = `must be a file whose name ends in .json, in small letters; ${LEFT_ALONE_TEXT}`;
      faults.push({ source, record: '', message });
      return [];
    }
    return readFile(path.join(place, name), source, faults).map((item) => ({ source, item }));
  });
}

function isFolder(folder: string): boolean {
  return existsSync(folder) && statSync(folder).isDirectory();
}

function recordNames(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !LEFT_ALONE.test(name))
    .toSorted();
}

function readFile(file: string, source: string, faults: CatalogueFault[]): readonly unknown[] {
  const refuse = (message: string): readonly unknown[] => {
    faults.push({ source, record: '', message });
    return [];
  };
  try {
    if (statSync(file).size > MAX_FILE_BYTES) return refuse(`must have at most ${MAX_FILE_BYTES} bytes`);
    const text = readFileSync(file, 'utf8');
    const content: unknown = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
    return Array.isArray(content) ? content : [content];
  } catch (error) {
    return refuse(`must be a readable JSON file: ${errorText(error)}`);
  }
}

/** Reads a catalogue from a folder of JSON files (docs/catalogue.md). Unknown files are faults: their records would be missing. */

import path from 'node:path';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import type { CatalogueFault } from '../../lending/schedule-types/lending-catalogue.ts';
import { buildCatalogue } from '../check/check-catalogue.ts';
import {
  KIND_FOLDERS,
  RECORD_KINDS,
  type CatalogueRecord,
  type RecordKind,
} from '../catalogue/catalogue-record.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import { parseJson, refusalText } from '../../platform/bounded-json.ts';
import { ConfigError, errorText } from '../../platform/errors.ts';
import { readCatalogueRecord } from '../catalogue/read-record.ts';
import { fileURLToPath } from 'node:url';
import { createLibraryCalendars } from '../../lending/calendars/library/library-calendars.ts';
import { writeRecords, type RecordChanges } from './write-records.ts';
import { CATALOGUE_RECORD, encodeRecord } from './catalogue-message.ts';
import type { Codec } from '../../messaging/codec.ts';
import type { Broker } from '../../messaging/ports.ts';
import { topicName } from '../../messaging/topics/topic-list.ts';
import type { Config } from '../../platform/load-config.ts';

/** Detects mistakes, such as a folder of data dumps, before reading. */
const MAX_FILES = 1000;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Files that are not records: explanations, and files of editors, version control and mounted volumes. */
const IGNORED = /^\.|^readme(?!.*\.json$)|\.md$/i;
const IGNORED_TEXT = 'only README files, *.md and hidden files are ignored';

export interface FolderCatalogue {
  /** The records that match their schema, by kind and file name. */
  readonly records: readonly CatalogueRecord[];
  readonly faults: readonly CatalogueFault[];
  /** Undefined if there is a fault. */
  readonly catalogue: CatalogueView | undefined;
}

/** Reads the records of a folder and validates them, also against each other. Throws ConfigError without the folder. */
export function readWholeCatalogue(folder: string, otherCalendars?: OtherCalendars): FolderCatalogue {
  const { records, unknown, faults } = readFolder(folder);
  const outcome = buildCatalogue(records, otherCalendars, unknown);
  const all = outcome.kind === 'refused' ? [...faults, ...outcome.faults] : faults;
  const isWhole = outcome.kind === 'catalogue' && all.length === 0;
  return { records, faults: all, catalogue: isWhole ? outcome.catalogue : undefined };
}

/** Reads the records of a folder and checks only their schemas. Throws ConfigError without the folder. */
export function readFolderRecords(folder: string): Omit<FolderCatalogue, 'catalogue'> {
  const { records, faults } = readFolder(folder);
  return { records, faults };
}

interface FolderRecords extends Omit<FolderCatalogue, 'catalogue'> {
  /** Kinds with unreadable files or records. */
  readonly unknown: ReadonlySet<RecordKind>;
}

function readFolder(folder: string): FolderRecords {
  requireFolder(folder);
  const faults: CatalogueFault[] = [];
  const records: CatalogueRecord[] = [];
  const unknown = new Set<RecordKind>();
  reportUnknownEntries(folder, Object.values(KIND_FOLDERS), faults);
  for (const kind of RECORD_KINDS) {
    const known = faults.length;
    const items = readKind(folder, KIND_FOLDERS[kind], faults);
    for (const { source, item } of items) {
      const read = readCatalogueRecord(kind, item, source);
      if (read.kind === 'record') records.push(read.entry);
      else faults.push(...read.faults);
    }
    if (faults.length > known) unknown.add(kind);
  }
  return { records, unknown, faults };
}

/** Combines the faults of a catalogue into one error, with a line for each. */
export function catalogueError(folder: string, faults: readonly CatalogueFault[]): ConfigError {
  return new ConfigError(`the catalogue ${folder} is invalid:\n  ${faults.map(formatFault).join('\n  ')}`);
}

export function formatFault({ source, record, message }: CatalogueFault): string {
  return record === '' ? `${source}: ${message}` : `${source}: ${record}: ${message}`;
}

function requireFolder(folder: string): void {
  if (!isFolder(folder)) throw new ConfigError(`CATALOGUE_FOLDER: there is no folder ${folder}`);
}

function reportUnknownEntries(folder: string, kinds: readonly string[], faults: CatalogueFault[]): void {
  const unknown = recordNames(folder).filter((name) => !kinds.includes(name));
  const message = `must be one of the folders ${kinds.join(', ')}; ${IGNORED_TEXT}`;
  faults.push(...unknown.slice(0, MAX_FILES).map((source) => ({ source, record: '', message })));
}

interface FileItem {
  readonly source: string;
  readonly item: unknown;
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
      const message = `must be a file whose name ends in .json, in lower case; ${IGNORED_TEXT}`;
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
    .filter((name) => !IGNORED.test(name))
    .toSorted();
}

function readFile(file: string, source: string, faults: CatalogueFault[]): readonly unknown[] {
  const refuse = (message: string): readonly unknown[] => {
    faults.push({ source, record: '', message });
    return [];
  };
  try {
    if (statSync(file).size > MAX_FILE_BYTES) return refuse(`must have at most ${MAX_FILE_BYTES} bytes`);
    const parsed = parseJson(readFileSync(file), { maxValues: Infinity });
    if (parsed.kind === 'refused') return refuse(refusalText(parsed, 'must be a readable JSON file: it'));
    const content = parsed.value;
    return Array.isArray(content) ? content : [content];
  } catch (error) {
    return refuse(`must be a readable JSON file: ${errorText(error)}`);
  }
}

const EXAMPLE_CATALOGUE = fileURLToPath(new URL('../example-catalogue', import.meta.url));

/**
 * Publishes the catalogue folder to an embedded broker: what changed since the last start, and tombstones for what is gone.
 * Does nothing if a shared broker has records already. Rejects with a ConfigError that lists all faults.
 */
export async function publishCatalogue(
  broker: Broker,
  codec: Codec,
  config: Config,
  { isShared }: { readonly isShared: boolean } = { isShared: false },
): Promise<void> {
  const topic = topicName(config.topicPrefix, 'catalogueRecords');
  const stored = await latestValues(broker, topic);
  if (isShared && stored.size > 0) return;
  const folder = config.lending.catalogueFolder ?? EXAMPLE_CATALOGUE;
  const { records, faults } = readWholeCatalogue(folder, createLibraryCalendars());
  if (faults.length > 0) throw catalogueError(folder, faults);
  const changes = await changesOf(records, stored, { codec, topic });
  if (changes.put.length + changes.remove.length === 0) return;
  await writeRecords({ broker, codec, topic, clientId: 'catalogue-folder' }, changes);
}

async function latestValues(broker: Broker, topic: string): Promise<ReadonlyMap<string, Buffer>> {
  const values = new Map<string, Buffer>();
  const offsets = await broker.admin.offsets(topic);
  const ranges = offsets.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high }));
  await broker.readRanges(ranges, ({ key, value }) => {
    if (value === null) values.delete(String(key));
    else values.set(String(key), value);
    return 'more';
  });
  return values;
}

async function changesOf(
  records: RecordChanges['put'],
  stored: ReadonlyMap<string, Buffer>,
  { codec, topic }: { readonly codec: Codec; readonly topic: string },
): Promise<RecordChanges> {
  await codec.prepare([CATALOGUE_RECORD]);
  const gone = new Set(stored.keys());
  const put: RecordChanges['put'][number][] = [];
  for (const entry of records) {
    const { key, value } = await encodeRecord(codec, topic, entry);
    gone.delete(String(key));
    if (value !== null && stored.get(String(key))?.equals(value) !== true) put.push(entry);
  }
  return { put, remove: [...gone] };
}

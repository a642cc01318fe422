/** Reads and publishes a catalogue folder (docs/catalogue.md). Unknown files are faults: records would be missing. */

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
import { parseJson, refusalText } from '../../platform/parse-json.ts';
import { ConfigError, errorText } from '../../platform/errors.ts';
import { readCatalogueRecord } from '../catalogue/read-record.ts';
import { fileURLToPath } from 'node:url';
import { createLibraryCalendars } from '../../lending/calendars/library/library-calendars.ts';
import { writeRecords } from './write-records.ts';
import { CATALOGUE_RECORD, encodeRecord, MAX_RECORD_BYTES } from './catalogue-message.ts';
import type { Codec } from '../../messaging/codec.ts';
import type { Broker } from '../../messaging/ports.ts';
import { topicName } from '../../messaging/topics/topic-list.ts';
import type { Config } from '../../platform/load-config.ts';

/** A folder with more files is a mistake, such as a data dump, and is refused before its files are read. */
const MAX_FILES = 1000;
/** Names of files without records: explanations, and hidden files of editors, version control and mounted volumes. */
const IGNORED = /^\.|^readme(?!.*\.json$)|\.md$/i;
const IGNORED_TEXT = 'only README files, *.md and hidden files are ignored';

/** Checks all records; `catalogue` is undefined if there is a fault. Throws ConfigError if there is no such folder. */
export function readWholeCatalogue(folder: string, otherCalendars?: OtherCalendars) {
  const { records, unknown, faults } = readFolderRecords(folder);
  const outcome = buildCatalogue(records, otherCalendars, unknown);
  const all = outcome.kind === 'refused' ? [...faults, ...outcome.faults] : faults;
  const isWhole = outcome.kind === 'catalogue' && all.length === 0;
  return { records, faults: all, catalogue: isWhole ? outcome.catalogue : undefined };
}

/** Checks records against schemas only; `unknown` has kinds with faults. Throws ConfigError if there is no folder. */
export function readFolderRecords(folder: string) {
  if (!isFolder(folder)) throw new ConfigError(`CATALOGUE_FOLDER: there is no folder ${folder}`);
  const faults: CatalogueFault[] = [];
  const records: CatalogueRecord[] = [];
  const unknown = new Set<RecordKind>();
  const kinds = Object.values(KIND_FOLDERS);
  const others = recordNames(folder).filter((name) => !kinds.includes(name));
  const message = `must be one of the folders ${kinds.join(', ')}; ${IGNORED_TEXT}`;
  faults.push(...others.slice(0, MAX_FILES).map((source) => ({ source, record: '', message })));
  for (const kind of RECORD_KINDS) {
    const known = faults.length;
    for (const { source, item } of readKind(folder, KIND_FOLDERS[kind], faults)) {
      const read = readCatalogueRecord(kind, item, source);
      if (read.kind === 'record') records.push(read.entry);
      else faults.push(...read.faults);
    }
    if (faults.length > known) unknown.add(kind);
  }
  return { records, unknown, faults };
}

export function catalogueError(folder: string, faults: readonly CatalogueFault[]): ConfigError {
  return new ConfigError(`the catalogue ${folder} is invalid:\n  ${faults.map(formatFault).join('\n  ')}`);
}

export function formatFault({ source, record, message }: CatalogueFault): string {
  return record === '' ? `${source}: ${message}` : `${source}: ${record}: ${message}`;
}

function readKind(folder: string, kind: string, faults: CatalogueFault[]) {
  const place = path.join(folder, kind);
  const refuse = (source: string, message: string): [] => {
    faults.push({ source, record: '', message });
    return [];
  };
  if (!existsSync(place)) return [];
  const names = isFolder(place) ? recordNames(place) : undefined;
  if (names === undefined || names.length > MAX_FILES) {
    return refuse(kind, `must be a folder of at most ${MAX_FILES} JSON files`);
  }
  return names.flatMap((name) => {
    const source = `${kind}/${name}`;
    if (!name.endsWith('.json')) {
      return refuse(source, `must be a file whose name ends in .json, in lower case; ${IGNORED_TEXT}`);
    }
    const content = readFile(path.join(place, name));
    return content.kind === 'refused'
      ? refuse(source, content.message)
      : [content.value].flat().map((item: unknown) => ({ source, item }));
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

const refused = (message: string) => ({ kind: 'refused', message }) as const;

function readFile(file: string) {
  try {
    if (statSync(file).size > MAX_RECORD_BYTES) return refused(`must have at most ${MAX_RECORD_BYTES} bytes`);
    const parsed = parseJson(readFileSync(file), { maxValues: Infinity });
    return parsed.kind === 'refused'
      ? refused(refusalText(parsed, 'must be a readable JSON file: it'))
      : parsed;
  } catch (error) {
    return refused(`must be a readable JSON file: ${errorText(error)}`);
  }
}

const EXAMPLE_CATALOGUE = fileURLToPath(new URL('../example-catalogue', import.meta.url));

/**
 * Publishes the records of the catalogue folder that differ from the topic, and tombstones for records that the folder
 * lacks. Does nothing if the broker is shared and the topic has records. Rejects with one ConfigError for all faults.
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
  await codec.prepare([CATALOGUE_RECORD]);
  const gone = new Set(stored.keys());
  const put: CatalogueRecord[] = [];
  for (const entry of records) {
    const { key, value } = await encodeRecord(codec, topic, entry);
    gone.delete(String(key));
    if (value !== null && stored.get(String(key))?.equals(value) !== true) put.push(entry);
  }
  if (put.length + gone.size === 0) return;
  await writeRecords({ broker, codec, topic, clientId: 'catalogue-folder' }, { put, remove: [...gone] });
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

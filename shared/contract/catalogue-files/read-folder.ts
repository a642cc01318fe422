/**
 * Reads an institution's whole catalogue from a folder of JSON files (docs/catalogue.md): a folder for each kind of
 * records, each optional, a record or a list of them in each file.
 */

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
import { ConfigError } from '../../platform/errors.ts';
import { lineOf, readItems, reportStrangers, requireFolder } from './record-files.ts';
import { readCatalogueRecord } from './read-record.ts';

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
  reportStrangers(folder, Object.values(KIND_FOLDERS), faults);
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
  return new ConfigError(`the catalogue ${folder} is wrong:\n  ${faults.map(lineOf).join('\n  ')}`);
}

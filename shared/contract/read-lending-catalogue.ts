/**
 * Reads an institution's catalogue from a folder of JSON files at start: schedule-types/, periodicities/ and
 * calendars/, each optional. A file holds one record or a list of them. Other files and folders are left alone.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import type { CatalogueEntry, CatalogueFault } from '../lending/catalogue-entry.ts';
import type { OtherCalendars } from '../lending/calendars/business-calendar.ts';
import { createLendingCatalogue, type LendingCatalogue } from '../lending/lending-catalogue.ts';
import { ConfigError, errorText } from '../platform/errors.ts';
import { CALENDAR_SHAPE, PERIODICITY_SHAPE, SCHEDULE_TYPE_SHAPE } from './lending-catalogue-shapes.ts';

/** Most files of a folder and bytes of a file: mistakes such as a folder of data dumps are found before they are read. */
const MOST_FILES = 1000;
const LARGEST_FILE_BYTES = 4 * 1024 * 1024;
/** Members that name a record, for messages. */
const NAMING_MEMBERS = ['PaymentScheduleTypeName', 'name'] as const;

/**
 * The catalogue of a folder, built-in records included. `otherCalendars` finds countries that are not built in.
 * Throws ConfigError that names, for everything that is wrong at once, file, record, column and what to do.
 */
export function readCatalogueFolder(folder: string, otherCalendars?: OtherCalendars): LendingCatalogue {
  if (!isFolder(folder)) throw new ConfigError(`CATALOGUE_FOLDER: there is no folder ${folder}`);
  const faults: CatalogueFault[] = [];
  const records = {
    scheduleTypes: readRecords(folder, 'schedule-types', SCHEDULE_TYPE_SHAPE, faults),
    periodicities: readRecords(folder, 'periodicities', PERIODICITY_SHAPE, faults),
    calendars: readRecords(folder, 'calendars', CALENDAR_SHAPE, faults),
  };
  const outcome = createLendingCatalogue(records, otherCalendars);
  if (outcome.kind === 'refused') faults.push(...outcome.faults);
  if (outcome.kind === 'catalogue' && faults.length === 0) return outcome.catalogue;
  throw new ConfigError(`the catalogue ${folder} is wrong:\n  ${faults.map(lineOf).join('\n  ')}`);
}

function lineOf({ source, record, message }: CatalogueFault): string {
  return record === '' ? `${source}: ${message}` : `${source}: ${record}: ${message}`;
}

function isFolder(folder: string): boolean {
  return existsSync(folder) && statSync(folder).isDirectory();
}

/** The readable records of one kind, in the order of the file names. */
function readRecords<RecordKind>(
  folder: string,
  kind: string,
  shape: z.ZodType<RecordKind>,
  faults: CatalogueFault[],
): readonly CatalogueEntry<RecordKind>[] {
  const place = path.join(folder, kind);
  if (!existsSync(place)) return [];
  const names = isFolder(place) ? readdirSync(place).filter((name) => name.endsWith('.json')) : [];
  if (names.length > MOST_FILES || !isFolder(place)) {
    faults.push({
      source: kind,
      record: '',
      message: `must be a folder of at most ${MOST_FILES} JSON files`,
    });
    return [];
  }
  return names.toSorted().flatMap((name) => {
    const source = `${kind}/${name}`;
    return itemsOf(path.join(place, name), source, faults).flatMap((item) => {
      const read = shape.safeParse(item);
      if (read.success) return [{ source, record: read.data }];
      const record = nameOf(item);
      faults.push(...read.error.issues.map((issue) => ({ source, record, message: messageOf(issue, item) })));
      return [];
    });
  });
}

function itemsOf(file: string, source: string, faults: CatalogueFault[]): readonly unknown[] {
  const refuse = (message: string): readonly unknown[] => {
    faults.push({ source, record: '', message });
    return [];
  };
  try {
    if (statSync(file).size > LARGEST_FILE_BYTES)
      return refuse(`must have at most ${LARGEST_FILE_BYTES} bytes`);
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(content) ? content : [content];
  } catch (error) {
    return refuse(`must be a readable JSON file: ${errorText(error)}`);
  }
}

/** The name of a record that could not be read, as far as it has one. */
function nameOf(item: unknown): string {
  for (const member of NAMING_MEMBERS) {
    const name = memberOf(item, member);
    if (typeof name === 'string') return name;
  }
  return '';
}

function memberOf(value: unknown, member: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined;
}

/** `column VatOnFees Fee must be text, not a number`; other lists are numbered from 0. */
function messageOf(issue: z.core.$ZodIssue, item: unknown): string {
  const [first, index, ...rest] = issue.path;
  const column =
    first === 'PaymentScheduleTypeDetails' && index !== undefined
      ? memberOf(memberOf(memberOf(item, first), index), 'ColumnRepaymentSchedule')
      : undefined;
  const isColumn = typeof column === 'string';
  const members = (isColumn ? rest : issue.path).map((part) =>
    typeof part === 'number' ? `[${part}]` : `.${String(part)}`,
  );
  const member = members.join('').replace(/^\./, '');
  const text = issue.code === 'unrecognized_keys' ? unknownMembers(issue.keys) : issue.message;
  return [isColumn ? `column ${column}` : '', member, text].filter((part) => part !== '').join(' ');
}

function unknownMembers(names: readonly string[]): string {
  return `must not have the unknown member ${names.join(', ')}`;
}

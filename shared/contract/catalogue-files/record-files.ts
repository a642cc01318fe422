/**
 * Reads the JSON files of an institution's catalogue: a folder for each kind of records, a record or a list of them in
 * each file. A file or folder that would not be read is a fault, because its records would be missing without a word;
 * README files, `*.md` and hidden ones are left alone.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import type { CatalogueFault } from '../../lending/schedule-types/catalogue-entry.ts';
import { ConfigError, errorText } from '../../platform/errors.ts';

/** Most files of a folder and bytes of a file: mistakes such as a folder of data dumps are found before they are read. */
const MOST_FILES = 1000;
const LARGEST_FILE_BYTES = 4 * 1024 * 1024;
/** Names beside records: explanations, and what editors, version control and mounted volumes keep there. */
const LEFT_ALONE = /^\.|^readme(?!.*\.json$)|\.md$/i;
const LEFT_ALONE_TEXT = 'only README files, *.md and hidden files are left alone';
/** Written by some editors before the text of a file; JSON has no such character. */
const BYTE_ORDER_MARK = '\u{FEFF}';
/** Members that name a record, for messages. */
const NAMING_MEMBERS = ['PaymentScheduleTypeName', 'name', 'Code'] as const;

/** Throws ConfigError when there is no such folder. */
export function requireFolder(folder: string): void {
  if (!isFolder(folder)) throw new ConfigError(`CATALOGUE_FOLDER: there is no folder ${folder}`);
}

/** Reports files and folders in a catalogue's folder that are none of `kinds`, the folders that are read. */
export function reportStrangers(folder: string, kinds: readonly string[], faults: CatalogueFault[]): void {
  const strangers = recordNames(folder).filter((name) => !kinds.includes(name));
  const message = `must be one of the folders ${kinds.join(', ')}; ${LEFT_ALONE_TEXT}`;
  faults.push(...strangers.slice(0, MOST_FILES).map((source) => ({ source, record: '', message })));
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
export function readItems(folder: string, kind: string, faults: CatalogueFault[]): FolderItems {
  const known = faults.length;
  const items = itemsOfKind(folder, kind, faults);
  return { items, isWhole: faults.length === known };
}

function itemsOfKind(folder: string, kind: string, faults: CatalogueFault[]): readonly FileItem[] {
  const place = path.join(folder, kind);
  if (!existsSync(place)) return [];
  const names = isFolder(place) ? recordNames(place) : [];
  if (names.length > MOST_FILES || !isFolder(place)) {
    faults.push({
      source: kind,
      record: '',
      message: `must be a folder of at most ${MOST_FILES} JSON files`,
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
    return itemsOf(path.join(place, name), source, faults).map((item) => ({ source, item }));
  });
}

/** What is wrong with the shape of a value, each with the member that it is about. */
export function faultsOfRecord(error: z.ZodError, item: unknown, source: string): readonly CatalogueFault[] {
  const record = nameOf(item);
  return error.issues.map((issue) => ({ source, record, message: messageOf(issue, item) }));
}

/** A fault as a line for a person. */
export function lineOf({ source, record, message }: CatalogueFault): string {
  return record === '' ? `${source}: ${message}` : `${source}: ${record}: ${message}`;
}

function isFolder(folder: string): boolean {
  return existsSync(folder) && statSync(folder).isDirectory();
}

function recordNames(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !LEFT_ALONE.test(name))
    .toSorted();
}

function itemsOf(file: string, source: string, faults: CatalogueFault[]): readonly unknown[] {
  const refuse = (message: string): readonly unknown[] => {
    faults.push({ source, record: '', message });
    return [];
  };
  try {
    if (statSync(file).size > LARGEST_FILE_BYTES)
      return refuse(`must have at most ${LARGEST_FILE_BYTES} bytes`);
    const text = readFileSync(file, 'utf8');
    const content: unknown = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
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
  const member = memberPath(isColumn ? rest : issue.path);
  const text = issue.code === 'unrecognized_keys' ? unknownMembers(issue.keys) : issue.message;
  return [isColumn ? `column ${column}` : '', member, text].filter((part) => part !== '').join(' ');
}

function unknownMembers(names: readonly string[]): string {
  return `must not have the unknown member ${names.join(', ')}`;
}

/** `Interests[0].Values`; empty for the record itself. */
export function memberPath(members: readonly PropertyKey[]): string {
  const parts = members.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return parts.join('').replace(/^\./, '');
}

/** Records of the example catalogue, with and without changes. */

import path from 'node:path';
import { readCatalogueRecord } from '../../../shared/product/catalogue/read-record.ts';
import { readWholeCatalogue } from '../../../shared/product/storage/catalogue-folder.ts';
import {
  type CatalogueRecord,
  identifyRecord,
  type RecordKind,
  type RecordsByKind,
} from '../../../shared/product/catalogue/catalogue-record.ts';

/** The shipped catalogue. */
export const EXAMPLE_FOLDER = path.resolve(import.meta.dirname, '../../../shared/product/example-catalogue');

/** Its records. */
export const EXAMPLE_RECORDS: readonly CatalogueRecord[] = readWholeCatalogue(EXAMPLE_FOLDER).records;

/** JSON that tests change. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests change any field, also to invalid values
export type Json = any;

/** A copy of the record with the given kind, code and version, as JSON. */
export function exampleJson(kind: RecordKind, code: string, version = 1): Json {
  const key = `${kind}/${code}/${version}`;
  const found = EXAMPLE_RECORDS.find((entry) => keyOf(entry) === key);
  if (found === undefined) throw new Error(`there is no ${key}`);
  return structuredClone(found.record);
}

/**
 * The example records; each given record replaces the one with the same key, and an entry with a source is appended.
 */
export function exampleWith(
  ...entries: readonly { readonly kind: RecordKind; readonly json: Json; readonly source?: string }[]
): readonly CatalogueRecord[] {
  const records = [...EXAMPLE_RECORDS];
  for (const { kind, json, source } of entries) {
    const entry = recordFrom(kind, json, source ?? 'changed.json');
    const place = records.findIndex((known) => source === undefined && keyOf(known) === keyOf(entry));
    if (place < 0) records.push(entry);
    else records[place] = entry;
  }
  return records;
}

/** Reads a record from JSON; throws on an invalid one. */
export function recordFrom<Kind extends RecordKind>(
  kind: Kind,
  json: unknown,
  source = 'test.json',
): CatalogueRecord & { readonly record: RecordsByKind[Kind] } {
  const read = readCatalogueRecord(kind, json, source);
  if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
  return read.entry as CatalogueRecord & { readonly record: RecordsByKind[Kind] };
}

function keyOf(entry: CatalogueRecord): string {
  const { kind, code, version } = identifyRecord(entry);
  return `${kind}/${code}/${version}`;
}

/** Changes a record of the example catalogue; a changed TL-PERSONAL becomes version 2. */
export type Change = readonly [kind: RecordKind, code: string, change: (record: Json) => unknown];

/** The example records with the given changes. */
export function withChanges(...changes: readonly Change[]): readonly CatalogueRecord[] {
  const entries = changes.map(([kind, code, change]) => {
    const json = exampleJson(kind, code, code === 'TL-PERSONAL' ? 2 : 1);
    change(json);
    return { kind, json };
  });
  return exampleWith(...entries);
}

/** A case of {@link readCases}: settings of one record, and the faults that report them. */
interface CheckCase {
  readonly title: string;
  readonly code: string;
  readonly change: Change;
  readonly faults: readonly string[];
}

/**
 * Reads cases such as `LS-CAR EndDate = "2019-12-31"; Version = null`, each followed by its faults, after ` | `
 * or in indented lines. A fault that begins with a verb is about the first field.
 */
export function readCases(text: string): readonly CheckCase[] {
  return text
    .trim()
    .split(/\n(?! )/)
    .map((block) => {
      const [title = '', ...faults] = block.split(/\n| \| /).map((line) => line.trim());
      const [, code = '', sent = ''] = /^(\S+) (.*)$/.exec(title) ?? [];
      const settings = sent.split('; ').map((setting) => setting.split(' = ') as [string, string]);
      const kind = EXAMPLE_RECORDS.find(({ record }) => 'Code' in record && record.Code === code)?.kind;
      if (kind === undefined) throw new Error(`there is no record ${code}`);
      const isBare = /^(?:must|names|is|cannot be (?:read|calculated)) /;
      return {
        title,
        code,
        faults: faults.map((fault) => (isBare.test(fault) ? `${settings[0]?.[0]} ${fault}` : fault)),
        change: [
          kind,
          code,
          (record) => {
            for (const [field, value] of settings) setField(record, field, JSON.parse(value));
          },
        ],
      };
    });
}

function setField(record: Json, field: string, value: unknown): void {
  const names = field.match(/[^.[\]]+/g) ?? [];
  const last = names.pop() ?? '';
  names.reduce((part: Json, name) => part[name], record)[last] = value;
}

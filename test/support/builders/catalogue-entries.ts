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

/** Changes the fixed interest of the car lease. */
export const leaseRate = (change: (interest: Json) => unknown): Change => [
  'interest-list',
  'INT-LEASE',
  ({ Interests }) => change(Interests[0]),
];

/** Changes the monthly contract fee of the car lease. */
export const leaseFee = (change: object): Change => [
  'commission-list',
  'COM-LEASE',
  ({ Commissions }) => Object.assign(Commissions[0], change),
];

/** Changes the instalment ranges of the stepped rate. */
export const steps = (change: (ranges: Json) => unknown): Change => [
  'interest-list',
  'INT-STEPS',
  ({ Interests }) => change(Interests[0].CollectionInterests),
];

/** Changes the bands of the overdraft rate. */
export const bands = (change: (bands: Json) => unknown): Change => [
  'interest-list',
  'INT-OVERDRAFT',
  ({ Interests }) => change(Interests[0].BandedInterests),
];

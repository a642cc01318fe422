import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCatalogueRecord } from '../../../shared/contract/read-catalogue-record.ts';
import { readWholeCatalogue } from '../../../shared/contract/read-catalogue-folder.ts';
import type { RecordKind } from '../../../shared/product/catalogue-records.ts';
import { catalogueOfRecords } from '../../../shared/product/catalogue-of-records.ts';
import { EXAMPLE_FOLDER, EXAMPLE_RECORDS, type Json } from '../../support/catalogue-entries.ts';

/** Members that must be there; without each of them the rest of its record is read. */
const MANDATORY = new Set([
  'Id',
  'Name',
  'Status',
  'Type',
  'PeriodicityType',
  'Currency',
  'AppliedToDimension',
]);

/** Their faults are told where they are compiled. */
const LENDING_KINDS: ReadonlySet<RecordKind> = new Set(['schedule-type', 'periodicity', 'calendar']);

describe('a catalogue with records that can be read in part', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'catalogue-'));
    cpSync(EXAMPLE_FOLDER, folder, { recursive: true });
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function change(file: string, changes: (record: Json) => unknown): void {
    const place = path.join(folder, file);
    mkdirSync(path.dirname(place), { recursive: true });
    const record: Json = JSON.parse(readFileSync(place, 'utf8'));
    changes(record);
    writeFileSync(place, JSON.stringify(record));
  }

  function told(): readonly string[] {
    const { faults, catalogue } = readWholeCatalogue(folder);
    expect(catalogue).toBeUndefined();
    return faults.map(({ source, record, message }) => `${source}: ${record}: ${message}`);
  }

  it('misses no list whose record is there, however little of it can be read', () => {
    for (const name of [
      'interest-lists/int-lease',
      'commission-lists/com-lease',
      'insurance-lists/ins-vehicle',
    ]) {
      change(`${name}.json`, (list) => (list.Name = 5));
    }
    change('discount-lists/dis-home.json', (list) => (list.Discounts = 'all'));
    change('custom-lists/preferred-employers.json', (list) => (list.Values = [1, 'two']));
    expect(told()).toEqual([
      'interest-lists/int-lease.json: INT-LEASE: Name must be text, not a number',
      'commission-lists/com-lease.json: COM-LEASE: Name must be text, not a number',
      'insurance-lists/ins-vehicle.json: INS-VEHICLE: Name must be text, not a number',
      'discount-lists/dis-home.json: DIS-HOME: Discounts must be a list, not text',
      'custom-lists/preferred-employers.json: PREFERRED-EMPLOYERS: Values[1] must be a number, not text',
    ]);
  });

  it('misses no list of a kind of which a code cannot be read, and no associated product', () => {
    change('interest-lists/int-lease.json', (list) => (list.Code = 7));
    change('products/tl-study.json', (product) => delete product.Code);
    expect(told()).toEqual([
      'products/tl-study.json: : Code is missing; must be text',
      'interest-lists/int-lease.json: : Code must be text, not a number',
    ]);
  });

  it('is told what is wrong with the meaning of the members that can be read, at once', () => {
    change('products/ls-car.json', (product) => {
      product.Display.NoOfDebtor = 'two';
      product.Availability.MaximumAmount = 5;
      product.GeneralData.GraceType = 'Kind';
      product.Insurances[0].InsuranceList = 'INS-X';
      product.Colour = 'red';
    });
    change('interest-lists/int-personal.json', ({ Interests }) => {
      Interests[0].Description = 5;
      Interests[1].Name = Interests[0].Name;
    });
    const faults = told();
    expect(faults.slice(0, 3)).toEqual([
      'products/ls-car.json: LS-CAR: Display.NoOfDebtor must be a number, not text',
      'products/ls-car.json: LS-CAR: must not have the unknown member Colour',
      'interest-lists/int-personal.json: INT-PERSONAL: Interests[0].Description must be text, not a number',
    ]);
    expect(faults.slice(3).map((fault) => fault.split(' ').slice(0, 3).join(' '))).toEqual([
      'products/ls-car.json: LS-CAR: Availability.MaximumAmount',
      'products/ls-car.json: LS-CAR: GeneralData.GraceType',
      'products/ls-car.json: LS-CAR: Insurances[0].InsuranceList',
      'interest-lists/int-personal.json: INT-PERSONAL: Interests[1].Name',
    ]);
  });

  it('is told nothing that follows from a member that cannot be read', () => {
    let tried = 0;
    for (const entry of EXAMPLE_RECORDS) {
      const json = JSON.stringify(entry.record);
      for (const place of placesOf(JSON.parse(json), [])) {
        const read = readCatalogueRecord(entry.kind, withoutMember(JSON.parse(json), place), entry.source);
        if (read.kind === 'record' || LENDING_KINDS.has(entry.kind)) continue;
        tried += 1;
        const others = EXAMPLE_RECORDS.filter((other) => other !== entry);
        const partly = { partial: read.partial, unknown: new Set<RecordKind>() };
        expect([place, read.partial.length]).toEqual([place, 1]);
        expect(catalogueOfRecords(others, undefined, partly)).toEqual({ kind: 'refused', faults: [] });
      }
    }
    expect(tried).toBeGreaterThan(100);
  });
});

/** Places of mandatory members, in the first item of each list. */
function placesOf(
  value: Json,
  above: readonly (string | number)[],
): readonly (readonly (string | number)[])[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : placesOf(value[0], [...above, 0]);
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((name) => [
    ...(MANDATORY.has(name) ? [[...above, name]] : []),
    ...placesOf(value[name], [...above, name]),
  ]);
}

function withoutMember(record: Json, place: readonly (string | number)[]): Json {
  const holder = place.slice(0, -1).reduce((at: Json, part) => at[part], record);
  holder[place.at(-1) ?? ''] = [];
  return record;
}

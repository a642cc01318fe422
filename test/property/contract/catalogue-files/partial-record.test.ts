import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readCatalogueRecord } from '../../../../shared/contract/catalogue-files/read-record.ts';
import { readWholeCatalogue } from '../../../../shared/contract/catalogue-files/read-folder.ts';
import type { RecordKind } from '../../../../shared/product/catalogue/catalogue-record.ts';
import { buildCatalogue } from '../../../../shared/product/validation/build-catalogue.ts';
import { EXAMPLE_FOLDER, EXAMPLE_RECORDS, type Json } from '../../../support/builders/catalogue-entries.ts';
import { createFolder, writeFiles } from '../../../support/worlds/catalogue-world.ts';

/** Mandatory fields; without any one of them, the rest of the record can still be read. */
const MANDATORY = new Set([
  'Id',
  'Name',
  'Status',
  'Type',
  'PeriodicityType',
  'Currency',
  'AppliedToDimension',
]);

/** Kinds whose faults are reported when they are compiled. */
const LENDING_KINDS: ReadonlySet<RecordKind> = new Set(['schedule-type', 'periodicity', 'calendar']);

describe('a catalogue with records that can be read in part', () => {
  let folder: string;

  beforeEach(() => {
    folder = createFolder({});
    cpSync(EXAMPLE_FOLDER, folder, { recursive: true });
  });

  function change(file: string, changes: (record: Json) => unknown): void {
    const record: Json = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    changes(record);
    writeFiles(folder, { [file]: record });
  }

  function found(): readonly string[] {
    const { faults, catalogue } = readWholeCatalogue(folder);
    expect(catalogue).toBeUndefined();
    return faults.map(({ source, record, message }) => `${source}: ${record}: ${message}`);
  }

  it('reports no missing list if part of its record can be read', () => {
    for (const name of [
      'interest-lists/int-lease',
      'commission-lists/com-lease',
      'insurance-lists/ins-vehicle',
    ]) {
      change(`${name}.json`, (list) => (list.Name = 5));
    }
    change('discount-lists/dis-home.json', (list) => (list.Discounts = 'all'));
    change('custom-lists/preferred-employers.json', (list) => (list.Values = [1, 'two']));
    expect(found()).toEqual([
      'interest-lists/int-lease.json: INT-LEASE: Name must be text, not a number',
      'commission-lists/com-lease.json: COM-LEASE: Name must be text, not a number',
      'insurance-lists/ins-vehicle.json: INS-VEHICLE: Name must be text, not a number',
      'discount-lists/dis-home.json: DIS-HOME: Discounts must be a list, not text',
      'custom-lists/preferred-employers.json: PREFERRED-EMPLOYERS: Values[1] must be a number, not text',
    ]);
  });

  it('reports no missing list or associated product of a kind with an unreadable code', () => {
    change('interest-lists/int-lease.json', (list) => (list.Code = 7));
    change('products/tl-study.json', (product) => delete product.Code);
    expect(found()).toEqual([
      'products/tl-study.json: : Code is missing; must be text',
      'interest-lists/int-lease.json: : Code must be text, not a number',
    ]);
  });

  it('reports semantic faults in readable fields together with schema violations', () => {
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
    const faults = found();
    expect(faults.slice(0, 3)).toEqual([
      'products/ls-car.json: LS-CAR: Display.NoOfDebtor must be a number, not text',
      'products/ls-car.json: LS-CAR: must not have the unknown field Colour',
      'interest-lists/int-personal.json: INT-PERSONAL: Interests[0].Description must be text, not a number',
    ]);
    expect(faults.slice(3).map((fault) => fault.split(' ').slice(0, 3).join(' '))).toEqual([
      'products/ls-car.json: LS-CAR: Availability.MaximumAmount',
      'products/ls-car.json: LS-CAR: GeneralData.GraceType',
      'products/ls-car.json: LS-CAR: Insurances[0].InsuranceList',
      'interest-lists/int-personal.json: INT-PERSONAL: Interests[1].Name',
    ]);
  });

  it('reports no missing record or charge of a kind with a file that is not JSON', () => {
    for (const kind of [
      'interest-lists',
      'commission-lists',
      'insurance-lists',
      'discount-lists',
      'custom-lists',
      'periodicities',
    ]) {
      for (const name of readdirSync(path.join(folder, kind))) {
        writeFileSync(path.join(folder, kind, name), '');
      }
    }
    writeFileSync(path.join(folder, 'products/broken.json'), '{"Code": ');
    expect(found().filter((fault) => !fault.includes(': : must be a readable JSON file: '))).toEqual([]);
  });

  it.each<[file: string, change: (record: Json) => unknown, faults: readonly string[]]>([
    [
      'products/ls-car.json',
      (product) => {
        product.InterestsAndCommissions = [
          7,
          { ...product.InterestsAndCommissions[0], InterestList: 'NOPE' },
        ];
        product.PaymentScheduleTypes = [7, 'Nope'];
        product.CountryCalendars = [1, 'ZZ'];
        product.Discounts = [1, 'NOPE'];
      },
      [
        'CountryCalendars[0] must be',
        'PaymentScheduleTypes[0] must be',
        'InterestsAndCommissions[0] must be',
        'Discounts[0] must be',
        'CountryCalendars[1] names',
        'PaymentScheduleTypes[1] names',
        'InterestsAndCommissions[1].InterestList names',
        'Discounts[1] names',
      ],
    ],
    [
      'commission-lists/com-lease.json',
      (list) => (list.Commissions = [5, { ...list.Commissions[0], PeriodicityType: 'Foo' }]),
      ['Commissions[0] must be', 'Commissions[1].PeriodicityType names'],
    ],
    [
      'insurance-lists/ins-vehicle.json',
      ({ Insurances }) =>
        (Insurances[0].Filters = [
          { Name: 5, From: 1 },
          { Name: 'B', List: 'NOPE' },
          { Name: 'C', From: 3, To: 1 },
          { Name: 'D', From: 'x' },
          { Name: 'E', Values: [1, 'x'] },
          { Name: 'F', Values: [] },
        ]),
      [
        'Insurances[0].Filters[0].Name must be',
        'Insurances[0].Filters[3].From must be',
        'Insurances[0].Filters[4].Values[1] must be',
        'Insurances[0].Filters[1].List names',
        'Insurances[0].Filters[2].To must',
        'Insurances[0].Filters[5].Values must',
      ],
    ],
    [
      'interest-lists/int-lease.json',
      ({ Interests }) =>
        (Interests[0].Values = [
          { Value: 5, ValidFrom: '2025-13-01' },
          { Value: 1e9 },
          { Value: 6, ValidFrom: '2025-02-01', ValidTo: '2025-01-01' },
        ]),
      [
        'Interests[0].Values[0].ValidFrom must be',
        'Interests[0].Values[2].ValidTo must not',
        'Interests[0].Values[1].Value must be',
      ],
    ],
    [
      'interest-lists/int-overdraft.json',
      ({ Interests }) => {
        Interests[0].BandedInterests[0].Value = 'ten';
        Object.assign(Interests[0].BandedInterests[1], { MinUtilizedAmount: 9, MaxUtilizedAmount: 5 });
      },
      [
        'Interests[0].BandedInterests[0].Value must be',
        'Interests[0].BandedInterests[1].MaxUtilizedAmount must not',
      ],
    ],
    [
      'interest-lists/int-steps.json',
      ({ Interests }) => {
        Interests[0].CollectionInterests[0] = 'first';
        Interests[0].CollectionInterests[1].InterestName = 'Unknown';
      },
      [
        'Interests[0].CollectionInterests[0] must be',
        'Interests[0].CollectionInterests[1].InterestName names',
      ],
    ],
    [
      'interest-lists/int-study.json',
      ({ Interests }) => {
        Interests[0].Formula.Inputs[0] = 5;
        Interests[1].Values[0].Value = 1e9;
      },
      ['Interests[0].Formula.Inputs[0] must be', 'Interests[1].Values[0].Value must be'],
    ],
  ])('reports the faults of all readable items of %s, with their positions', (file, changes, faults) => {
    change(file, changes);
    const fields = found()
      .filter((fault) => fault.startsWith(file))
      .map((fault) => fault.replace(/^.*?\.json: [^:]*: /, ''));
    expect(fields.map((field) => faults.find((fault) => field.startsWith(fault)) ?? field)).toEqual(faults);
    expect(found().filter((fault) => !fault.startsWith(file))).toEqual([]);
  });

  it('reports no faults that depend on an unreadable item', () => {
    let tried = 0;
    for (const entry of EXAMPLE_RECORDS) {
      const json = JSON.stringify(entry.record);
      for (const place of itemsOf(JSON.parse(json), [])) {
        const read = readCatalogueRecord(entry.kind, withoutField(JSON.parse(json), place), entry.source);
        if (read.kind === 'record' || LENDING_KINDS.has(entry.kind)) continue;
        tried += 1;
        const others = EXAMPLE_RECORDS.filter((other) => other !== entry);
        const partly = { partial: read.partial, unknown: new Set<RecordKind>() };
        expect([place, read.partial.length]).toEqual([place, 1]);
        expect([place, buildCatalogue(others, undefined, partly)]).toEqual([
          place,
          { kind: 'refused', faults: [] },
        ]);
      }
    }
    expect(tried).toBeGreaterThan(100);
  });

  it('reports no faults that depend on an unreadable field', () => {
    let tried = 0;
    for (const entry of EXAMPLE_RECORDS) {
      const json = JSON.stringify(entry.record);
      for (const place of placesOf(JSON.parse(json), [])) {
        const read = readCatalogueRecord(entry.kind, withoutField(JSON.parse(json), place), entry.source);
        if (read.kind === 'record' || LENDING_KINDS.has(entry.kind)) continue;
        tried += 1;
        const others = EXAMPLE_RECORDS.filter((other) => other !== entry);
        const partly = { partial: read.partial, unknown: new Set<RecordKind>() };
        expect([place, read.partial.length]).toEqual([place, 1]);
        expect(buildCatalogue(others, undefined, partly)).toEqual({ kind: 'refused', faults: [] });
      }
    }
    expect(tried).toBeGreaterThan(100);
  });
});

/** Paths of mandatory fields, in the first item of each list. */
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

/** Paths of all items of lists. */
function itemsOf(
  value: Json,
  above: readonly (string | number)[],
): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.keys(value).flatMap((name) => {
    const place = [...above, isList ? Number(name) : name];
    return [...(isList ? [place] : []), ...itemsOf(value[name], place)];
  });
}

function withoutField(record: Json, place: readonly (string | number)[]): Json {
  const holder = place.slice(0, -1).reduce((at: Json, part) => at[part], record);
  holder[place.at(-1) ?? ''] = [];
  return record;
}

import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  catalogueError,
  readFolderRecords,
  readWholeCatalogue,
} from '../../../../shared/product/storage/catalogue-folder.ts';
import { KIND_FOLDERS } from '../../../../shared/product/catalogue/catalogue-record.ts';
import { buildCatalogue } from '../../../../shared/product/check/check-catalogue.ts';
import { EXAMPLE_FOLDER, EXAMPLE_RECORDS } from '../../../support/builders/catalogue-entries.ts';
import { createFolder, writeFiles } from '../../../support/worlds/catalogue-world.ts';

describe('readWholeCatalogue', () => {
  let folder: string;

  beforeEach(() => {
    folder = createFolder({});
  });

  const write = (file: string, content: object | string) => writeFiles(folder, { [file]: content });

  it('reads a record or a list from each file, by kind and file name', () => {
    write('custom-lists/b.json', { Code: 'B', Values: [1] });
    write('custom-lists/a.json', [
      { Code: 'A', Values: [2] },
      { Code: 'A', Version: 2, Values: [3] },
    ]);
    write('periodicities/a.json', { name: 'Every 10 days', count: 10, unit: 'Days' });
    const { records, catalogue } = readWholeCatalogue(folder);
    expect(records.map(({ kind, source }) => `${kind} ${source}`)).toEqual([
      'custom-list custom-lists/a.json',
      'custom-list custom-lists/a.json',
      'custom-list custom-lists/b.json',
      'periodicity periodicities/a.json',
    ]);
    expect(catalogue?.list('custom-list', 'a')?.Values).toEqual([3]);
  });

  it('refuses a file that repeats a field, or has a number with more digits than are kept', () => {
    write('custom-lists/a.json', '{"Code":"A","Values":[1],"Values":[2]}');
    write('custom-lists/b.json', '{"Code":"B","Values":[0.10000000000000000001]}');
    expect(readWholeCatalogue(folder).faults).toMatchObject([
      { source: 'custom-lists/a.json', message: 'must be a readable JSON file: it repeats Values' },
      {
        source: 'custom-lists/b.json',
        message: 'Values[0] must be a number with at most 15 significant digits',
      },
    ]);
  });

  it('reports schema violations and faults of references and schedule types together', () => {
    cpSync(EXAMPLE_FOLDER, folder, { recursive: true });
    const car = JSON.parse(readFileSync(path.join(folder, 'products/ls-car.json'), 'utf8'));
    write('products/ls-car.json', { ...car, Status: 'Sold' });
    const card = JSON.parse(readFileSync(path.join(folder, 'products/cc-classic.json'), 'utf8'));
    write('products/cc-classic.json', { ...card, Discounts: ['DIS-CARD'] });
    write('periodicities/moon.json', { name: 'Full moon', unit: 'Moons' });
    const { faults, catalogue, records } = readWholeCatalogue(folder);
    expect(catalogue).toBeUndefined();
    expect(records.some(({ source }) => source === 'products/ls-car.json')).toBe(false);
    expect(catalogueError('here', faults).message.split('\n')).toEqual([
      'the catalogue here is invalid:',
      '  products/ls-car.json: LS-CAR: Status must be one of Draft, VersionDraft, Approved, Closed',
      '  periodicities/moon.json: Full moon: unit must be one of Days, Weeks, Months, Years, Once',
      '  periodicities/moon.json: Full moon: count must be a whole number from 1 to 1200',
      '  products/cc-classic.json: CC-CLASSIC: Discounts[0] names the discount list DIS-CARD, which is not in the catalogue or not Active: add it to discount-lists, or name another',
    ]);
  });

  it.each([
    ['have an unknown field', (text: string) => JSON.stringify({ ...JSON.parse(text), Colour: 'red' })],
    ['are no JSON', () => '{"Code": '],
  ])('reports no references as missing when the records of all other kinds %s', (_, change) => {
    cpSync(EXAMPLE_FOLDER, folder, { recursive: true });
    const kinds = Object.values(KIND_FOLDERS).filter((kind) => kind !== 'products');
    for (const kind of kinds) {
      for (const name of readdirSync(path.join(folder, kind))) {
        const file = `${kind}/${name}`;
        write(file, change(readFileSync(path.join(folder, file), 'utf8')));
      }
    }
    const { faults, catalogue, records } = readWholeCatalogue(folder);
    expect(catalogue).toBeUndefined();
    expect(new Set(records.map(({ kind }) => kind))).toEqual(new Set(['product']));
    const others = faults.filter(({ message }) => !/unknown field Colour|readable JSON file/.test(message));
    expect(others).toEqual([]);
  });

  it('reports no faults that depend on a single record that is missing because it cannot be read', () => {
    for (const entry of EXAMPLE_RECORDS) {
      const others = EXAMPLE_RECORDS.filter((other) => other !== entry);
      const outcome = buildCatalogue(others, undefined, new Set([entry.kind]));
      expect([entry.source, outcome.kind === 'refused' ? outcome.faults : []]).toEqual([entry.source, []]);
    }
  });

  it('and readFolderRecords report files and folders that are not read', () => {
    write('product/one.json', {});
    write('products/one.JSON', {});
    for (const { faults } of [readWholeCatalogue(folder), readFolderRecords(folder)]) {
      expect(faults.map(({ source }) => source)).toEqual(['product', 'products/one.JSON']);
    }
  });
});

import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  catalogueError,
  readFolderRecords,
  readWholeCatalogue,
} from '../../../../shared/product/storage/catalogue-folder.ts';
import { BUILT_IN_SCHEDULE_TYPE_RECORDS } from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { DAY_COUNT_NAMES } from '../../../../shared/lending/dates/day-count.ts';
import { INPUT_NAMES } from '../../../../shared/lending/formula/scope.ts';
import { findPeriodicity } from '../../../../shared/lending/dates/periodicity.ts';
import {
  COLUMN_METHODS,
  STANDARD_COLUMNS,
} from '../../../../shared/lending/schedule-types/schedule-columns.ts';
import type { LendingCatalogue } from '../../../../shared/lending/schedule-types/lending-catalogue.ts';
import { SCHEDULE_TYPE_STATUSES } from '../../../../shared/lending/schedule-types/schedule-type.ts';
import { ConfigError } from '../../../../shared/platform/errors.ts';
import { recordOf } from '../../../support/builders/schedule-type-records.ts';
import { KIND_FOLDERS } from '../../../../shared/product/catalogue/catalogue-record.ts';
import { buildCatalogue } from '../../../../shared/product/check/check-catalogue.ts';
import { EXAMPLE_FOLDER, EXAMPLE_RECORDS } from '../../../support/builders/catalogue-entries.ts';
import { createFolder, writeFiles } from '../../../support/worlds/catalogue-world.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const page = readFileSync(path.join(root, 'docs/schedule-types.md'), 'utf8');

describe('docs/schedule-types.md', () => {
  it('names all inputs, methods, settings and statuses', () => {
    const settings = BUILT_IN_SCHEDULE_TYPE_RECORDS.flatMap((record) => Object.keys(record));
    for (const name of [...INPUT_NAMES, ...COLUMN_METHODS, ...settings])
      expect(page).toContain(`\`${name}\``);
    for (const name of [...STANDARD_COLUMNS, ...SCHEDULE_TYPE_STATUSES, ...DAY_COUNT_NAMES]) {
      expect(page).toContain(name);
    }
  });
});

/** The schedule types, periodicities and calendars of a folder, with the built-in ones. */
function lendingOf(folder: string): LendingCatalogue {
  const { catalogue, faults } = readWholeCatalogue(folder);
  if (catalogue === undefined) throw catalogueError(folder, faults);
  return catalogue.lending;
}

describe('the folder of a catalogue', () => {
  let folder: string;

  beforeEach(() => {
    folder = createFolder({});
  });

  const write = (file: string, content: object | string) => writeFiles(folder, { [file]: content });

  /** The faults of the folder. */
  const messages = () =>
    catalogueError(folder, readWholeCatalogue(folder).faults).message.split('\n  ').slice(1);

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
    const faults = readWholeCatalogue(folder).faults.map(({ source, message }) => `${source}: ${message}`);
    expect(faults).toEqual([
      'custom-lists/a.json: must be a readable JSON file: it repeats Values',
      'custom-lists/b.json: Values[0] must be a number with at most 15 significant digits',
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

  it('may be empty', () => {
    expect(lendingOf(folder).scheduleTypeRecords).toEqual(BUILT_IN_SCHEDULE_TYPE_RECORDS);
  });

  it('must exist', () => {
    const message = /CATALOGUE_FOLDER: there is no folder/;
    expect(() => lendingOf(path.join(folder, 'other'))).toThrow(ConfigError);
    expect(() => lendingOf(path.join(folder, 'other'))).toThrow(message);
  });

  it('may have records and lists in files, 0 and 1 as flags (M6), and README files', () => {
    write('schedule-types/own.json', { ...recordOf(), UseMaturityDate: 0, AcceptsCharges: 1 });
    write('schedule-types/notes.MD', '# Ours');
    write('README', 'Ours');
    write('.git/HEAD', 'ref');
    write('calendars/.bank.json.swp', '');
    write('periodicities/all.json', [{ name: 'Every 10 days', count: 10, unit: 'Days' }]);
    write('calendars/bank.json', { name: 'Bank', version: '1', holidays: ['2025-05-02'] });
    const catalogue = lendingOf(folder);
    const settings = { useMaturityDate: false, acceptsCharges: true };
    expect(catalogue.findScheduleType('own')?.type).toMatchObject(settings);
    expect(findPeriodicity('every 10 days', catalogue.periodicities)?.count).toBe(10);
    expect(catalogue.calendars.find('bank')?.version).toBe('1');
  });

  it('may have the files of the built-in types, which they replace', () => {
    const builtIn = path.join(root, 'shared/lending/schedule-types/built-in');
    for (const name of readdirSync(builtIn)) {
      write(`schedule-types/${name}`, readFileSync(path.join(builtIn, name), 'utf8'));
    }
    expect(lendingOf(folder).scheduleTypeRecords).toHaveLength(BUILT_IN_SCHEDULE_TYPE_RECORDS.length);
  });

  it('is refused with all faults, each with file, record, column and advice', () => {
    const record = recordOf();
    const [balance, interest, ...rest] = record.PaymentScheduleTypeDetails;
    const { Status: _, ...withoutStatus } = record;
    write('schedule-types/a.json', '{"PaymentScheduleTypeId": ');
    write('schedule-types/b.json', {
      ...withoutStatus,
      Rownding: 'HALF_UP',
      ProductTypes: ['TL', 7],
      PaymentScheduleTypeDetails: [{ ...balance, Display: 'yes' }, { ...interest, Fee: 5 }, ...rest],
    });
    write('schedule-types/c.json', [{ ...record, PaymentScheduleTypeDetails: [interest, balance, ...rest] }]);
    write('periodicities/a.json', [{ name: 'Own', unit: 'Moons' }, 5]);
    write('calendars/a.json', { name: 'Bank', version: '1', holidays: '2025-05-02' });
    expect(messages()).toEqual([
      expect.stringMatching(/^schedule-types\/a\.json: must be a readable JSON file: /),
      'schedule-types/b.json: Own type: Status is missing; must be text',
      'schedule-types/b.json: Own type: ProductTypes[1] must be text, not a number',
      'schedule-types/b.json: Own type: column RemainingValue Display must be true or false, not text',
      'schedule-types/b.json: Own type: column Interest Fee must be text, not a number',
      'schedule-types/b.json: Own type: must not have the unknown field Rownding',
      'periodicities/a.json: must be an object, not a number',
      'calendars/a.json: Bank: holidays must be a list, not text',
      'schedule-types/c.json: Own type: column Interest must be listed after RemainingValue: move it below',
      'periodicities/a.json: Own: unit must be one of Days, Weeks, Months, Years, Once',
      'periodicities/a.json: Own: count must be a whole number from 1 to 1200',
    ]);
  });

  it('is refused if files or folders would not be read, all of which are listed', () => {
    write('calender/bank.json', { name: 'Bank', version: '1', holidays: [] });
    write('calendars.json', []);
    write('calendars/bank.JSON', { name: 'Bank', version: '1', holidays: [] });
    write('calendars/old/bank.json', { name: 'Bank', version: '1', holidays: [] });
    write('periodicities/decade.yaml', 'name: Every 10 days');
    const rest = 'only README files, *.md and hidden files are ignored';
    const folders = `must be one of the folders ${Object.values(KIND_FOLDERS).join(', ')}; ${rest}`;
    const files = `must be a file whose name ends in .json, in lower case; ${rest}`;
    const sources = [readFolderRecords, readWholeCatalogue].map((read) =>
      read(folder).faults.map((one) => one.source),
    );
    expect(sources[0]).toEqual(sources[1]);
    expect(messages()).toEqual([
      `calendars.json: ${folders}`,
      `calender: ${folders}`,
      `periodicities/decade.yaml: ${files}`,
      `calendars/bank.JSON: ${files}`,
      `calendars/old: ${files}`,
    ]);
  });

  it('may have files with a byte-order mark', () => {
    write('calendars/bank.json', '\u{FEFF}{"name": "Bank", "version": "1", "holidays": []}');
    expect(lendingOf(folder).calendars.find('bank')?.version).toBe('1');
  });

  it('limits the size of files', () => {
    write('schedule-types/large.json', ' '.repeat(4 * 1024 * 1024 + 1));
    write('periodicities', 'a file');
    expect(messages()).toEqual([
      'schedule-types/large.json: must have at most 4194304 bytes',
      'periodicities: must be a folder of at most 1000 JSON files',
    ]);
  });
});

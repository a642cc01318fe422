import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  FIRST_LIBRARY_YEAR,
  LAST_LIBRARY_YEAR,
  writeLibraryDays,
} from '../../shared/lending/calendars/library/library-years.ts';
import { BUILT_IN_CALENDARS } from '../../shared/lending/calendars/built-in-calendars.ts';
import {
  correctDays,
  listPackageCountries,
  listPublicHolidays,
  readComparedDays,
} from './public-holidays.ts';

export const LIBRARY_FOLDER = path.resolve(import.meta.dirname, '../../shared/lending/calendars/library');
/** Part of the version of the calendars. Change it whenever a correction in compared-days.txt changes. */
const CORRECTIONS_VERSION = '2026.2';
const INDEX_FILE = 'library-countries.json';
const DAYS_FOLDER = 'days';

export interface LibraryFile {
  /** The path below LIBRARY_FOLDER. */
  readonly name: string;
  readonly text: string;
}

/** ISO 3166 codes of the countries with a file: those of the package without a built-in calendar. */
export function listFileCountries(): readonly string[] {
  return [...listOtherCountries().keys()];
}

export function createIndexFile(): LibraryFile {
  const version = `${readPackageVersion()}-${CORRECTIONS_VERSION}`;
  const index = { version, countries: Object.fromEntries(listOtherCountries()) };
  return { name: INDEX_FILE, text: `${JSON.stringify(index, undefined, 2)}\n` };
}

/** `country` is one of {@link listFileCountries}. For lunar calendars the call takes up to a few seconds. */
export function createCountryFile(country: string): LibraryFile {
  const name = listOtherCountries().get(country) ?? country;
  const title = `${name}: public holidays of the whole country, from ${readPackageVersion()} (CC BY 3.0, see NOTICE), corrected by compared-days.txt`;
  const days = listPublicHolidays(country, FIRST_LIBRARY_YEAR, LAST_LIBRARY_YEAR);
  const corrected = correctDays(days, readComparedDays().get(country));
  return { name: `${DAYS_FOLDER}/${country}.txt`, text: writeLibraryDays(title, corrected) };
}

/** Names of files below LIBRARY_FOLDER whose country is not in {@link listFileCountries}. */
export function listStrayFiles(): readonly string[] {
  const expected = new Set(listFileCountries().map((country) => `${country}.txt`));
  const folder = path.join(LIBRARY_FOLDER, DAYS_FOLDER);
  const present = existsSync(folder) ? readdirSync(folder) : [];
  return present.filter((name) => !expected.has(name)).map((name) => `${DAYS_FOLDER}/${name}`);
}

function listOtherCountries(): ReadonlyMap<string, string> {
  const builtIn = new Set(BUILT_IN_CALENDARS.flatMap(({ codes }) => codes));
  return new Map([...listPackageCountries()].filter(([code]) => !builtIn.has(code)));
}

function readPackageVersion(): string {
  const manifest = createRequire(import.meta.url).resolve('date-holidays/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return `date-holidays ${version}`;
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  createCountryFile,
  listFileCountries,
  createIndexFile,
  LIBRARY_FOLDER,
  listStrayFiles,
} from '../../../../scripts/calendars/library-files.ts';
import { listPackageCountries, listPublicHolidays } from '../../../../scripts/calendars/public-holidays.ts';
import { installOwnPackages } from '../../../../scripts/command-packages.ts';
import { createLibraryCalendars } from '../../../../shared/lending/calendars/library/library-calendars.ts';
import {
  readLibraryDays,
  writeLibraryDays,
} from '../../../../shared/lending/calendars/library/library-years.ts';
import { toDateParts, formatCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import {
  BUILT_IN_CALENDARS,
  findBuiltInCalendar,
} from '../../../../shared/lending/calendars/built-in-calendars.ts';
import { errorText } from '../../../../shared/platform/errors.ts';
import { date } from '../../../support/builders/lending-loan.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const run = promisify(execFile);

/** `describe` if date-holidays is or can be installed; otherwise its tests are skipped, except with CI=true. */
const describeWithPackage = await installOwnPackages(path.join(root, 'scripts/calendars'), report).then(
  () => describe,
  (error: unknown) => {
    if (process.env['CI'] === 'true') throw error;
    report(`!!! NO date-holidays: its tests are skipped: ${errorText(error)}`);
    return describe.skip;
  },
);

function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Runs `npm run calendars` with these arguments; returns its exit code and output. */
async function calendars(...args: readonly string[]) {
  const command = [path.join(root, 'scripts/calendars.ts'), ...args];
  return run(process.execPath, command, { timeout: 20_000 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describeWithPackage('the holidays from date-holidays (H2)', () => {
  it('come from the installed version, for all of its countries except the built-in ones', () => {
    const { name, text } = createIndexFile();
    expect(readFileSync(path.join(LIBRARY_FOLDER, name), 'utf8')).toBe(text);
    expect(listStrayFiles()).toEqual([]);
    expect(listFileCountries().length + BUILT_IN_CALENDARS.length - 1).toBe(listPackageCountries().size);
  });

  it('make every name of a built-in country known', () => {
    const cldrNames = new Intl.DisplayNames(['en'], { type: 'region' });
    for (const { name, codes } of BUILT_IN_CALENDARS) {
      const known = listPackageCountries().get(name);
      const names = known === undefined ? codes : [...codes, known, cldrNames.of(name) ?? ''];
      expect(names.map((alias) => findBuiltInCalendar(alias)?.name)).toEqual(names.map(() => name));
    }
  });

  it.each(['AE', 'CH', 'IL', 'NO', 'ZA'])('are those of the package in %s', (country) => {
    const { name, text } = createCountryFile(country);
    expect(readFileSync(path.join(LIBRARY_FOLDER, name), 'utf8')).toBe(text);
  });

  it.each(Object.entries({ CN: 2033, HK: 2031, JP: 2019, TW: 2026 }))(
    'include the days of the package in %s in %i that follow the moon or individual laws',
    (country, year) => {
      const calendar = createLibraryCalendars().find(country);
      const listed = [...listPublicHolidays(country, year, year)];
      const days = listed.filter((day) => toDateParts(day).year === year);
      expect(days.length).toBeGreaterThan(9);
      expect(days.filter((day) => calendar?.isWorkingDay(day) !== false)).toEqual([]);
    },
  );

  it('do not depend on the time zone of the process that generates them', async () => {
    const script = `
      import { listPublicHolidays } from './scripts/calendars/public-holidays.ts';
      console.log(['JP', 'IL', 'TR', 'NZ', 'SA'].map((code) => [...listPublicHolidays(code, 2025, 2026)].join(' ')).join());`;
    const answers = await Promise.all(
      ['Asia/Tokyo', 'America/Los_Angeles'].map(async (zone) => {
        const env = { ...process.env, TZ: zone };
        const args = ['--input-type=module', '--eval', script];
        return (await run(process.execPath, args, { cwd: root, env, timeout: 20_000 })).stdout;
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]?.split(' ').length).toBeGreaterThan(150);
  }, 20_000);
});

describe('the text of the holidays of a country', () => {
  it('lists fixed days once, and the days of each year in order', () => {
    const fixed = Array.from({ length: 61 }, (_, index) => date(`${2000 + index}-05-17`));
    const others = ['2000-04-21', '1999-01-01'].map(date);
    const text = writeLibraryDays('Norway', [date('2000-04-24'), ...fixed, ...others]);
    expect(text.split('\n').slice(0, 4)).toEqual(['# Norway', 'every 05-17', '2000 04-21 04-24', '2001']);
    expect(readLibraryDays(text).get(2000)?.map(formatCalendarDate)).toEqual(
      '2000-05-17 2000-04-21 2000-04-24'.split(' '),
    );
    expect(readLibraryDays(text).get(2060)?.map(formatCalendarDate)).toEqual(['2060-05-17']);
  });

  it('is rejected if it is damaged', () => {
    expect(() => readLibraryDays('2000 02-30')).toThrow('2000-02-30');
    expect(() => readLibraryDays('2000 1-1')).toThrow('2000 1-1');
  });
});

describeWithPackage('npm run calendars', () => {
  it('checks the file of a country and reports the result as JSON', async () => {
    const { code, stdout } = await calendars('check', 'no', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ command: 'check', ok: true, files: 1, changed: [] });
  });

  it('exits with code 2 on wrong usage', async () => {
    expect(await calendars()).toMatchObject({ code: 2, stderr: expect.stringContaining('--help') });
    expect(await calendars('check', 'RO')).toMatchObject({ code: 2, stderr: expect.stringContaining('RO') });
  });
});

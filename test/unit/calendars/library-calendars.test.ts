import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  createLibraryCalendars,
  LIBRARY_CALENDAR_VERSION,
} from '../../../shared/calendars/library-calendars.ts';
import weekends from '../../../shared/calendars/weekends.json' with { type: 'json' };
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import { weekendOf, type WeekendRule } from '../../../shared/lending/calendars/weekend.ts';
import { date } from '../../support/lending-loan.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const others = createLibraryCalendars();

function worked(name: string, ...days: readonly string[]): readonly (boolean | undefined)[] {
  const calendar = others.find(name);
  return days.map((day) => calendar?.isWorkingDay(date(day)));
}

describe('calendars of other countries (H2)', () => {
  it('are found by ISO code and by English name in any case', () => {
    const names = [
      'JP',
      'jpn',
      'japan',
      'Switzerland',
      'CHE',
      'Turkey',
      'Türkiye',
      'Cote d’Ivoire',
      'St. Lucia',
    ];
    expect(names.map((name) => others.find(name)?.name)).toEqual([
      'JP',
      'JP',
      'JP',
      'CH',
      'CH',
      'TR',
      'TR',
      'CI',
      'LC',
    ]);
    expect(['Saint Lucia', 'Bosnia & Herzegovina', 'XKX'].map((name) => others.find(name)?.name)).toEqual([
      'LC',
      'BA',
      'XK',
    ]);
  });

  it('are not known under any other name', () => {
    expect(['', 'ZZ', 'Atlantis', 'constructor', '__proto__', 'TARGET'].map(others.find)).toEqual(
      Array.from({ length: 6 }),
    );
  });

  it('tell the package and its version', () => {
    const manifest = readFileSync(path.join(root, 'node_modules/date-holidays/package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    expect(others.find('NO')?.version).toBe(`date-holidays ${version}`);
    expect(LIBRARY_CALENDAR_VERSION).toBe(`date-holidays ${version}`);
  });

  it('close on national public holidays and not on those of regions or half days', () => {
    expect(worked('CH', '2025-08-01', '2025-05-01', '2025-12-24', '2025-12-25')).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(worked('CN', '2027-03-08', '2025-08-01')).toEqual([true, true]);
  });

  it('close on every day of a holiday of several days', () => {
    // The end of Ramadan: from the eve of 30 March for 90 hours, in Saudi Arabia for 96.
    expect(worked('TR', '2025-03-28', '2025-03-31', '2025-04-01', '2025-04-02')).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(worked('SA', '2025-03-30', '2025-03-31', '2025-04-01', '2025-04-02', '2025-04-03')).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it('close from sunset to sunset on the day after the eve', () => {
    expect(worked('IL', '2025-10-01', '2025-10-02', '2025-10-05')).toEqual([true, false, true]);
  });

  it('have the weekend of their country, also where it was changed', () => {
    expect(worked('AE', '2006-08-31', '2021-12-31', '2021-12-26', '2022-01-07', '2022-01-09')).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(worked('SA', '2013-06-27', '2013-06-29', '2013-07-04')).toEqual([false, false, true]);
    expect(worked('JP', '2025-03-07', '2025-03-08', '2025-03-09')).toEqual([true, false, false]);
    expect(worked('EG', '2025-03-07', '2025-03-08', '2025-03-09')).toEqual([false, false, true]);
  });

  it('have weekends that can be read and name their source', () => {
    const rules = Object.values(weekends).flat() as readonly WeekendRule[];
    expect(rules.every((rule) => rule.source.length > 10)).toBe(true);
    expect(() => weekendOf(rules)).not.toThrow();
  });

  it('join unions with the built-in ones', () => {
    const union = findCalendar('target + Norway', { others });
    expect([union?.name, union?.version]).toEqual(['NO+TARGET', 'date-holidays 3.37.0+2026.1']);
    expect(union?.isWorkingDay(date('2027-05-17'))).toBe(false);
  });

  it('are expanded at the start when they are to be preloaded, and a wrong name stops the start', () => {
    const preloaded = createLibraryCalendars({ preload: ['Norway'] });
    expect(preloaded.find('NO')?.isWorkingDay(date('2060-05-17'))).toBe(false);
    expect(() => createLibraryCalendars({ preload: ['Atlantis'] })).toThrow('Atlantis');
  });

  it('answer far outside the years of the data', () => {
    expect(worked('JP', '1900-01-01', '2999-01-01')).toEqual([false, false]);
  });

  it('are the same in every time zone of the process', async () => {
    const script = `
      import { createLibraryCalendars } from './shared/calendars/library-calendars.ts';
      const { find } = createLibraryCalendars();
      let closed = '';
      for (const name of ['JP', 'IL', 'TR', 'NZ', 'SA'])
        for (let day = 20000; day < 20400; day += 1) closed += find(name).isWorkingDay(day) ? '' : name + day + ' ';
      console.log(closed);`;
    const run = promisify(execFile);
    const answers = await Promise.all(
      ['UTC', 'Asia/Tokyo', 'America/Los_Angeles'].map(async (zone) => {
        const env = { ...process.env, TZ: zone };
        const args = ['--input-type=module', '--eval', script];
        return (await run(process.execPath, args, { cwd: root, env, timeout: 20_000 })).stdout;
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]?.split(' ').length).toBeGreaterThan(500);
  }, 20_000);
});

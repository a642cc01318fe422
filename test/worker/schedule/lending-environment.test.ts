import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { calendarDateOf } from '../../../shared/lending/calendar-date.ts';
import { loadConfig } from '../../../shared/platform/config.ts';
import { ConfigError } from '../../../shared/platform/errors.ts';
import { createLendingEnvironment } from '../../../workers/schedule/lending-environment.ts';
import { start } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from '../../support/ingress-system.ts';

const environmentOf = (env: Record<string, string>) => createLendingEnvironment(loadConfig(env).lending);
const faultOf = (env: Record<string, string>): string => {
  try {
    environmentOf(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the settings were accepted');
};

/** A catalogue of one periodicity and one calendar. */
function catalogueFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'catalogue-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = {
    'periodicities/decade.json': { name: 'Every 10 days', count: 10, unit: 'Days' },
    'calendars/bank.json': { name: 'Bank', version: '7', base: 'RO', holidays: ['2026-06-15'] },
  };
  for (const [name, record] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), JSON.stringify(record));
  }
  return folder;
}

describe('what the schedule worker knows', () => {
  it('is without settings what is built in, every country, and no default calendar (S4, D7, H2)', () => {
    const { catalogue, calendars } = environmentOf({});
    expect(catalogue.findScheduleType('equalinstallments')).toBeDefined();
    expect(calendars.find('romania')?.name).toBe('RO');
    expect(calendars.find('Sweden+TARGET')?.name).toBe('SE+TARGET');
    expect(calendars.find('Atlantis')).toBeUndefined();
    expect(calendars.defaultName).toBeUndefined();
  });

  it('holds the records of the catalogue folder', () => {
    const env = { CATALOGUE_FOLDER: catalogueFolder(), DEFAULT_HOLIDAY_CALENDAR: 'bank+TARGET' };
    const { catalogue, calendars } = environmentOf(env);
    expect(catalogue.periodicities.map(({ name }) => name)).toContain('Every 10 days');
    expect(catalogue.findScheduleType('EqualInstallments')).toBeDefined();
    const bank = calendars.find(calendars.defaultName ?? '');
    expect(bank?.name).toBe('Bank+TARGET');
    expect(bank?.isWorkingDay(calendarDateOf(2026, 6, 15))).toBe(false);
    expect(bank?.isWorkingDay(calendarDateOf(2026, 6, 16))).toBe(true);
  });

  it('takes countries to read at start, built-in ones among them', () => {
    const { calendars } = environmentOf({ HOLIDAY_COUNTRIES: 'RO, Iceland' });
    expect(calendars.find('IS')?.isWorkingDay(calendarDateOf(2026, 6, 17))).toBe(false);
  });

  it('is refused by the name of the setting where a country, calendar or folder is not known', () => {
    expect(faultOf({ HOLIDAY_COUNTRIES: 'SE,Atlantis' })).toMatch(/^HOLIDAY_COUNTRIES: .*"Atlantis"/);
    expect(faultOf({ DEFAULT_HOLIDAY_CALENDAR: 'RO+Bank' })).toMatch(
      /^DEFAULT_HOLIDAY_CALENDAR: .*"RO\+Bank".* part 2 is not/,
    );
    expect(faultOf({ CATALOGUE_FOLDER: '/nowhere/at/all' })).toMatch(/^CATALOGUE_FOLDER: /);
  });
});

it('the worker does not start with a default calendar that nobody knows (H2)', async () => {
  const broker = await createSharedBroker(1);
  const env = { DEFAULT_HOLIDAY_CALENDAR: 'Atlantis' };
  await expect(startOn(broker, start, env)).rejects.toThrow('DEFAULT_HOLIDAY_CALENDAR');
});

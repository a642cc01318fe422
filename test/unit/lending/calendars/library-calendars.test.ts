import { describe, expect, it } from 'vitest';
import { readComparedDays } from '../../../../scripts/calendars/public-holidays.ts';
import { createLibraryCalendars } from '../../../../shared/lending/calendars/library/library-calendars.ts';
import weekends from '../../../../shared/lending/calendars/library/weekends.json' with { type: 'json' };
import library from '../../../../shared/lending/calendars/library/library-countries.json' with { type: 'json' };
import { formatCalendarDate, toCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import { findBuiltInCalendar } from '../../../../shared/lending/calendars/built-in-calendars.ts';
import { findCalendar } from '../../../../shared/lending/calendars/find-calendar.ts';
import {
  type WeekendRule,
  readWeekendRules,
} from '../../../../shared/lending/calendars/national-calendar.ts';
import { leastMsOf } from '../../../support/fakes/least-time.ts';
import { date } from '../../../support/builders/lending-loan.ts';

const others = createLibraryCalendars();

/** `W` for each business day, `-` for another one. */
function worked(name: string, ...days: readonly string[]): string {
  const calendar = others.find(name);
  return days.map((day) => (calendar?.isWorkingDay(date(day)) === true ? 'W' : '-')).join('');
}

describe('calendars of other countries (H2)', () => {
  it('are found by ISO code and by case-insensitive English name', () => {
    const names = 'JP jpn japan Switzerland CHE Turkey Türkiye XKX'.split(' ');
    const longer = ['Cote d’Ivoire', 'St. Lucia', 'Saint Lucia', 'Bosnia & Herzegovina'];
    expect([...names, ...longer].map((name) => others.find(name)?.name).join(' ')).toBe(
      'JP JP JP CH CH TR TR XK CI LC LC BA',
    );
  });

  it('are not found by other names', () => {
    expect(['', 'ZZ', 'Atlantis', 'constructor', '__proto__', 'TARGET'].map(others.find)).toEqual(
      Array.from({ length: 6 }),
    );
  });

  it('exist, with valid days, for every country without a built-in calendar', () => {
    const codes = Object.keys(library.countries);
    expect(codes.length).toBeGreaterThan(180);
    for (const code of codes) {
      expect(others.find(code)?.name).toBe(code);
      expect(findBuiltInCalendar(code)).toBeUndefined();
    }
  });

  it('load and look up a day in each of 970 years for four countries within a second', () => {
    const leastMs = leastMsOf(() => {
      const { find } = createLibraryCalendars();
      for (const name of ['TW', 'HK', 'CN', 'JP']) {
        for (let year = 2000; year < 2970; year += 1) find(name)?.isWorkingDay(toCalendarDate(year, 1, 1));
      }
    });
    // Calculating the same days with the rules of the package takes minutes.
    expect(leastMs).toBeLessThan(1_000);
  });

  it('close on national public holidays, but not on regional or half-day ones', () => {
    expect(worked('CH', '2025-08-01', '2025-05-01', '2025-12-24', '2025-12-25')).toBe('-WW-');
    expect(worked('CN', '2027-03-08', '2025-08-01')).toBe('WW');
  });

  it('close on days in lieu, single days and days off by decree of 2020 to 2028', () => {
    expect(worked('RS', '2021-05-04', '2027-05-04', '2021-05-05')).toBe('--W');
    expect(worked('AL', '2025-03-31', '2024-06-17', '2026-09-07', '2026-10-19')).toBe('---W');
    expect(worked('XK', '2025-03-31', '2025-04-21')).toBe('--');
    expect(worked('CY', '2025-03-03', '2025-03-04', '2025-06-09')).toBe('-W-');
    expect(worked('KR', '2025-01-28', '2025-01-31', '2025-06-03')).toBe('-W-');
    expect(worked('CN', '2024-10-04', '2026-06-01')).toBe('-W');
  });

  it('agree with each verdict on a difference from the second source', () => {
    const wrong = [...readComparedDays()].flatMap(([country, days]) => {
      const calendar = others.find(country);
      return [...days].flatMap(([day, verdict]) => {
        const mustWork = verdict === 'remove' || verdict === 'open';
        return calendar?.isWorkingDay(day) === mustWork
          ? []
          : [`${country} ${formatCalendarDate(day)} ${verdict}`];
      });
    });
    expect(wrong).toEqual([]);
    expect(readComparedDays().size).toBeGreaterThan(100);
  });

  it('close on every day of a holiday that lasts several days', () => {
    // The end of Ramadan lasts 90 hours from the eve of 30 March, and 96 hours in Saudi Arabia.
    expect(worked('TR', '2025-03-28', '2025-03-31', '2025-04-01', '2025-04-02')).toBe('W--W');
    expect(worked('SA', '2025-03-30', '2025-03-31', '2025-04-01', '2025-04-02', '2025-04-03')).toBe('----W');
  });

  it('close on the day after the eve for holidays from sunset to sunset', () => {
    expect(worked('IL', '2025-10-01', '2025-10-02', '2025-10-05')).toBe('W-W');
  });

  it('have the weekend of their country, including its changes', () => {
    expect(worked('AE', '2006-08-31', '2021-12-31', '2021-12-26', '2022-01-07', '2022-01-09')).toBe('--WW-');
    expect(worked('SA', '2013-06-27', '2013-06-29', '2013-07-04')).toBe('--W');
    expect(worked('JP', '2025-03-07', '2025-03-08', '2025-03-09')).toBe('W--');
    expect(worked('EG', '2025-03-07', '2025-03-08', '2025-03-09')).toBe('--W');
  });

  it('have weekend rules with sources that can be parsed', () => {
    const rules = Object.values(weekends).flat() as readonly WeekendRule[];
    expect(rules.every((rule) => rule.source.length > 10)).toBe(true);
    expect(() => readWeekendRules(rules)).not.toThrow();
  });

  it('can be combined with built-in calendars', () => {
    const union = findCalendar('target + Norway', { others });
    expect([union?.name, union?.version]).toEqual(['NO+TARGET', 'date-holidays 3.37.0-2026.2+2026.1']);
    expect(union?.isWorkingDay(date('2027-05-17'))).toBe(false);
  });

  it('have only weekends before 2000 and after 2060', () => {
    expect(worked('JP', '2000-01-03', '2060-11-23', '1999-11-23', '2061-11-23')).toBe('W-WW');
    expect(worked('JP', '1900-01-01', '2999-01-01', '1999-11-21', '2061-11-26')).toBe('WW--');
  });
});

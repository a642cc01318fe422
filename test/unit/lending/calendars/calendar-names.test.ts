import { describe, expect, it } from 'vitest';
import { addDays, formatCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import type {
  BusinessCalendar,
  OtherCalendars,
} from '../../../../shared/lending/calendars/business-calendar.ts';
import {
  type CalendarRecord,
  readCatalogueCalendars,
} from '../../../../shared/lending/calendars/catalogue-calendars.ts';
import { describeCalendarFault, findCalendar } from '../../../../shared/lending/calendars/find-calendar.ts';
import { calendarNamed, ownCalendar } from '../../../support/builders/lending-calendar.ts';
import { date } from '../../../support/builders/lending-loan.ts';

const WEEKEND = ['Saturday', 'Sunday'];
const own: CalendarRecord = { name: 'Own', version: '1', weekend: WEEKEND, holidays: ['2025-03-03'] };

/** A library with two countries, whose calendars close on the given day. */
function libraryOf(day: string): OtherCalendars {
  const isWorkingDay = (asked: number): boolean => asked !== date(day);
  const byName = new Map([
    ['jp', 'JP'],
    ['jpn', 'JP'],
    ['japan', 'JP'],
    ['eg', 'EG'],
    ['egy', 'EG'],
    ['egypt', 'EG'],
  ]);
  return {
    find: (name) => {
      const code = byName.get(name.trim().toLowerCase());
      return code === undefined ? undefined : { name: code, version: 'library', isWorkingDay };
    },
  };
}

function faultOf(name: string): string {
  return describeCalendarFault(name, (part) => findCalendar(part, {}));
}

function faultsOf(...records: readonly CalendarRecord[]): readonly string[] {
  return readCatalogueCalendars(records).faults.map((fault) => `${fault.path}: ${fault.message}`);
}

function daysFrom(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => formatCalendarDate(addDays(date('2025-03-02'), index)));
}

describe('calendar names (H2)', () => {
  it.each([
    ['ro', 'RO'],
    ['ROU', 'RO'],
    [' Romania ', 'RO'],
    ['czech republic', 'CZ'],
    ['Czechia', 'CZ'],
    ['GREAT BRITAIN', 'GB'],
    ['United  Kingdom', 'GB'],
    ['UK', 'GB'],
    ['usa', 'US'],
    ['United States of America', 'US'],
    ['the Netherlands', 'NL'],
    ['ecb', 'TARGET'],
    ['Target2', 'TARGET'],
    ['T2', 'TARGET'],
  ])('%s finds %s', (asked, canonical) => {
    expect(calendarNamed(asked).name).toBe(canonical);
    expect(calendarNamed(asked).version).toBe('2026.1');
  });

  it.each(['', ' ', '+', 'RO+', '+RO', 'RO++DE', 'XX', 'Atlantis', 'RO+Atlantis', 'Roman', 'R'.repeat(400)])(
    '"%s" finds no calendar',
    (asked) => {
      expect(findCalendar(asked, {})).toBeUndefined();
    },
  );
});

describe('unions of calendars (H2)', () => {
  it('have the same name regardless of order, blanks and repetitions', () => {
    const names = ['RO+TARGET', 'target + ro', 'TARGET+RO+T2', 'Romania +ECB+ROU'];
    expect(names.map((name) => calendarNamed(name).name)).toEqual(names.map(() => 'RO+TARGET'));
    expect(calendarNamed('TARGET+RO').version).toBe('2026.1+2026.1');
    expect(calendarNamed('RO+Romania').name).toBe('RO');
  });

  it('have a business day only when it is one in all parts', () => {
    const union = calendarNamed('RO+TARGET');
    const worked = ['2025-04-21', '2025-12-01', '2026-04-03', '2025-12-02'].map((day) =>
      union.isWorkingDay(date(day)),
    );
    expect(worked).toEqual([false, false, false, true]);
    expect(calendarNamed('RO').isWorkingDay(date('2026-04-03'))).toBe(true);
    expect(calendarNamed('TARGET').isWorkingDay(date('2025-12-01'))).toBe(true);
  });

  it('have at most eight parts', () => {
    const eight = 'AT+BE+BG+CZ+DE+ES+FR+GB';
    expect(calendarNamed(eight).name).toBe(eight);
    expect(findCalendar(`${eight}+RO`, {})).toBeUndefined();
  });

  it('are rejected if they leave no working day', () => {
    const catalogue = readCatalogueCalendars([
      { name: 'Early', version: '1', weekend: ['Thursday', 'Friday', 'Saturday', 'Sunday'], holidays: [] },
      { name: 'Late', version: '1', weekend: ['monday', 'Tuesday', 'WEDNESDAY'], holidays: [] },
    ]);
    expect(catalogue.faults).toEqual([]);
    expect(findCalendar('Early', { catalogue })?.isWorkingDay(date('2025-03-05'))).toBe(true);
    expect(findCalendar('Early+Late', { catalogue })).toBeUndefined();
  });
});

describe('sources of calendars (H2)', () => {
  const library: BusinessCalendar = { name: 'Own', version: 'library', isWorkingDay: () => true };
  const others = { find: (name: string) => (/^(own|jp|ro)$/i.test(name) ? library : undefined) };

  it('are searched in the order built-in, catalogue, library', () => {
    const catalogue = readCatalogueCalendars([own]);
    expect(findCalendar('OWN', { catalogue, others })?.version).toBe('1');
    expect(findCalendar('own', { others })?.version).toBe('library');
    expect(findCalendar('RO', { catalogue, others })?.version).toBe('2026.1');
    expect(findCalendar('Own + RO', { catalogue })?.name).toBe('Own+RO');
  });
});

describe('calendars of the catalogue (H2)', () => {
  it('close on their weekend and holidays', () => {
    const calendar = ownCalendar({ weekend: ['Friday'], holidays: ['2025-03-03', '2025-3-4'] });
    const days = ['2025-03-02', '2025-03-03', '2025-03-04', '2025-03-05', '2025-03-07'];
    expect(days.map((day) => calendar.isWorkingDay(date(day)))).toEqual([true, false, false, true, false]);
  });

  it('extend a base, a union or a later record', () => {
    const records: readonly CalendarRecord[] = [
      { name: 'Branch', version: '3', holidays: ['2025-06-10'], base: 'bank' },
      { name: 'Bank', version: '2', holidays: ['2025-06-11'], base: 'RO+TARGET' },
    ];
    const { find, faults } = readCatalogueCalendars(records);
    expect(faults).toEqual([]);
    const worked = ['2025-06-09', '2025-06-10', '2025-06-11', '2025-06-12', '2025-04-21', '2025-06-14'].map(
      (day) => find('branch')?.isWorkingDay(date(day)),
    );
    expect(worked).toEqual([false, false, false, true, false, false]);
    expect(find('Bank')?.isWorkingDay(date('2025-06-10'))).toBe(true);
  });

  it('extend a country of the library', () => {
    const japan = { name: 'JP', version: 'x', isWorkingDay: (day: number) => day % 2 === 0 };
    const others = { find: (name: string) => (name === 'Japan' ? japan : undefined) };
    const { find } = readCatalogueCalendars(
      [{ name: 'Own', version: '1', holidays: [], base: 'Japan' }],
      others,
    );
    expect([date('2025-03-03'), date('2025-03-04')].map((day) => find('Own')?.isWorkingDay(day))).toEqual(
      [date('2025-03-03'), date('2025-03-04')].map((day) => day % 2 === 0),
    );
  });

  it.each(['JP', 'jpn', 'Japan'])('replace a country under all of its names if named %s', (name) => {
    const others = libraryOf('2025-06-10');
    const catalogue = readCatalogueCalendars([{ name, version: '7', holidays: ['2025-06-11'] }], others);
    expect(catalogue.faults).toEqual([]);
    for (const asked of ['JP', 'JPN', 'japan', 'JP+Japan', 'Japan+JP', 'jpn + JP']) {
      const calendar = findCalendar(asked, { catalogue, others });
      expect([asked, calendar?.name, calendar?.version]).toEqual([asked, name, '7']);
      const worked = ['2025-06-10', '2025-06-11'].map((day) => calendar?.isWorkingDay(date(day)));
      expect(worked).toEqual([true, false]);
    }
    const unions = ['JP+TARGET', 'TARGET+Japan'].map((asked) => findCalendar(asked, { catalogue, others }));
    expect(new Set(unions.map((union) => `${union?.name} ${union?.version}`)).size).toBe(1);
    expect(findCalendar('EG', { catalogue, others })?.version).toBe('library');
  });

  it('may extend the country that they replace, which other records then extend', () => {
    const others = libraryOf('2025-06-10');
    const records: readonly CalendarRecord[] = [
      { name: 'Branch', version: '3', holidays: [], base: 'JPN' },
      { name: 'JP', version: '2', holidays: ['2025-06-11'], base: 'Japan + TARGET' },
    ];
    for (const list of [records, records.toReversed()]) {
      const { find, faults } = readCatalogueCalendars(list, others);
      expect(faults).toEqual([]);
      for (const name of ['Branch', 'Japan']) {
        const days = ['2025-06-10', '2025-06-11', '2025-05-01', '2025-06-12'];
        expect(days.map((day) => find(name)?.isWorkingDay(date(day)))).toEqual([false, false, false, true]);
      }
    }
  });

  it('must not form a cycle through the country that they replace', () => {
    const records: readonly CalendarRecord[] = [
      { name: 'JP', version: '1', holidays: [], base: 'Branch' },
      { name: 'Branch', version: '1', holidays: [], base: 'Japan' },
    ];
    for (const list of [records, records.toReversed()]) {
      const { faults } = readCatalogueCalendars(list, libraryOf('2025-06-10'));
      expect(faults.map(({ path }) => path)).toEqual(['[1].base', '[0].base']);
    }
  });

  it('must not replace the same country twice', () => {
    const records = ['Egypt', 'EGY'].map((name) => ({ ...own, name }));
    expect(readCatalogueCalendars(records, libraryOf('2025-06-10')).faults).toEqual([
      {
        path: '[1].name',
        message: 'must not name the same country as the record Egypt; keep one of the two',
      },
    ]);
  });

  it('are rejected with all their faults', () => {
    expect(
      faultsOf({
        name: 'Own',
        version: '',
        weekend: ['Sun'],
        holidays: ['2025-02-30', 'x'],
        base: 'Atlantis',
      }),
    ).toEqual([
      '[0].version: must have 1 to 64 letters, digits, blanks, dots, underscores or hyphens',
      '[0].weekend[0]: must be one of Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday',
      '[0].holidays[0]: must be a date that exists, yyyy-mm-dd',
      '[0].holidays[1]: must be a date that exists, yyyy-mm-dd',
      '[0].base: must name a calendar that is known and does not extend this one',
    ]);
    expect(readCatalogueCalendars([{ ...own, version: '' }]).find('Own')).toBeUndefined();
  });

  it.each(['', ' Own', 'A+B', 'Zürich', 'x'.repeat(65), 'a"b'])('must not be named "%s"', (name) => {
    expect(faultsOf({ ...own, name })).toEqual([
      '[0].name: must have 1 to 64 letters, digits, blanks, dots, underscores or hyphens',
    ]);
  });

  it('must not have the name of a built-in calendar or of another record', () => {
    expect(faultsOf({ ...own, name: 'romania' })).toEqual([
      '[0].name: must not be the name of a built-in calendar; extend that one with base under another name',
    ]);
    expect(faultsOf(own, { ...own, name: 'OWN' })).toEqual([
      '[1].name: must be unique in the catalogue, regardless of case',
    ]);
  });

  it('must not extend themselves, directly or indirectly', () => {
    const unknown = 'must name a calendar that is known and does not extend this one';
    expect(faultsOf({ ...own, base: 'Own' })).toEqual([`[0].base: ${unknown}`]);
    expect(faultsOf({ ...own, base: 'B' }, { ...own, name: 'B', base: 'own' })).toEqual([
      `[1].base: ${unknown}`,
      `[0].base: ${unknown}`,
    ]);
  });

  it('must leave a working day in any two months', () => {
    const fault = '[0]: must leave a working day in any two months';
    const week = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
    expect(faultsOf({ ...own, weekend: week })).toEqual([fault]);
    expect(faultsOf({ ...own, weekend: week, holidays: [] })).toEqual([fault]);
    expect(faultsOf({ ...own, weekend: [], holidays: daysFrom(59) })).toEqual([]);
    expect(faultsOf({ ...own, weekend: [], holidays: daysFrom(60) })).toEqual([fault]);
    expect(faultsOf({ ...own, holidays: daysFrom(59) })).toEqual([fault]);
  });

  it('list at most 20,000 days', () => {
    expect(faultsOf({ ...own, holidays: Array.from({ length: 20_001 }, () => '2025-03-03') })).toEqual([
      '[0].holidays: must have at most 20000 days',
    ]);
  });
});

describe('faults of unknown calendar names (H2)', () => {
  it('identify the unknown part of the union', () => {
    const part =
      'a part is a country by its ISO 3166 code or English name, TARGET, or a calendar of the catalogue';
    expect(faultOf('RO+Atlantis')).toBe(`must combine known calendars, but part 2 is unknown; ${part}`);
    expect(faultOf('Utopia+RO+Atlantis+')).toBe(
      `must combine known calendars, but part 1, part 3, part 4 are unknown; ${part}`,
    );
    expect(faultOf('Atlantis')).toMatch(/^must be a country by its ISO 3166 code/);
  });

  it('state the exceeded limit, or that no working day is left', () => {
    expect(faultOf('AT+BE+BG+CZ+DE+ES+FR+GB+RO')).toBe('must combine at most 8 calendars, not 9');
    expect(faultOf(`RO+${'x'.repeat(300)}`)).toMatch(/^must have at most 300 characters; a part is/);
    expect(faultOf('RO+TARGET')).toMatch(/^must leave a working day/);
  });
});

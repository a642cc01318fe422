import rawCases from '../../../cases/lending/calendar.json' with { type: 'json' };
import weekends from '../../../../shared/lending/calendars/library/weekends.json' with { type: 'json' };
import listed from '../../../../shared/lending/calendars/library/library-countries.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import {
  addDays,
  toCalendarDate,
  formatCalendarDate,
} from '../../../../shared/lending/dates/calendar-date.ts';
import {
  BUILT_IN_CALENDARS,
  findBuiltInCalendar,
} from '../../../../shared/lending/calendars/built-in-calendars.ts';
import {
  listHolidays,
  orthodoxEaster,
  readHolidayDay,
  findSubstitution,
  readWeekendRules,
  westernEaster,
  type WeekendRule,
} from '../../../../shared/lending/calendars/national-calendar.ts';
import { findCalendar, describeCalendarFault } from '../../../../shared/lending/calendars/find-calendar.ts';
import { getWeekday } from '../../../../shared/lending/dates/weekday.ts';
import { calendarNamed, ownCalendar } from '../../../support/builders/lending-calendar.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import type { OtherCalendars } from '../../../../shared/lending/calendars/business-calendar.ts';
import {
  type CalendarRecord,
  readCatalogueCalendars,
} from '../../../../shared/lending/calendars/catalogue-calendars.ts';
import { readComparedDays } from '../../../../scripts/calendars/public-holidays.ts';
import { createLibraryCalendars } from '../../../../shared/lending/calendars/library/library-calendars.ts';
import { leastMsOf } from '../../../support/fakes/least-time.ts';

interface CalendarCase {
  readonly id: string;
  readonly input: { readonly calendar: string; readonly year: number; readonly date: string };
  readonly expected: {
    readonly holidays?: readonly string[];
    readonly holidays_on_weekdays?: readonly string[];
    readonly western?: string;
    readonly orthodox?: string;
    readonly business_day?: boolean;
  };
}

const otherCountries = createLibraryCalendars();
const casesOf = (wanted: string) =>
  rawCases.filter(({ kind }) => kind === wanted) as unknown as readonly CalendarCase[];
/** The calendar of a published case; some cases append `settlement` to its name. */
const nameOf = (calendar: string): string => calendar.replace(' settlement', '');

function dataOf(name: string) {
  const canonical = calendarNamed(name).name;
  const data = BUILT_IN_CALENDARS.find((candidate) => candidate.name === canonical);
  if (data === undefined) throw new Error(name);
  return data;
}

/** The legal holidays of a year, including those on rest days. */
function listedHolidays(name: string, year: number): readonly string[] {
  return [...listHolidays(dataOf(name))(year)].map(formatCalendarDate).toSorted();
}

function closedWeekdays(name: string, year: number): readonly string[] {
  const calendar = calendarNamed(name);
  const days: string[] = [];
  for (let day = toCalendarDate(year, 1, 1); day < toCalendarDate(year + 1, 1, 1); day = addDays(day, 1)) {
    if (getWeekday(day) < 5 && !calendar.isWorkingDay(day)) days.push(formatCalendarDate(day));
  }
  return days;
}

describe('published holidays (H2)', () => {
  const lists = casesOf('holiday_list');

  it.each(lists)('match the closed days of $id', (known) => {
    const { calendar, year } = known.input;
    const { holidays, holidays_on_weekdays: onWeekdays } = known.expected;
    const found = {
      ...(holidays === undefined ? {} : { holidays: listedHolidays(nameOf(calendar), year) }),
      ...(onWeekdays === undefined ? {} : { holidays_on_weekdays: closedWeekdays(nameOf(calendar), year) }),
    };
    expect(known.expected).toMatchObject(found);
    expect(Object.keys(found).length).toBeGreaterThan(0);
  });

  it('match the published dates of Western and Orthodox Easter', () => {
    const easters = casesOf('easter');
    expect(easters.length).toBeGreaterThan(5);
    expect([1954, 1981].map(westernEaster)).toEqual([date('1954-04-18'), date('1981-04-19')]);
    for (const { input, expected } of easters) {
      expect(formatCalendarDate(westernEaster(input.year))).toBe(expected.western);
      expect(formatCalendarDate(orthodoxEaster(input.year))).toBe(expected.orthodox);
    }
  });

  it('match the published business days and holidays of Romania', () => {
    const days = casesOf('is_business_day');
    expect(days.length).toBeGreaterThan(3);
    for (const { id, input, expected } of days) {
      const isWorked = calendarNamed(input.calendar).isWorkingDay(date(input.date));
      expect([id, isWorked]).toEqual([id, expected.business_day]);
    }
  });
});

/** Changes of law: a weekday that is a working day before or after the change, and a weekday that is not. */
const CHANGES = `
RO: 2023-01-06 2025-01-06, 2022-01-07 2025-01-07, 2014-01-24 2017-01-24, 2017-04-14 2018-04-06
RO: 2016-06-01 2017-06-01, 2008-06-16 2009-06-08, 2008-08-15 2011-08-15, 2011-11-30 2012-11-30
DE: 2016-10-31 2017-10-31, 2018-10-31 2017-10-31
IT: 2000-06-02 2003-06-02, 2024-10-04 2027-10-04, 2010-03-17 2011-03-17
NL: 2014-04-30 2013-04-30, 2012-04-27 2015-04-27, 2017-05-05 2015-05-05
PL: 2010-01-06 2011-01-06, 2024-12-24 2025-12-24, 2019-11-12 2018-11-12
HU: 2016-03-25 2017-04-14, 2017-12-27 2024-12-27, 2027-12-23 2027-12-24
CZ: 2015-04-03 2016-03-25
SK: 2000-11-17 2003-11-17, 2025-11-17 2023-11-17, 2025-09-01 2023-09-01, 2026-05-08 2025-05-08
SK: 2026-05-08 2028-05-08, 2026-09-15 2025-09-15, 2019-10-30 2018-10-30
BG: 2009-04-17 2010-04-02, 2014-05-26 2017-05-08, 2024-12-31 2025-12-31
HR: 2001-06-25 2002-06-25, 2020-06-25 2019-06-25, 2020-10-08 2019-10-08, 2019-11-18 2020-11-18
HR: 2019-05-30 2022-05-30, 2001-06-14 2002-05-30
GR: 2013-05-01 2013-05-07, 2024-05-01 2024-05-07, 2023-05-02 2022-05-02, 2016-05-04 2016-05-03
GR: 2022-05-04 2021-05-04
GB: 2020-05-04 2020-05-08, 2002-05-27 2002-06-04, 2012-05-28 2012-06-05, 2022-05-30 2022-06-03
GB: 2012-04-27 2011-04-29, 2023-09-19 2022-09-19, 2024-05-13 2023-05-08
US: 2020-06-19 2023-06-19
TARGET: 2002-12-31 2001-12-31
`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [calendar = '', pairs = ''] = line.split(': ');
    return pairs.split(', ').map((pair) => [calendar, ...pair.split(' ')] as [string, string, string]);
  });

describe('changes of holiday law (H2)', () => {
  it.each(CHANGES)('%s has a business day on %s but not on %s', (name, worked, closed) => {
    const calendar = calendarNamed(name);
    expect(getWeekday(date(closed))).toBeLessThan(5);
    expect([calendar.isWorkingDay(date(worked)), calendar.isWorkingDay(date(closed))]).toEqual([true, false]);
  });

  it('have not changed the number of holidays in Austria, Belgium, France and Spain since 2000', () => {
    for (const name of ['AT', 'BE', 'FR', 'ES']) {
      const counts = [2000, 2005, 2025, 2060].map((year) => listedHolidays(name, year).length);
      expect(new Set(counts).size).toBe(1);
    }
    expect(closedWeekdays('France', 2006)).toContain('2006-06-05');
  });
});

/** Days on which a calendar is open (+) or closed (-), and what they show. */
const DAYS = `
GB: -1999-12-28 -2021-12-27 -2021-12-28 +2021-12-29 -2022-12-26 -2022-12-27 +2022-12-28 -2022-01-03: Christmas and New Year on the next free weekdays
US: -2021-06-18 -2021-07-05 -2021-12-24 -2021-12-31 +2022-01-03 -2022-01-17: the Friday or Monday, across the turn of the year
BG: -2022-12-26 -2022-12-27 -2022-12-28 +2022-12-29 +2016-12-27 -2021-05-04 +2021-05-05: substitutes since 2017, except for Easter
HU: -2026-01-02 +2026-01-10 -2026-01-17 +2025-12-13 -2026-12-12: a Saturday in exchange for a day off, without a repealed one
BG: +2016-03-12: a Saturday in exchange for a day off until 2016
RO: -1999-12-01 -2999-01-07 -1900-05-01 +2998-03-06: the nearest rules outside the years 2000 to 2060
CH: -2025-08-01 +2025-05-01 +2025-12-24 -2025-12-25: no regional or half-day holidays
CN: +2027-03-08 +2025-08-01 -2024-10-04 +2026-06-01: no half-day holidays, but days off by decree
RS: -2021-05-04 -2027-05-04 +2021-05-05: days in lieu
AL: -2025-03-31 -2024-06-17 -2026-09-07 +2026-10-19: days in lieu
XK: -2025-03-31 -2025-04-21: days in lieu
CY: -2025-03-03 +2025-03-04 -2025-06-09: days by Orthodox Easter
KR: -2025-01-28 +2025-01-31 -2025-06-03: single days
TR: +2025-03-28 -2025-03-31 -2025-04-01 +2025-04-02: the end of Ramadan, 90 hours from the eve of 30 March
SA: -2025-03-30 -2025-03-31 -2025-04-01 -2025-04-02 +2025-04-03: the end of Ramadan, 96 hours
IL: +2025-10-01 -2025-10-02 +2025-10-05: the day after the eve
AE: -2006-08-31 -2021-12-31 +2021-12-26 +2022-01-07 -2022-01-09: weekends that changed
SA: -2013-06-27 -2013-06-29 +2013-07-04: a weekend that changed
JP: +2025-03-07 -2025-03-08 -2025-03-09: Saturday and Sunday
EG: -2025-03-07 -2025-03-08 +2025-03-09: Friday and Saturday
JP: +2000-01-03 -2060-11-23 +1999-11-23 +2061-11-23 +1900-01-01 +2999-01-01 -1999-11-21 -2061-11-26: only weekends before 2000 and after 2060
`
  .trim()
  .split('\n')
  .map((line) => line.split(': ') as [string, string, string]);

describe('open and closed days (H2)', () => {
  it.each(DAYS)('of %s are %s: %s', (name, days) => {
    const calendar = findCalendar(name, { others: otherCountries });
    const found = days
      .split(' ')
      .map((day) => `${calendar?.isWorkingDay(date(day.slice(1))) === true ? '+' : '-'}${day.slice(1)}`);
    expect(found.join(' ')).toBe(days);
  });

  it('move the Dutch royal holiday from Sunday to Saturday', () => {
    expect(listedHolidays('NL', 2014)).toContain('2014-04-26');
    expect(listedHolidays('NL', 2006)).toContain('2006-04-29');
  });
});

describe('calendar data (H2)', () => {
  it('contain a source for every rule, and valid years', () => {
    expect(BUILT_IN_CALENDARS.length).toBe(18);
    for (const data of BUILT_IN_CALENDARS) {
      for (const record of data.holidays) {
        expect(record.source.length).toBeGreaterThan(10);
        expect(/^\d{4}-/.test(record.day) !== (record.from !== undefined)).toBe(true);
        expect(record.to === undefined || record.from === undefined || record.to >= record.from).toBe(true);
      }
      expect(data.version).toMatch(/^\d{4}\.\d+$/);
      expect(data.scope.length).toBeGreaterThan(10);
      expect(data.weekend.every((rule) => rule.source.length > 10)).toBe(true);
    }
  });

  it('exchange a weekday for a rest day within twelve months', () => {
    const pairs = BUILT_IN_CALENDARS.flatMap((data) => data.exchangedDays?.days ?? []);
    expect(pairs.length).toBeGreaterThan(80);
    for (const { rest, worked } of pairs) {
      expect([rest, getWeekday(date(rest)) < 5, getWeekday(date(worked)) >= 5]).toEqual([rest, true, true]);
      expect(Math.abs(date(rest) - date(worked))).toBeLessThan(366);
    }
  });

  it('throw when they cannot be parsed', () => {
    expect(() => readHolidayDay('fifth monday in may')).toThrow('fifth monday in may');
    expect(() => readHolidayDay('first someday in may')).toThrow('someday');
    expect(() => findSubstitution('never')).toThrow('never');
    const rule = { days: ['Caturday'], from: '2000-01-01', source: 'none' };
    expect(() => readWeekendRules([rule])).toThrow('Caturday');
    expect(() => readWeekendRules([{ ...rule, days: ['Sunday'], from: '2000' }])).toThrow('2000');
  });

  it('substitute a Sunday but not a Saturday by the rule sunday-to-next-working-day', () => {
    const [saturday, sunday] = [date('2026-08-15'), date('2026-08-16')];
    const isFree = (day: number): boolean => day > sunday;
    const substitute = findSubstitution('sunday-to-next-working-day');
    expect(substitute(sunday, isFree)).toBe(date('2026-08-17'));
    expect(substitute(saturday, isFree)).toBeUndefined();
  });

  it('find the last weekday of December', () => {
    expect(readHolidayDay('last sunday in december')(2028)).toBe(date('2028-12-31'));
  });

  it('have the same days after the cache has been cleared', () => {
    const calendar = calendarNamed('US');
    const before = calendar.isWorkingDay(date('2027-12-31'));
    for (let year = 1000; year < 3000; year += 1) calendar.isWorkingDay(toCalendarDate(year, 7, 4));
    expect([before, calendar.isWorkingDay(date('2027-12-31'))]).toEqual([false, false]);
  });
});

const WEEKEND = ['Saturday', 'Sunday'];
const own: CalendarRecord = { name: 'Own', version: '1', weekend: WEEKEND, holidays: ['2025-03-03'] };

/** A library with two countries, whose calendars close on the given day. */
function libraryOf(day: string): OtherCalendars {
  const isWorkingDay = (asked: number): boolean => asked !== date(day);
  return {
    find: (name) => {
      const code = /^ *(?:(jp|jpn|japan)|(eg|egy|egypt)) *$/i.exec(name);
      return code === null
        ? undefined
        : { name: code[1] === undefined ? 'EG' : 'JP', version: 'library', isWorkingDay };
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
  it.each(
    'ro=RO;ROU=RO; Romania =RO;czech republic=CZ;Czechia=CZ;GREAT BRITAIN=GB;United  Kingdom=GB;UK=GB;usa=US;United States of America=US;the Netherlands=NL;ecb=TARGET;Target2=TARGET;T2=TARGET'
      .split(';')
      .map((pair) => pair.split('=')),
  )('"%s" finds %s', (asked = '', canonical = '') => {
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
    const days = ['2025-04-21', '2025-12-01', '2026-04-03', '2025-12-02'];
    expect(days.map((day) => union.isWorkingDay(date(day)))).toEqual([false, false, false, true]);
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
  const library = { name: 'Own', version: 'library', isWorkingDay: () => true };
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
    const record = { name: 'Own', version: '1', holidays: [], base: 'Japan' };
    const { find } = readCatalogueCalendars([record], others);
    const days = [date('2025-03-03'), date('2025-03-04')];
    expect(days.map((day) => find('Own')?.isWorkingDay(day))).toEqual(days.map((day) => day % 2 === 0));
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
    const message = 'must not name the same country as the record Egypt; keep one of the two';
    const { faults } = readCatalogueCalendars(records, libraryOf('2025-06-10'));
    expect(faults).toEqual([{ path: '[1].name', message }]);
  });

  it('are rejected with all their faults', () => {
    const wrong = { weekend: ['Sun'], holidays: ['2025-02-30', 'x'], base: 'Atlantis' };
    expect(faultsOf({ name: 'Own', version: '', ...wrong })).toEqual([
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
    expect(faultsOf({ ...own, holidays: Array.from({ length: 20_000 }, () => '2025-03-03') })).toEqual([]);
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
    expect(faultOf(`RO+${'x'.repeat(297)}`)).toMatch(/part 2 is unknown/);
    expect(faultOf(`RO+${'x'.repeat(298)}`)).toMatch(/^must have at most 300 characters; a part is/);
    expect(faultOf('RO+TARGET')).toMatch(/^must leave a working day/);
  });
});

describe('calendars of other countries (H2)', () => {
  it('are found by ISO code and by case-insensitive English name', () => {
    const names = 'JP jpn japan Switzerland CHE Turkey Türkiye XKX'.split(' ');
    const longer = ['Cote d’Ivoire', 'St. Lucia', 'Saint Lucia', 'Bosnia & Herzegovina'];
    expect([...names, ...longer].map((name) => otherCountries.find(name)?.name).join(' ')).toBe(
      'JP JP JP CH CH TR TR XK CI LC LC BA',
    );
  });

  it('are not found by other names', () => {
    expect(['', 'ZZ', 'Atlantis', 'constructor', '__proto__', 'TARGET'].map(otherCountries.find)).toEqual(
      Array.from({ length: 6 }),
    );
  });

  it('exist, with valid days, for every country without a built-in calendar', () => {
    const codes = Object.keys(listed.countries);
    expect(codes.length).toBeGreaterThan(180);
    for (const code of codes) {
      expect(otherCountries.find(code)?.name).toBe(code);
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

  it('agree with each verdict on a difference from the second source', () => {
    const wrong = [...readComparedDays()].flatMap(([country, days]) => {
      const calendar = otherCountries.find(country);
      return [...days].flatMap(([day, verdict]) => {
        const mustWork = verdict === 'remove' || verdict === 'open';
        const fault = `${country} ${formatCalendarDate(day)} ${verdict}`;
        return calendar?.isWorkingDay(day) === mustWork ? [] : fault;
      });
    });
    expect(wrong).toEqual([]);
    expect(readComparedDays().size).toBeGreaterThan(100);
  });

  it('have weekend rules with sources that can be parsed', () => {
    const rules = Object.values(weekends).flat() as readonly WeekendRule[];
    expect(rules.every((rule) => rule.source.length > 10)).toBe(true);
    expect(() => readWeekendRules(rules)).not.toThrow();
  });

  it('can be combined with built-in calendars', () => {
    const union = findCalendar('target + Norway', { others: otherCountries });
    expect([union?.name, union?.version]).toEqual(['NO+TARGET', 'date-holidays 3.37.0-2026.2+2026.1']);
    expect(union?.isWorkingDay(date('2027-05-17'))).toBe(false);
  });
});
